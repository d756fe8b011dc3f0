"""Sign-ins to tool servers in the keychain: too long for one item, so in several."""

from __future__ import annotations

import base64
import hashlib
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kinet.mcp.definition import ServerDefinition
    from kinet.settings.secrets import Keychain

# Of an item's characters; the rest tells which pieces belong together.
_PIECE = 1_200
# More is kept for this session alone.
_MOST_PIECES = 40


class KeychainAccounts:
    """Per server and data folder. Where there is no keychain they end with the program. Blocks.

    The first piece says how many there are. The whole is packed with its checksum, so that half of
    an old and half of a new one is nothing.
    """

    def __init__(self, keychain: Keychain, home: Path) -> None:
        self._keychain = keychain
        self._home = hashlib.sha256(str(home.absolute()).encode()).hexdigest()[:8]

    def load(self, server: ServerDefinition) -> str:
        """The kept text as the keychain has it now, whoever wrote it; "" for none."""
        count = self._count(server)
        text = self._piece(server, 0).partition("|")[2] if count else ""
        for number in range(1, count):
            text += self._piece(server, number)
        try:
            return zlib.decompress(base64.urlsafe_b64decode(text)).decode("utf-8")
        except (ValueError, zlib.error):
            return ""

    def keep(self, server: ServerDefinition, text: str) -> str:
        """Keeps a text; says where: "keychain" or "session"."""
        before = self._count(server)
        whole = base64.urlsafe_b64encode(zlib.compress(text.encode("utf-8"))).decode("ascii")
        pieces = [whole[at : at + _PIECE] for at in range(0, len(whole), _PIECE)]
        pieces[0] = f"{len(pieces)}|{pieces[0]}"
        places = {
            self._keychain.set(
                self._item(server, number), piece, session_only=len(pieces) > _MOST_PIECES
            )
            for number, piece in enumerate(pieces)
        }
        for number in range(len(pieces), before):
            self._keychain.delete(self._item(server, number))
        return "session" if "session" in places else "keychain"

    def forget(self, server: ServerDefinition) -> None:
        """Removes it; none is fine. SettingsError if the keychain would not."""
        # The first piece last: it tells how many there are, should one of them stay.
        for number in reversed(range(self._count(server))):
            self._keychain.delete(self._item(server, number))

    def _count(self, server: ServerDefinition) -> int:
        head, bar, _ = self._piece(server, 0).partition("|")
        return int(head) if bar and head.isascii() and head.isdigit() and len(head) < 4 else 0

    def _piece(self, server: ServerDefinition, number: int) -> str:
        found = self._keychain.get_now(self._item(server, number))
        return found.reveal() if found is not None else ""

    def _item(self, server: ServerDefinition, number: int) -> str:
        from kinet.mcp.account import account_key

        return f"mcp:{server.name}:sign-in:{self._home}:{account_key(server)}:{number}"

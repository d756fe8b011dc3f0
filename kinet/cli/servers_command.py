"""`kinet servers`: lists tool servers, signs in to one and out again, without a window."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinet.cli.tool_servers import servers_for
from kinet.core.errors import SettingsError, ToolError
from kinet.settings.secrets import REASONS, Keychain
from kinet.settings.server_sign_ins import ServerSignIns

if TYPE_CHECKING:
    from kinet.mcp.definition import ServerDefinition
    from kinet.mcp.sign_in import Visit
    from kinet.settings.tool_servers import ToolServerBook


def servers(options: argparse.Namespace) -> int:
    """Does one act. SettingsError says what could not be done."""
    folder = (options.cwd or Path.cwd()).absolute()
    with servers_for(options) as book:
        match options.act:
            case "list":
                _list(asyncio.run(_rows(book, folder)), as_json=options.json)
            case "sign-in":
                _check_keychain()
                asyncio.run(_sign_in(book, folder, options))
            case _:
                _sign_out(asyncio.run(ServerSignIns(book).sign_out(options.name, folder)), options)
    return 0


async def _rows(book: ToolServerBook, folder: Path) -> list[dict[str, Any]]:
    found = await asyncio.to_thread(book.servers_for, folder)
    return [
        {
            "name": server.name,
            "place": server.place,
            "kind": server.kind,
            "line": server.line,
            "enabled": server.enabled,
            "signed_in": await _signed_in(book, server),
        }
        for server in found
    ]


async def _signed_in(book: ToolServerBook, server: ServerDefinition) -> str:
    if not server.takes_sign_in:
        return ""
    try:
        await book.servers.sign_ins.look(server)
    except ToolError:
        # Its address cannot be filled in here; nobody is signed in to it then.
        return ""
    return book.signed_in(server)[0]


def _list(rows: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    if not rows:
        print("There are no servers yet.")
    for row in rows:
        marks = [] if row["enabled"] else ["off"]
        marks += ["of this folder"] if row["place"] == "folder" else []
        marks += [f"signed in at {row['signed_in']}"] if row["signed_in"] else []
        print(f"{row['name']}{'  (' + ', '.join(marks) + ')' if marks else ''}\n  {row['line']}")


def _check_keychain() -> None:
    """A sign-in that ends with this command would be of no use."""
    state = Keychain().state()
    if state not in ("found", "none"):
        raise SettingsError(
            f"{REASONS[state]} A sign-in is kept nowhere else.",
            hint="Sign in in the window, which keeps it until it closes, or give the server a "
            'token from the environment: "headers": {"Authorization": "Bearer ${NAME}"}.',
        )


async def _sign_in(book: ToolServerBook, folder: Path, options: argparse.Namespace) -> None:
    name = options.name

    def show(visit: Visit) -> None:
        more = f" It asks for: {visit.scope}." if visit.scope else ""
        print(f"Sign in to {name} at {visit.host}.{more} Open this address in a browser:\n")
        print(f"{visit.url}\n", flush=True)
        if options.open:
            webbrowser.open(visit.url)
        if sys.stdin.isatty():
            print(
                "If the browser is on another computer, it ends on a page that cannot be reached: "
                "paste the address of that page here.",
                flush=True,
            )
            threading.Thread(target=_take_pasted, args=(visit,), daemon=True).start()

    signed = await ServerSignIns(book).sign_in(
        name, folder, show=show, progress=lambda words: print(f"{words} …", file=sys.stderr)
    )
    if options.json:
        print(json.dumps({"name": name, "signed_in": signed.host if signed else ""}))
    elif signed is None:
        print(f"{name} asks for no sign-in.")
    else:
        print(f"Signed in to {name} at {signed.host}; it is kept in the keychain.")


def _take_pasted(visit: Visit) -> None:
    for line in sys.stdin:
        if visit.take(line.strip()):
            return
        if line.strip():
            print("That is not the address this sign-in ends on.", file=sys.stderr)


def _sign_out(ended: bool, options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps({"name": options.name, "signed_in": "", "ended": ended}))
        return
    more = "" if ended else " Its authorization server was not told, or did not confirm it."
    print(f"Signed out of {options.name}.{more}")

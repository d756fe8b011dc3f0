"""The key a command brings along when it hands its work over: its variable is not ours."""

from __future__ import annotations

from kinet.core.profile import ModelProfile
from kinet.net.secret import Secret
from kinet.settings.secrets import Keychain


class HandedKey(Keychain):
    """Like the keychain, but `variable` holds what the command's own environment said."""

    def __init__(self, variable: str, key: Secret) -> None:
        super().__init__()
        self._variable, self._handed = variable, key

    def key_for(self, profile: ModelProfile) -> Secret | None:
        """The key of this profile, None where there is none. May ask the keychain."""
        if profile.key_env and profile.key_env == self._variable:
            return self._handed
        return super().key_for(profile)

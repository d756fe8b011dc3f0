"""A typed key is in the keychain and in no file; where there is no keychain that is said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import keyring.backends.fail
import pytest

from kinet.settings import secrets
from kinet.settings.store import SettingsStore
from kinet.ui.welcome.welcome import WelcomePage
from tests.support.file_keyring import PLACE
from tests.support.live_window import live_window
from tests.support.replies import Reply
from tests.support.scripted_server import ScriptedServer, says
from tests.support.window import until

ROOT = Path(__file__).resolve().parents[2]
KEY = "sk-canary-0123456789abcdefghijklmnop"

pytestmark = pytest.mark.window


def test_a_typed_key_is_used_and_kept_in_the_keychain_alone(tmp_path: Path) -> None:
    home, keychain = tmp_path / "home", tmp_path / "keychain.json"
    with ScriptedServer(says("It is.")) as server:
        settings = SettingsStore(home)
        settings.save_profile(server.profile())
        settings.set("models.default_profile", "scripted")
        ran = subprocess.run(
            [sys.executable, str(Path(__file__).with_name("key_program.py")), home, tmp_path, KEY],
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "QT_QPA_PLATFORM": "offscreen",
                "PYTHON_KEYRING_BACKEND": "tests.support.file_keyring.Keyring",
                PLACE: str(keychain),
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert list(json.loads(keychain.read_text("utf-8")).values()) == [KEY]
    assert all(name.startswith("kinet/") for name in json.loads(keychain.read_text("utf-8")))
    files = [path for path in home.rglob("*") if path.is_file()]
    assert files, "nothing was kept at all"
    assert not [path.name for path in files if KEY.encode() in path.read_bytes()]
    assert KEY not in ran.stdout + ran.stderr


async def test_where_there_is_no_keychain_that_is_said_before_the_first_page_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the key is gone at the next start, and nobody knows why."""
    monkeypatch.setattr(secrets, "_library_backend", keyring.backends.fail.Keyring)
    with ScriptedServer(says("yes"), says("It is.")) as server:
        async with live_window(tmp_path / "home") as live:
            page = live.find(WelcomePage, "welcomePage")
            page.key.open_form()
            page.key.form.address.setText(server.base_url)
            page.key.form.model.setCurrentText("scripted")
            page.key.field.setText(KEY)
            page.key.save.click()
            await until(lambda: page.key.result.word.text() == "Kept for this session only")
            assert page.key.result.isVisible()
            assert page.key.result.button.hasFocus()
            live.window.core.parts.models.refresh()
            assert page.isVisible()
            page.key.result.button.click()
            assert not page.isVisible()
            assert live.panel.composer.edit.hasFocus()
            await live.ask("Is it so?")
            assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
        # The next start has no key: it says so instead of "refused".
        server.replies(Reply(status=401, body='{"error": {"message": "Missing key."}}'))
        async with live_window(tmp_path / "home") as live:
            await live.ask("And now?")
            assert "wants a key, and none is kept for this profile (401)" in live.text
            assert "Give the profile its key under Models" in live.text

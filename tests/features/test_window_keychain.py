"""A key typed in the settings is in the keychain and in no file of the data folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kinet.settings.store import SettingsStore
from tests.support.file_keyring import PLACE
from tests.support.scripted_server import ScriptedServer, says

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

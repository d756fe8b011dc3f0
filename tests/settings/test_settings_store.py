"""Settings survive odd values, damage and two programs at once."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kinet.core.errors import SettingsError
from kinet.core.profile import ModelProfile, Price
from kinet.settings import first_frame
from kinet.settings.first_frame import FirstFrame
from kinet.settings.reading import LARGEST, judge
from kinet.settings.schema import setting_fields
from kinet.settings.store import FILE_NAME, SettingsStore


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def store(home: Path) -> SettingsStore:
    return SettingsStore(home)


def write(home: Path, text: str | bytes) -> None:
    home.mkdir(exist_ok=True)
    (home / FILE_NAME).write_bytes(text if isinstance(text, bytes) else text.encode())


def test_without_a_file_the_defaults_hold_and_none_is_made(store, home):
    assert store.get("approvals.mode") == "ask"
    assert store.problems == []
    assert not home.exists()


def test_what_is_set_is_there_for_the_next_start(store, home):
    store.set("appearance.theme", "dark")
    store.set("limits.max_steps", "12")
    store.set("memory.use", "off")
    again = SettingsStore(home)
    assert again.values.appearance.theme == "dark"
    assert again.values.limits.max_steps == 12
    assert again.values.memory.use is False
    assert json.loads((home / FILE_NAME).read_text())["limits"] == {"max_steps": 12}
    if os.name == "posix":
        assert stat.S_IMODE((home / FILE_NAME).stat().st_mode) == 0o600
    again.reset("limits.max_steps")
    assert again.get("limits.max_steps") == 0


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("appearance.zoom", 500, "appearance.zoom"),
        ("appearance.theme", "pink", "appearance.theme"),
        ("limits.turn_usd", -1, "limits.turn_usd"),
        ("limits.turn_usd", float("nan"), "limits.turn_usd"),
        ("apearance.theme", "dark", "no setting 'apearance.theme'"),
        ("prices", {"m": {"input": "much"}}, "prices.m"),
        ("prices", [], "prices"),
        ("profiles", [{"name": "x"}], "profile x"),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_and_nothing_changes(store, home, key, value, says):
    store.set("general.send_key", "ctrl_enter")
    before = (home / FILE_NAME).read_bytes()
    with pytest.raises(SettingsError, match=says):
        store.set(key, value)
    assert (home / FILE_NAME).read_bytes() == before
    assert store.values.general.send_key == "ctrl_enter"


def test_a_misspelt_key_names_the_nearest(store):
    with pytest.raises(SettingsError) as caught:
        store.get("appearance.them")
    assert "appearance.theme" in caught.value.hint


def test_an_odd_value_costs_that_value_alone_and_safety_goes_to_the_strictest(store, home):
    write(home, json.dumps({
        "approvals": {"mode": "yolo", "wait_seconds": 60},
        "memory": {"use": "perhaps"},
        "appearance": {"theme": 7, "zoom": 120},
        "limits": "none",
    }))  # fmt: skip
    values = store.values
    assert values.approvals.mode == "deny"
    assert values.approvals.wait_seconds == 60
    assert values.memory.use is False
    assert values.appearance.theme == "system"
    assert values.appearance.zoom == 120
    assert values.limits.turn_usd == 1.0
    said = " ".join(store.problems)
    for key in ("approvals.mode", "memory.use", "appearance.theme", "limits"):
        assert key in said


def test_an_odd_value_does_not_stand_in_the_way_of_changing_another(store, home):
    write(home, '{"appearance": {"theme": 7}}')
    store.set("limits.max_steps", 3)
    assert store.get("limits.max_steps") == 3
    store.set("appearance.theme", "light")
    assert store.problems == []


def test_fields_of_a_newer_version_are_kept(store, home):
    write(home, '{"general": {"tomorrow": [1]}, "later": {"things": {"a": {}}}, "version": 9}')
    store.set("general.send_key", "ctrl_enter")
    raw = json.loads((home / FILE_NAME).read_text())
    assert raw["general"] == {"tomorrow": [1], "send_key": "ctrl_enter"}
    assert raw["later"] == {"things": {"a": {}}}
    assert store.get("later.things") == {"a": {}}


@pytest.mark.parametrize(
    "text",
    [
        b"{", b"", b"null", b"[1]", b"\xff\xfe\x00", b"\0" * 500, b'{"a": 1}trailing',
        b"[" * 100_000, b'{"a":' * 50_000, b'{"a": "' + b"x" * LARGEST + b'"}',
        b'{"a": ' + b"9" * 5_000 + b"}",
    ],
    ids=lambda text: repr(text[:12]),
)  # fmt: skip
def test_a_damaged_file_is_set_aside_untouched_and_the_defaults_hold(store, home, text):
    write(home, text)
    assert store.values.approvals.mode == "ask"
    (aside,) = home.glob("settings.damaged-*.json")
    assert aside.read_bytes() == text
    assert aside.name in store.problems[0]
    store.set("appearance.theme", "dark")
    assert SettingsStore(home).problems == []
    assert aside.read_bytes() == text


def test_two_damaged_files_are_both_kept(store, home):
    write(home, "{")
    store.reload()
    write(home, "}")
    store.reload()
    assert len(list(home.glob("settings.damaged-*.json"))) == 2


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)  # fmt: skip
KEYS = st.sampled_from([field.key.split(".") for field in setting_fields()])
GIVEN = st.dictionaries(
    st.sampled_from(["general", "approvals", "limits", "profiles", "prices", "memory", "?"]), JSON
) | st.builds(lambda key, value: {key[0]: {key[1]: value}}, KEYS, JSON)


@settings(max_examples=300, deadline=None)
@given(raw=GIVEN)
def test_nothing_a_file_can_hold_is_an_error(raw):
    values = judge(raw).values
    assert values.approvals.mode in ("ask", "edits", "plan", "all", "deny")
    values.model_dump(mode="json")


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.binary(max_size=200))
def test_no_bytes_keep_the_settings_from_opening(home, data):
    write(home, data)
    assert SettingsStore(home).values.appearance.zoom >= 80


def test_profiles_are_kept_changed_and_removed(store, home):
    local = ModelProfile("local", "http://127.0.0.1:8080/v1", "tiny", window=8192)
    cloud = ModelProfile(
        "cloud", "https://example.org/v1", "big", "anthropic", key_env="BIG_KEY",
        temperature=0.0, headers={"x-team": "a"}, vision=False,
    )  # fmt: skip
    assert store.default_profile is None
    store.save_profile(local)
    store.save_profile(cloud)
    assert SettingsStore(home).profiles() == [local, cloud]
    assert store.default_profile == local
    store.set("models.default_profile", "cloud")
    assert store.default_profile == cloud
    changed = ModelProfile("local", "http://127.0.0.1:8080/v1", "small")
    store.save_profile(changed)
    assert store.profile("local") == changed
    store.delete_profile("cloud")
    assert store.profiles() == [changed]
    assert store.default_profile == changed


def test_a_profile_that_cannot_be_reached_is_refused(store):
    with pytest.raises(SettingsError, match="base_url"):
        store.save_profile(ModelProfile("x", "file:///etc/passwd", "m"))
    with pytest.raises(SettingsError, match="model"):
        store.save_profile(ModelProfile("x", "https://h/v1", ""))


def test_one_broken_profile_costs_itself_alone(store, home):
    good = {"name": "good", "base_url": "https://h/v1", "model": "m"}
    write(home, json.dumps({"profiles": [{"name": "bad"}, 5, good]}))
    assert [profile.name for profile in store.profiles()] == ["good"]
    assert len(store.problems) == 2


def test_own_prices_hold_what_was_set_and_can_be_taken_back(store, home):
    store.set_price("m", Price(input=3, output=15))
    store.set("prices", {**store.prices(), "n": {"cache_read": 0.3}})
    assert SettingsStore(home).prices() == {
        "m": {"input": 3, "output": 15},
        "n": {"cache_read": 0.3},
    }
    store.set_price("m", None)
    assert list(store.prices()) == ["n"]


def test_changes_are_told_with_their_key(store):
    heard: list[str] = []
    end = store.on_change(heard.append)
    store.set("appearance.theme", "dark")
    store.set_price("m", {"input": 1})
    end()
    store.set("appearance.theme", "light")
    assert heard == ["appearance.theme", "prices"]


def test_two_programs_change_different_values_and_both_stay(home):
    one, two = SettingsStore(home), SettingsStore(home)
    assert one.values.limits.max_steps == two.values.limits.max_steps == 0
    one.set("limits.max_steps", 5)
    two.set("appearance.theme", "dark")
    again = SettingsStore(home)
    assert (again.get("limits.max_steps"), again.get("appearance.theme")) == (5, "dark")


def test_a_home_that_cannot_be_made_is_said_in_words(tmp_path):
    (tmp_path / "home").write_text("a file")
    with pytest.raises(SettingsError, match=r"cannot be read|could not be saved"):
        SettingsStore(tmp_path / "home").set("appearance.theme", "dark")


def test_the_look_is_kept_for_the_first_frame(store, home):
    store.set("appearance.theme", "dark")
    store.set("appearance.zoom", 120)
    first_frame.update(home, geometry="abc")
    assert first_frame.load(home) == FirstFrame("dark", "", 120, "abc")


def test_geometry_and_look_that_are_kept_at_once_do_not_take_each_other_back(home, monkeypatch):
    begun, go = threading.Event(), threading.Event()
    save = first_frame.save

    def slowly(*args):
        begun.set()
        assert go.wait(10)
        save(*args)

    monkeypatch.setattr(first_frame, "save", slowly)
    look = threading.Thread(target=lambda: first_frame.update(home, zoom=120))
    look.start()
    assert begun.wait(10)
    geometry = threading.Thread(target=lambda: first_frame.update(home, geometry="abc"))
    geometry.start()
    geometry.join(0.01)
    go.set()
    look.join()
    geometry.join()
    assert first_frame.load(home) == FirstFrame("system", "", 120, "abc")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"theme": 3, "zoom": 9}', '{"zoom": true}'])
def test_an_odd_first_frame_is_the_default(home, text):
    home.mkdir()
    (home / first_frame.FILE_NAME).write_text(text)
    assert first_frame.load(home) == FirstFrame()


def test_settings_and_first_frame_cost_nothing_before_they_are_used(home):
    program = (
        "import sys\nfrom pathlib import Path\nfrom kinet.settings import first_frame, store\n"
        "first_frame.load(Path(sys.argv[1]))\nstore.SettingsStore(Path(sys.argv[1]))\n"
        "heavy = ('pydantic', 'keyring', 'sqlite3', 'httpx')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    said = subprocess.run(
        [sys.executable, "-c", program, str(home)], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == "[]"


def test_every_setting_can_be_shown_and_set_to_its_default(store):
    for field in store.fields():
        assert field.title
        assert field.help.endswith(".")
        assert (field.kind == "choice") == bool(field.choices)
        store.set(field.key, field.default)
    assert store.problems == []


def test_many_programs_at_once_lose_no_change(home):
    program = (
        "import sys\nfrom pathlib import Path\nfrom kinet.settings.store import SettingsStore\n"
        "SettingsStore(Path(sys.argv[1])).set_price(sys.argv[2], {'input': 1})\n"
    )
    children = [
        subprocess.Popen([sys.executable, "-c", program, str(home), f"m{number}"])
        for number in range(4)
    ]
    assert [child.wait() for child in children] == [0] * 4
    assert sorted(SettingsStore(home).prices()) == ["m0", "m1", "m2", "m3"]

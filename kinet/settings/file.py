"""The settings file: read with care, changed one value at a time, replaced at once."""

from __future__ import annotations

import contextlib
import difflib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinet.core import atomic_write
from kinet.core.errors import SettingsError
from kinet.paths import ensure_private_dir
from kinet.settings import first_frame
from kinet.settings.fields import OFF_KEY, SERVERS_KEY, SettingField

if TYPE_CHECKING:
    from kinet.settings.reading import Judged
    from kinet.settings.schema import Settings

FILE_NAME = "settings.json"
LOCK_NAME = "settings.lock"
# Another program holds the lock for the few milliseconds of a change.
_ATTEMPTS, _BETWEEN = 100, 0.02
# What the first picture of the window needs is kept there too.
_FIRST_FRAME = {"appearance.theme": "theme", "appearance.zoom": "zoom"}

Callback = Callable[[str], None]


class SettingsFile:
    """The settings of a data folder. Cheap to make: the file is read at first use.

    `problems` has a sentence for everything in the file that did not hold. Safe to use from several
    threads; callbacks run in the thread that made the change.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.path = home / FILE_NAME
        self.problems: list[str] = []
        self._damage: list[str] = []
        self._raw: dict[str, Any] = {}
        self._values: Settings | None = None
        self._callbacks: list[Callback] = []
        self._guard = threading.RLock()

    @property
    def values(self) -> Settings:
        """All settings. Raises SettingsError if the file cannot be read."""
        with self._guard:
            if self._values is None:
                self.reload()
            assert self._values is not None
            return self._values

    def reload(self) -> None:
        """Reads the file again. A damaged one is set aside and the defaults hold."""
        from kinet.settings import reading

        with self._guard:
            try:
                raw = reading.read_file(self.path)
            except reading.DamagedSettingsError as exc:
                raw = {}
                self._damage.append(self._set_aside(exc))
            self._take(raw, reading.judge(raw))

    def fields(self) -> tuple[SettingField, ...]:
        """Every setting with title, help and bounds, in the order of the pages."""
        from kinet.settings.schema import setting_fields

        return setting_fields()

    def get(self, key: str) -> Any:
        """The value of "section.name", or of a whole part such as "prices" or "general".

        Raises SettingsError for a key that does not exist.
        """
        value: Any = self.values.model_dump(mode="json")
        for name in key.split("."):
            if not isinstance(value, Mapping) or name not in value:
                raise self._unknown(key)
            value = value[name]
        return value

    def set(self, key: str, value: Any) -> None:
        """Changes one setting and keeps it at once. A text is taken for a number or a switch where
        one is asked for. Raises SettingsError; nothing is changed then."""
        parts = key.split(".")
        if key in (SERVERS_KEY, OFF_KEY):
            self.change(
                key, lambda raw: group_of(raw, "mcp").update({parts[1]: value}), strict=True
            )
            return
        if parts[0] in ("prices", "profiles") and len(parts) == 1:
            self.change(key, lambda raw: raw.update({key: value}), strict=True)
            return
        if key not in {field.key for field in self.fields()}:
            raise self._unknown(key)
        section, name = parts
        # What the check makes of it is written: "5" becomes 5, "off" becomes false.
        value = self._checked(section, name, value)
        self.change(key, lambda raw: group_of(raw, section).update({name: value}), strict=True)
        if key in _FIRST_FRAME:
            first_frame.update(self.home, **{_FIRST_FRAME[key]: self.get(key)})

    def reset(self, key: str) -> None:
        """Back to the default."""
        section, _, name = key.partition(".")
        self.change(key, lambda raw: group_of(raw, section).pop(name, None))
        if key in _FIRST_FRAME:
            first_frame.update(self.home, **{_FIRST_FRAME[key]: self.get(key)})

    def on_change(self, callback: Callback) -> Callable[[], None]:
        """Calls `callback(key)` after each change. Returns what ends that."""
        self._callbacks.append(callback)

        def end() -> None:
            with contextlib.suppress(ValueError):
                self._callbacks.remove(callback)

        return end

    def change(
        self, key: str, change: Callable[[dict[str, Any]], Any], *, strict: bool = False
    ) -> None:
        """Applies `change` to what the file holds now and replaces it; with `strict` only if no
        new problem arises."""
        from kinet.settings import reading

        with self._guard, _alone(self.home):
            # Another program may have changed other values meanwhile: they stay.
            self.reload()
            raw: dict[str, Any] = json.loads(json.dumps(self._raw))
            change(raw)
            judged = reading.judge(raw)
            new = [line for line in judged.problems if line not in self.problems]
            if strict and new:
                raise SettingsError(f"{new[0].split(';')[0]}.", hint="Nothing was changed.")
            self._write(raw)
            self._take(raw, judged)
        for callback in tuple(self._callbacks):
            callback(key)

    def _checked(self, section: str, name: str, value: Any) -> Any:
        from kinet.settings import reading

        judged = reading.judge({section: {name: value}})
        if judged.problems:
            raise SettingsError(f"{judged.problems[0].split(';')[0]}.", hint="Nothing was changed.")
        return getattr(getattr(judged.values, section), name)

    def _take(self, raw: dict[str, Any], judged: Judged) -> None:
        self._raw, self._values = raw, judged.values
        self.problems = self._damage + judged.problems

    def _write(self, raw: Mapping[str, Any]) -> None:
        text = json.dumps(raw, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
        atomic_write.write_bytes(self.path, text.encode("utf-8", "replace"))

    def _set_aside(self, cause: SettingsError) -> str:
        from kinet.settings import reading

        try:
            aside = reading.set_aside(self.path)
        except OSError:
            return f"{cause.message} It could not be moved; the default settings hold."
        return f"{cause.message} It was kept as {aside.name}; the default settings hold."

    def _unknown(self, key: str) -> SettingsError:
        near = difflib.get_close_matches(key, [field.key for field in self.fields()], 3, 0.4)
        hint = f"Did you mean {', '.join(near)}?" if near else "`kinet config list` shows them all."
        return SettingsError(f"There is no setting {key!r}.", hint=hint)


@contextlib.contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Keeps other programs from changing the file meanwhile. SettingsError if one does not end."""
    from kinet.store.lock import InstanceLock, StoreInUseError

    lock = InstanceLock(home, LOCK_NAME)
    try:
        ensure_private_dir(home)
        for attempt in range(_ATTEMPTS):
            try:
                lock.acquire()
                break
            except StoreInUseError as exc:
                if attempt == _ATTEMPTS - 1:
                    raise SettingsError(
                        "Another Kinet is changing the settings.", hint="Try again in a moment."
                    ) from exc
                time.sleep(_BETWEEN)
        yield
    except OSError as exc:
        raise SettingsError(
            f"The settings could not be saved: {exc.strerror or exc} ({home}).",
            hint="Check the permissions and the free space; nothing was changed.",
        ) from exc
    finally:
        lock.release()


def group_of(raw: dict[str, Any], name: str) -> dict[str, Any]:
    group = raw.get(name)
    if not isinstance(group, dict):
        group = raw[name] = {}
    return group

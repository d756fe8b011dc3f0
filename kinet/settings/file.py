"""The settings file: read with care, changed one value at a time, replaced in one piece."""

from __future__ import annotations

import contextlib
import difflib
import json
import logging
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinet.core import atomic_write
from kinet.core.errors import SettingsError
from kinet.core.keeping import Keeper, done_now
from kinet.paths import ensure_private_dir
from kinet.settings import first_frame
from kinet.settings.fields import OFF_KEY, SERVERS_KEY, SettingField

if TYPE_CHECKING:
    from concurrent.futures import Future

    from kinet.settings.reading import Judged
    from kinet.settings.schema import Settings

FILE_NAME = "settings.json"
LOCK_NAME = "settings.lock"
# Another program holds the lock for the few milliseconds of a change.
_ATTEMPTS, _BETWEEN = 100, 0.02
# What the first picture of the window needs is kept there too.
_HOLDS = "It holds until Kinet is closed; check the permissions and the free space."
_FIRST_FRAME = {"appearance.theme": "theme", "appearance.zoom": "zoom"}

Callback = Callable[[str], None]
Change = Callable[[dict[str, Any]], Any]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """A change that holds already and is not in the file yet."""

    key: str
    change: Change


class SettingsFile:
    """The settings of a data folder. Cheap to make: the file is read at first use.

    What is written goes through `keeper`, in the order in which it was asked for; without one the
    caller's thread writes. `problems` has a sentence for everything in the file that did not hold.
    Safe to use from several threads; callbacks run in the thread that made the change.
    """

    def __init__(self, home: Path, keeper: Keeper | None = None) -> None:
        self.home = home
        self.path = home / FILE_NAME
        self.problems: list[str] = []
        self._keeper = keeper
        self._damage: list[str] = []
        # What the file held, with what is about to be written into it.
        self._raw: dict[str, Any] = {}
        self._waiting: list[_Asked] = []
        self._values: Settings | None = None
        self._callbacks: list[Callback] = []
        self._guard = threading.RLock()
        # Held while the disk is at work, so that nobody who only reads has to wait for it.
        self._writing = threading.Lock()

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
        with self._guard:
            self._take(self._read())

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
        one is asked for. Raises SettingsError; nothing is changed then. Waits for the disk."""
        self.change(key, self._setting(key, value), strict=True)

    def keep(self, key: str, value: Any) -> Future[None]:
        """The same for a window: it holds when this returns, and the future says when it is kept.

        Raises SettingsError for what cannot be a value. If the future does, the value holds until
        the program ends, and is tried again with whatever is kept next.
        """
        return self.keep_change(key, self._setting(key, value))

    def reset(self, key: str) -> None:
        """Back to the default."""
        section, _, name = key.partition(".")
        self.change(key, lambda raw: group_of(raw, section).pop(name, None))

    def on_change(self, callback: Callback) -> Callable[[], None]:
        """Calls `callback(key)` after each change. Returns what ends that."""
        self._callbacks.append(callback)

        def end() -> None:
            with contextlib.suppress(ValueError):
                self._callbacks.remove(callback)

        return end

    def change(self, key: str, change: Change, *, strict: bool = False) -> None:
        """Applies `change` to what the file holds now and replaces it; with `strict` only if no
        new problem arises. Waits for the disk."""

        def work() -> None:
            self._write(_Asked(key, change), strict=strict)

        if self._keeper is None:
            work()
        else:
            self._keeper.keep(work).result()
        self._tell(key)

    def keep_change(self, key: str, change: Change) -> Future[None]:
        """`change` holds when this returns; the future says when it is kept. It may be applied
        more than once. Raises SettingsError if a new problem arises; nothing is changed then."""
        with self._guard:
            _ = self.values
            raw = _copied(self._raw)
            change(raw)
            self._take(raw, _without_new_problems(raw, self.problems))
            self._waiting.append(_Asked(key, change))
        future = self._keeper.keep(self._write) if self._keeper else done_now(self._write)
        self._tell(key)
        return future

    def _tell(self, key: str) -> None:
        for callback in tuple(self._callbacks):
            callback(key)

    def _setting(self, key: str, value: Any) -> Change:
        """What puts a value into the file. SettingsError for what has no place there."""
        parts = key.split(".")
        if key in (SERVERS_KEY, OFF_KEY):
            return lambda raw: group_of(raw, "mcp").update({parts[1]: value})
        if parts[0] in ("prices", "profiles") and len(parts) == 1:
            return lambda raw: raw.update({key: value})
        if key not in {field.key for field in self.fields()}:
            raise self._unknown(key)
        section, name = parts
        # What the check makes of it is written: "5" becomes 5, "off" becomes false.
        value = self._checked(section, name, value)
        return lambda raw: group_of(raw, section).update({name: value})

    def _checked(self, section: str, name: str, value: Any) -> Any:
        from kinet.settings import reading

        judged = reading.judge({section: {name: value}})
        if judged.problems:
            raise SettingsError(f"{judged.problems[0].split(';')[0]}.", hint="Nothing was changed.")
        return getattr(getattr(judged.values, section), name)

    def _read(self) -> dict[str, Any]:
        from kinet.settings import reading

        try:
            return reading.read_file(self.path)
        except reading.DamagedSettingsError as exc:
            self._damage.append(_set_aside(self.path, exc))
            return {}

    def _take(self, raw: dict[str, Any], judged: Judged | None = None) -> None:
        from kinet.settings import reading

        judged = judged or reading.judge(raw)
        self._raw, self._values = raw, judged.values
        self.problems = self._damage + judged.problems

    def _write(self, last: _Asked | None = None, *, strict: bool = False) -> None:
        """Brings all that waits into the file, and `last` with it. SettingsError."""
        with self._writing:
            with self._guard:
                waiting = list(self._waiting)
            if not waiting and last is None:
                # What was asked for before has taken it along.
                return
            try:
                with _alone(self.home):
                    # Another program may have changed other values meanwhile: they stay.
                    raw = self._read()
                    for asked in waiting:
                        asked.change(raw)
                    if last is not None:
                        known = _problems(raw) if strict else None
                        last.change(raw)
                        if known is not None:
                            _without_new_problems(raw, known)
                    _put(self.path, raw)
            except SettingsError as exc:
                if last is not None:
                    raise
                _log.warning("settings hold and are not kept: %s", exc.message)
                raise SettingsError(exc.message, hint=_HOLDS) from exc
            self._take_written(raw, waiting)
            self._keep_first_frame({item.key for item in (*waiting, last) if item is not None})

    def _take_written(self, raw: dict[str, Any], written: list[_Asked]) -> None:
        with self._guard:
            self._waiting = [item for item in self._waiting if item not in written]
            for asked in self._waiting:
                asked.change(raw)
            self._take(raw)

    def _keep_first_frame(self, keys: Collection[str]) -> None:
        looks = {name: self.get(key) for key, name in _FIRST_FRAME.items() if key in keys}
        if looks:
            first_frame.update(self.home, **looks)

    def _unknown(self, key: str) -> SettingsError:
        near = difflib.get_close_matches(key, [field.key for field in self.fields()], 3, 0.4)
        hint = f"Did you mean {', '.join(near)}?" if near else "`kinet config list` shows them all."
        return SettingsError(f"There is no setting {key!r}.", hint=hint)


@contextlib.contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Keeps other programs from changing the file meanwhile. SettingsError if one does not end."""
    from kinet.core.data_folder import why_unusable
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
        why, hint = why_unusable(home, exc)
        raise SettingsError(
            f"The settings could not be saved in {home}: {why}. Nothing was changed.", hint=hint
        ) from exc
    finally:
        lock.release()


def _put(path: Path, raw: Mapping[str, Any]) -> None:
    text = json.dumps(raw, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    atomic_write.write_bytes(path, text.encode("utf-8", "replace"))


def _set_aside(path: Path, cause: SettingsError) -> str:
    from kinet.settings import reading

    try:
        aside = reading.set_aside(path)
    except OSError:
        return f"{cause.message} It could not be moved; the default settings hold."
    return f"{cause.message} It was kept as {aside.name}; the default settings hold."


def _problems(raw: Mapping[str, Any]) -> list[str]:
    from kinet.settings import reading

    return reading.judge(raw).problems


def _without_new_problems(raw: Mapping[str, Any], known: Collection[str]) -> Judged:
    """What `raw` holds. SettingsError with the first problem that is none of the known ones."""
    from kinet.settings import reading

    judged = reading.judge(raw)
    new = [line for line in judged.problems if line not in known]
    if new:
        raise SettingsError(f"{new[0].split(';')[0]}.", hint="Nothing was changed.")
    return judged


def _copied(raw: Mapping[str, Any]) -> dict[str, Any]:
    copied: dict[str, Any] = json.loads(json.dumps(raw))
    return copied


def group_of(raw: dict[str, Any], name: str) -> dict[str, Any]:
    group = raw.get(name)
    if not isinstance(group, dict):
        group = raw[name] = {}
    return group

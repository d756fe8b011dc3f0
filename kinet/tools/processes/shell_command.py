"""Makes of a command's text what is started: a shell, where it begins, the box around it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from kinet.core.errors import ToolError
from kinet.tools.processes import guarded_places, sandbox
from kinet.tools.processes.environment import child_environment, reading_environment
from kinet.tools.processes.guarded_places import Guarded
from kinet.tools.processes.kept_output import KeptOutput
from kinet.tools.processes.process import RunningCommand
from kinet.tools.processes.working_folder import FolderNote

_SHELLS = "/bin:/usr/bin:/usr/local/bin:/opt/homebrew/bin"
# One argument of a program is no longer on Linux (MAX_ARG_STRLEN); some is for what goes before it.
LONGEST = 128 * 1024 - 256


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """One command and its surroundings: real paths, `start` is where it begins.

    `output` is the file for a long output, None for none; a `background` job's goes there at once.
    With `trusted`, for what runs unasked, the environment lets no setting start more than that.
    `boxed` puts it in the sandbox.
    """

    text: str
    root: Path
    start: Path
    timeout_s: float
    progress: Callable[[str], None]
    unread: Callable[[], bool] = lambda: False
    output: Path | None = None
    data_dir: Path | None = None
    trusted: bool = False
    boxed: bool = False
    background: bool = False

    def with_progress(self, progress: Callable[[str], None]) -> ShellCommand:
        """The same command, whose output goes there; it is never held."""
        return replace(self, progress=progress, unread=lambda: False)

    def make(self) -> RunningCommand:
        """What can be started. Blocks while the project is looked through for the box.

        ToolError if the box cannot promise what it has to.
        """
        environment = reading_environment(self.root) if self.trusted else child_environment()
        guarded = self._guarded() if self.boxed else None
        note = FolderNote() if os.name != "nt" and not self.background and _bash() else None
        argv = _argv(self.text, note)
        if guarded is not None:
            argv = sandbox.boxed(
                argv,
                root=self.root,
                start=self.start,
                environment=environment,
                guarded=guarded,
                data_dir=self.data_dir,
            )
        return RunningCommand(
            argv,
            folder=self.start,
            environment=environment,
            timeout_s=self.timeout_s,
            progress=self.progress,
            unread=self.unread,
            output=KeptOutput(self.output, from_start=self.background),
            note=note,
            ended=guarded.release if guarded is not None else None,
            # The box ends with its command; its last process may take a moment more.
            leaves_nothing=self.boxed,
        )

    def _guarded(self) -> Guarded:
        found = guarded_places.look(self.root, self.data_dir)
        if found.problem:
            found.release()
            raise ToolError(
                f"The command was not run: {found.problem}.",
                hint="Ask with outside_sandbox: true, or work in a smaller folder.",
                kind="sandbox",
            )
        return found


def check(command: str) -> None:
    """ToolError for a text that no shell can be given."""
    if not command.strip():
        raise ToolError("The command is empty.", kind="arguments")
    if "\x00" in command:
        raise ToolError("The command holds a NUL character.", kind="arguments")
    try:
        size = len(os.fsencode(command))
    except UnicodeEncodeError as exc:
        raise ToolError("The command holds half a character.", kind="arguments") from exc
    if size > LONGEST:
        raise ToolError(
            f"The command has {size:,} bytes; {LONGEST:,} can be given to a shell.",
            hint="Write it into a file with write_file and run that.",
            kind="arguments",
        )


def _argv(command: str, note: FolderNote | None) -> list[str]:
    if os.name == "nt":
        return [os.environ.get("COMSPEC", "cmd.exe"), "/d", "/s", "/c", command]
    bash = _bash()
    if bash:
        beginning = "" if note is None else note.beginning
        return [bash, "--noprofile", "--norc", "-c", beginning + command]
    return ["/bin/sh", "-c", command]


def _bash() -> str | None:
    return shutil.which("bash", path=_SHELLS)

"""The table of built-in tools: a new tool is one file and one line here."""

from __future__ import annotations

from kinet.tools.base import Tool
from kinet.tools.edit_file import EditFile
from kinet.tools.glob import Glob
from kinet.tools.grep import Grep
from kinet.tools.read_file import ReadFile
from kinet.tools.shell import Shell
from kinet.tools.write_file import WriteFile


def builtin_tools() -> tuple[Tool, ...]:
    """All built-in tools, one fresh set; they hold no state between calls."""
    return (
        EditFile(),
        Glob(),
        Grep(),
        ReadFile(),
        Shell(),
        WriteFile(),
    )

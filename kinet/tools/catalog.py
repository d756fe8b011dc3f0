"""The table of built-in tools: a new tool is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable

from kinet.tools.ask_user import AskUser
from kinet.tools.base import Tool
from kinet.tools.delete_file import DeleteFile
from kinet.tools.dispatch_agent import DispatchAgent
from kinet.tools.edit_file import EditFile
from kinet.tools.git_diff import GitDiff
from kinet.tools.git_log import GitLog
from kinet.tools.git_show import GitShow
from kinet.tools.git_status import GitStatus
from kinet.tools.glob import Glob
from kinet.tools.grep import Grep
from kinet.tools.list_folder import ListFolder
from kinet.tools.read_file import ReadFile
from kinet.tools.read_output import ReadOutput
from kinet.tools.recall_memory import RecallMemory
from kinet.tools.shell import Shell
from kinet.tools.shell_output import ShellOutput
from kinet.tools.shell_stop import ShellStop
from kinet.tools.skill import Skill
from kinet.tools.symbols import Symbols
from kinet.tools.todo import Todo
from kinet.tools.toolbox import Toolbox
from kinet.tools.web.search_services import SearchChoice
from kinet.tools.web.web_transport import Reach
from kinet.tools.web_fetch import WebFetch
from kinet.tools.web_search import WebSearch
from kinet.tools.write_file import WriteFile


def builtin_tools(
    search: Callable[[], SearchChoice] | None = None, reach: Callable[[], Reach] = Reach
) -> tuple[Tool, ...]:
    """All built-in tools, one fresh set; they hold no state between calls.

    `search` gives the person's search service and `reach` the way to the web, asked at each call.
    """
    return (
        AskUser(),
        DeleteFile(),
        DispatchAgent(),
        EditFile(),
        GitDiff(),
        GitLog(),
        GitShow(),
        GitStatus(),
        Glob(),
        Grep(),
        ListFolder(),
        ReadFile(),
        ReadOutput(),
        RecallMemory(),
        Shell(),
        ShellOutput(),
        ShellStop(),
        Skill(),
        Symbols(),
        Todo(),
        WebFetch(reach),
        WebSearch(search) if search is not None else WebSearch(),
        WriteFile(),
    )


def tell_all() -> None:
    """Makes what a model is told of the tools, so that the first message need not wait for it."""
    Toolbox(builtin_tools()).schemas()

"""All commands and options of the command line, as one parser."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from kinet.core.profile import Effort, WireProtocol

PROTOCOLS: tuple[WireProtocol, ...] = ("openai", "responses", "anthropic")
EFFORTS: tuple[Effort, ...] = ("off", "low", "medium", "high")
MODES = ("ask", "edits", "all", "plan", "deny")


class Parser(argparse.ArgumentParser):
    """Says one sentence where a command line is wrong, and ends with exit code 2."""

    def error(self, message: str) -> NoReturn:
        """Prints the sentence and leaves."""
        text = message[:1].upper() + message[1:]
        print(f"{text}. See {self.prog} --help.", file=sys.stderr)
        raise SystemExit(2)


class ShowVersion(argparse.Action):
    """Looks the version up only when it is asked for: that takes longer than all the rest."""

    def __call__(self, parser: argparse.ArgumentParser, *rest: Any) -> NoReturn:
        """Prints it and leaves."""
        from importlib.metadata import PackageNotFoundError, version

        try:
            print(f"kinet {version('kinet')}")
        except PackageNotFoundError:
            print("kinet, from source")
        raise SystemExit(0)


def build_parser() -> Parser:
    """The parser. Its result has `command` ("" for the window) and the options of that command."""
    parser = Parser(prog="kinet", description="A desktop agent that works on your own folder.")
    parser.set_defaults(command="")
    parser.add_argument("--version", action=ShowVersion, nargs=0, help="show it and end")
    _add_window_options(parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=Parser)
    _add_run(commands)
    _add_complete(commands)
    _add_tool(commands)
    _add_check(commands)
    _add_render(commands)
    _add_sessions(commands)
    _add_replay(commands)
    _add_memory(commands)
    _add_skills(commands)
    _add_servers(commands)
    _add_trust(commands)
    _add_models(commands)
    _add_doctor(commands)
    _add_config(commands)
    _add_undo(commands)
    _add_serve(commands)
    return parser


def _command(commands: Any, name: str, meaning: str) -> Parser:
    parser: Parser = commands.add_parser(name, help=meaning, description=meaning)
    parser.set_defaults(command=name)
    return parser


def _add_window_options(parser: Parser) -> None:
    parser.add_argument("--demo", action="store_true", help="open the guided tour")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="save pictures and end")
    parser.add_argument("--session", default="", metavar="ID", help="open this session")
    parser.add_argument("--theme", choices=("light", "dark", "system"), default="")
    parser.add_argument("--cwd", type=Path, metavar="DIR", help="the folder to work on")


def _add_profile_options(parser: Parser) -> None:
    group = parser.add_argument_group("which model", "a saved profile, or an unsaved one")
    group.add_argument("--profile", default="", metavar="NAME")
    group.add_argument("--base-url", default="", metavar="URL")
    group.add_argument("--protocol", choices=PROTOCOLS, default="")
    group.add_argument("--model", default="", metavar="ID")
    group.add_argument("--api-key-env", default="", metavar="VAR")
    group.add_argument("--vendor", default="", metavar="ID")


def _add_acting_options(parser: Parser) -> None:
    parser.add_argument("--cwd", type=Path, metavar="DIR", help="the folder to work on")
    parser.add_argument("--approve", choices=MODES, default="", help="who is asked")
    parser.add_argument("--unsandboxed", action="store_true", help="run commands unsandboxed")


def _add_turn_options(parser: Parser) -> None:
    _add_profile_options(parser)
    parser.add_argument("--preset", default="", metavar="NAME")
    parser.add_argument("--effort", choices=EFFORTS, default="")
    parser.add_argument("--max-steps", type=_whole, metavar="N")
    parser.add_argument("--budget", type=_money, metavar="USD")
    parser.add_argument("--no-memory", action="store_true")
    parser.add_argument("--no-rules", action="store_true")
    parser.add_argument("--no-save", action="store_true", help="leave nothing behind")
    trust = parser.add_mutually_exclusive_group()
    trust.add_argument("--trust", action="store_true", default=None)
    trust.add_argument("--no-trust", dest="trust", action="store_false")


def _add_serve(commands: Any) -> None:
    parser = _command(commands, "serve", "the engine as JSON-RPC lines, for editors and scripts")
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--stdio", action="store_true", help="messages on stdin and stdout")
    way.add_argument("--describe", action="store_true", help="print the protocol as JSON")
    _add_acting_options(parser)
    _add_turn_options(parser)


def _add_run(commands: Any) -> None:
    parser = _command(commands, "run", "one turn without a window")
    parser.add_argument("prompt", nargs="?", help="the task; - or a pipe reads it from stdin")
    _add_acting_options(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--session", default="", metavar="ID", help="go on with this session")
    which.add_argument("--continue", dest="resume", action="store_true", help="the newest one")
    which.add_argument("--new", action="store_true", help="begin a new session (the default)")
    _add_turn_options(parser)
    parser.add_argument("--attach", action="extend", nargs="+", default=[], metavar="FILE")
    parser.add_argument("--json", action="store_true", help="one event per line")
    parser.add_argument("--image-of-window", type=Path, metavar="FILE", help=argparse.SUPPRESS)


def _add_complete(commands: Any) -> None:
    parser = _command(commands, "complete", "one bare model call, as JSON")
    _add_profile_options(parser)
    parser.add_argument("--effort", choices=EFFORTS, default="")
    parser.add_argument("--dry-run", action="store_true", help="print the request, send nothing")
    parser.add_argument("--retries", type=_whole, default=None, metavar="N")
    parser.add_argument("--stall-seconds", type=_seconds, default=None, metavar="S")


def _add_tool(commands: Any) -> None:
    parser = _command(commands, "tool", "run one tool")
    parser.add_argument("name", nargs="?", default="", help="the tool")
    parser.add_argument("arguments", nargs="?", default="{}", help="JSON, or - for stdin")
    parser.add_argument("--list", action="store_true", help="all tools with their schemas")
    parser.add_argument(
        "--trust", action="store_true", default=None, help="also servers that the folder lists"
    )
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    _add_acting_options(parser)


def _add_check(commands: Any) -> None:
    parser = _command(commands, "check", "say what would be allowed, asked or denied")
    kinds = parser.add_subparsers(dest="what", required=True, metavar="WHAT", parser_class=Parser)
    command = kinds.add_parser("command", help="a shell command")
    command.add_argument("subject", metavar="CMD", help="- for one JSON string per line on stdin")
    path = kinds.add_parser("path", help="a path")
    path.add_argument("subject", metavar="PATH", help="- for one JSON string per line on stdin")
    path.add_argument("--for", dest="purpose", choices=("read", "write"), required=True)
    url = kinds.add_parser("url", help="an address")
    url.add_argument("subject", metavar="URL", help="- for one JSON string per line on stdin")
    url.add_argument("--permitted", action="store_true")
    url.add_argument(
        "--resolve", metavar="HOST=IP[,IP]", type=_host_addresses, action="append", default=[]
    )
    kinds.add_parser("sandbox", help="whether commands of mode all have one here")
    rules = kinds.add_parser("rules", help="a rules file")
    rules.add_argument("subject", metavar="FILE")
    for kind in (command, path, url, rules):
        kind.add_argument("--cwd", type=Path, metavar="DIR")
        kind.add_argument("--json", action="store_true", help=argparse.SUPPRESS)


def _add_render(commands: Any) -> None:
    parser = _command(commands, "render", "render Markdown as the transcript does")
    parser.add_argument("file", metavar="FILE.md", help="- reads stdin")
    parser.add_argument("--png", type=Path, metavar="F", help="save a picture of it")
    parser.add_argument("--html", type=Path, metavar="F", help="save it as a page")
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)


def _add_sessions(commands: Any) -> None:
    parser = _command(commands, "sessions", "list, show, search, export and remove sessions")
    acts = parser.add_subparsers(dest="act", required=True, metavar="WHAT", parser_class=Parser)
    for name in ("list", "check"):
        acts.add_parser(name)
    for name in ("show", "delete", "restore"):
        acts.add_parser(name).add_argument("id", metavar="ID")
    acts.choices["check"].add_argument(
        "--mend", action="store_true", help="remove what belongs to no session"
    )
    out = acts.add_parser("export")
    which = out.add_mutually_exclusive_group(required=True)
    which.add_argument("id", nargs="?", metavar="ID")
    which.add_argument("--all", type=Path, metavar="FILE", help="all sessions and facts, as a zip")
    out.add_argument(
        "--format",
        choices=("md", "html", "json", "jsonl", "kinet"),
        default="md",
        help="kinet: everything, to be imported again",
    )
    acts.add_parser("search").add_argument("text", metavar="TEXT")
    report = acts.add_parser("report", help="a turn with what the server answered, keys masked")
    report.add_argument("id", metavar="ID")
    report.add_argument("turn", nargs="?", default="", metavar="TURN", help="id; the newest")
    acts.add_parser("import").add_argument("file", metavar="FILE")
    _add_json(acts.choices)


def _add_replay(commands: Any) -> None:
    parser = _command(commands, "replay", "take the turn of a failure report again, offline")
    parser.add_argument("file", metavar="REPORT", help="- reads stdin")
    parser.add_argument("--json", action="store_true", help="one event a line")


def _add_memory(commands: Any) -> None:
    parser = _command(commands, "memory", "what the assistant keeps in mind")
    acts = parser.add_subparsers(dest="act", required=True, metavar="WHAT", parser_class=Parser)
    acts.add_parser("list")
    add = acts.add_parser("add")
    add.add_argument("text", metavar="TEXT")
    add.add_argument("--project", action="store_true", help="only for this folder")
    acts.add_parser("delete").add_argument("id", metavar="ID")
    acts.add_parser("export")
    acts.add_parser("import").add_argument("file", metavar="FILE")
    for name, meaning in (("list", "only what a session there knows"), ("add", "the folder")):
        acts.choices[name].add_argument("--cwd", type=Path, metavar="DIR", help=meaning)
    _add_json(acts.choices)


def _add_skills(commands: Any) -> None:
    parser = _command(commands, "skills", "instructions for kinds of tasks")
    acts = parser.add_subparsers(dest="act", required=True, metavar="WHAT", parser_class=Parser)
    listing = acts.add_parser("list", help="all skills, and what becomes of each")
    listing.add_argument("--cwd", type=Path, metavar="DIR")
    for name, meaning in (
        ("check", "say whether it can be used, and why not"),
        ("import", "take in the skills of a folder or a zip file"),
    ):
        acts.add_parser(name, help=meaning).add_argument("path", metavar="PATH")
    _add_json(acts.choices)


def _add_servers(commands: Any) -> None:
    parser = _command(commands, "servers", "tool servers: list them, sign in to one")
    acts = parser.add_subparsers(dest="act", required=True, metavar="WHAT", parser_class=Parser)
    acts.add_parser("list", help="all servers, and where you are signed in")
    sign_in = acts.add_parser("sign-in", help="sign in to one, in a browser")
    sign_in.add_argument("--open", action="store_true", help="open the browser by itself")
    for act in (sign_in, acts.add_parser("sign-out", help="forget the sign-in to one")):
        act.add_argument("name", metavar="NAME")
    for act in acts.choices.values():
        act.add_argument("--cwd", type=Path, metavar="DIR")
        act.add_argument("--trust", action="store_true", default=None)
    _add_json(acts.choices)


def _add_trust(commands: Any) -> None:
    parser = _command(commands, "trust", "trust a folder as it is now")
    parser.add_argument("folder", nargs="?", type=Path, metavar="DIR")
    parser.add_argument("--list", action="store_true", help="what is trusted")
    parser.add_argument("--json", action="store_true")


def _add_undo(commands: Any) -> None:
    for name, meaning in (
        ("undo", "take the file changes of a turn back"),
        ("redo", "make changes again that were taken back"),
    ):
        parser = _command(commands, name, meaning)
        parser.add_argument("session", metavar="SESSION", help="id of the session")
        parser.add_argument("turn", nargs="?", default="", metavar="TURN", help="number or id")
        parser.add_argument("--dry-run", action="store_true", help="show the diff, do nothing")
        parser.add_argument(
            "--changed",
            choices=("keep", "restore", "merge"),
            default="",
            help="what to do with files that were changed since",
        )
        parser.add_argument("--json", action="store_true")


def _add_models(commands: Any) -> None:
    parser = _command(commands, "models", "profiles and what is known of each model")
    parser.add_argument("--json", action="store_true")


def _add_doctor(commands: Any) -> None:
    parser = _command(commands, "doctor", "examine an endpoint: what works, and what to save")
    _add_profile_options(parser)
    parser.add_argument("--stall-seconds", type=_seconds, default=None, metavar="S")
    parser.add_argument("--json", action="store_true")


def _add_config(commands: Any) -> None:
    parser = _command(commands, "config", "read and change settings")
    acts = parser.add_subparsers(dest="act", required=True, metavar="WHAT", parser_class=Parser)
    acts.add_parser("path")
    acts.add_parser("list")
    acts.add_parser("get").add_argument("key", metavar="KEY")
    change = acts.add_parser("set")
    change.add_argument("key", metavar="KEY")
    change.add_argument("value", metavar="VALUE", help="JSON or plain text")
    key = acts.add_parser("set-key")
    key.add_argument("profile", metavar="PROFILE")
    key.add_argument("source", metavar="-", choices=("-",), help="the key comes from stdin")
    _add_json(acts.choices)


def _add_json(acts: dict[str, Parser]) -> None:
    for act in acts.values():
        act.add_argument("--json", action="store_true")


def _host_addresses(text: str) -> tuple[str, list[str]]:
    host, separator, addresses = text.partition("=")
    listed = [address.strip() for address in addresses.split(",") if address.strip()]
    if not separator or not host.strip():
        raise argparse.ArgumentTypeError("it must look like host=1.2.3.4")
    return host.strip().lower(), listed


def _whole(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("it must not be negative")
    return number


def _money(text: str) -> float:
    number = float(text)
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError("it must be an amount of 0 or more")
    return number


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError as exc:
        raise argparse.ArgumentTypeError("it must be a number of seconds") from exc
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("it must be more than 0 seconds")
    return number


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Reads a command line; for tests and for handing work to another process."""
    return build_parser().parse_args(argv)

"""Follows a few plain requests of a person with real tool calls, and reads their results."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import PurePosixPath

from kinet.local.tour_demo import demo_step, is_demo
from kinet.local.tour_outline import outline
from kinet.local.tour_turn import Call, Reply, Result, Turn
from kinet.paths import resources_dir

# Longer answers than this are for the step panel, not for the transcript.
SHOWN_LINES = 12
MOST_ROUNDS = 12

_FILE = r"[`\"'“‘]?(?P<file>[^\s`\"'“”‘’<>|,;:：，。]*[^\s`\"'“”‘’<>|,;:：，。.!?])[`\"'”’]?"
_LOUD = re.IGNORECASE | re.DOTALL


def answer(turn: Turn) -> Reply:
    """The next thing to say or do for this turn."""
    if not turn.tools:
        return Reply(text=help_text())
    if turn.rounds >= MOST_ROUNDS:
        return _said(turn, "That took more steps than the tour takes. Please ask again.")
    if is_demo(turn.question):
        reply = demo_step(turn)
        return reply if reply.calls else _said(turn, reply.text, reply.reasoning)
    for intent in _INTENTS:
        reply_or_none = intent(turn)
        if reply_or_none is not None:
            reply = reply_or_none
            return reply if reply.calls else _said(turn, reply.text, reply.reasoning)
    return Reply(text=help_text())


def help_text() -> str:
    """What the tour can follow, in Markdown."""
    return (resources_dir() / "tour" / "help.md").read_text(encoding="utf-8").strip()


def _said(turn: Turn, text: str, reasoning: str = "") -> Reply:
    """The final words; the first answer of a session says what it comes from."""
    if turn.first:
        text += "\n\n*Guided tour: the words come from a script, the steps were real.*"
    return Reply(text=text, reasoning=reasoning)


def _run(turn: Turn) -> Reply | None:
    found = re.match(
        r"\s*(?:please\s+)?(?:run|execute|运行|执行)\b\s*(?:the\s+command\s*)?[:：]?\s*(?P<c>.+?)\s*$",
        turn.question,
        _LOUD,
    )
    if found is None:
        return None
    quoted = re.search(r"`([^`]+)`", found["c"])
    command = quoted[1] if quoted else found["c"].strip("\"'“”.")
    done = turn.of("shell", command=command)
    if done is None:
        return _ask(
            "shell", turn, "A command asks you first, unless it only looks.", command=command
        )
    if done.failed:
        return _trouble(done, f"`{command}` did not run as it should.")
    code = re.search(r"\[[^\]]*exit code (\d+)[^\]]*\]\s*$", done.text)
    end = f" and ended with exit code {code[1]}" if code and code[1] != "0" else ""
    said = done.text[: code.start()].strip("\n") if code else done.text
    if not said.strip():
        return Reply(f"`{command}` ran{end} without a word.")
    return Reply(f"`{command}` ran{end}. It said:\n\n{_fenced(said)}\n\n{_more(said)}".strip())


def _replace(turn: Turn) -> Reply | None:
    found = re.match(
        rf"\s*(?:please\s+)?(?:replace|change|把)\s+(?P<old>.+?)\s+(?:with|to|by|改成|换成)\s+"
        rf"(?P<new>.+?)\s+(?:in|在)\s+(?:the\s+file\s+)?{_FILE}\s*[.!]?\s*$",
        turn.question,
        _LOUD,
    )
    if found is None:
        return None
    old, new, file = _bare(found["old"]), _bare(found["new"]), found["file"]
    read = turn.of("read_file", path=file)
    if read is None:
        return _ask("read_file", turn, "A file is read before it is changed.", path=file)
    if read.failed:
        return _trouble(read, f"`{file}` could not be read, so nothing was changed.")
    count = read.plain().count(old)
    edited = turn.of("edit_file", path=file)
    if edited is None and count == 0:
        return Reply(f"There is no `{old}` in `{file}`, so nothing was changed.")
    if edited is None:
        arguments: dict[str, object] = {"path": file, "old_string": old, "new_string": new}
        if count > 1:
            arguments["replace_all"] = True
        return _ask("edit_file", turn, "This changes a file, so you are asked first.", **arguments)
    if edited.failed:
        return _trouble(edited, f"`{file}` was not changed.")
    places = "one place" if count == 1 else f"{count} places"
    return Reply(f"`{file}` now says `{new}` instead of `{old}` in {places}.")


def _create(turn: Turn) -> Reply | None:
    found = re.match(
        rf"\s*(?:please\s+)?(?:create|make|write|add|创建|新建)\s+(?:a\s+|an\s+|the\s+)?(?:new\s+)?"
        rf"(?:file\s+)?(?:named\s+|called\s+)?{_FILE}"
        r"(?:\s*(?:[:：]|\bwith\b|\bthat says\b|\bsaying\b|\bcontaining\b|内容)"
        r"\s*[:：]?\s*(?P<text>.+))?\s*$",
        turn.question,
        _LOUD,
    )
    if found is None or "." not in found["file"]:
        return None
    file = found["file"]
    text = _bare(found["text"] or "Made by the guided tour.").rstrip() + "\n"
    done = turn.of("write_file", path=file)
    if done is None:
        note = "A new file is a change, so you are asked first."
        return _ask("write_file", turn, note, path=file, content=text)
    if done.failed:
        return _trouble(done, f"`{file}` was not written.")
    lines = text.count("\n")
    return Reply(f"`{file}` is there now, with {_count(lines, 'line')}.")


def _search(turn: Turn) -> Reply | None:
    found = re.match(
        r"\s*(?:please\s+)?(?:search(?:\s+(?:the\s+)?(?:files|folder|project))?(?:\s+for)?|grep|"
        r"where\s+(?:is|are|does)|搜索|查找)\s*(?P<what>.+?)(?:\s+(?:used|defined|mentioned|appear))?"
        r"(?:\s+in\s+(?:the\s+|all\s+|these\s+)?(?:files|folder|project))?\s*[?？.!]?\s*$",
        turn.question,
        _LOUD,
    )
    if found is None:
        return None
    what = _bare(found["what"])
    done = turn.of("grep")
    if done is None:
        return _ask(
            "grep", turn, "Searching only reads.", pattern=re.escape(what).replace("\\ ", " ")
        )
    if done.failed:
        return _trouble(done, f"The search for `{what}` failed.")
    hits = re.findall(
        r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+):(?P<text>.*)$", done.text, re.MULTILINE
    )
    if not hits:
        said = _fenced(done.text) if done.text.strip() else ""
        return Reply(f"The search for `{what}` found no lines I can list. {said}".strip())
    rows = [f"| `{path}` | {line} | `{_cell(text)}` |" for path, line, text in hits[:SHOWN_LINES]]
    files = len({path for path, _, _ in hits})
    rest = len(hits) - len(rows)
    tail = f"\n\n…and {rest} more, all in the step's output." if rest > 0 else ""
    head = f"`{what}` stands in {_count(len(hits), 'line')} of {_count(files, 'file')}:"
    return Reply(f"{head}\n\n| File | Line | Text |\n|---|---:|---|\n" + "\n".join(rows) + tail)


def _explain(turn: Turn) -> Reply | None:
    found = re.match(
        r"\s*(?:please\s+)?(?:explain|outline|describe|summari[sz]e|解释|说明)\s*(?P<rest>.*)$",
        turn.question,
        _LOUD,
    )
    if found is None:
        return None
    named = re.search(rf"{_FILE}\s*[?？.!]?\s*$", found["rest"])
    if named is None or "." not in named["file"]:
        return _explain_some_file(turn)
    file = named["file"]
    done = turn.of("read_file", path=file)
    if done is None:
        return _ask("read_file", turn, "", path=file)
    if done.failed:
        return _trouble(done, f"`{file}` could not be read.")
    return Reply(outline(file, done.lines()))


def _explain_some_file(turn: Turn) -> Reply:
    """No file was named: look what is there and take the one that explains most."""
    listed = turn.of("glob")
    if listed is None:
        return _ask("glob", turn, "", pattern="**/*")
    names = _paths(listed)
    best = next((name for name in names if name.lower().startswith("readme")), "")
    best = best or next(iter(names), "")
    if not best:
        return Reply("There is no file in this folder to explain.")
    done = turn.of("read_file", path=best)
    if done is None:
        return _ask("read_file", turn, "", path=best)
    if done.failed:
        return _trouble(done, f"`{best}` could not be read.")
    return Reply(outline(best, done.lines()))


def _read(turn: Turn) -> Reply | None:
    found = re.match(
        rf"\s*(?:please\s+)?(?:read|open|show|print|cat|读取?|打开|显示)\s*(?:me\s+)?(?:the\s+)?(?:file\s+)?"
        rf"{_FILE}\s*[.!?]?\s*$",
        turn.question,
        _LOUD,
    )
    if found is None or "." not in found["file"]:
        return None
    file = found["file"]
    done = turn.of("read_file", path=file)
    if done is None:
        return _ask("read_file", turn, "", path=file)
    if done.failed:
        return _trouble(done, f"`{file}` could not be read.")
    lines = done.lines()
    kind = PurePosixPath(file).suffix.lstrip(".")
    shown = "\n".join(text for _, text in lines[:SHOWN_LINES])
    head = f"`{file}` has {_count(len(lines), 'line')} in what was read. It begins:"
    return Reply(f"{head}\n\n{_fenced(shown, kind)}\n\nThe whole text is in the step's output.")


def _find(turn: Turn) -> Reply | None:
    wanted = re.search(r"(?P<pattern>[\w./*?\[\]-]*\*[\w./*?\[\]-]*)", turn.question)
    if not re.search(r"\b(files?|find|list|folder|ls)\b|文件|列出", turn.question, _LOUD):
        return None
    pattern = wanted["pattern"] if wanted else "**/*"
    if "/" not in pattern:
        pattern = f"**/{pattern}"
    done = turn.of("glob", pattern=pattern)
    if done is None:
        return _ask("glob", turn, "Listing files only reads.", pattern=pattern)
    if done.failed:
        return _trouble(done, "The list of files could not be read.")
    names = _paths(done)
    if not names:
        return Reply(f"No file fits `{pattern}`.")
    kinds = Counter(PurePosixPath(name).suffix or "no ending" for name in names)
    rows = [
        f"| {kind} | {number} | {_example(names, kind)} |" for kind, number in kinds.most_common(8)
    ]
    table = "| Kind | Files | For example |\n|---|---:|---|\n" + "\n".join(rows)
    return Reply(f"{_count(len(names), 'file')} fit `{pattern}`:\n\n{table}")


_INTENTS: tuple[Callable[[Turn], Reply | None], ...] = (
    _run,
    _replace,
    _create,
    _search,
    _explain,
    _read,
    _find,
)


def _ask(tool: str, turn: Turn, note: str, **arguments: object) -> Reply:
    if tool not in turn.tools:
        return Reply(f"That needs the tool `{tool}`, which is not on offer in this session.")
    return Reply(text=note, calls=(Call(tool, arguments),))


def _trouble(result: Result, lead: str) -> Reply:
    said = result.text.strip()[:600]
    quoted = "\n".join(f"> {line}" for line in said.splitlines())
    return Reply(f"{lead} The tool said:\n\n{quoted}")


def _paths(listed: Result) -> list[str]:
    """Names in a glob result: lines that look like paths, not like remarks."""
    lines = (line.strip() for line in listed.text.splitlines())
    return [line for line in lines if line and not line.startswith(("[", "(")) and "  " not in line]


def _example(names: list[str], kind: str) -> str:
    for name in names:
        if (PurePosixPath(name).suffix or "no ending") == kind:
            return f"`{name}`"
    return ""


def _bare(text: str) -> str:
    return text.strip().strip("`\"'“”‘’")


def _cell(text: str) -> str:
    return text.strip().replace("`", "'").replace("|", "\\|")[:80]


def _fenced(text: str, kind: str = "text") -> str:
    lines = text.strip("\n").splitlines()[:SHOWN_LINES]
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{kind}\n" + "\n".join(lines) + f"\n{fence}"


def _more(text: str) -> str:
    rest = len(text.strip("\n").splitlines()) - SHOWN_LINES
    return f"…and {_count(rest, 'more line')} in the step's output." if rest > 0 else ""


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"

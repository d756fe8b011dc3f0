"""The guided tour: real protocol, real calls, answers made from what the calls gave."""

from __future__ import annotations

import fnmatch
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from kinet.core.errors import StoreError
from kinet.local.tour import AT_ONCE, MODEL, TourServer
from kinet.local.tour_folder import demo_prompt, make_sample, sample_beside, starter_prompts
from kinet.local.tour_guide import answer
from kinet.local.tour_turn import read_turn

NAMES = ("glob", "read_file", "grep", "edit_file", "write_file", "shell")
TOOLS = [{"type": "function", "function": {"name": name, "parameters": {}}} for name in NAMES]


class Person:
    """Takes the tour on a folder: does what it asks for, and keeps the messages."""

    def __init__(self, folder: Path, *, allows: bool = True) -> None:
        self.folder = folder
        self.allows = allows
        self.messages: list[dict[str, Any]] = [{"role": "system", "content": "You are Kinet."}]
        self.calls: list[str] = []

    def asks(self, text: str) -> str:
        """Takes a whole turn; the final text."""
        self.messages.append({"role": "user", "content": [{"type": "text", "text": text}]})
        while True:
            reply = answer(read_turn({"messages": self.messages, "tools": TOOLS}))
            message: dict[str, Any] = {"role": "assistant", "content": reply.text}
            if not reply.calls:
                self.messages.append(message)
                return reply.text
            message["tool_calls"] = [
                {
                    "id": f"c{len(self.calls)}-{number}",
                    "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments))},
                }
                for number, call in enumerate(reply.calls)
            ]
            self.messages.append(message)
            for call, wire in zip(reply.calls, message["tool_calls"], strict=True):
                self.calls.append(call.name)
                result = self._does(call.name, dict(call.arguments))
                self.messages.append(
                    {"role": "tool", "tool_call_id": wire["id"], "content": result}
                )

    def _does(self, name: str, arguments: dict[str, Any]) -> str:
        files = sorted(path for path in self.folder.rglob("*") if path.is_file())
        names = [str(path.relative_to(self.folder)) for path in files]
        if name == "glob":
            pattern = arguments["pattern"].removeprefix("**/")
            return "\n".join(n for n in names if fnmatch.fnmatch(n.rpartition("/")[2], pattern))
        if name == "grep":
            return "\n".join(
                f"{n}:{number}:{line}"
                for n, path in zip(names, files, strict=True)
                for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
                if arguments["pattern"] in line
            )
        if name == "shell":
            return "hello\n[exit code 3]"
        path = self.folder / arguments["path"]
        if name == "read_file":
            if not path.exists():
                return f"No such file: {arguments['path']}"
            lines = path.read_text("utf-8").splitlines()
            return "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, 1))
        if not self.allows:
            return "Denied: the person said no."
        if name == "write_file":
            path.write_text(arguments["content"], "utf-8")
            return "Written."
        text = path.read_text("utf-8")
        for edit in arguments.get("edits", [arguments]):
            text = text.replace(edit["old_string"], edit["new_string"])
        path.write_text(text, "utf-8")
        return "Edited."


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    return make_sample(tmp_path / "shop")


def test_the_sample_holds_code_tables_and_a_chinese_name(sample: Path) -> None:
    names = {path.name for path in sample.rglob("*")}
    assert {"totals.py", "README.md", "2026-10.csv", "季度报告.md"} <= names


def test_making_the_sample_again_restores_it_and_leaves_other_files(sample: Path) -> None:
    before = (sample / "ledger" / "totals.py").read_bytes()
    (sample / "ledger" / "totals.py").write_text("changed")
    (sample / "mine.txt").write_text("mine")
    make_sample(sample)
    assert (sample / "ledger" / "totals.py").read_bytes() == before
    assert (sample / "mine.txt").read_text() == "mine"


def test_the_demo_reads_edits_once_and_tells_what_the_files_hold(sample: Path) -> None:
    person = Person(sample)
    text = person.asks(demo_prompt())
    assert person.calls == ["read_file", "read_file", "grep", "read_file", "edit_file"]
    assert "37 of 40 invoices match; 2 were **rounded per line**, 1 was **paid twice**." in text
    assert "| INV-2043 | 385.98 | 771.96 | 385.98 | needs your decision |" in text
    assert "✓ fixed" in text
    assert "return rounded(total * rate)" in (sample / "ledger" / "totals.py").read_text("utf-8")


def test_the_demo_counts_what_is_in_the_files_not_what_was_there_when_it_was_written(
    sample: Path,
) -> None:
    bank = sample / "bank" / "2026-10.csv"
    bank.write_text(bank.read_text("utf-8").replace("579.54", "500.00"), "utf-8")
    text = Person(sample).asks(demo_prompt())
    assert "36 of 40 invoices match" in text
    assert "1 was **paid another amount**" in text
    assert "INV-2014" in text


def test_the_sample_s_own_tests_hold_before_and_after_the_change(sample: Path) -> None:
    check = (
        "from decimal import Decimal as D\n"
        "from tests.test_totals import *\n"
        "test_one_line_with_vat(); test_an_empty_invoice_costs_nothing()\n"
        "print(invoice_total([Line('a', D('1.17')), Line('b', D('1.17'))], VAT))\n"
    )

    def total() -> str:
        ran = subprocess.run(
            # Without -B compiled files would be left in the folder, which the script reads whole.
            [sys.executable, "-B", "-c", check],
            cwd=sample,
            capture_output=True,
            text=True,
            check=True,
        )
        return ran.stdout.strip()

    before = total()
    Person(sample).asks(demo_prompt())
    assert (before, total()) == ("2.80", "2.81")


def test_a_denied_edit_is_told_as_it_is(sample: Path) -> None:
    text = Person(sample, allows=False).asks(demo_prompt())
    assert "is unchanged" in text
    assert "```python totals.py\n    for line in lines:\n        total += line.net" in text
    assert "✓ fixed" not in text


@pytest.mark.parametrize(
    ("question", "calls", "told"),
    [
        ("Which files are here?", ["glob"], "| .py |"),
        ("Find *.csv", ["glob"], "2 files fit"),
        ("Search for VAT", ["grep"], "| `README.md` |"),
        ("Read README.md", ["read_file"], "# Shop ledger"),
        ("Explain the outline of ledger/match.py", ["read_file"], "- def `differences`"),
        ("Explain this project.", ["glob", "read_file"], "- Shop ledger"),
        ("Create notes.md with: Call the bank", ["write_file"], "`notes.md` is there now"),
        ("Replace October with November in notes/none.md", ["read_file"], "could not be read"),
        ("Replace VAT with Tax in README.md", ["read_file", "edit_file"], "instead of `VAT`"),
        ("Run `echo hello`", ["shell"], "ended with exit code 3. It said:\n\n```text\nhello\n```"),
        ("What is the meaning of life?", [], "There is no model behind it"),
    ],
)
def test_it_follows_plain_requests_with_real_calls(
    sample: Path, question: str, calls: list[str], told: str
) -> None:
    person = Person(sample)
    text = person.asks(question)
    assert person.calls == calls
    assert told in text


def test_it_knows_what_to_do_with_each_first_task_that_is_offered(sample: Path) -> None:
    assert starter_prompts()[0] == demo_prompt()
    for prompt in starter_prompts():
        person = Person(sample)
        text = person.asks(prompt)
        assert person.calls
        assert "There is no model behind it" not in text


def test_a_second_question_is_not_answered_with_results_of_the_first(sample: Path) -> None:
    person = Person(sample)
    person.asks("Read README.md")
    text = person.asks("Read docs/closing-a-month.md")
    assert "# Closing a month" in text
    assert person.calls == ["read_file", "read_file"]


async def test_it_streams_thinking_text_and_usage_without_cached_figures() -> None:
    server = TourServer(AT_ONCE)
    body = {
        "model": MODEL,
        "stream": True,
        "messages": [{"role": "user", "content": demo_prompt()}],
        "tools": TOOLS,
    }
    try:
        async with httpx.AsyncClient(trust_env=False) as client:
            answer = await client.post(f"{await server.start()}/chat/completions", json=body)
    finally:
        await server.close()
    events = [line.removeprefix("data: ") for line in answer.text.split("\n\n") if line]
    assert events[-1] == "[DONE]"
    chunks = [json.loads(event) for event in events[:-1]]
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    assert "".join(delta.get("reasoning_content", "") for delta in deltas).startswith("Two lists")
    names = [call["function"]["name"] for d in deltas for call in d.get("tool_calls", ())]
    assert names == ["read_file", "read_file"]
    usage = chunks[-1]["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert "prompt_tokens_details" not in usage


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/models", b"", 200),
        ("POST", "/chat/completions", b"not json", 400),
        ("POST", "/chat/completions", b'{"messages": 3}', 400),
        ("POST", "/embeddings", b"{}", 404),
    ],
)
async def test_every_request_gets_an_answer_in_json(
    method: str, path: str, body: bytes, status: int
) -> None:
    server = TourServer(AT_ONCE)
    try:
        base_url = await server.start()
        async with httpx.AsyncClient(trust_env=False) as client:
            answer = await client.request(method, base_url + path, content=body)
    finally:
        await server.close()
    assert answer.status_code == status
    assert answer.json()


async def test_closing_ends_an_answer_that_still_streams() -> None:
    server = TourServer()
    body = {"stream": True, "messages": [{"role": "user", "content": "hello"}]}
    base_url = await server.start()
    async with httpx.AsyncClient(trust_env=False, timeout=10) as client:
        request = client.stream("POST", f"{base_url}/chat/completions", json=body)
        async with request as answer:
            await server.close()
            with pytest.raises(httpx.TransportError):
                await answer.aread()


def test_a_sample_folder_that_cannot_be_made_is_told_with_a_way_on(tmp_path: Path) -> None:
    (tmp_path / "home-tour").write_text("in the way")
    with pytest.raises(StoreError) as raised:
        sample_beside(tmp_path / "home")
    assert "cannot be made" in str(raised.value)
    assert raised.value.hint == "Choose a folder of your own for the tour."

"""web_search: each service's form of question and answer, the child without a key, and failures."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from kinet.core.errors import ToolError
from kinet.tools.base import ToolContext
from kinet.tools.web.search_services import SearchChoice, search
from kinet.tools.web_search import WebSearch, WebSearchArguments

Answer = Callable[[httpx.Request], httpx.Response]
ROW = {
    "title": "Ti\u200btle",
    "url": "https://a.example/",
    "content": "text",
    "description": "text",
}


def choice(service: str, answer: Answer, **values: str) -> SearchChoice:
    """A service whose answers a function gives."""
    transport = httpx.MockTransport(answer)
    made = SearchChoice(service, client=lambda: httpx.AsyncClient(transport=transport))
    return replace(made, **values)  # type: ignore[arg-type]


async def test_each_service_is_asked_in_its_own_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "brave-key-1234")
    monkeypatch.setenv("MINE", "tavily-key-1234")
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        rows = [ROW, {"title": "x", "url": "javascript:alert(1)"}, "no row", ROW]
        return httpx.Response(200, json={"results": rows, "web": {"results": rows}})

    for made in (
        choice("searxng", answer, url="https://s.example/"),
        choice("brave", answer),
        choice("tavily", answer, key_variable="MINE"),
    ):
        hits = await search(made, "two words", 5)
        assert [(hit.url, hit.snippet) for hit in hits] == [("https://a.example/", "text")] * 2
    searxng, brave, tavily = asked
    assert searxng.url.path == "/search"
    assert searxng.url.params["format"] == "json"
    assert brave.headers["x-subscription-token"] == "brave-key-1234"
    assert "brave-key" not in str(brave.url)
    assert tavily.headers["authorization"] == "Bearer tavily-key-1234"
    assert json.loads(tavily.content)["query"] == "two words"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (httpx.Response(401), "refused the key"),
        (httpx.Response(500), "status 500"),
        (httpx.Response(200, text="<html>"), "no JSON"),
        (httpx.Response(200, json=[]), "another form"),
        (httpx.Response(200, content=b"x" * 3_000_000), "too large"),
    ],
)
async def test_a_failure_is_said_as_it_is(
    answer: httpx.Response, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "brave-key-1234")
    with pytest.raises(ToolError, match=said) as failure:
        await search(choice("brave", lambda request: answer), "x", 5)
    assert "brave-key" not in failure.value.sentence()


async def test_what_is_not_set_up_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    for service, said in (("tavily", "TAVILY_API_KEY"), ("searxng", "address"), ("off", "off")):
        with pytest.raises(ToolError, match=said):
            await search(SearchChoice(service), "x", 5)


def child(tmp_path: Path, code: str) -> SearchChoice:
    """The search without a key, by a program of the test."""
    script = tmp_path / "child.py"
    script.write_text(f"import json, sys, time\nrequest = json.load(sys.stdin)\n{code}\n")
    return SearchChoice("duckduckgo", program=(sys.executable, "-I", str(script)))


async def test_the_child_without_a_key_gets_the_words_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "must-not-pass")
    code = (
        "import os\nfound = [{'title': request['query'], 'href': 'https://b.example/',"
        " 'body': os.environ.get('OPENAI_API_KEY', 'no key')}]\n"
        "print(json.dumps({'results': found}))"
    )
    (hit,) = await search(child(tmp_path, code), "my words", 3)
    assert (hit.title, hit.url, hit.snippet) == ("my words", "https://b.example/", "no key")


async def test_a_child_that_fails_or_dies_is_said(tmp_path: Path) -> None:
    problem = "print(json.dumps({'problem': 'rate limited'}))"
    with pytest.raises(ToolError, match="rate limited"):
        await search(child(tmp_path, problem), "x", 3)
    with pytest.raises(ToolError, match="code 7"):
        await search(child(tmp_path, "sys.exit(7)"), "x", 3)


async def test_results_are_marked_as_untrusted_and_cleaned(project: Path) -> None:
    answer = httpx.Response(200, json={"results": [ROW]})
    tool = WebSearch(lambda: choice("searxng", lambda _: answer, url="https://s.example"))
    context = ToolContext(folder=project)
    question = tool.question(WebSearchArguments(query="x"), context)
    assert question.question == "Search the web with SearXNG?"
    assert question.targets == ("s.example",)
    output = await tool.run(WebSearchArguments(query="x"), context)
    assert "not instructions" in output.content
    assert "1. Title\n   https://a.example/\n   text" in output.content

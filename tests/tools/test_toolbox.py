"""Looking tools up, and making arguments ready."""

from __future__ import annotations

import json

import pytest

from kinet.core.errors import ToolError
from kinet.tools.base import Arguments
from kinet.tools.catalog import builtin_tools
from kinet.tools.toolbox import Toolbox

BOX = Toolbox(builtin_tools())


def test_the_tools_are_sorted_and_told_in_few_words() -> None:
    names = [schema.name for schema in BOX.schemas()]
    assert names == sorted(names) == list(BOX.names())
    told = json.dumps([schema.to_dict() for schema in BOX.schemas()])
    assert len(told) / 3 < 3_000, "tokens, counted high"


def test_schemas_are_flat_and_equal_each_time() -> None:
    told = json.dumps([schema.to_dict() for schema in BOX.schemas()])
    assert "$ref" not in told
    assert "$defs" not in told
    assert "anyOf" not in told
    again = json.dumps(
        [schema.to_dict() for schema in Toolbox(reversed(builtin_tools())).schemas()]
    )
    assert told == again


@pytest.mark.parametrize(
    ("given", "field", "wanted"),
    [
        ({"path": "a", "offset": "12"}, "offset", 12),
        ({"path": ["a.txt"]}, "path", "a.txt"),
        ({"path": "```\na.txt\n```"}, "path", "a.txt"),
        ({"path": "a", "limit": None}, "limit", 2_000),
        ({"file_path": "a.txt"}, "path", "a.txt"),
    ],
)
def test_what_is_meant_beyond_doubt_is_repaired(
    given: dict[str, object], field: str, wanted: object
) -> None:
    _, arguments = BOX.prepare("read_file", given)
    assert getattr(arguments, field) == wanted


def test_a_list_given_as_text_becomes_a_list() -> None:
    edits = '[{"old_string": "a", "new_string": "b", "replace_all": "true"}]'
    _, arguments = BOX.prepare("edit_file", {"path": "a", "edits": edits})
    assert arguments.wishes()[0].everywhere is True  # type: ignore[attr-defined]


def test_the_text_of_a_file_is_never_unwrapped() -> None:
    fenced = "```\ncode\n```"
    _, arguments = BOX.prepare("write_file", {"path": "a.md", "content": fenced})
    assert arguments.content == fenced  # type: ignore[attr-defined]


def test_all_that_is_wrong_is_said_in_one_message() -> None:
    with pytest.raises(ToolError) as caught:
        BOX.prepare("read_file", {"offset": "soon", "colour": 1})
    message = caught.value.message
    assert "path is missing" in message
    assert "offset" in message
    assert "colour is not known" in message
    assert "It takes: path (text)" in message


def test_an_unknown_tool_is_answered_with_the_nearest_names() -> None:
    with pytest.raises(ToolError) as caught:
        BOX.prepare("read_files", {})
    assert "read_file" in caught.value.message
    assert BOX.nearest("Grep")[0] == "grep"


def test_a_reading_set_holds_no_tool_that_writes_runs_or_asks() -> None:
    names = BOX.read_only().names()
    assert "read_file" in names
    assert not {"shell", "write_file", "edit_file", "web_fetch", "dispatch_agent"} & set(names)
    assert BOX.only(["shell", "nothing"]).names() == ("shell",)


def test_what_is_told_of_a_tool_is_made_once_whatever_box_it_stands_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    box = Toolbox(builtin_tools())
    first = box.schemas()

    def never(*args: object, **kwargs: object) -> None:
        raise AssertionError("the schema was made again")

    monkeypatch.setattr(Arguments, "model_json_schema", never)
    assert box.schemas() == first
    assert [item.name for item in box.read_only().schemas()] == list(box.read_only().names())

"""kinet serve: JSON-RPC 2.0 to the letter, whatever a client writes."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kinet.serve.lines import Splitter
from kinet.serve.messages import Answer, Request, Wrong, read, written
from kinet.serve.methods import METHODS
from tests.serve.conftest import Serve, new
from tests.support.rpc_client import Error, RpcClient
from tests.support.scripted_server import Gate, ScriptedServer, says

UNREADABLE, INVALID, UNKNOWN, PARAMS = -32700, -32600, -32601, -32602


def _error(client: RpcClient, line: bytes | str) -> tuple[Any, int]:
    """Id and code of the error that a line is answered with."""
    client.raw((line.encode() if isinstance(line, str) else line) + b"\n")
    answer = client.next_answer()
    assert set(answer) == {"jsonrpc", "id", "error"}
    assert answer["jsonrpc"] == "2.0"
    assert set(answer["error"]) <= {"code", "message", "data"}
    assert answer["error"]["message"].rstrip().endswith((".", ")"))
    return answer["id"], answer["error"]["code"]


# Those of the specification, and some that it has no example for.
LINES = [
    ('{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', None, UNREADABLE),
    ('{"jsonrpc": "2.0", "method": 1, "params": "bar"}', None, INVALID),
    ("[]", None, INVALID),
    ('{"jsonrpc": "2.0", "method": "foobar", "id": "1"}', "1", UNKNOWN),
    ("{", None, UNREADABLE),
    ("nothing", None, UNREADABLE),
    ("1", None, INVALID),
    ("null", None, INVALID),
    ('"text"', None, INVALID),
    ("{}", None, INVALID),
    ('{"jsonrpc": "2.0"}', None, INVALID),
    ('{"jsonrpc": "1.0", "method": "session/list", "id": 7}', 7, INVALID),
    ('{"method": "session/list", "id": 7}', 7, INVALID),
    ('{"jsonrpc": "2.0", "method": "session/list", "id": true}', None, INVALID),
    ('{"jsonrpc": "2.0", "method": "session/list", "id": {}}', None, INVALID),
    ('{"jsonrpc": "2.0", "method": "session/list", "id": "\\ud800"}', None, INVALID),
    ('{"jsonrpc": "2.0", "method": "session/list", "id": 1e999}', None, UNREADABLE),
    ('{"jsonrpc": "2.0", "method": "session/list", "id": NaN}', None, UNREADABLE),
    ('{"jsonrpc": "2.0", "method": null, "id": 7}', 7, INVALID),
    ('{"jsonrpc": "2.0", "method": "session/list", "params": 3, "id": 7}', 7, INVALID),
    ('{"jsonrpc": "2.0", "method": "session/list", "params": [1], "id": 7}', 7, PARAMS),
    ('{"jsonrpc": "2.0", "id": 7}', 7, INVALID),
    ('{"jsonrpc": "2.0", "id": 7, "result": 1, "error": {}}', None, INVALID),
    ("[" * 100_000, None, UNREADABLE),
    ('{"jsonrpc": "2.0", "method": "session/list", "id": ' + "9" * 5000 + "}", None, UNREADABLE),
    (b'{"jsonrpc": "2.0", "method": "\xff", "id": 1}', None, UNREADABLE),
    ("[" + "1," * 1000 + "1]", None, INVALID),
]


def test_what_is_no_request_is_answered_as_the_specification_says(serve: Serve) -> None:
    client = serve()
    for line, id_, code in LINES:
        assert _error(client, line) == (id_, code), line
    # It goes on as if nothing had been.
    assert client.call("session/list") == {"sessions": []}


def test_batches_are_answered_together_and_notifications_not_at_all(serve: Serve) -> None:
    client = serve()
    client.raw(b"[1, 2]\n")
    answers = client.next_answer()
    assert [item["error"]["code"] for item in answers] == [INVALID, INVALID]
    batch = [
        {"jsonrpc": "2.0", "method": "session/list", "id": "a"},
        {"jsonrpc": "2.0", "method": "session/stop", "params": {"session_id": "none"}},
        {"foo": "boo"},
        {"jsonrpc": "2.0", "method": "none", "id": 9.5},
        {"jsonrpc": "2.0", "method": "session/list", "params": [], "id": None},
    ]
    client.write(batch)
    answers = client.next_answer()
    by_id = {item["id"]: item for item in answers if "result" in item}
    assert sorted(map(str, by_id)) == ["None", "a"]
    errors = [(item["id"], item["error"]["code"]) for item in answers if "error" in item]
    assert sorted(errors, key=str) == [(9.5, UNKNOWN), (None, INVALID)]
    # Nothing but notifications: no answer, not even an empty one.
    client.write([{"jsonrpc": "2.0", "method": "none"}, {"jsonrpc": "2.0", "method": "$/other"}])
    client.notify("none")
    client.notify("session/stop", session_id="none")
    client.raw(b"\n\r\n  \n")
    assert client.call("session/list") == {"sessions": []}


def test_initialize_comes_first_and_once(serve: Serve) -> None:
    client = serve(greeted=False)
    with pytest.raises(Error, match="initialize") as told:
        client.call("session/list")
    assert told.value.code == -32002
    with pytest.raises(Error, match=r"protocol: it should be 1\."):
        client.call("initialize", protocol=2)
    with pytest.raises(Error, match=r"capabilities\.approvals: it should be a valid boolean"):
        client.call("initialize", capabilities={"approvals": "yes"})
    told_ = client.call("initialize", client={"name": "a test"})
    assert (told_["name"], told_["protocol"], told_["mode"]) == ("kinet", 1, "ask")
    assert told_["modes"] == ["deny", "plan", "ask"]
    assert "session/send" in told_["methods"]
    with pytest.raises(Error, match="before") as again:
        client.call("initialize")
    assert again.value.code == INVALID


@pytest.mark.parametrize(
    ("method", "params", "said"),
    [
        ("session/send", {}, "session_id is missing."),
        ("session/send", {"session_id": "x"}, "text is missing."),
        ("session/send", {"session_id": 3, "text": "x"}, "session_id: it should be a valid string"),
        ("session/send", {"session_id": "x", "text": "  "}, "text must not be empty."),
        ("session/send", {"session_id": "x", "text": "y", "more": 1}, "more is not known here."),
        ("session/new", {"cwd": "here"}, "cwd: it must be an absolute path."),
        ("session/new", {"cwd": "/a\0b"}, "cwd: it must be an absolute path."),
        ("session/new", {"mode": "wild"}, "mode: it should be 'deny', 'plan', 'ask'"),
        ("session/new", {"profile": "none"}, "profile: the command line"),
        ("session/new", {"preset": "none"}, "preset: There is no preset 'none'."),
        ("session/list", {"limit": 0}, "limit: it should be greater than or equal to 1"),
        ("session/list", {"limit": 1.5}, "limit: it should be a valid integer"),
        ("session/list", {"offset": 10**30}, "offset: it should be less than or equal"),
        ("session/undo", {"session_id": "x", "changed": {"a": "b"}}, "changed.a: it should be"),
    ],
)
def test_a_wrong_parameter_is_named_in_one_sentence(
    serve: Serve, method: str, params: dict[str, Any], said: str
) -> None:
    with pytest.raises(Error) as told:
        serve().call(method, **params)
    assert told.value.code == PARAMS
    assert said in told.value.message


def test_what_is_not_there_is_said_with_a_way_out(serve: Serve) -> None:
    client = serve()
    for method, params, said in (
        ("session/get", {"session_id": "none"}, "session/open opens it"),
        ("session/open", {"session_id": "none"}, "There is no session"),
        ("session/open", {"session_id": "\ud800"}, "There is no session"),
        ("session/new", {"cwd": "/no/such/folder"}, "No such file"),
    ):
        with pytest.raises(Error, match=said) as told:
            client.call(method, **params)
        assert told.value.code == -32000


def test_an_id_that_is_in_use_is_not_taken_for_the_first(
    serve: Serve, model: ScriptedServer
) -> None:
    gate = Gate()
    model.replies(says("One", gate, "."))
    client = serve()
    session = new(client)
    turn = client.ask("session/send", session_id=session, text="one")
    client.wait(lambda: "text_delta" in client.types(session))
    client.write({"jsonrpc": "2.0", "method": "session/list", "id": turn})
    twice = client.next_answer()
    assert (twice["id"], twice["error"]["code"]) == (None, INVALID)
    assert str(turn) in twice["error"]["message"]
    # The same figure as a text is another id.
    client.write({"jsonrpc": "2.0", "method": "session/list", "id": str(turn)})
    assert client.answer(str(turn))["sessions"]
    gate.open()
    assert client.answer(turn)["text"] == "One."
    client.write({"jsonrpc": "2.0", "method": "session/list", "id": turn})
    assert client.answer(turn)["sessions"]


def test_a_line_of_fifty_megabytes_is_skipped_with_a_word(serve: Serve) -> None:
    client = serve()
    start = b'{"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {"x": "'
    assert _error(client, start + b"x" * 50_000_000 + b'"}}') == (None, UNREADABLE)
    assert client.call("session/list") == {"sessions": []}


def test_a_large_message_and_halves_of_characters_arrive(
    serve: Serve, model: ScriptedServer
) -> None:
    client = serve()
    session = new(client)
    text = "é" * 400_000
    client.call("session/send", session_id=session, text=text)
    assert text in model.bodies[0]["messages"][-1]["content"]
    # JSON can say half a character; UTF-8 cannot.
    client.call("session/send", session_id=session, text="half \ud83d, whole 😀")
    assert "half \ufffd, whole 😀" in json.dumps(model.bodies, ensure_ascii=False)


def test_answers_to_nothing_are_heard_and_forgotten(serve: Serve) -> None:
    client = serve()
    for id_ in (1, "1", 99, None, 1.5):
        client.write({"jsonrpc": "2.0", "id": id_, "result": {"decision": "allow"}})
        client.write({"jsonrpc": "2.0", "id": id_, "error": {"code": 1, "message": "x"}})
    client.write({"jsonrpc": "2.0", "id": 1, "error": "broken"})
    client.notify("$/cancelRequest", id={})
    client.notify("$/cancelRequest")
    assert client.call("session/list") == {"sessions": []}


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
_NAMES = [
    "initialize",
    "session/new",
    "session/send",
    "session/open",
    "queue/add",
    "$/cancelRequest",
]
_MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | _JSON,
        "id": st.integers(0, 3) | st.text(max_size=3) | _JSON,
        "method": st.sampled_from(_NAMES) | _JSON,
        "params": _JSON
        | st.dictionaries(
            st.sampled_from(["session_id", "text", "mode", "cwd", "id"]), _JSON, max_size=3
        ),
        "result": _JSON,
        "error": _JSON,
    },
)


@given(_MESSAGES | st.lists(_MESSAGES, max_size=4) | _JSON)
@settings(max_examples=500, deadline=None)
def test_whatever_json_comes_is_a_message_or_a_sentence(value: Any) -> None:
    said = read(json.dumps(value))
    for item in said if isinstance(said, tuple) else (said,):
        assert isinstance(item, Request | Answer | Wrong)
        if isinstance(item, Wrong):
            assert item.error.message.endswith(".")


@given(st.text() | st.binary().map(lambda data: data.decode("utf-8", "surrogateescape")))
@settings(max_examples=300, deadline=None)
def test_whatever_text_comes_is_a_message_or_a_sentence(text: str) -> None:
    assert isinstance(read(text), Request | Answer | Wrong | tuple)


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(st.characters(exclude_categories=())),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    )
)
@settings(max_examples=300, deadline=None)
def test_what_is_written_is_one_line_of_strict_json(value: Any) -> None:
    line = written({"value": value})
    assert "\n" not in line
    json.loads(line.encode("utf-8"), parse_constant=lambda word: pytest.fail(word))


@given(st.binary(max_size=200), st.lists(st.integers(0, 200)), st.integers(1, 50))
@settings(max_examples=300, deadline=None)
def test_lines_are_the_same_however_the_bytes_are_cut(
    data: bytes, cuts: list[int], largest: int
) -> None:
    whole, cut = Splitter(largest), Splitter(largest)
    expected = [*whole.feed(data), *whole.end()]
    places = sorted({0, *(min(place, len(data)) for place in cuts), len(data)})
    found = [line for start, end in pairwise(places) for line in cut.feed(data[start:end])]
    assert [*found, *cut.end()] == expected
    # Nothing longer than the limit is kept.
    assert all(len(line.text.encode()) <= largest for line in expected)


_FIELDS = sorted({name for method in METHODS for name in method.takes.model_fields})
_PARAMS = st.dictionaries(
    st.sampled_from(_FIELDS) | st.text(max_size=3),
    st.sampled_from(["SESSION", "plan", "ask", "", "default", "low", 0, 5, True, [], {}]) | _JSON,
    max_size=4,
)
_REQUESTS = st.tuples(st.sampled_from([method.name for method in METHODS]), _PARAMS)


@settings(
    max_examples=6,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(_REQUESTS, min_size=40, max_size=80))
def test_no_request_meets_a_fault_of_our_own(
    serve: Serve, requests: list[tuple[str, dict[str, Any]]]
) -> None:
    client = serve("--no-save", answering=lambda *_: {"decision": "deny"})
    session = new(client)
    ids = []
    for method, params in requests:
        known = {k: session if v == "SESSION" else v for k, v in params.items()}
        # A session and a text make most of them real.
        ids.append(client.ask(method, **{"session_id": session, "text": "hello", **known}))
        ids.append(client.ask(method, **known))
        if method in ("session/new", "session/list"):
            known.pop("session_id", None)
            ids.append(client.ask(method, **known))
    codes = set()
    for id_ in ids:
        try:
            client.answer(id_)
        except Error as exc:
            codes.add(exc.code)
    assert codes <= {-32602, -32000}
    assert client.end() == 0


@settings(
    max_examples=5,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.data())
def test_a_stream_of_odd_lines_ends_no_program(serve: Serve, data: st.DataObject) -> None:
    lines = data.draw(
        st.lists(
            _MESSAGES.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=60),
            min_size=40,
            max_size=80,
        )
    )
    client = serve("--no-save", greeted=False)
    client.raw(b"\n".join(lines) + b"\n")
    # Whatever it was told, it still answers.
    client.write({"jsonrpc": "2.0", "id": "the last", "method": "no such method"})
    client.find(lambda item: isinstance(item, dict) and item.get("id") == "the last")
    assert client.end() == 0
    assert client.broken == []

"""Money: each token counted once, at its own price, and nothing invented."""

from __future__ import annotations

import tomllib

import pytest

from kinet import paths
from kinet.core.completion import Usage
from kinet.providers.pricing import PriceTable, known_models, known_output, known_window
from kinet.providers.public_prices import public_model

MILLION = 1_000_000


def test_cached_tokens_are_counted_once_and_never_free():
    table = PriceTable(
        {"m": {"input": 10, "output": 20, "cache_read": 1, "cache_write": 12.5}, "n": {"input": 10}}
    )
    usage = Usage(MILLION, 0, cache_read=600_000, cache_write=100_000)
    assert table.cost("m", usage) == (pytest.approx(3.0 + 0.6 + 1.25), False)
    assert table.cost("n", usage) == (pytest.approx(10.0), False)


def test_reasoning_is_part_of_the_answer():
    table = PriceTable({"m": {"input": 1, "output": 2}})
    usage = Usage(0, MILLION, reasoning_tokens=900_000)
    assert table.cost("m", usage) == (pytest.approx(2.0), False)


def test_the_persons_own_figures_win_and_the_rest_stays_known():
    price = PriceTable({"gpt-5": {"output": 9.0}}).price_of("openai/gpt-5-2025-08-07")
    assert (price.input, price.output) == (1.25, 9.0)
    assert price.source == "settings"


@pytest.mark.parametrize(("model", "price"), [("glm-99", 0.07), ("some-new-model", 3.0)])
def test_an_unknown_model_is_estimated_and_marked(model, price):
    table = PriceTable({})
    assert table.price_of(model).estimate
    assert table.price_of(model).output is None
    assert table.cost(model, Usage(MILLION, 5)) == (pytest.approx(price), True)


@pytest.mark.parametrize("model", ["", "qwen3:8b", "tiny.gguf", "deepseek/deepseek-chat:free"])
def test_what_has_no_price_is_not_called_free(model):
    assert PriceTable({}).cost(model, Usage(10, 10)) == (None, False)


def test_a_known_input_price_alone_does_not_make_a_total():
    assert PriceTable({"m": {"input": 1}}).cost("m", Usage(10, 10)) == (None, False)


def test_a_figure_that_is_no_price_is_left_out():
    for odd in (float("nan"), float("inf"), -1.0, True):
        assert PriceTable({"m": {"input": odd}}).price_of("m").estimate


def test_every_row_has_source_and_date():
    rows = PriceTable({"mine": {"input": 1}}).rows()
    assert "mine" in [name for name, _ in rows]
    for name, price in rows:
        if name != "mine":
            assert price.source.startswith("https://"), name
            assert price.date, name
            assert price.input, name


def test_windows_are_known_by_family():
    assert known_window("claude-sonnet-4-5-20250929") == 200_000
    assert known_window("anthropic/claude-sonnet-4.5") == 200_000
    assert known_window("nobody-knows") == 0
    assert known_output("claude-3-haiku-20240307") == 4_096


# Our own rows stand for the published data's: the ones it has are equal, but for these.
DIFFERS = {
    "deepseek-chat": "the data has the model that this name stood for before 2025-09",
    "deepseek-reasoner": "the data has the model that this name stood for before 2025-09",
}


def test_our_rows_say_what_the_published_data_says():
    compared = 0
    for row in known_models():
        public = next(filter(None, map(public_model, row.names)), None)
        if public is None or row.id in DIFFERS or public.id.lower() not in row.names:
            continue
        fields = ("input", "output", "cache_read", "cache_write")
        ours = [getattr(row.price, field) for field in fields]
        assert ours == [getattr(public.price, field) for field in fields], row.id
        compared += 1
    assert compared > 30


def test_a_model_without_a_row_is_found_in_the_published_data():
    assert not any("gpt-5.4" in row.names for row in known_models())
    price = PriceTable({}).price_of("openai/gpt-5.4")
    assert price.input
    assert price.output
    assert price.source.startswith("genai-prices ")
    assert len(price.date) == 7
    assert known_window("gpt-5.4") > 1_000_000


def test_a_dated_model_of_its_own_is_not_taken_for_its_family():
    assert public_model("mistral-small-2603") is not None
    assert PriceTable({}).price_of("mistral-small-2603").source.startswith("genai-prices ")


def test_a_reseller_s_own_price_beats_the_maker_s():
    own, resold = (PriceTable({}).price_of(name) for name in ("qwen-plus", "qwen/qwen-plus"))
    assert own.source.startswith("https://www.alibabacloud.com/")
    assert resold.source.startswith("genai-prices ")
    assert resold.input != own.input


def test_a_source_that_was_checked_is_newer_than_one_that_was_not():
    path = paths.resources_dir() / "models.toml"
    sources = tomllib.loads(path.read_text("utf-8"))["source"]
    unchecked = {entry["name"] for entry in sources if "checked" not in entry}
    # The published data has no list of these, or one of another time: their own month is shown.
    assert unchecked == {"deepseek", "alibaba", "mistral-2025"}
    assert {entry["date"] for entry in sources if entry["name"] in unchecked} == {"2025-10"}

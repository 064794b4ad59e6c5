"""The placebo describes another workflow, at like length."""

import dataclasses
import json
import re

from hypothesis import given
from hypothesis import strategies as st

from mendbench.strategies import strategy
from mendbench.strategies.placebo import choose, entry, shipped_entries
from tests.strategies import invented

WHOLE = 100_000


def named(view, *ids):
    """The view with its nodes renamed, so that no entry of the bank is about it."""
    nodes = [{**node, "id": new} for node, new in zip(view.workflow["nodes"], ids, strict=True)]
    records = tuple(dataclasses.replace(r, node_id=new) for r, new in zip(view.execution.nodes, ids, strict=True))
    document = json.loads(json.dumps(view.workflow | {"nodes": nodes, "edges": []}).replace("library.", "other."))
    return dataclasses.replace(view, workflow=document, execution=dataclasses.replace(view.execution, nodes=records))


def test_the_shipped_bank_has_texts_of_many_lengths():
    entries = shipped_entries()
    assert len(entries) >= 8
    assert len({one.tokens for one in entries}) >= 6
    assert all(one == entry(one.text) for one in entries)


def test_it_never_mentions_a_node_or_a_host_of_the_view():
    full = strategy("full-context")
    texts = {full.render(make(), 100_000).text for make in (*invented.ALL, invented.issue_422)}
    everything = tuple(entry(text) for text in sorted(texts, key=lambda text: (len(text), text)) if text)
    for make in (*invented.ALL, invented.issue_422):
        view = make()
        if make is invented.issue_422:
            text = choose(everything, view, 100)
            assert "api.github.com" not in text
        text = choose(tuple(one for one in everything if not one.hosts), view, 100)
        for node in view.workflow["nodes"]:
            assert not re.search(rf"(?<![\w-]){re.escape(node['id'])}(?![\w-])", text)


def test_the_strategy_describes_other_nodes_than_the_views():
    view = named(invented.renamed_field(), "shipped_by_us")
    text = strategy("placebo").render(view, WHOLE).text
    assert text in {one.text for one in shipped_entries()}
    assert "shipped_by_us" not in text


def test_of_those_allowed_the_nearest_in_length_is_taken():
    entries = [entry("word " * n) for n in (10, 20, 40)]
    view = invented.wrong_path()
    assert [choose(entries, view, entries[n].tokens + 1).count("word") for n in range(3)] == [10, 20, 40]


def test_an_entry_that_names_a_node_is_passed_over_for_one_further_off():
    entries = [entry("post_card failed"), entry("something else altogether " * 9)]
    assert choose(entries, invented.wrong_path(), 5) == entries[1].text


def test_an_entry_that_names_a_host_is_passed_over():
    entries = [entry("see https://library.example/help"), entry("something else altogether " * 9)]
    assert choose(entries, invented.wrong_path(), 5) == entries[1].text


def test_where_all_name_a_node_the_one_that_names_fewest_is_taken():
    entries = [entry("get_reader post_card"), entry("get_reader " * 30)]
    assert choose(entries, invented.wrong_path(), 5) == entries[1].text


def test_an_empty_bank_gives_an_empty_text():
    assert choose((), invented.wrong_path(), 100) == ""


@given(
    order=st.permutations([entry(text) for text in ("one", "two", "six", "a b", "longer text")]),
    wanted=st.integers(0, 9),
)
def test_the_order_of_the_bank_decides_nothing(order, wanted):
    assert choose(order, invented.wrong_path(), wanted) == choose(
        sorted(order, key=lambda e: e.text), invented.wrong_path(), wanted
    )

"""Answers on their way into cassettes: checked whole before one is written."""

import json

import pytest
from vcr.persisters.filesystem import FilesystemPersister
from vcr.serializers import yamlserializer

from mendbench.cassettes import cassette
from mendbench.cassettes.cassette import BatchPlace
from mendbench.errors import BadInput
from mendbench.prompts.collecting import collect
from mendbench.prompts.completions import answered, completion
from mendbench.prompts.importing import (
    place_responses,
    refuse_other_models,
    refuse_others,
    renamed,
    sort_lines,
    write_responses,
)
from mendbench.prompts.prompt_lines import custom_id
from mendbench.prompts.response_lines import ResponseLine, read_responses
from mendbench.secrets.redaction import plant_canaries
from tests.fakes import cases, prompts


def line(name, text, place="a.jsonl:1", model=None):
    response = None if text is None else answered(completion({"content": text}, "stop"))
    return ResponseLine(place=place, custom_id=name, shape="plain", response=response, why="expired", model=model)


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    return prompts.write_bare(tmp_path_factory.mktemp("bare"))


@pytest.fixture
def empty(bare, tmp_path):
    return cases.copy_of(bare, tmp_path / "corpus")


def asked(root):
    """Return the context, what two trials of one case ask, and the model requests by id."""
    context = cases.context_of(root)
    collected = [collect(context, cases.key(strategy=name)) for name in ("none", "full-context")]
    return (
        context,
        collected,
        {custom_id(model_request): model_request for one in collected for model_request in one.missing},
    )


def placed(root, text, provenance=None, model_requests=None):
    context, collected, missing = asked(root)
    model_requests = model_requests or missing
    responses = {name: line(name, text) for name in model_requests}
    return context, place_responses(responses, model_requests, collected, context.corpus, provenance)


def test_the_same_answer_twice_counts_once_and_another_one_is_refused_with_both_lines():
    first, again, other = line("x", "a", "a:1"), line("x", "a", "a:2"), line("x", "b", "a:3")
    found = sort_lines([first, again], {"x"})
    assert (dict(found.responses), found.repeated) == ({"x": first}, (again,))
    with pytest.raises(BadInput, match=r"a:3: another response to x than at a:1; delete one of the two lines"):
        sort_lines([first, again, other], {"x"})


def test_the_same_text_from_two_sources_is_the_same_answer(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(prompts.jsonl([prompts.openai_line("x", "a"), prompts.anthropic_line("x", "a")]), encoding="utf-8")
    found = sort_lines(read_responses(path)[0], {"x"})
    assert [one.place for one in found.repeated] == [f"{path}:2"]


def test_of_two_lines_that_say_the_same_the_one_stands_that_counts_tokens(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(prompts.jsonl([prompts.plain_line("x", "a"), prompts.openai_line("x", "a")]), encoding="utf-8")
    found = sort_lines(read_responses(path)[0], {"x"})
    assert (found.responses["x"].place, [one.place for one in found.repeated]) == (f"{path}:2", [f"{path}:1"])


def test_a_line_without_an_answer_counts_only_where_no_other_line_has_one():
    found = sort_lines([line("x", None), line("x", "a"), line("y", None), line("y", None)], {"x", "y"})
    assert (list(found.responses), [one.custom_id for one in found.unanswered]) == (["x"], ["y"])


def test_an_id_that_was_not_exported_is_unknown_whatever_it_says():
    found = sort_lines([line("z", "a"), line("z", "b"), line("y", None)], {"x"})
    assert (len(found.unknown), found.responses, found.unanswered) == (3, {}, ())


def test_an_answer_is_written_as_if_it_had_been_recorded_with_its_provenance(empty):
    context, found = placed(empty, "Hello", " by hand,\non paper ")
    write_responses(found.deposits)
    path = empty / "cassettes" / cases.RENAMED / f"{cases.MODEL}.yaml"
    entries = cassette.load(path)
    assert [entry.provenance for entry in entries] == ["by hand, on paper"] * 2
    assert {entry.key for entry in entries} == {one.entry.key for one in found.deposits}
    assert [entry.response.elapsed_ms for entry in entries] == [0, 0]
    requests, responses = FilesystemPersister.load_cassette(path, yamlserializer)
    assert len(requests) == 2
    assert json.loads(responses[0]["body"]["string"])["choices"][0]["message"]["content"] == "Hello"
    assert all(collect(context, cases.key(strategy=name)).answered for name in ("none", "full-context"))


def test_without_provenance_the_shape_of_the_line_is_reported(empty):
    _, found = placed(empty, "Hello")
    assert {one.entry.provenance for one in found.deposits} == {"plain"}


def test_a_cassette_without_provenance_reads_and_writes_as_before(root):
    path = root / "cassettes" / cases.RENAMED / f"{cases.MODEL}.yaml"
    entries = cassette.load(path)
    assert {entry.provenance for entry in entries} == {None}
    assert cassette.dump(entries) == path.read_text(encoding="utf-8")


def test_a_provenance_that_is_no_text_is_refused(root):
    path = root / "cassettes" / cases.RENAMED / f"{cases.MODEL}.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("    elapsed_ms", "    provenance: 7\n    elapsed_ms", 1),
        encoding="utf-8",
    )
    with pytest.raises(BadInput, match="provenance is 7"):
        cassette.load(path)


def test_a_secret_in_an_answer_or_its_provenance_never_reaches_the_cassette(empty):
    planted, _ = plant_canaries(cases.INPUTS, cases.RENAMED)
    _, found = placed(empty, f"use {planted['token']}", f"from {planted['token']}")
    write_responses(found.deposits)
    written = (empty / "cassettes" / cases.RENAMED / f"{cases.MODEL}.yaml").read_text(encoding="utf-8")
    assert planted["token"] not in written
    assert "provenance: from <" in written


def test_what_is_recorded_already_is_kept_and_another_answer_is_refused(empty):
    *_, model_requests = asked(empty)
    _, found = placed(empty, "Hello")
    write_responses(found.deposits)
    _, same = placed(empty, "Hello", "elsewhere", model_requests)
    assert [one.same for one in same.deposits] == [True, True]
    refuse_others(same.deposits)
    _, other = placed(empty, "Good day", None, model_requests)
    with pytest.raises(BadInput, match=f"than {cases.RENAMED} has recorded; delete the line, or replace .* --replace"):
        refuse_others(other.deposits)
    write_responses(other.deposits)
    assert [one.same for one in placed(empty, "Good day", None, model_requests)[1].deposits] == [True, True]


def test_an_answer_goes_to_every_case_that_asks_for_it(empty):
    twin = "http/renamed-twin"
    cases.write_case(empty, twin, cases.renamed_case(), cases.workflow("Hello ${person.response.name}!"))
    context = cases.context_of(empty)
    collected = [collect(context, cases.key(case, "none")) for case in (cases.RENAMED, twin)]
    model_requests = {custom_id(model_request): model_request for one in collected for model_request in one.missing}
    assert len(model_requests) == 1
    responses = {name: line(name, "Hello") for name in model_requests}
    found = place_responses(responses, model_requests, collected, context.corpus, None)
    assert [one.case for one in found.deposits] == [cases.RENAMED, twin]


def test_an_answer_that_nobody_asks_for_is_reported(empty):
    context, collected, model_requests = asked(empty)
    responses = {name: line(name, "Hello") for name in model_requests}
    found = place_responses(responses, model_requests, collected[:1], context.corpus, None)
    assert (len(found.deposits), len(found.unplaced)) == (1, 1)


def test_answers_of_models_that_call_themselves_otherwise_are_counted():
    model_requests = {name: {"model": "m"} for name in "abc"}
    lines = [line("a", "x", model="m-2026-01-01"), line("b", "x", model="m-2026-01-01"), line("c", "x", model="m")]
    assert renamed(lines, model_requests) == {("m", "m-2026-01-01"): 2}


def test_the_batch_of_a_prompt_is_stored_with_its_response(empty):
    context, collected, model_requests = asked(empty)
    responses = {name: line(name, "Hello") for name in model_requests}
    places = {name: BatchPlace(name="q", position=at, size=2) for at, name in enumerate(model_requests, start=1)}
    found = place_responses(responses, model_requests, collected, context.corpus, None, places)
    write_responses(found.deposits)
    entries = cassette.load(empty / "cassettes" / cases.RENAMED / f"{cases.MODEL}.yaml")
    assert [entry.batch for entry in entries] == list(places.values())


def test_a_response_to_another_models_request_is_refused():
    model_requests = {"a": {"model": "big"}, "b": {"model": "small"}}
    responses = {name: line(name, "Hello", place=f"a.jsonl:{at}") for at, name in enumerate(model_requests, start=1)}
    refuse_other_models({"a": responses["a"]}, model_requests, ())
    refuse_other_models(responses, model_requests, ("big", "small"))
    with pytest.raises(
        BadInput, match=r"a\.jsonl:1: the prompts are addressed to big and small; name the model .* --model"
    ):
        refuse_other_models(responses, model_requests, ())
    with pytest.raises(BadInput, match=r"a\.jsonl:2: b is addressed to small, not to big; delete the line; only small"):
        refuse_other_models(responses, model_requests, ("big",))

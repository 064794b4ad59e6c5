"""Where a fact stands in what every prompt has."""

from dataclasses import replace

from mendbench.verify.frame_facts import facts_in_frame
from tests.fakes.cases import RENAMED, context_of


def given_away(root, *facts, **changes):
    case = context_of(root).corpus.case(RENAMED)
    (fault,) = case.faults
    return facts_in_frame(replace(case, faults=(replace(fault, facts=facts),), **changes))


def test_a_fact_is_reported_with_each_place_and_the_text_that_matches(root):
    assert given_away(root, "called") == ()
    assert given_away(root, "by n.me") == ("'by n.me' stands in the request ('by name')",)
    assert given_away(root, "greets", "hello") == (
        "'greets' stands in the request ('greets')",
        "'hello' stands in workflow.json: /nodes/note/params/body/tag ('hello')",
    )


def test_more_places_are_counted(root):
    (found,) = given_away(root, "person")
    assert found.startswith("'person' stands in the request ('person'), workflow.json: /")
    assert found.endswith(" more places")


def test_a_fact_that_spans_several_values_or_stands_in_the_frames_own_text_is_found_too(root):
    assert given_away(root, '"tag": "hello"') == ('\'"tag": "hello"\' stands in workflow.json (\'"tag": "hello"\')',)
    assert given_away(root, "ir_version") == ("'ir_version' stands in workflow.json: /ir_version ('ir_version')",)

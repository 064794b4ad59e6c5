"""What shows before a run is said before the run."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mendbench.runtime import suggest
from mendbench.runtime.outline import NodeSpec
from mendbench.runtime.parse import MAX_PROBLEMS, WorkflowProblem
from mendbench.runtime.suggest import Guesses
from mendbench.runtime.validate import errors_of, validate
from tests.fakes.documents import DOCUMENTS, JSON

TYPES = {
    "http": NodeSpec(
        params=frozenset({"url", "method", "body", "headers"}),
        required=frozenset({"url"}),
        outputs=frozenset({"response", "status_code", "error"}),
    ),
    "shell": NodeSpec(
        params=frozenset({"command", "stdin"}),
        required=frozenset({"command"}),
        outputs=frozenset({"stdout", "exit_code"}),
    ),
    "mcp": NodeSpec(params=frozenset({"server", "tool", "arguments"}), required=frozenset({"server"}), outputs=None),
}


def node(node_id: str, text: object = "https://x.test", **changes: object) -> dict[str, object]:
    return {"id": node_id, "type": "http", "params": {"url": text}, **changes}


def chain(*nodes: dict[str, object], **rest: object) -> dict[str, object]:
    """Return a workflow whose nodes run in the order given."""
    names = [node["id"] for node in nodes]
    edges = [{"from": a, "to": b} for a, b in pairwise(names)]
    return {"nodes": list(nodes), "edges": edges, **rest}


def errors(document: object, **inputs: object) -> tuple[WorkflowProblem, ...]:
    return errors_of(validate(document, inputs, TYPES))


def notes(document: object, **inputs: object) -> tuple[WorkflowProblem, ...]:
    return tuple(problem for problem in validate(document, inputs, TYPES) if problem.severity == "note")


def test_a_sound_workflow_has_no_problems() -> None:
    document = chain(
        node("fetch", "https://x.test/${user}/${rows[0].id}"),
        {"id": "say", "type": "shell", "params": {"command": "echo", "stdin": {"x": ["${fetch.response.a[${at}].b}"]}}},
        {
            "id": "announce",
            "type": "mcp",
            "params": {"server": "s", "arguments": {"t": "${say.stdout} ${fetch.status_code}"}},
        },
        node("end", "${announce.anything.goes}"),
        inputs={"user": {"type": "string"}, "rows": {"type": "array"}, "at": {"default": 0, "type": "number"}},
        outputs={"o": {"source": "${fetch.response.title}"}, "all": {"source": "${fetch}"}, "u": {"source": "${user}"}},
    )
    assert validate(document, {"user": "u", "rows": [{"id": 1}]}, TYPES) == ()


def test_a_node_that_does_not_exist_is_named_with_the_closest_one() -> None:
    (problem,) = errors(chain(node("fetch"), node("b", "x ${fetchh.response.k}")))
    assert problem.message == "Node 'b' references non-existent node 'fetchh' in parameter 'url'"
    assert (problem.node_id, problem.where, problem.param) == ("b", "/nodes/b/params/url", "url")
    assert (problem.template, problem.suggestion) == ("${fetchh.response.k}", "${fetch.response.k}")


def test_hyphen_for_underscore_in_a_node_id_is_found_in_nested_params_too() -> None:
    (problem,) = errors(
        chain(node("fetch_user"), node("b", params={"url": "u", "body": {"l": [{"x/y": "${fetch-user.response}"}]}}))
    )
    assert (problem.param, problem.suggestion) == ("body.l[0].x/y", "${fetch_user.response}")
    assert problem.where == "/nodes/b/params/body/l/0/x~1y"


def test_a_node_that_comes_later_may_not_be_referenced() -> None:
    (problem,) = errors(chain(node("a", "${b.response}"), node("b")))
    assert problem.message == "Node 'a' references 'b' which comes after it in execution order (position 1 >= 0)"


def test_the_order_follows_the_edges_and_not_the_list() -> None:
    document = {
        "nodes": [node("a", "${b.response}"), node("b")],
        "edges": [{"from": "b", "to": "a"}],
        "start_node": "b",
    }
    assert validate(document, {}, TYPES) == ()


def test_a_node_may_not_reference_itself() -> None:
    (problem,) = errors(chain(node("a", "${a.response}")))
    assert problem.message == "Node 'a' references its own output '${a.response}' in parameter 'url'"


def test_a_cycle_names_its_nodes_only() -> None:
    document = chain(node("s"), node("b"), node("a", "${b.response}"), node("after"))
    document["edges"] = [*document["edges"], {"from": "a", "to": "b"}]
    (problem,) = errors(document)
    assert problem.message == "Data flow error: Circular dependency detected involving nodes: a, b"


def test_a_node_that_no_edge_leads_to_is_a_note() -> None:
    document = {"nodes": [node("a"), node("b")], "edges": []}
    assert errors(document) == ()
    assert [problem.node_id for problem in notes(document)] == ["b"]


@pytest.mark.parametrize(
    ("written", "details", "hint"),
    [
        ("${a.response", "Found 1 '${' but only 0 valid template(s)", "Close '${a.response' with '}'"),
        ("${} ${a.response}", "Found 2 '${' but only 1 valid template(s)", "Name what '${}' stands for"),
        ("${a.response.x[-1]}", "Found 1 '${' but only 0 valid template(s)", "is no template"),
        (
            "${a.response.x[${a.status_code}].y} ${z|f}",
            "Found 2 '${' but only 1 valid template(s)",
            "'${z|f}' is no template",
        ),
        ("$${HOME}", "Found 1 '${' but only 0 valid template(s)", "is no escape"),
    ],
)
def test_malformed_templates_are_said_with_how_to_write_them(written: str, details: str, hint: str) -> None:
    (problem,) = errors(chain(node("a"), node("b", written)))
    assert problem.message == f"Malformed template syntax in node 'b' parameter 'url': {details}"
    assert hint in (problem.hint or "")


def test_a_bare_node_id_is_no_value() -> None:
    (problem,) = errors(chain(node("a"), node("b", "${a}")))
    assert problem.message == (
        "Invalid template ${a} - this is a node ID. To reference node outputs, use ${a}.output_key format"
    )
    assert problem.available == ("error", "response", "status_code")


def test_a_key_that_the_node_does_not_write_is_said_with_those_it_does() -> None:
    body, slip = errors(chain(node("f"), node("b", "${f.body.x} ${f.repsonse[0].x}")))
    assert body.message == "Node 'f' (type: http) does not output 'body'"
    assert body.hint == "Available outputs: error, response, status_code"
    assert (body.node_id, body.suggestion) == ("b", None)
    assert slip.suggestion == "${f.response[0].x}"


def test_an_input_in_other_case_is_recognised() -> None:
    document = chain(node("a", "${Repo} ${repo}"), inputs={"repo": {}})
    (problem,) = errors(document, repo="r")
    assert (
        problem.message == "Node 'a' references undefined input '${Repo}' in parameter 'url' - did you mean '${repo}'?"
    )


def test_an_input_slip_is_our_suggestion_and_not_part_of_the_message() -> None:
    (problem,) = errors(chain(node("a", "${reop} ${repo}"), inputs={"repo": {}}), repo="r")
    assert problem.message == "Node 'a' references undefined input '${reop}' in parameter 'url'"
    assert problem.suggestion == "${repo}"
    assert problem.text == f"{problem.message}; did you mean '${{repo}}'?"


def test_a_given_input_needs_no_declaration_but_is_noted_when_unused() -> None:
    document = chain(node("a", "${extra}"))
    assert validate(document, {"extra": 1}, TYPES) == ()
    assert [problem.message for problem in notes(document, extra=1, other=2)] == [
        "Input 'other' is given but neither declared nor used"
    ]


def test_unused_and_missing_inputs_are_errors() -> None:
    document = chain(node("a", "${x}"), inputs={"x": {"description": "The x"}, "unused": {"required": False}})
    assert [problem.message for problem in errors(document)] == [
        "Required input '${x}' not provided - The x (required)",
        "Declared input(s) never used as template variable: unused",
    ]


def test_an_input_used_only_by_an_output_is_used() -> None:
    assert errors(chain(node("a"), inputs={"x": {}}, outputs={"o": {"source": "${x}"}}), x=1) == ()


def test_an_unknown_node_type_is_said_with_the_closest_one() -> None:
    (problem,) = errors(chain({"id": "a", "type": "shel"}))
    assert problem.message == "Unknown node type: 'shel'"
    assert (problem.node_id, problem.where, problem.suggestion) == ("a", "/nodes/a/type", "shell")


def test_a_wrong_parameter_is_a_note_and_the_missing_one_an_error() -> None:
    (missing,) = errors(chain(node("h", params={"urll": "u"})))
    (unknown,) = notes(chain(node("h", params={"urll": "u"})))
    assert missing.message == "Node 'h' (http): missing required parameter 'url'"
    assert (missing.hint, missing.suggestion) == ("Rename parameter 'urll' to 'url'", "url")
    assert unknown.message == "Node 'h' (http): unknown parameter 'urll'. Did you mean 'url'?"


def test_a_missing_parameter_without_a_like_one_is_to_be_added() -> None:
    (missing,) = errors(chain(node("h", params={})))
    assert (missing.hint, missing.suggestion) == ("Add parameter 'url'", None)


@pytest.mark.parametrize(
    ("source", "message", "suggestion"),
    [
        ("${fetsh.response.a}", "Output 'o' references non-existent node 'fetsh'", "${fetch.response.a}"),
        ("${fetch.respnse}", "Output 'o': Node 'fetch' (type: http) does not output 'respnse'", "${fetch.response}"),
        ("${fetch.response", "Malformed template syntax in output 'o': ${fetch.response", None),
    ],
)
def test_a_wrong_source_of_an_output_is_an_error(source: str, message: str, suggestion: str | None) -> None:
    (problem,) = errors(chain(node("fetch"), outputs={"o": {"source": source}}))
    assert (problem.message, problem.suggestion, problem.where) == (message, suggestion, "/outputs/o/source")


def test_an_output_that_never_changes_or_is_never_set_is_a_note() -> None:
    assert [problem.message for problem in notes(chain(node("a"), outputs={"o": {"source": "done"}, "p": {}}))] == [
        "Output 'p' has no source, so it is never set",
        "Output 'o' has a source without a template, so it is always the same text",
    ]


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"enable_namespacing": False}, "/enable_namespacing"),
        ({"template_resolution_mode": "permissive"}, "/template_resolution_mode"),
        ({"mappings": {"a": {}}}, "/mappings"),
    ],
)
def test_what_the_engine_does_not_do_is_refused_and_not_ignored(changes: dict[str, object], place: str) -> None:
    assert [problem.where for problem in errors(chain(node("a"), **changes))] == [place]


def test_the_inputs_of_a_batch_count_as_used_and_a_parallel_one_is_asked_to_run_in_order() -> None:
    document = chain(node("a", batch={"items": "${rows}", "parallel": True}), inputs={"rows": {"type": "array"}})
    assert errors(document, rows=[]) == ()
    assert [problem.where for problem in notes(document, rows=[])] == ["/nodes/a/batch/parallel"]


def test_the_defaults_written_out_are_no_problem() -> None:
    document = chain(node("a"), enable_namespacing=True, template_resolution_mode="strict", mappings={})
    assert validate(document, {}, TYPES) == ()


def test_where_the_structure_is_wrong_the_rest_is_checked_all_the_same() -> None:
    document = {
        "nodes": [node("fetch"), {"id": "b", "params": {"url": "${fetc.response}"}}],
        "edges": [{"from": "fetch", "to": "zz"}],
    }
    assert [problem.message for problem in errors(document)] == [
        "Structure: Validation error at nodes[1]: 'type' is a required property",
        "Structure: Validation error at edges[0].to: Edge references non-existent node 'zz'",
        "Node 'b' references non-existent node 'fetc' in parameter 'url'",
    ]


def test_an_input_with_the_name_of_a_node_is_noted() -> None:
    document = chain(node("a"), node("b", "${a.response}"), inputs={"a": {}})
    assert [problem.where for problem in notes(document, a=1)] == ["/inputs/a"]


@settings(deadline=None)
@given(
    whole=DOCUMENTS,
    inputs=st.dictionaries(st.text(max_size=3), JSON, max_size=2),
)
def test_validating_never_raises_and_changes_nothing(whole: object, inputs: dict[str, object]) -> None:
    before = repr(whole)
    for problem in validate(whole, inputs, TYPES):
        assert problem.text
        assert "\n" not in problem.text
    assert repr(whole) == before


NODE_NAMES = st.sampled_from(["a", "b", "c"])


@settings(deadline=None)
@given(
    nodes=st.lists(
        st.fixed_dictionaries(
            {"id": NODE_NAMES, "type": st.sampled_from(["http", "shell", "htpt"])},
            optional={
                "params": st.dictionaries(
                    st.sampled_from(["url", "urll"]), st.sampled_from(["${a.response}", "${b}", "${x", "${c.k[0]}"])
                )
            },
        ),
        min_size=1,
        max_size=4,
    ),
    edges=st.lists(st.fixed_dictionaries({"from": NODE_NAMES, "to": NODE_NAMES}), max_size=5),
)
def test_any_graph_of_nodes_is_validated_and_always_the_same_way(nodes: list[object], edges: list[object]) -> None:
    document = {"nodes": nodes, "edges": edges}
    assert validate(document, {}, TYPES) == validate(document, {}, TYPES)


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names that are looked for from now on among those that are known."""
    names: list[str] = []
    closest = Guesses.closest
    monkeypatch.setattr(Guesses, "closest", lambda self, name, known: names.append(name) or closest(self, name, known))
    return names


def test_of_thousands_of_unknown_parameters_no_more_are_looked_up_than_are_reported(compared: list[str]) -> None:
    given = {f"unknown_{number}": 1 for number in range(2_000)}
    problems = validate(chain(node("a", params={"url": "https://x.test", **given})), {}, TYPES)
    assert len(problems) == len(compared) == MAX_PROBLEMS


def test_the_names_of_one_document_are_compared_only_so_far_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suggest.Guesses.__init__, "__defaults__", (1_000,))
    outputs = {str(number): {"source": "${a.respons}"} for number in range(30)}
    suggested = [problem.suggestion for problem in validate(chain(node("a"), outputs=outputs), {}, TYPES)]
    assert suggested[0] == "${a.response}"
    assert suggested[-1] is None


def test_the_ends_of_edges_are_compared_only_so_far_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suggest.Guesses.__init__, "__defaults__", (1_000,))
    edges = [{"from": "node_b", "to": "nodeb"}] * 30
    problems = validate({"nodes": [node("node_a"), node("node_b")], "edges": edges}, {}, TYPES)
    dangling = [problem.suggestion for problem in problems if "non-existent node" in problem.message]
    assert dangling[0] == "node_b"
    assert dangling[-1] is None

"""Views whose nodes have put something out, and JSON of every shape for them."""

import dataclasses

from hypothesis import strategies as st

from mendbench.model.execution import Execution, NodeRecord
from mendbench.model.failure import Failure, FieldProblem, UpstreamSource
from mendbench.model.prompt import View

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,8}", fullmatch=True)
"""Keys that a template can name."""

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12)
)


def _json(keys, lists):
    return st.recursive(SCALARS, lambda inner: lists(inner) | st.dictionaries(keys, inner, max_size=4), max_leaves=12)


ANY_JSON = _json(st.text(max_size=8), lambda inner: st.lists(inner, max_size=4))
"""Any value."""

NAMED_JSON = _json(NAMES, lambda inner: st.lists(inner.filter(lambda item: not isinstance(item, list)), max_size=5))
"""A value that templates can name to its leaves: keys that are names, and no list straight inside a list."""

OBJECTS = st.dictionaries(st.text(max_size=8), ANY_JSON, max_size=4)


def with_outputs(view, **outputs):
    """Return the view as if these nodes had put this out."""
    nodes = tuple(
        dataclasses.replace(record, outputs=outputs.get(record.node_id, record.outputs))
        for record in view.execution.nodes
    )
    return dataclasses.replace(view, execution=dataclasses.replace(view.execution, nodes=nodes))


@st.composite
def any_views(draw):
    """Draw a view of any JSON document and of failures that may fit it or not."""
    ids = draw(st.lists(st.text(max_size=6), max_size=4, unique=True))
    nodes = [{"id": one, "type": "http", "params": draw(ANY_JSON)} for one in ids]
    document = draw(st.fixed_dictionaries({}, optional={"inputs": ANY_JSON, "nodes": ANY_JSON | st.just(nodes)}))
    texts = st.text(max_size=10) | st.sampled_from(["${a.response.b}", "${x}", "${", "a/0/b", "params", "."])
    problems = st.builds(
        FieldProblem, field=texts, problem=st.sampled_from(["missing", "invalid", "unknown"]), says=texts
    )
    upstream = st.builds(UpstreamSource, param=texts, template=texts, resolved=st.booleans(), value=ANY_JSON)
    failures = st.builds(
        Failure,
        source=st.just("runtime"), category=st.just("api_validation"), message=st.text(max_size=12),
        node_id=st.sampled_from([*ids, None]) | st.text(max_size=4), raw_response=ANY_JSON, mcp_error=ANY_JSON,
        unresolved=st.lists(texts, max_size=3).map(tuple), problems=st.lists(problems, max_size=3).map(tuple),
        upstream=st.lists(upstream, max_size=3).map(tuple), upstream_data=st.none() | OBJECTS,
    )  # fmt: skip
    outputs = st.dictionaries(
        st.sampled_from(["response", "result", "stdout", "response_headers"]) | st.text(max_size=4),
        ANY_JSON,
        max_size=4,
    )
    records = tuple(NodeRecord(node_id=one, node_type="http", state="success", outputs=draw(outputs)) for one in ids)
    execution = Execution(outcome="error", nodes=records, failures=tuple(draw(st.lists(failures, max_size=3))))
    return View(request=draw(st.text(max_size=20)), workflow=document, execution=execution, agent={})

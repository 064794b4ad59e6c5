"""What a template file may hold, and what is said of one that cannot be used."""

import os

import pytest

from mendbench.errors import BadInput
from mendbench.strategies import diagnosis, front_matter, run_data, strategy, template
from mendbench.strategies.bounds import BoundedEnvironment
from mendbench.strategies.template import VARIABLES, load
from tests.strategies import invented

HEAD = "---\ntitle: Mine\nsource: own\nsections:\n  - {name: errors, label: raw, keep: 1}\n---\n"


@pytest.fixture
def write(tmp_path):
    def _write(body, head=HEAD, name="mine.md.j2"):
        path = tmp_path / name
        path.write_text(head + body, "utf-8")
        return path

    return _write


def block(body):
    return f"{{% block errors %}}\n{body}\n{{% endblock %}}\n"


def refusal(path):
    with pytest.raises(BadInput) as caught:
        load(path)
    return str(caught.value)


def test_a_file_is_enough(write):
    one = load(write(block("{% for f in failures %}{{ f.node_id }}: {{ f.message }}{% endfor %}")))
    assert one.name == "mine"
    assert one.render(invented.renamed_field(), 100).text == "file_report: HTTP 422"


def test_the_first_failures_fields_stand_at_the_top(write):
    one = load(write(block("{{ node_id }} {{ status_code }} {{ hint is none }}")))
    assert one.render(invented.renamed_field(), 100).text == "file_report 422 True"


def test_they_are_null_where_nothing_failed(write):
    one = load(write(block("{{ message is none }}")))
    assert one.render(invented.view("x", [invented.http("a", "GET", "/")]), 100).text == "True"


def test_json_keeps_the_order_of_its_keys_and_every_letter(write):
    one = load(write(block("{{ {'z': 'é<', 'a': [1]} | tojson(indent=none) }}")))
    assert one.render(invented.renamed_field(), 100).text == '{"z": "é<", "a": [1]}'


def test_a_whole_failure_can_be_written_as_json(write):
    one = load(write(block("{{ failures[0] | tojson }}")))
    assert '"node_id": "file_report"' in one.render(invented.renamed_field(), 10_000).text


def test_nothing_is_escaped(write):
    assert load(write(block("{{ '<a & b>' }}"))).render(invented.renamed_field(), 100).text == "<a & b>"


def test_the_case_and_its_truth_are_not_among_the_variables():
    assert not {"case", "faults", "fix", "checks", "truth", "expect", "inputs", "policy", "detector"} & VARIABLES


def test_a_template_does_not_see_its_own_python(write):
    one = load(write(block("{{ failures.__class__.__mro__ }}")))
    with pytest.raises(BadInput, match=r"SecurityError|unsafe"):
        one.render(invented.renamed_field(), 100)


def test_a_template_cannot_change_the_view(write):
    one = load(write(block("{{ workflow.clear() }}")))
    with pytest.raises(BadInput, match=r"SecurityError|not safely callable"):
        one.render(invented.renamed_field(), 100)


def test_an_unknown_variable_is_refused_with_its_line(write):
    said = refusal(write(block("{{ fault }}")))
    assert "mine.md.j2:8: unknown variable 'fault'" in said
    assert "failures" in said


def test_an_unknown_field_of_a_failure_is_refused_before_anything_is_rendered(write):
    said = refusal(write(block("{% for f in failures[:3] %}{{ f.reason }}{% endfor %}")))
    assert "mine.md.j2:8: unknown field of a failure 'reason'" in said
    assert "raw_response" in said


def test_what_only_shows_when_rendered_names_file_and_line(write):
    one = load(write(block("{{ request }}\n{{ execution.nothing }}")))
    with pytest.raises(BadInput, match=r"mine\.md\.j2:9: UndefinedError"):
        one.render(invented.renamed_field(), 100)


def test_an_operation_on_a_null_is_bad_input_too(write):
    one = load(write(block("{{ 1 + hint }}")))
    with pytest.raises(BadInput, match=r"mine\.md\.j2:8: TypeError"):
        one.render(invented.renamed_field(), 100)


def test_endless_recursion_of_a_template_is_reported_with_its_line(write):
    one = load(write(block("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}")))
    with pytest.raises(BadInput, match=r"mine\.md\.j2:8: it calls itself, or nests what it makes, too deep;"):
        one.render(invented.renamed_field(), 100)


def test_memory_that_is_used_up_is_no_fault_of_the_template(write, monkeypatch):
    def full(*_):
        raise MemoryError

    one = load(write(block("{{ request ~ 'x' }}")))
    monkeypatch.setattr(BoundedEnvironment, "kept", full)
    with pytest.raises(MemoryError):
        one.render(invented.renamed_field(), 100)


@pytest.mark.parametrize("call", ["lipsum()", "cycler(1)", "'abc' | random", "joiner()"])
def test_nothing_random_and_nothing_with_a_memory_is_there(write, call):
    assert refusal(write(block("{{ " + call + " }}")))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("{% block errors %}x", "mine.md.j2:7: Unexpected end of template"),
        ("hello\n" + block("x"), "mine.md.j2:7: something outside all sections"),
        ("{% set a = 1 %}\n" + block("x"), "something outside all sections"),
        (block("x") + "{% block other %}{% endblock %}", "mine.md.j2:10: block 'other' is no declared section"),
        ("", "'errors' has no block"),
        (block("{% block inner %}{% endblock %}"), "block 'inner' inside a block"),
        (block("x") + block("y"), "defined twice"),
        (block("{% include 'a' %}"), "needs another file"),
        (block("{% import 'a' as a %}"), "needs another file"),
        ("{% extends 'a' %}", "something outside all sections"),
        (block("{{ 1 | nofilter }}"), "mine.md.j2:8: No filter named 'nofilter'"),
    ],
)
def test_a_body_that_is_not_its_sections_is_refused(write, body, said):
    assert said in refusal(write(body))


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("", "no front matter"),
        ("---\ntitle: x\n", "no front matter"),
        ("---\n- a\n---\n", "not a mapping"),
        ("---\na: [\n---\n", "not YAML"),
        ("---\ntitle: x\nsource: y\n---\n", "no field 'sections'"),
        ("---\ntitle: x\nsource: y\nsections: []\nauthor: me\n---\n", "unknown field 'author'"),
        ("---\ntitle: ''\nsource: y\nsections: []\n---\n", "title: '' is not a text"),
        ("---\ntitle: x\nsource: y\nsections: all\n---\n", "'all' is not a list"),
        ("---\nname: other\ntitle: x\nsource: y\nsections: []\n---\n", "'other' is not the file's name"),
        ("---\ntitle: x\nsource: y\nsections: [{name: a, label: raw}]\n---\n", "sections[0]"),
        (
            "---\ntitle: x\nsource: y\nsections: [{name: a, label: api, keep: 1}]\n---\n",
            "known: derived, raw, state",
        ),
        ("---\ntitle: x\nsource: y\nsections: [{name: a b, label: raw, keep: 1}]\n---\n", "no block name"),
        ("---\ntitle: x\nsource: y\nsections: [{name: a, label: raw, keep: high}]\n---\n", "not a whole number"),
        (
            "---\ntitle: x\nsource: y\nsections: [{name: a, label: raw, keep: 1}, {name: a, label: raw, keep: 2}]\n---\n",
            "'a' is declared twice",
        ),
    ],
)
def test_a_front_matter_of_another_form_is_refused(write, head, said):
    message = refusal(write("", head=head))
    assert said in message
    assert "mine.md.j2" in message
    assert "\n" not in message


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path):
    assert "no such file" in refusal(tmp_path / "none.md.j2")
    (tmp_path / "odd.md.j2").write_bytes(b"\xff\xfe")
    assert "not UTF-8" in refusal(tmp_path / "odd.md.j2")


def test_a_changed_template_has_another_digest_and_a_moved_one_the_same(write, tmp_path):
    (tmp_path / "b").mkdir()
    moved = tmp_path / "b" / "mine.md.j2"
    first = load(write(block("x"))).digest
    moved.write_text((tmp_path / "mine.md.j2").read_text())
    assert load(moved).digest == first
    assert load(write(block("y"))).digest != first


def test_a_template_given_by_its_path_is_used(write):
    path = write(block("mine"))
    assert strategy(str(path)).render(invented.renamed_field(), 100).text == "mine"


@pytest.fixture
def other_code(monkeypatch, tmp_path):
    """Let the files of these modules seem to hold other bytes."""

    def _other(module):
        changed = tmp_path / "changed.py"
        changed.write_bytes(b"# changed\n")
        monkeypatch.setattr(module, "__file__", str(changed))
        template._diagnosis_code.cache_clear()

    yield _other
    monkeypatch.undo()
    template._diagnosis_code.cache_clear()


@pytest.mark.parametrize("module", [diagnosis, run_data])
def test_a_change_of_the_code_behind_diagnosis_changes_the_digest_of_what_uses_it_alone(write, other_code, module):
    using = load(write(block("{{ diagnosis.suspects | length }}"), name="using.md.j2"))
    other = load(write(block("{{ failures | length }}"), name="other.md.j2"))
    before = using.digest, other.digest
    other_code(module)
    assert using.digest != before[0]
    assert other.digest == before[1]


def test_a_strategy_without_a_section_can_be_had_without_another_one():
    less = strategy("mend~data").without(["form"])
    assert (less.name, [spec.name for spec in less.sections]) == ("mend~data~form", ["error", "suspects"])


def test_a_file_that_is_written_again_is_read_again_even_with_the_same_size_and_time(write):
    path = write(block("one"))
    before, stat = load(path), path.stat()
    path.write_text(path.read_text("utf-8").replace("title: Mine", "title: Ours"), "utf-8")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert (before.title, load(path).title) == ("Mine", "Ours")


def test_a_template_is_read_again_when_its_text_has_changed_and_only_then(tmp_path, monkeypatch):
    read = []
    load_yaml = front_matter.load_yaml
    monkeypatch.setattr(front_matter, "load_yaml", lambda *given, **how: read.append(given) or load_yaml(*given, **how))
    path = tmp_path / "own.md.j2"
    text = (
        "---\ntitle: One\nsource: us\nsections:\n- {name: a, label: raw, keep: 1}\n---\n{% block a %}x{% endblock %}\n"
    )
    for title in ("One", "One", "Two", "Two", "One"):
        path.write_text(text.replace("One", title))
        assert load(path).title == title
    assert len(read) == 2


def test_the_node_before_the_failed_one_is_a_variable(write):
    one = load(write(block("{{ before.node_id if before else 'nothing' }}")))
    seen = invented.renamed_field()
    ran = [record.node_id for record in seen.execution.nodes if record.state == "success"]
    assert one.render(seen, 100).text == (ran[-1] if ran else "nothing")
    assert one.render(invented.view("x", [invented.http("a", "GET", "/")]), 100).text == "a"


def test_a_payload_that_stands_twice_can_be_shown_once(write):
    data = "{'tool': {'result': {'rows': [1]}, 'tool_result': {'rows': [1]}, 'other': {'rows': [2]}, 'ok': true, 'done': true}}"
    one = load(write(block(f"{{{{ {data} | once | tojson(none) }}}}")))
    assert one.render(invented.renamed_field(), 1000).text == (
        '{"tool": {"result": {"rows": [1]}, "other": {"rows": [2]}, "ok": true, "done": true}}'
    )

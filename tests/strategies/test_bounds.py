"""Templates that would take the machine end in an error; all others render as they would without bounds."""

import pytest
from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from mendbench.errors import BadInput
from mendbench.strategies import bounds
from mendbench.strategies.bounds import TooMuch, in_all, rendering
from mendbench.strategies.environment import environment
from mendbench.strategies.template import load
from tests.torture.damaged_inputs import BODIES, HEAD, TAIL


def rendered(body, **data):
    with rendering():
        return environment().from_string(body).render(**data)


@pytest.mark.parametrize(
    "body",
    [
        '{{ "a" * 10**9 }}', "{{ 10**(10**8) }}", "{{ [1] * 10**9 }}", "{{ 'a'.ljust(10**9) }}", "{{ 'a'|center(10**9) }}", "{{ '%1000000000d'|format(1) }}", "{{ '%1000000000d' % 1 }}",
        "{{ '{:1000000000}'.format(1) }}", "{{ '{:{}}'.format(1, 10**9) }}", "{{ {'a': 1}|tojson(indent=10**9) }}", "{{ ('a' * 9999)|replace('a', 'b' * 99999) }}", "{{ range(99999)|join('x' * 99999) }}",
        "{% set ns = namespace(x='aaaaaaaaaa') %}{% for i in range(40) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
        "{% set ns = namespace(x=[1]) %}{% for i in range(40) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}",
        "{% set ns = namespace(x=[1]) %}{% for i in range(40) %}{% set ns.x = {'a': ns.x, 'b': ns.x} %}{% endfor %}{{ ns.x|tojson }}",
        "{% set ns = namespace(x=9) %}{% for i in range(60) %}{% set ns.x = ns.x * ns.x %}{% endfor %}",
    ],
)  # fmt: skip
def test_what_would_be_endless_is_refused(body):
    with pytest.raises(TooMuch):
        rendered(body)


@pytest.mark.parametrize(
    "body",
    [
        "{% for i in range(500) %}{% for j in range(500) %}{% endfor %}{% endfor %}",
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(40) }}",
    ],
)
def test_turns_and_calls_are_counted(body, monkeypatch):
    monkeypatch.setattr(bounds, "MAX_WORK", 1_000_000)
    with pytest.raises(TooMuch, match="too many turns"):
        rendered(body)


def test_a_section_that_grows_by_its_own_words_is_cut_short():
    with pytest.raises(TooMuch):
        in_all("x" * 100_000 for _ in range(10**9))


@pytest.mark.parametrize(
    "body",
    [
        "{{ a ~ 1 ~ none ~ [1, 'x'] }}", "{{ 'x' * 3 + 'y' }}", "{{ 7 % 4 }} {{ '%s-%02d' % ('a', 3) }} {{ 2 ** 10 }}", "{{ '{:>5}|{a}'.format(1, a=2) }}", "{% for i in b %}{{ loop.index }}{{ i|upper }}{% else %}none{% endfor %}",
        "{% macro f(x) %}[{{ x }}]{{ caller() }}{% endmacro %}{% call f(a) %}inside{% endcall %}", "{{ b|join(', ')|replace('u', 'o')|indent(2) }}{{ b|map('upper')|list }}", "{{ 'a,b'.split(',')|join('-') }}{{ c|tojson }}{{ c|dictsort }}", "{% set ns = namespace(x=1) %}{% for i in b %}{% set ns.x = ns.x + 1 %}{% endfor %}{{ ns.x }}",
        "{{ c.items()|list }} {{ c['k'] }} {{ 1.5 + 1 }} {{ (1, 2) + (3,) }} {{ true }} {{ b|batch(2)|list }}",
    ],
)  # fmt: skip
def test_what_is_within_the_bounds_is_rendered_as_without_them(body):
    plain = ImmutableSandboxedEnvironment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    plain.filters["tojson"] = environment().filters["tojson"]
    data = {"a": "é", "b": ["uno", "duo", "tres"], "c": {"k": [1, None]}}
    assert rendered(body, **data) == plain.from_string(body).render(**data)


@pytest.mark.parametrize("body", [one for one in BODIES if 2000 < len(one) < 20_000])
def test_what_python_cannot_compile_is_told_in_one_line(tmp_path, body):
    path = tmp_path / "x.md.j2"
    path.write_text(f"{HEAD}{body}{TAIL}", encoding="utf-8")
    try:
        load(path)
    except BadInput as error:
        assert str(error).isprintable()
        assert "x.md.j2" in str(error)

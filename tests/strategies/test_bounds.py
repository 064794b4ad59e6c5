"""Templates that would take the machine end in an error; all others render."""

import pytest

from mendbench.errors import BadInput
from mendbench.strategies import placebo
from mendbench.strategies.template import load
from qa.torture.damaged_inputs import BODIES, HEAD, TAIL
from qa.torture.hostile_templates import refused
from tests.fakes.tables import for_each

ENDLESS = {
    "a loop in a loop": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "a text times a number": "{{ 'a' * 10**10 }}",
    "a power": "{{ 2**99999999 }}",
    "a text that is joined with itself": "{{ ('b' * 10**6)|join('a' * 10**6) }}",
    "str.format": "{{ '{:1000000000}'.format(1) }}",
    "a list times a number": "{{ [1] * 10**9 }}",
    "a width": "{{ 'a'.ljust(10**9) }}{{ 'a'|center(10**9) }}",
    "an old format": "{{ '%1000000000d' % 1 }}",
    "an indentation": "{{ {'a': 1}|tojson(indent=10**9) }}",
    "a replacement": "{{ ('a' * 9999)|replace('a', 'b' * 99999) }}",
    "a text that doubles": "{% set ns = namespace(x='aaaaaaaaaa') %}{% for i in range(40) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
    "a list that doubles": "{% set ns = namespace(x=[1]) %}{% for i in range(40) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}",
    "a number that is squared": "{% set ns = namespace(x=9) %}{% for i in range(60) %}{% set ns.x = ns.x * ns.x %}{% endfor %}",
    "a macro that calls itself": "{% macro f(n) %}{{ f(n - 1) }}{{ f(n - 1) }}{% endmacro %}{{ f(50) }}",
}


@for_each("text", ENDLESS.values())
def test_a_rendering_that_would_not_end_or_not_fit_is_refused_with_the_templates_name(text):
    assert refused(text) is None


def test_what_stays_within_the_bounds_is_rendered():
    text = "{% for a in range(100) %}{{ [a, 'x' * 3]|join('-')|replace('x', 'yy')|indent(2) }}{% endfor %}"
    assert "0-yyyyyy" in (refused(text) or "")


@pytest.mark.parametrize("body", [one for one in BODIES if 2000 < len(one) < 20_000])
def test_what_python_cannot_compile_is_reported_in_one_line(tmp_path, body):
    path = tmp_path / "x.md.j2"
    path.write_text(f"{HEAD}{body}{TAIL}", encoding="utf-8")
    try:
        load(path)
    except BadInput as error:
        assert str(error).isprintable()
        assert "x.md.j2" in str(error)


def test_hosts_are_looked_for_in_linear_time():
    assert placebo._hosts("a" * 300_000 + " https://desk.example/x") == ("desk.example",)

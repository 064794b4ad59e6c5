"""Inputs that are nasty on purpose, by the format that they are in. Made by code: some are large."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping

_TURNS = "{% for i in range(99999) %}"
_END = "{% endfor %}"
HEAD = "---\ntitle: t\nsource: s\nsections:\n- {name: a, label: raw, keep: 1}\n---\n{% block a %}"
TAIL = "{% endblock %}"


def _bomb(before: str, one: Callable[[str], str], levels: int = 12) -> str:
    names = [f"n{level}" for level in range(levels)]
    lines = [f"{name}: &{name} {one(last)}" for last, name in itertools.pairwise(names)]
    return "\n".join([f"{names[0]}: &{names[0]} {before}", *lines, ""])


YAML = (
    _bomb("[x,x,x,x,x,x,x,x,x]", lambda last: f"[{', '.join([f'*{last}'] * 9)}]"),
    _bomb("{x: 1}", lambda last: f"{{a: *{last}, b: *{last}, c: *{last}, d: *{last}}}", 30),
    _bomb("{x: 1}", lambda last: f"\n  <<: [{', '.join([f'*{last}'] * 9)}]"),
    f"title: &a {'x' * 100_000}\ntags: [{', '.join(['*a'] * 100_000)}]\n",
    "\n".join(["- &a0 [x]", *(f"- &a{n} [*a{n - 1}]" for n in range(1, 3000))]),
    "a: &a [*a]\n", "a: &a {b: *a}\n", "&a {<<: *a}\n", "a: &a {<<: &b {<<: *a}}\n", "? &a [*a]\n: 1\n", "a: &a {b: &b {<<: *a, c: *b}}\n",
    "!!python/object/apply:os.system [echo]\n", "a: !!python/name:os.system\n", "a: !!python/module:os\n", "a: !unknown b\n",
    "a: !!binary '*'\n", "a: !!set {x}\n", "a: !!omap [x: 1]\n", "a: !!pairs [x: 1]\n", "a: !!int ''\n", "a: !!bool x\n", "a: !!timestamp x\n", "a: !!float x\n",
    "a: 1\na: 2\n", "? [a]\n: 1\n", "? {a: 1}\n: 1\n", "1: a\n", "no: a\n", "=: 1\n", "a: =\n", "a: <<\n", "<<: 1\n", "<<: [1]\n", "2026-11-22: a\n",
    "a: 2026-13-45\n", "a: 0x" + "f" * 100_000, "a: 1" + ":1" * 100_000, "a: " + "9" * 100_000, "a: .inf\n", "a: .nan\n", "a: 1e400\n", "a: 1" + ":1" * 190_000 + ".5\n",
    "[" * 100_000, "{a: " * 100_000, "- " * 100_000, "? " * 100_000, "[" * 100_000 + "]" * 100_000, "a: " * 50_000,
    "".join(" " * level + "a:\n" for level in range(1000)), "x" * 10_000_000, "a: " + "x" * 10_000_000, "'" + "\n" * 1_000_000, "[" + "a," * 1_000_000 + "]", "a: |\n" + "  x\n" * 200_000,
    "--- a\n--- b\n", "%YAML 3.0\n---\na\n", "%TAG ! tag:x,2026:\n---\n!y a\n", 'a: "\\ud800"\n', "a: '\x00'\n", "\t- a\n", "a: &a\n", "*a\n", "", "\n", "# nothing\n", "null\n", "[]\n", "{}\n", "- a\n",
    "\n".join(f"- &a{n} x" for n in range(20_000)),
)  # fmt: skip

JSON = (
    "[" * 100_000, '{"a":' * 100_000, "[" * 100_000 + "]" * 100_000, '{"a":' * 500 + "1" + "}" * 500, "[" * 250 + "]" * 250, "", " ", "null", "[]", "{}", '"a"', "1", "-", "{", '{"a"', "NaN", "1e400", "9" * 100_000,
    '{"a": ' + "9" * 4000 + "}", '{"a": -1e999}', '{"a": Infinity}', '{"a": 1, "a": 2}', '{"a": "\\ud800"}', '{"\\udfff": 1}', '{"a": "\x00"}', '{"a": "\\u0000"}', "{'a': 1}", '{"a": 1,}',
    '"' + "x" * 10_000_000 + '"', "x" * 10_000_000, '{"a": "' + "x" * 10_000_000 + '"}', "[" + "1," * 1_000_000 + "1]", '{"__proto__": {"x": 1}}', "\ufeff\ufeff{}", "// a\n{}", "\n" * 100_000,
)  # fmt: skip

TOML = (
    "a = " + "[" * 100_000, "a = " + "{a = " * 50_000, "a." * 50_000 + "a = 1", "[" + "a." * 20_000 + "a]", "a = 1\na = 2\n", "a = " + "9" * 100_000, "a = 1e400\n", "a = nan\n", "a = 2026-11-22\n", "a = 07:32:00\n", 'a = "\\ud800"\n',
    "a = '\x00'\n", "[[a]]\n" * 20_000, "x" * 900_000, "a = '" + "x" * 900_000 + "'\n", "", "=", "[", "[a]\n[a]\n", "a = [1, 'x', {b = 1}]\n", "matrix = 1\n", "[matrix]\nstrategies = 1\npolicies = []\n", "format = true\n", "x" * 3_000_000,
    "[tool]\nmendbench = 3\n", "tool = 3\n", "[matrix.strategies]\n", '[models."a\\u0000b"]\n',
)  # fmt: skip

BODIES = (
    "{{ range(10**9) }}", "{{ range(10**9)|list }}", '{{ "a" * 10**9 }}', "{{ 10**10**8 }}", "{{ 10 ** 10 ** 10 }}", f"{_TURNS * 4}x{_END * 4}", f"{_TURNS * 3}{_END * 3}", f"{_TURNS}{{{{ 'x' * 9999 }}}}{_END}",
    "{% set ns = namespace(x='aaaaaaaaaa') %}{% for i in range(40) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}", "{% set ns = namespace(x='aaaaaaaaaa') %}{% for i in range(40) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(40) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}", "{% set ns = namespace(x=[1]) %}{% for i in range(40) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x|tojson }}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(40) %}{% set ns.x = {'a': ns.x, 'b': ns.x} %}{% endfor %}{{ ns.x|string }}{{ ns.x|pprint }}", "{% set ns = namespace(x=(1,)) %}{% for i in range(40) %}{% set ns.x = (ns.x, ns.x) %}{% endfor %}{{ ns.x ~ '' }}",
    "{% set ns = namespace(x=9) %}{% for i in range(60) %}{% set ns.x = ns.x * ns.x %}{% endfor %}", "{% set ns = namespace(x=[1]) %}{% for i in range(99999) %}{% set ns.x = ns.x + [i] %}{% endfor %}{{ ns.x|length }}",
    "{{ 'a'.ljust(10**9) }}", "{{ 'a'.zfill(10**9) }}", "{{ 'a'.center(10**9)|length }}", "{{ 'a'|center(10**9) }}", "{{ '%1000000000d'|format(1) }}", "{{ '%*d'|format(10**9, 1) }}", "{{ '%1000000000d' % 1 }}", "{{ '{:1000000000}'.format(1) }}", "{{ '{:{}}'.format(1, 10**9) }}",
    "{{ '{0.__class__}'.format(failures) }}", "{{ 'a\nb'|indent(10**9) }}", "{{ {'a': 1}|tojson(indent=10**9) }}", "{{ ('a' * 9999)|replace('a', 'b' * 99999) }}", "{{ range(99999)|join('x' * 99999) }}", "{{ ('\t' * 9999).expandtabs(10**7) }}", "{{ ('x' * 99999).join('y' * 99999) }}", "{{ ('a' * 9999).replace('a', 'b' * 99999) }}",
    "{{ ''.__class__ }}", "{{ ''.__class__.__mro__[1].__subclasses__() }}", "{{ failures.__class__.__init__.__globals__ }}", "{{ range.__self__ }}", "{{ namespace.__init__.__globals__ }}", "{{ self.__dict__ }}", "{{ self._TemplateReference__context }}", "{{ cycler }}", "{{ lipsum.__globals__ }}",
    "{{ ''|attr('__class__') }}", "{{ ''['__class__'] }}", "{{ failures|map(attribute='__class__')|list }}", "{{ (1).__class__.__base__ }}", "{% set x = {}.__class__ %}{{ x }}", "{{ loop }}", "{{ caller() }}", "{{ super() }}", "{{ self.a() }}",
    "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}", "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}", "{% for x in [[1]] recursive %}{{ loop([[1]]) }}{{ loop([[1]]) }}{% endfor %}",
    "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "{{ " + "1+" * 20_000 + "1 }}", "{{ " + "-" * 20_000 + "1 }}", "{{ " + "[" * 5000 + "]" * 5000 + " }}", "{% if 1 %}" * 200 + "{% endif %}" * 200, "{% for x in [] %}" * 30 + _END * 30, "{{ 1 }}" * 30_000, "{{ a" + ".a" * 20_000 + " }}", "{{ 1" + "|e" * 5000 + " }}", "{{ not " * 3000, "{# " * 9999, "{% raw %}" * 99,
    "{{ " + "9" * 10_000 + " }}", "{{ 1e999 }}", "{{ 1 // 0 }}", "{{ 1 % 0 }}", "{{ '%s' % () }}", "{{ '%(a)s' % 1 }}", "{{ none + 1 }}", "{{ failures[10**9] }}", "{{ failures[0:1:0] }}", "{{ [3, 'a']|sort }}", "{{ {}|dictsort(by=3) }}", "{{ 5|batch(0)|list }}", "{{ [1]|slice(0)|list }}", "{{ 'x'|truncate(-9) }}", "{{ 'x'|wordwrap(0) }}", "{{ 'x'|int(base=99) }}", "{{ 1|round(10**9) }}", "{{ 'a'|round }}", "{{ 'x'|xmlattr }}",
    "{% include 'x' %}", "{% import '/etc/passwd' as x %}", "{% extends 'x' %}", "{% block b %}{% endblock %}", "{% do 1 %}", "{% debug %}", "{{ x", "{% endif %}", "{{ 'a' }", '{{ "\\N{BULLET}" }}', "{{ '\\ud800' }}", "\x00", "\x1b[2J", "{{ placebo }}", "{{ diagnosis.x.y }}", "{% set a, b = 1 %}", "{{ dict }}", "{% filter upper %}{{ 'x' * 99999999 }}{% endfilter %}", "{% call x() %}{% endcall %}", "{% set x %}{{ 'a' * 10**9 }}{% endset %}", "{{ failures|groupby('x')|list }}", "{{ 'a'|urlize(10**9) }}", "{{ ['a' * 99999] * 99999 }}", "{{ ['a' * 9999]|batch(10**8, 'x')|list }}", "{{ 'aaa'|wordcount ** 10**9 }}", "{{ (1, 2) * 10**9 }}", "{{ range(0, 10**12, 10**8)|sum }}",
)  # fmt: skip

TEMPLATES = (
    *(f"{HEAD}{body}{TAIL}" for body in BODIES),
    *(f"---\n{front}\n---\n{{% block a %}}x{{% endblock %}}" for front in YAML if len(front) < 20_000),
    "", "---", "---\n---\n", "x" * 1_000_000, HEAD, HEAD.replace("raw", "cooked") + TAIL, HEAD.replace("1", "1e400") + TAIL, HEAD.replace("a", "9") + TAIL,
)  # fmt: skip

TSV = (
    "", "\n", "format\t1\n", "format\t2\n", "format\t" + "9" * 5000 + "\n", "\t" * 100_000, "x" * 10_000_000, "\\" * 10_000, "<<<<<<< HEAD\n", "case\tengine\n", "price\ta\tb\n" * 1000, "\n" * 100_000,
    "format\t1\nmendbench\t1\nengine\tx\nscorer\ty\n",
)  # fmt: skip

CSV = (
    "",
    "custom_id,content\n",
    'custom_id,content\na,"',
    "a,b\n1,2\n",
    "custom_id,content\n" + "a," * 10_000 + "\n",
    "custom_id,content\na," + "x" * 1_000_000 + "\n",
    "custom_id,custom_id,content\n",
    "custom_id,content\n\0,\0\n",
    "x" * 10_000_000,
)

OF: Mapping[str, tuple[str, ...]] = {
    "yaml": YAML, "json": JSON, "jsonl": (*JSON, *(json.dumps(text) + "\n" for text in ("", "x"))), "toml": TOML, "template": TEMPLATES, "tsv": TSV, "csv": CSV,
}  # fmt: skip
"""The kept inputs of each format."""

"""Strategies that try to reach Python, to loop without end, or to grow without end: by name, the text of one block."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.strategies.template import load
from qa.torture.damaged import EXHAUSTED, LINE
from tests.strategies.invented import issue_422

HEAD = "---\ntitle: A hostile strategy\nsource: nowhere\nsections:\n  - {name: all, label: raw, keep: 1}\n---\n"

ESCAPES = (
    "{{ ''.__class__ }}", "{{ ''.__class__.__mro__[1].__subclasses__() }}", "{{ ''|attr('__class__') }}", "{{ ''['__class__'] }}",
    "{{ ''|attr('\\x5f\\x5fclass\\x5f\\x5f') }}", "{{ '{0.__class__}'.format(1) }}", "{{ '{x.__class__}'.format_map({'x': 1}) }}",
    "{{ '%s'.__mod__ }}", "{{ [1]|map(attribute='__class__')|list }}", "{{ [1]|map('attr', '__class__')|list }}",
    "{{ [1]|sort(attribute='__class__') }}", "{{ [1]|groupby('__class__') }}", "{{ [1]|selectattr('__class__')|list }}",
    "{{ cycler.__init__.__globals__ }}", "{{ joiner.__init__.__globals__ }}", "{{ lipsum.__globals__ }}", "{{ dict }}", "{{ lipsum() }}",
    "{{ namespace.__init__.__globals__ }}", "{{ namespace().__class__ }}", "{{ range.__class__ }}", "{{ self.__init__ }}",
    "{{ self._TemplateReference__context }}", "{{ environment }}", "{{ context }}", "{{ caller }}", "{{ config }}", "{{ resolve }}",
    "{% import 'os' as os %}", "{% include '/etc/passwd' %}", "{% extends '/etc/passwd' %}", "{% from 'x' import y %}",
    "{{ failures.__class__ }}", "{{ failures[0].__class__ }}", "{{ failures[0].__dataclass_fields__ }}", "{{ failures[0].__reduce__() }}",
    "{{ workflow.__class__ }}", "{{ workflow.update({'a': 1}) }}", "{{ workflow.pop('nodes') }}", "{{ workflow.nodes.append(1) }}",
    "{{ workflow.setdefault('a', 1) }}", "{{ execution.checkpoint.__class__ }}", "{{ ''.join.__self__.__class__ }}", "{{ ''.join.__func__ }}",
    "{{ (x for x in y) }}", "{{ loop.__class__ }}", "{% for x in [1] %}{{ loop._iterator.gi_frame }}{% endfor %}",
    "{% macro m() %}{{ caller.__globals__ }}{% endmacro %}{{ m() }}", "{% macro m() %}{% endmacro %}{{ m.__init__.__globals__ }}",
    "{% set x.y = 1 %}", "{% set ns = namespace() %}{% set ns.__class__ = 1 %}{{ ns.__class__ }}", "{{ 1 .__class__ }}", "{{ 1.0.hex.__self__.__class__ }}",
    "{{ none.__class__ }}", "{{ undefined.__class__ }}", "{{ (1,).__class__ }}", "{{ ''.encode().__class__ }}", "{{ [].__add__ }}",
    "{% autoescape true %}{{ ''.__class__ }}{% endautoescape %}", "{% do x %}", "{% debug %}", "{{ ().__class__.__base__ }}", "{{ [1]|random }}",
    "{{ ''|attr('format') }}", "{{ [''] | map('attr', 'format') | first }}",
)  # fmt: skip
"""None of them may be read, or rendered without an error, but for those that render nothing."""

HARMLESS = ("[Undefined]", "[1]", "[(Undefined, [1])]")
"""What is rendered where the attribute is not there."""

BOMBS = (
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "{% for a in range(99999) %}{% for b in range(99999) if false %}{% endfor %}{% endfor %}",
    "{% for a in range(99999) %}{{ range(99999)|sum }}{% endfor %}",
    "{% for a in range(99999) %}{{ range(99999)|map('string')|join|length }}{% endfor %}",
    "{{ range(10**9)|list }}", "{{ 'a' * 10**10 }}", "{{ 10**10 * 'a' }}", "{{ [1] * 10**10 }}", "{{ (1,) * 10**10 }}", "{{ 10**(10**10) }}", "{{ 2**99999999 }}",
    "{{ '%1000000000d' % 1 }}", "{{ '{:1000000000}'.format(1) }}", "{{ '%1000000000d'|format(1) }}", "{{ 'a'|center(10**9) }}", "{{ 'a'.ljust(10**9) }}",
    "{{ 'a'.center(10**9) }}", "{{ 'a'.zfill(10**9) }}", "{{ '\t'.expandtabs(10**9) }}", "{{ 'a'|indent(10**9, true) }}", "{{ {'a': 1}|tojson(10**9) }}",
    "{{ 'a\n'|wordwrap(1, wrapstring='x' * 10**6) }}", "{{ [1]|batch(10**9, 0)|list }}", "{{ [1]|slice(10**9)|list }}", "{{ 1|round(10**9) }}",
    "{{ (1).to_bytes(10**9, 'big') }}", "{{ ('a' * 10**6).replace('a', 'b' * 10**6) }}", "{{ ('a' * 10**6)|replace('a', 'b' * 10**6) }}",
    "{{ ('a' * 10**6).join('b' * 10**6) }}", "{{ ('b' * 10**6)|join('a' * 10**6) }}", "{{ ('b' * 10**6)|list|join('a' * 10**6) }}",
    "{{ ('b' * 10**6)|join(d='a' * 10**6) }}", "{{ ('a' * 10**6)|replace(old='a', new='b' * 10**6) }}", "{{ ('a' * 10**6)|replace('', 'b' * 10**6) }}",
    "{% set ns = namespace(x='a') %}{% for a in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
    "{% set ns = namespace(x='a') %}{% for a in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "{% set ns = namespace(x=[1]) %}{% for a in range(99) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x=[1]) %}{% for a in range(99) %}{% set ns.x = {'a': ns.x, 'b': ns.x} %}{% endfor %}{{ ns.x|tojson }}",
    "{% set ns = namespace(x=[1]) %}{% for a in range(99) %}{% set ns.x = (ns.x, ns.x) %}{% endfor %}{{ ns.x|string }}",
    "{% set ns = namespace(x=[1]) %}{% for a in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x|length }}",
    "{% set ns = namespace(x=2) %}{% for a in range(99) %}{% set ns.x = ns.x * ns.x %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x='a') %}{% for a in range(99) %}{% set y %}{{ ns.x }}{{ ns.x }}{% endset %}{% set ns.x = y %}{% endfor %}",
    "{% set ns = namespace(x=[]) %}{% for a in range(99999) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}",
    "{% macro f(n) %}{{ f(n - 1) }}{{ f(n - 1) }}{% endmacro %}{{ f(50) }}",
    "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(50) }}",
    "{% for a in [[1, 2]] recursive %}{{ loop([[1, 2], [3]]) }}{% endfor %}",
    "{% for a in range(99999) %}" + "x" * 50_000 + "{% endfor %}",
    "{% for a in range(9999) %}{% set y %}" + "x" * 50_000 + "{% endset %}{% endfor %}",
    "{% for a in ('a' * 10**8) %}{% endfor %}", "{% for a in range(99999) %}{{ ('a' * 10**6)|wordcount }}{% endfor %}",
    "{% for a in range(99999) %}{{ ('a' * 10**6).count('b') }}{% endfor %}", "{{ [[1]] * 10**7 }}", "{{ ([[1] * 1000] * 1000)|sum(start=[]) }}",
    "{% set b = 'a' * 10**6 %}" + "{{ b|upper|lower|title }}" * 200, "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}", "{{ " + "-" * 50_000 + "1 }}",
    "{% if true %}" * 300 + "{% endif %}" * 300, "{{ 1" + " + 1" * 50_000 + " }}",
)  # fmt: skip
"""Each of them has to end in an error that names the file, and not for want of memory or of stack."""


def templates() -> Iterator[tuple[str, Callable[[], str | None]]]:
    """Yield every attempt with its name."""
    for text in (*ESCAPES, *BOMBS):
        yield text[:70], partial(refused, text)


def refused(text: str) -> str | None:
    """Render a strategy of this one block, and say what it did if it was not refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hostile.md.j2"
        path.write_text(f"{HEAD}{{% block all %}}{text}{{% endblock %}}\n", "utf-8")
        try:
            rendered = load(path).render(issue_422(), 4000)
        except BadInput as error:
            named = "hostile.md.j2" in error.place and len(str(error)) < LINE
            exhausted = any(word in str(error) for word in EXHAUSTED)
            return None if named and not exhausted else f"it is refused with {str(error)[:300]!r}"
    harmless = text in ESCAPES and rendered.text.strip() in HARMLESS
    return None if harmless else f"it was rendered: {rendered.text[:200]!r}"

"""The message for unresolved templates, in the baseline's layout."""

from __future__ import annotations

import json
from collections.abc import Iterator

from mendbench.model.json import Json, JsonObject
from mendbench.runtime.templates import ParamProblem, Template, templates_in
from mendbench.secrets.redaction import sanitise, sanitise_key, sanitise_under

MAX_KEYS = 20
"""Maximum number of listed context keys."""

MAX_SUGGESTIONS = 3

_PREVIEW, _ACTUAL, _STDERR = 50, 60, 500
"""Characters shown of a key's value, of a text that should be JSON, and of a node's standard error."""


def unresolved_message(problem: ParamProblem, data: JsonObject) -> str:
    """Return the message for one parameter: the unresolved templates, the available root keys, and possible causes.

    As in the baseline, fields of objects are not listed here, and only names of nodes and inputs are compared.
    """
    templates = templates_in(list(problem.templates))
    parts = [
        f"Unresolved variables in parameter '{problem.param}': {', '.join(problem.templates)}",
        "\n".join(["Available context keys:", *_keys(data)]),
        *(_not_json(templates, data) or _suggestions(templates, data)),
        *_stderr(templates, data),
    ]
    return "\n\n".join(parts)


def _keys(data: JsonObject) -> Iterator[str]:
    for key in list(data)[:MAX_KEYS]:
        value = data[key]
        bare = isinstance(value, dict | list) or value is None
        preview = "" if bare else f": {_cut(str(sanitise_under(key, value)), _PREVIEW)}"
        yield f"  • {sanitise_key(key)} ({type(value).__name__}){preview}"
    if len(data) > MAX_KEYS:
        yield f"  ... and {len(data) - MAX_KEYS} more"


def _not_json(templates: tuple[Template, ...], data: JsonObject) -> list[str]:
    """Return the hint for a path into a text that is not JSON. JSON text that only lacks the field gets no hint."""
    for template in templates:
        value: Json = data.get(template.root)
        name = template.root
        for step in template.path:
            if isinstance(value, str):
                if _is_json(value):
                    break
                message = (
                    f"JSON parsing issue: ${{{name}}} is a string, not JSON. Nested access (.{step}) requires valid JSON.\n"
                    f"  Actual value: {_cut(sanitise(value), _ACTUAL)}\n"
                    "  Fix: Ensure upstream node outputs valid JSON"
                )
                return [message]
            value = _inside(value, step)
            name = f"{name}[{step}]" if isinstance(step, int) else f"{name}.{step}"
    return []


def _suggestions(templates: tuple[Template, ...], data: JsonObject) -> list[str]:
    lines = []
    for template in templates:
        if template.root not in data:
            for key in data:
                root, name = _plain(template.root), _plain(key)
                if root in name or name in root:
                    fixed = "${" + key + template.text[2 + len(template.root) :]
                    lines.append(f"  Did you mean '{fixed}'? (instead of '{template.text}')")
    return ["\n".join(["Suggestions:", *lines[:MAX_SUGGESTIONS]])] if lines else []


def _stderr(templates: tuple[Template, ...], data: JsonObject) -> list[str]:
    """Return the standard error of the named nodes: a pipeline may hide its failure there."""
    lines = []
    for template in templates:
        outputs = data.get(template.root)
        stderr = outputs.get("stderr") if isinstance(outputs, dict) else None
        if isinstance(stderr, str) and stderr.strip():
            lines.append(f"  • {template.root}: {_cut(stderr.strip(), _STDERR)}")
    return ["\n".join(["Upstream stderr:", *dict.fromkeys(lines)])] if lines else []


def _inside(value: Json, step: str | int) -> Json:
    if isinstance(value, dict):
        return value.get(step)
    return value[step] if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value) else None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit] + "..."

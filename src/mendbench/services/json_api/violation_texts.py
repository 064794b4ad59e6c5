"""Short descriptions of violations, for the styles where the API chooses the text."""

from __future__ import annotations

from mendbench.services.json_api.pydantic_words import either
from mendbench.services.json_api.schema import Violation


def in_words(violation: Violation) -> str:
    """Return a short description of the violation: ``must be a positive integer``."""
    schema, kind = violation.schema, violation.kind
    if kind in {"type", "unparsable", "minimum"} and schema.get("type") == "integer" and schema.get("minimum") == 1:
        return "must be a positive integer"
    if kind in {"type", "unparsable"}:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        return "must be " + " or ".join(f"{'an' if name[0] in 'aeiou' else 'a'} {name}" for name in names)
    if kind == "enum":
        return f"must be {either(schema['enum'])}"
    return {
        "missing": "is required",
        "extra": "is not a known field",
        "minimum": f"must be at least {schema.get('minimum')}",
        "maximum": f"must be at most {schema.get('maximum')}",
        "above": f"must be above {schema.get('exclusiveMinimum')}",
        "below": f"must be below {schema.get('exclusiveMaximum')}",
        "multiple": f"must be a multiple of {schema.get('multipleOf')}",
        "too_short": f"must have at least {schema.get('minLength')} characters",
        "too_long": f"must have at most {schema.get('maxLength')} characters",
        "few": f"must have at least {schema.get('minItems')} items",
        "many": f"must have at most {schema.get('maxItems')} items",
        "pattern": f"must match {schema.get('pattern')}",
    }[kind]

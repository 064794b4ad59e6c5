"""The operators: what can be wrong with a workflow or its world. Each kind is one entry of :data:`OPERATORS`."""

from __future__ import annotations

from mendbench.generating.breaks import Operator
from mendbench.generating.operators import order, references, requests, values, world

OPERATORS: dict[str, Operator] = {
    "misspelt-field": references.misspelt_field,
    "misspelt-node": references.misspelt_node,
    "wrong-nesting": references.wrong_nesting,
    "wrong-index": references.wrong_index,
    "name-for-id": references.name_for_id,
    "object-for-field": references.object_for_field,
    "misspelt-param": values.misspelt_param,
    "missing-param": values.missing_param,
    "extra-param": values.extra_param,
    "string-for-list": values.string_for_list,
    "list-for-string": values.list_for_string,
    "string-for-number": values.string_for_number,
    "wrong-enum": values.wrong_enum,
    "wrong-date-format": values.wrong_date_format,
    "major-units": values.major_units,
    "wrong-path": requests.wrong_path,
    "wrong-method": requests.wrong_method,
    "wrong-order": order.wrong_order,
    "revoked-token": world.revoked_token,
    "missing-scope": world.missing_scope,
    "archived": world.archived,
    "outage-passes": world.outage_passes,
    "outage-stays": world.outage_stays,
    "rate-limit-passes": world.rate_limit_passes,
}

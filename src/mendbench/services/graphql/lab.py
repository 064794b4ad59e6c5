"""The laboratory inventory: an invented API in the style of Shopify's, whose mutations report errors as ``userErrors``.

The messages of ``userErrors`` are Rails' own (https://guides.rubyonrails.org/i18n.html#error-message-interpolation)
behind the field's name, and ``… does not exist``, with the codes of Shopify's enumerations
(https://shopify.dev/docs/api/admin-graphql/latest/enums/DiscountErrorCode). An unknown id or code gives ``Entity not
found: …``, as in Linear's API. Paging is graphql-relay's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mendbench.model.json import Json, JsonObject
from mendbench.services.graphql.connections import connection
from mendbench.services.graphql.site import Refused, Site, UserErrors, site_of
from mendbench.services.wire import iso_time, next_count

MAX_LABEL = 80
Entry = tuple[tuple[str, ...], str, str]


def show_specimen(site: Site, specimen: str) -> JsonObject:
    """Return a specimen in the schema's form. If its custodian is missing, the field is null, which its type forbids."""
    record = site.part("specimens")[specimen]
    keeper = site.part("custodians").get(record.get("custodian"))
    shown_keeper = keeper and {"id": record["custodian"], "fullName": keeper["full_name"], "badge": keeper["badge"]}
    remark = record.get("remark")
    return {
        "id": specimen,
        "code": record["code"],
        "label": record["label"],
        "phase": record["phase"],
        "aliquots": record["aliquots"],
        "locker": show_locker(site, record["locker"]) if record.get("locker") in site.part("lockers") else None,
        "custodian": shown_keeper,
        "assayNote": remark,
        "remark": remark,
    }


def show_locker(site: Site, code: str) -> JsonObject:
    """Return a locker in the schema's form."""
    record = site.part("lockers")[code]
    used = sum(1 for specimen in site.part("specimens").values() if specimen.get("locker") == code)
    capacity = int(record["capacity"])
    rest = {"capacity": capacity, "free": max(0, capacity - used), "phases": record["phases"]}
    return {"id": f"lck-{code.lower()}", "code": code, "aisle": record["aisle"], **rest}


def show_requisition(site: Site, requisition: str) -> JsonObject:
    """Return a requisition in the schema's form."""
    record = site.part("requisitions")[requisition]
    there = record["specimen"] in site.part("specimens")
    return {
        "id": requisition,
        "specimen": show_specimen(site, record["specimen"]) if there else None,
        "aliquots": record["aliquots"],
        "handling": record["handling"],
        "state": record["state"],
        "costCentre": record["cost_centre"],
        "createdAt": iso_time(int(record["created_ms"])),
    }


def specimen(_root: Json, info: Json, code: str) -> JsonObject:
    """Resolve ``specimen``."""
    found = _by_code(site_of(info), code)
    if isinstance(found, Refused):
        raise found
    return found


def specimens_by_code(_root: Json, info: Json, codes: list[str]) -> list[Json]:
    """Resolve ``specimensByCode``. A missing specimen is null, with an error of its own."""
    return [_by_code(site_of(info), code) for code in codes]


def specimens(_root: Json, info: Json, **arguments: Json) -> JsonObject:
    """Resolve ``specimens``."""
    site, phase = site_of(info), arguments.get("phase")
    key = "label" if arguments.get("sortKey") == "LABEL" else "code"
    found = [
        show_specimen(site, specimen_id)
        for specimen_id, record in site.part("specimens").items()
        if phase in (None, record["phase"])
    ]
    found.sort(key=lambda shown: (shown[key], shown["id"]), reverse=bool(arguments.get("reverse")))
    return _page(found, arguments)


def locker(_root: Json, info: Json, code: str) -> JsonObject:
    """Resolve ``locker``."""
    if code not in site_of(info).part("lockers"):
        raise _gone("Locker")
    return show_locker(site_of(info), code)


def lockers(_root: Json, info: Json) -> list[Json]:
    """Resolve ``lockers``."""
    return [show_locker(site_of(info), code) for code in site_of(info).part("lockers")]


def requisition(_root: Json, info: Json, id: str) -> JsonObject:  # noqa: A002 - the schema's argument
    """Resolve ``requisition``."""
    if id not in site_of(info).part("requisitions"):
        raise _gone("Requisition")
    return show_requisition(site_of(info), id)


def requisitions(_root: Json, info: Json, **arguments: Json) -> JsonObject:
    """Resolve ``requisitions``."""
    site, state = site_of(info), arguments.get("state")
    known = site.part("requisitions").items()
    found = [show_requisition(site, key) for key, record in known if state in (None, record["state"])]
    return _page(found, arguments)


def specimen_register(_root: Json, info: Json, input: JsonObject) -> JsonObject:  # noqa: A002 - the schema's argument
    """Resolve ``specimenRegister``."""
    site = _writing(info, "write_specimens")
    taken = {record["code"] for record in site.part("specimens").values()}
    problems: list[Entry] = [
        *_blank(input, "code", "Code"),
        *_blank(input, "label", "Label"),
        *_not_positive(input, "aliquots", "Aliquots"),
    ]
    if input["code"] in taken:
        problems.append((("input", "code"), "Code has already been taken", "TAKEN"))
    if len(input["label"]) > MAX_LABEL:
        text = f"Label is too long (maximum is {MAX_LABEL} characters)"
        problems.append((("input", "label"), text, "TOO_LONG"))
    if input["custodianId"] not in site.part("custodians"):
        problems.append((("input", "custodianId"), "Custodian does not exist", "NOT_FOUND"))
    if input.get("lockerCode") is not None:
        problems += _unfit(site, ("input", "lockerCode"), input["lockerCode"], input["phase"])
    if problems:
        raise UserErrors(*problems)
    new = f"spc-{600 + next_count(site.draft, 'specimens')}"
    record = {key: input[key] for key in ("code", "label", "phase", "aliquots")}
    site.part("specimens")[new] = record | {
        "locker": input.get("lockerCode"), "custodian": input["custodianId"], "remark": input.get("remark"),
    }  # fmt: skip
    return {"specimen": show_specimen(site, new), "userErrors": []}


def specimen_relocate(_root: Json, info: Json, specimenId: str, lockerCode: str) -> JsonObject:  # noqa: N803 - the schema's arguments
    """Resolve ``specimenRelocate``."""
    site = _writing(info, "write_specimens")
    record = site.part("specimens").get(specimenId)
    if record is None:
        raise UserErrors((("specimenId",), "Specimen does not exist", "NOT_FOUND"))
    problems = _unfit(site, ("lockerCode",), lockerCode, record["phase"])
    if problems:
        raise UserErrors(*problems)
    record["locker"] = lockerCode
    return {"specimen": show_specimen(site, specimenId), "userErrors": []}


def requisition_place(_root: Json, info: Json, input: JsonObject) -> JsonObject:  # noqa: A002 - the schema's argument
    """Resolve ``requisitionPlace``."""
    site = _writing(info, "write_requisitions")
    record = site.part("specimens").get(input["specimenId"])
    problems = [*_not_positive(input, "aliquots", "Aliquots"), *_blank(input, "costCentre", "Cost centre")]
    if record is None:
        problems.append((("input", "specimenId"), "Specimen does not exist", "NOT_FOUND"))
    elif input["aliquots"] > record["aliquots"]:
        text = f"Aliquots must be less than or equal to {record['aliquots']}"
        problems.append((("input", "aliquots"), text, "LESS_THAN_OR_EQUAL_TO"))
    if problems or record is None:
        raise UserErrors(*problems)
    record["aliquots"] -= input["aliquots"]
    new = f"req-{80 + next_count(site.draft, 'requisitions')}"
    site.part("requisitions")[new] = {
        "specimen": input["specimenId"], "aliquots": input["aliquots"], "handling": input["handling"],
        "state": "PLACED", "cost_centre": input["costCentre"], "created_ms": site.now_ms,
    }  # fmt: skip
    return {"requisition": show_requisition(site, new), "userErrors": []}


def requisition_withdraw(_root: Json, info: Json, id: str) -> JsonObject:  # noqa: A002 - the schema's argument
    """Resolve ``requisitionWithdraw``."""
    site = _writing(info, "write_requisitions")
    record = site.part("requisitions").get(id)
    if record is None:
        raise UserErrors((("id",), "Requisition does not exist", "NOT_FOUND"))
    if record["state"] == "WITHDRAWN":
        raise UserErrors((("id",), "State is invalid", "INVALID"))
    record["state"] = "WITHDRAWN"
    return {"requisition": show_requisition(site, id), "userErrors": []}


def _by_code(site: Site, code: str) -> JsonObject | Refused:
    found = next((key for key, record in site.part("specimens").items() if record["code"] == code), None)
    return _gone("Specimen") if found is None else show_specimen(site, found)


def _gone(kind: str) -> Refused:
    return Refused(f"Entity not found: {kind}")


def _page(items: list[Json], arguments: JsonObject) -> JsonObject:
    for side in ("first", "last"):
        if (arguments.get(side) or 0) < 0:
            raise Refused(f"Argument '{side}' must be a non-negative integer.")
    return connection(items, arguments)


def _writing(info: Json, scope: str) -> Site:
    site = site_of(info)
    if not site.caller.may(scope):
        text = f"Access denied for {info.field_name} field. Required access: `{scope}` access scope."
        extra = {
            "documentation": "https://shopify.dev/api/usage/access-scopes",
            "requiredAccess": f"`{scope}` access scope.",
        }
        raise Refused(text, code="ACCESS_DENIED", extra=extra)
    return site


def _blank(given: JsonObject, key: str, name: str) -> list[Entry]:
    return [] if given[key].strip() else [(("input", key), f"{name} can't be blank", "BLANK")]


def _not_positive(given: JsonObject, key: str, name: str) -> list[Entry]:
    return [] if given[key] > 0 else [(("input", key), f"{name} must be greater than 0", "GREATER_THAN")]


def _unfit(site: Site, path: tuple[str, ...], code: str, phase: str) -> list[Entry]:
    """Return the error of keeping a specimen of that phase in a locker."""
    if code not in site.part("lockers"):
        return [(path, "Locker does not exist", "NOT_FOUND")]
    record = show_locker(site, code)
    return [(path, "Locker is invalid", "INVALID")] if phase not in record["phases"] or not record["free"] else []


RESOLVERS: dict[str, Callable[..., Any]] = {
    "Query.specimen": specimen,
    "Query.specimensByCode": specimens_by_code,
    "Query.specimens": specimens,
    "Query.locker": locker,
    "Query.lockers": lockers,
    "Query.requisition": requisition,
    "Query.requisitions": requisitions,
    "Mutation.specimenRegister": specimen_register,
    "Mutation.specimenRelocate": specimen_relocate,
    "Mutation.requisitionPlace": requisition_place,
    "Mutation.requisitionWithdraw": requisition_withdraw,
}

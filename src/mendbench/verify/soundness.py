"""Static checks of a case: labels that can never hold, and recordings of another case."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from pathlib import Path

from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import TRAJECTORIES, WORLD
from mendbench.corpus.declared_services import FILES, OWN, SHELL, redactor_of, services_of, state_of
from mendbench.corpus.documents import Place, located
from mendbench.errors import BadInput, UnknownName
from mendbench.exchanges.urls import host_of, split_url
from mendbench.io.canonical_json import canonical_json, digest
from mendbench.model.case import Case, Check, Fix, KeptCheck, OutputCheck, RequestCheck, Variant, WarningCheck
from mendbench.model.json import JsonObject
from mendbench.services import hosts_of, simulated
from mendbench.trial.record_hint import recording_command
from mendbench.values.json_patch import PatchError, apply_patch, node_ids
from mendbench.values.merge_patch import merge_patch

_CUT = re.compile(r"\s*(?:- )?[\w-]+: (?![\s'\"|>\[{&*!#])[^#]*\s(#[^\s#]+)")
"""A plain text with a number sign and no space after it: probably not meant as a comment."""

CHANGED = "state or inputs changed since the recording"
"""What is said of a recording that begins on none of the case's data. Then all else about recordings follows from it."""

_OWN_SCHEMES = {"shell": SHELL, "file": FILES}
"""URL schemes without a host, and what a case declares for them."""


def unsound_labels(case: Case) -> tuple[BadInput, ...]:
    """Return one line for each label that can never hold, with its place in ``case.yaml``."""
    found = [*_patches(case)]
    fixed = _fixed(case)
    for place, variant, checks in _all_checks(case):
        for number, check in enumerate(checks):
            found += _unreached(case, fixed, variant, check, (*place, number))
    return (*found, *_unknown_nodes(case, fixed), *_twins(case))


def cut_texts(case: Case) -> tuple[BadInput, ...]:
    """Return one line for each text in ``case.yaml`` that YAML truncates at a number sign, because the rest is a comment."""
    path = case.folder / "case.yaml"
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(
        BadInput(
            f"{path}:{number}", f"YAML reads {found.group(1)!r} and what follows as a comment", "put the text in quotes"
        )
        for number, line in enumerate(lines, 1)
        if (found := _CUT.match(line))
    )


def foreign_recordings(case: Case, folder: Path) -> tuple[BadInput, ...]:
    """Return one line for each cassette in ``folder`` that belongs to another case, with file and line."""
    found: list[BadInput] = []
    for name in (WORLD, TRAJECTORIES):
        path = folder / name
        entries = cassette.load(path)
        for service in dict.fromkeys(entry.service for entry in entries):
            own = [entry for entry in entries if entry.service == service]
            place = f"{path}:{_line_of(path, f'key: {own[0].key}')}"
            if service not in services_of(case):
                what = f"an exchange with {service!r}, which {case.id} does not declare"
                found.append(BadInput(place, what, "delete the file if it is another case's, and record it again"))
            elif name == WORLD and not _origins(case, str(service)).intersection(entry.after for entry in own):
                found.append(BadInput(place, CHANGED, f"record it again with `{recording_command(case)}`"))
    return tuple(found)


def canaries_found(case: Case, folder: Path) -> tuple[BadInput, ...]:
    """Return one line for each secret of the case in its recordings, with file and line."""
    redactor = redactor_of(case)
    found: list[BadInput] = []
    for path in sorted(folder.glob("*.yaml")):
        data = path.read_bytes()
        lines = [(number, redactor.leaks(line)) for number, line in enumerate(data.splitlines(), start=1)]
        located = [(f"{path}:{number}", name) for number, names in lines for name in names]
        known = {name for _, name in located}
        located += [(str(path), name) for name in redactor.leaks(data) if name not in known]
        found += [BadInput(place, f"the secret {name!r} of {case.id}", "record it again") for place, name in located]
    return tuple(found)


def said_twice(cases: tuple[Case, ...]) -> dict[str, BadInput]:
    """Return errors, by case id, for cases that duplicate another case or whose ids differ only in letter case."""
    found: dict[str, BadInput] = {}
    by_id: dict[str, Case] = {}
    by_truth: dict[str, Case] = {}
    for case in cases:
        same_id = by_id.setdefault(case.id.lower(), case)
        if same_id is not case:
            found[case.id] = BadInput(
                str(case.folder), f"an id that differs from {same_id.id} only in letter case", "rename it"
            )
        same = by_truth.setdefault(case.digest, case)
        if same is not case:
            found[case.id] = BadInput(str(case.folder), f"a copy of {same.id}", "change it or delete it")
    return found


def _patches(case: Case) -> Iterator[BadInput]:
    """Yield each fix, right or wrong, that does not apply to the workflow."""
    own: list[tuple[Place, Fix]] = [(("fix",), case.fix)] if case.fix else []
    own += [(("accepts", number, "patch"), fix) for number, fix in enumerate(case.accepts)]
    own += [(("wrong_fixes", number, "patch"), fix) for number, fix in enumerate(case.wrong_fixes)]
    for place, fix in own:
        try:
            changed = apply_patch(case.workflow, fix.patch)
        except PatchError as error:
            yield BadInput(_at(case, *place), f"it does not apply: {error}", "mend the patch")
            continue
        if canonical_json(changed) == canonical_json(case.workflow):
            yield BadInput(_at(case, *place), "it changes nothing", "mend the patch")


def _fixed(case: Case) -> JsonObject:
    """Return the workflow that the checks are for: the fixed one, or the original one if no edit is right."""
    if case.fix is None:
        return case.workflow
    try:
        return apply_patch(case.workflow, case.fix.patch)
    except PatchError:
        return case.workflow


def _all_checks(case: Case) -> Iterator[tuple[Place, Variant | None, tuple[Check, ...]]]:
    yield ("checks",), None, case.checks
    for number, variant in enumerate(case.variants):
        yield ("variants", number, "checks"), variant, variant.checks


def _unreached(
    case: Case, fixed: JsonObject, variant: Variant | None, check: Check, place: Place
) -> Iterator[BadInput]:
    """Yield why a check can never hold."""
    nodes = node_ids(fixed)
    match check:
        case RequestCheck() if check.times.least > 0:
            yield from _undeclared(case, variant, check.url, (*place, "request", "url"))
        case KeptCheck():
            for number, name in enumerate(check.nodes):
                if name not in nodes:
                    yield UnknownName("node of the fixed workflow", name, nodes, _at(case, *place, "kept", number))
        case OutputCheck(output=str(output)):
            declared = fixed.get("outputs")
            known = tuple(declared) if isinstance(declared, dict) else ()
            if output not in known:
                where = _at(case, *place, "output", "output")
                yield UnknownName("output of the fixed workflow", output, known, where)
        case OutputCheck(node=str(node)) | WarningCheck(node=node):
            if node not in nodes:
                yield UnknownName("node of the fixed workflow", node, nodes, _at(case, *place, check.kind, "node"))


def _undeclared(case: Case, variant: Variant | None, url: str, place: Place) -> Iterator[BadInput]:
    scheme, host = split_url(url).scheme.lower(), host_of(url)
    if scheme == "model":
        return
    if scheme in _OWN_SCHEMES:
        if _OWN_SCHEMES[scheme] not in case.recorded_from:
            yield BadInput(
                _at(case, *place), f"{scheme}: is not declared", f"add {_OWN_SCHEMES[scheme]} to recorded_from"
            )
        return
    try:
        known = declared_hosts(case, variant)
    except BadInput as error:
        yield BadInput(f"{case.folder / 'case.yaml'}: {error.place}", error.found, error.hint)
        return
    if host not in known:
        found = f"host {host!r} is not declared, so that no request to it is ever accepted"
        yield BadInput(_at(case, *place), found, f"declared: {', '.join(known) or 'none'}")


def declared_hosts(case: Case, variant: Variant | None) -> tuple[str, ...]:
    """Return the hosts that exist for a case, sorted.

    Raises:
        BadInput: a service's state names no host.
    """
    hosts: set[str] = set()
    for name, provenance in case.recorded_from.items():
        if name in OWN:
            continue
        state = state_of(case, variant, name)
        if provenance == "simulator":
            state = merge_patch(copy.deepcopy(simulated(name).seed()), state)
        hosts.update(host.lower() for host in hosts_of(name, state))
    return tuple(sorted(hosts))


def _unknown_nodes(case: Case, fixed: JsonObject) -> Iterator[BadInput]:
    after = node_ids(fixed)
    either = (*node_ids(case.workflow), *(name for name in after if name not in node_ids(case.workflow)))
    for name in case.after_fix:
        if name not in after:
            yield UnknownName("node of the fixed workflow", name, after, _at(case, "expect", "after_fix", name))
    for number, fault in enumerate(case.faults):
        for index, name in enumerate(fault.cause):
            if name not in either:
                yield UnknownName("node", name, either, _at(case, "faults", number, "cause", index))


def _twins(case: Case) -> Iterator[BadInput]:
    """Yield each variant that duplicates another one."""
    seen: dict[str, str] = {}
    for number, variant in enumerate(case.variants):
        states = {name: state_of(case, variant, name) for name in case.recorded_from}
        key = canonical_json([{**case.inputs, **variant.inputs}, states])
        if key in seen:
            place = _at(case, "variants", number)
            yield BadInput(place, f"the same inputs and state as {seen[key]!r}", "change one, or delete it")
        seen.setdefault(key, variant.name)


def _at(case: Case, *way: int | str) -> str:
    """Return a place in the case file, with line and column."""
    return located(case.folder / "case.yaml", *way)


def _origins(case: Case, service: str) -> frozenset[str]:
    """Return the prefixes of the keys of a service's exchanges: see :func:`mendbench.trial.scope.open_scope`."""
    return frozenset(digest(state_of(case, variant, service)) for variant in (None, *case.variants))


def _line_of(path: Path, text: str) -> int:
    data = path.read_text(encoding="utf-8", errors="replace")
    found = re.search(re.escape(text).replace("key:\\ ", "key:\\s*['\"]?"), data)
    return data.count("\n", 0, found.start()) + 1 if found else 1

"""A seed: a working workflow, its data, and the case that proves it works."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from mendbench.errors import BadInput
from mendbench.model.case import Case
from mendbench.model.json import Json, JsonObject
from mendbench.model.trial import CleanRun
from mendbench.runtime.templates import Place, Template, lookup, texts_in
from mendbench.secrets.redaction import plant_canaries
from mendbench.values.json_patch import PatchError, apply_patch, nodes_of
from mendbench.verify.bench import ProofParts


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """A working workflow of a case, and what one run of it contains."""

    case: Case
    """A control, or a repairable case after its reference fix: without faults, fixes or labels of the broken workflow."""
    data: JsonObject
    """The inputs, and the outputs of each node."""
    run: CleanRun
    """The run itself."""

    @property
    def workflow(self) -> JsonObject:
        """The working workflow."""
        return self.case.workflow

    def nodes(self) -> Iterator[tuple[int, JsonObject]]:
        """Yield each node with its position."""
        for at, node in enumerate(nodes_of(self.workflow)):
            if isinstance(node, dict) and isinstance(node.get("id"), str):
                yield at, node

    def texts(self) -> Iterator[tuple[str, Place, str]]:
        """Yield each text with templates in a node's parameters: the node, its place in the workflow, the text."""
        for at, node in self.nodes():
            for place, text in texts_in(node.get("params"), ("nodes", at, "params")):
                yield node["id"], place, text

    def value(self, template: Template) -> Json:
        """Return what a template stands for in the run; None if for nothing."""
        return lookup(self.data, template)[1]


def working_case(case: Case) -> Case:
    """Return a case without its fault: the workflow after the reference fix.

    Raises:
        BadInput: the case is neither a control nor repairable, or its fix does not apply.
    """
    if case.kind not in {"control", "repairable"}:
        raise BadInput(str(case.folder), f"a {case.kind} case", "a seed is a control, or a repairable case")
    try:
        workflow = apply_patch(case.workflow, case.fix.patch) if case.fix else case.workflow
    except PatchError as error:
        raise BadInput(str(case.folder / "case.yaml: fix"), str(error), "correct the fix") from None
    states = {**case.first, **case.after_fix}
    return replace(
        case, workflow=workflow, faults=(), fix=None, accepts=(), wrong_fixes=(), first=states, after_fix={}, adversarial_to=(),
    )  # fmt: skip


def seed_of(bench: ProofParts) -> Seed:
    """Return the seed of a working case.

    Raises:
        BadInput: its workflow does not pass its checks on all its data.
        ReplayMiss: an exchange that it needs is not recorded.
    """
    case = bench.case
    judged = bench.judged(case.workflow)
    if judged.verdict.verdict != "correct":
        unmet = "; ".join(f"{one.check}: {one.why}" for one in judged.checks if not one.held)
        raise BadInput(
            str(case.folder), f"its workflow does not work: {unmet or judged.verdict.outcome}", "correct the seed"
        )
    run = bench.clean(case.workflow, None)
    inputs, _ = plant_canaries(case.inputs, case.id)
    outputs = {record.node_id: record.outputs for record in run.execution.nodes if record.state == "success"}
    return Seed(case=case, data={**inputs, **outputs}, run=run)

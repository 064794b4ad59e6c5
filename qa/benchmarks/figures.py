"""The tables of the README and of docs/findings.md, from the shipped matrix's run.

    python qa/benchmarks/figures.py [RUN] [--check]

Reads a complete run (``reports/latest`` if none is named) and writes each table between ``<!-- figures: NAME -->`` and ``<!-- end -->``.
With ``--check`` it writes nothing, and returns 1 where a table differs from the run, or where a final workflow that counts was never
judged by eye.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from urllib.parse import urlencode

from mendbench.api.detectors import PARTS, evaluate_detectors, shipped_responses
from mendbench.model.json import JsonObject
from mendbench.report.primary import primaries_of
from mendbench.results.store import StoredRun, read_run
from mendbench.scoring.detector_scores import DetectorScore
from mendbench.scoring.funnel import STAGES, funnel
from mendbench.scoring.record_table import Records
from mendbench.scoring.records import EDIT_KINDS, Treatment, TrialRecord
from mendbench.scoring.statistics.exact import Interval
from mendbench.scoring.statistics.resampling import clustered_ratio
from mendbench.scoring.strata import STRATA, splits, within_cases
from mendbench.strategies.interface import parts_of
from mendbench.trial.long_texts import whole
from mendbench.trial.strategies import ORACLE_HINT

PAGES, SHEET = (Path("README.md"), Path("docs/findings.md")), Path("docs/judged-by-eye.jsonl")
PAGE = "reports/benchmark.html"
BLOCK = re.compile(r"(<!-- figures: (?P<name>[a-z-]+) -->\n)(?P<table>.*?)(<!-- end -->)", re.DOTALL)

FROZEN = ("frame", "scorer", "strategies")
"""What ``run.json`` says of the protocol's frozen parts: nothing that counts where they are unchanged."""
STRONG, ALONE = "claude-2026-11-batched", "claude-2026-11-single"
SECOND = "claude-2026-11-28-batched"
MAIN, DRAWN = "qwen2.5-coder-1.5b-instruct-q4_k_m", "qwen2.5-coder-1.5b-instruct-at-0.8"
"""The model of the first protocol, and the same one drawn at a temperature."""
MODELS = {
    MAIN: "Qwen2.5-Coder-1.5B-Instruct",
    "qwen2.5-coder-0.5b-instruct-q4_k_m": "Qwen2.5-Coder-0.5B-Instruct",
    "smollm2-135m-instruct-q4_1": "SmolLM2-135M-Instruct",
}
SHOWN = {
    "none": "nothing",
    "cli-text": "the line that a command prints",
    "summary": "message, category, hint and node of each error",
    "mend": "response, suspect parameters, values of the run for them",
    "full-context": "response, sent request, required fixes, data sources",
    "agent-json": "the whole failure as JSON",
    "full-context+data": "the same, and the values that `mend` shows",
}
"""What the model reads beside the request and the workflow."""
STRATEGIES = {
    "cli-text": "what the command line printed",
    "summary": "message, category, hint, node",
    "full-context": "response, request, fixes, upstream",
    "agent-json": "the rich JSON",
    "mend": "error, suspects, data to choose from",
}
POLICIES = {
    "naive": "no detector, up to the limit",
    "three-strikes": "the pattern detector",
    "warn": "warnings alone",
    "loop": "loop detection alone",
    "seed": "both, with three patterns and a signature of 40 characters",
    "seed~full": "the three patterns, with the whole signature",
    "two-layer": "both",
    "two-layer~prefix40": "both, with the signature of 40 characters",
    "all": "both, and the pattern detector",
    "confident": "loop detection, and warnings that are at least 95 % sure",
    "ask-first": "the same, after the first response",
}
OWN_URLS = ("shell://", "file://")
"""Where shell commands and files of a workflow go."""
JUDGED_BY_EYE = frozenset({"repaired", "plausible", "harmful"})
"""Outcomes of which every final workflow that a model came to is read."""


def main(words: Sequence[str]) -> int:
    """Write the tables, or say where they differ."""
    check = "--check" in words
    run = read_run(Path(next((word for word in words if not word.startswith("--")), "reports/latest")))
    found: list[str] = []
    for page in PAGES:
        stands = page.read_text(encoding="utf-8")
        up = "../" * (len(page.parts) - 1)
        true = BLOCK.sub(partial(_filled, run, up), stands)
        if not check:
            page.write_text(true, encoding="utf-8")
        found += _differences(page, stands, true)
    if not check:
        return 0
    found += _unread(run)
    found += [
        f"cases/{name}.yaml: {what} changed after it was frozen: {one}"
        for name, stated in run.run["protocols"].items()
        for what, one in stated.items()
        if what in FROZEN and one
    ]
    found += _other_levels(run)
    sys.stderr.write("".join(f"{line}\n" for line in found))
    return 1 if found else 0


def _other_levels(run: StoredRun) -> Iterator[str]:
    """Yield the strata of each protocol whose cases have other levels than those that were frozen."""
    level_of = dict(run.records.counted("case", "level").keys())
    for name, stated in run.run["protocols"].items():
        plan = stated["plan"]
        for stratum, frozen in plan["frozen"].get("levels", {}).items():
            now = Counter(str(level_of[case]) for case in plan["cases"][stratum])
            if now != frozen:
                yield f"cases/{name}.yaml: the levels of the {stratum} stratum are {dict(sorted(now.items()))}, not {frozen}"


def _filled(run: StoredRun, up: str, block: re.Match[str]) -> str:
    return f"{block[1]}{table(run, block['name']).replace(f']({PAGE}', f']({up}{PAGE}')}{block[4]}"


def table(run: StoredRun, name: str) -> str:
    """Return a table in Markdown."""
    head, rows = TABLES[name](run)
    lines = (head, ["---"] * len(head), *rows)
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


Table = tuple[list[str], list[list[str]]]


def strategies(run: StoredRun) -> Table:
    """Return what each strategy of the first protocol comes to under ``two-layer``."""
    head = [
        "strategy", "repaired, test part", "right after one response (`naive`)", "plausible but wrong", "harmful",
        "wasted attempts a trial", "context tokens", "facts in prompt", "training part",
    ]  # fmt: skip
    rows = [
        [
            f"`{name}` ({words})",
            link(right(of(run, name), "repair_success"), kind="edit", strategy=name, verdict="correct"),
            right(of(run, name, policy="naive"), "attempt1_success", interval=False),
            link(right(of(run, name), "plausible"), strategy=name, outcome="plausible"),
            link(right(of(run, name), "harmful"), strategy=name, outcome="harmful"),
            ranged(of(run, name), "wasted"),
            f"{value(of(run, name), 'context_tokens'):.0f}",
            f"{value(of(run, name), 'context_recall'):.2f}",
            right(of(run, name, part="train"), "repair_success", interval=False),
        ]
        for name, words in STRATEGIES.items()
    ]
    bounds = ("noop", "suggestion-only", "reference")
    test, train = (", ".join(bound(run, name, part) for name in bounds) for part in ("test", "train"))
    return head, [
        *rows,
        ["lower bounds `noop` and `suggestion-only`, upper bound `reference`", test, *[""] * (len(head) - 3), train],
    ]


def policies(run: StoredRun) -> Table:
    """Return what each policy saves and loses, over the strategies of the main matrix together."""
    head = [
        "policy", "repairs", "attempts", "wasted attempts", "wasted a trial", "futile a user-only case", "prompt tokens",
        "response tokens",
    ]  # fmt: skip
    return head, [_policy(run, name, words) for name, words in POLICIES.items()]


def _policy(run: StoredRun, name: str, words: str) -> list[str]:
    totals = [of(run, strategy, policy=name) for strategy in STRATEGIES]
    records = run.records.where("part", lambda part: part == "test").where(
        "treatment", lambda one: (one.model, one.policy) == (MAIN, name) and one.strategy in STRATEGIES
    )
    edits = records.where("kind", lambda kind: kind in EDIT_KINDS)

    def together(score: str, end: str = "numerator") -> float:
        return sum(float(total["scores"][score][end]) for total in totals)

    repairs, wasted = together("repair_success"), together("wasted")
    return [
        f"`{name}` ({words})",
        f"{count(repairs)} of {len(edits)} ({interval(over_groups(edits, lambda one: one.right))})",
        count(together("attempts")),
        count(wasted),
        f"{wasted / len(records):.2f} ({interval(over_groups(records, lambda one: one.wasted_attempts or 0))})",
        f"{together('futile') / together('futile', 'denominator'):.2f}",
        count(sum(total["prompt_tokens"] for total in totals)),
        count(sum(total["completion_tokens"] for total in totals)),
    ]


def samples(run: StoredRun) -> Table:
    """Return what three responses a prompt come to, drawn at temperature 0.8."""
    head = ["strategy", "pass@1", "pass@3", "pass^3", "right of all draws, `naive`", "of all draws, `two-layer`"]
    rows = []
    for name in ("summary", "full-context", "mend"):
        naive, both = (of(run, name, policy=policy, model=DRAWN) for policy in ("naive", "two-layer"))
        once = naive["scores"]["pass_1"]
        rows.append([
            f"`{name}`",
            f"{once['value']:.2f} ({interval(once['interval'])})",
            right(naive, "pass_k"),
            right(naive, "pass_hat_k"),
            *(f"{draws(run, name, policy)} of {one['trials']}" for policy, one in (("naive", naive), ("two-layer", both))),
        ])  # fmt: skip
    return head, rows


def models(run: StoredRun) -> Table:
    """Return what each model repairs, under the strategies that all were asked with."""
    names = ("summary", "full-context", "agent-json", "mend")
    head = [
        "model",
        *(f"`{name}`" for name in names),
        "green and wrong, `mend`",
        "responses that can be applied, `mend`",
    ]
    rows = [
        [
            words,
            *(right(of(run, name, model=model), "repair_success") for name in names),
            right(of(run, "mend", model=model), "plausible", interval=False),
            right(of(run, "mend", model=model), "usable_responses", interval=False),
        ]
        for model, words in MODELS.items()
    ]
    return head, rows


def headline(run: StoredRun) -> Table:
    """Return how many cases the strong model gets right under each strategy, by stratum, after the first response and within three."""
    own = strong(run)
    head = ["strategy", "context tokens"]
    head += [f"{api} APIs: first response \\| within three, of {len(of_api(own, api).values('case'))}" for api in APIS]
    rows = []
    for name in by_tokens(own):
        chosen = own.where("treatment", partial(_strategy_is, name))
        cells = [" \\| ".join(_bounds(of_api(chosen, api), right) for right in (_first_right, _right)) for api in APIS]
        every = strong(run, kinds=None).where("treatment", partial(_strategy_is, name))
        rows.append([f"`{name}`", f"{context_tokens(every):.0f}", *cells])
    return head, rows


def funnel_table(run: StoredRun) -> Table:
    """Return where repair stops, by strategy: first response and end of the trial."""
    own = strong(run)
    found = {name: funnel(own.where("treatment", partial(_strategy_is, name))) for name in by_tokens(own)}
    stages = [stage for stage in STAGES if any(one.first[stage] or one.final[stage] for one in found.values())]
    return ["stage", *(f"`{name}`" for name in found)], [
        [stage, *(f"{one.first[stage]} \\| {one.final[stage]}" for one in found.values())] for stage in stages
    ]


def strata(run: StoredRun) -> Table:
    """Return success of the first response where the prompt prints the value, or states all facts, and where it does not."""
    own, rows = strong(run), []
    names = by_tokens(own)
    for title, holds in STRATA.items():
        by_strategy = {one.strategy: one for one in splits(own, holds)}
        for side, words in (("holds", title), ("lacks", f"not {title}")):
            parts = (getattr(by_strategy[name], side) if name in by_strategy else None for name in names)
            cells = (f"{one.right_first} of {one.cases}" if one is not None and one.cases else "" for one in parts)
            within = within_cases(own, holds)
            within = (
                f"{within.difference:+.2f} ({interval(within.interval)}), {within.cases} cases"
                if within.difference is not None
                else ""
            )
            rows.append([words, *cells, within if side == "holds" else ""])
    return ["first prompt", *(f"`{name}`" for name in names), "difference within cases"], rows


def error_reports(run: StoredRun) -> Table:
    """Return the first responses on the test parts of the second edition and of the third one, by stratum."""
    own, third = responses(run, "protocol-2"), responses(run, "protocol-3")
    columns = {f"{api} APIs": own.by("api")[api] for api in apis_of(own)}
    columns["well-known, fault only in the run"] = third
    head = ["error report", "what the model reads", "tokens"]
    head += [f"{title}, of {len(set(of.values('case')))}" for title, of in columns.items()]
    rows = []
    for name in by_tokens(own):
        tokens = context_tokens(own.where("treatment", partial(_strategy_is, name)))
        rows.append([f"`{name}`", SHOWN[name], f"{tokens:.0f}", *(right_of(of, name) for of in columns.values())])
    return head, rows


def responses(run: StoredRun, protocol: str, model: str | None = None) -> Records:
    """Return the first responses of a model, by default the protocol's own one, on the cases that a protocol lists."""
    plan = run.run["protocols"][protocol]["plan"]
    cases = {case for stratum in plan["cases"].values() for case in stratum}
    asked = model or plan["model"]
    own = run.records.where("treatment", lambda one: one.model == asked and LIMIT not in one.strategy)
    return own.where("case", cases.__contains__)


def apis_of(own: Records) -> list[str]:
    """Return the strata of some trials, in the order of all tables."""
    return [api for api in APIS if api in own.by("api")]


def right_of(own: Records, strategy: str) -> str:
    """Return how many first responses under a strategy are right."""
    return str(sum(bool(one.right_after_first) for one in own.where("treatment", partial(_strategy_is, strategy))))


def edition(run: StoredRun, protocol: str) -> Table:
    """Return shares right with intervals over groups, by stratum: plain, and as if every level had as many cases."""
    own = responses(run, protocol)
    apis = apis_of(own)
    head = [
        "strategy",
        "context tokens",
        *(f"{api} APIs{what}" for api in apis for what in ("", ", levels weighted alike")),
    ]
    rows = []
    for name in by_tokens(own):
        chosen = own.where("treatment", partial(_strategy_is, name))
        cells = []
        for api in apis:
            held = chosen.where("api", api.__eq__)
            rights = {one.case: float(bool(one.right_after_first)) for one in held}
            share = clustered_ratio(
                {case: (right, 1.0) for case, right in rights.items()}, {one.case: one.group for one in held}
            )
            within = f", {100 * max(0, share.low):.0f} to {100 * min(1, share.high):.0f}" if share else ""
            by_level = [fmean(float(bool(one.right_after_first)) for one in of) for of in held.by("level").values()]
            cells += [
                f"{sum(rights.values()):.0f} of {len(rights)} ({100 * fmean(rights.values()):.0f} %{within})",
                f"{100 * fmean(by_level):.0f} %",
            ]
        rows.append([f"`{name}`", f"{context_tokens(chosen):.0f}", *cells])
    return head, rows


def levels(run: StoredRun, protocol: str) -> Table:
    """Return the right first responses of each level, by stratum."""
    own = responses(run, protocol)
    names = by_tokens(own)
    rows = []
    for api in apis_of(own):
        for level, chosen in sorted(own.where("api", api.__eq__).by("level").items()):
            cases = len(set(chosen.values("case")))
            rows.append([api, str(level), str(cases), *(right_of(chosen, name) for name in names)])
    return ["APIs", "level", "cases", *(f"`{name}`" for name in names)], rows


def small_model(run: StoredRun) -> Table:
    """Return the right first responses of the small model on cases of the second protocol, by stratum."""
    own = responses(run, "protocol-2", MAIN)
    apis = own.by("api")
    head = ["strategy", *(f"{api} APIs, of {len(set(apis[api].values('case')))}" for api in APIS)]
    return head, [[f"`{name}`", *(right_of(apis[api], name) for api in APIS)] for name in by_tokens(own)]


def budgets(run: StoredRun) -> Table:
    """Return the right first responses where a response is large, by the limit on the context."""
    limited = run.records.where("treatment", lambda one: one.model == SECOND and LIMIT in one.strategy)
    cases = set(limited.values("case"))
    own = run.records.where("treatment", lambda one: one.model == SECOND).where("case", cases.__contains__)
    names = [*sorted({one.strategy for one in limited.values("treatment")}, key=_limit), "full-context"]
    apis = own.by("api")
    rows = []
    for name in names:
        tokens = context_tokens(own.where("treatment", partial(_strategy_is, name)))
        limit = str(_limit(name)) if LIMIT in name else "none"
        rows.append([limit, f"{tokens:.0f}", *(right_of(apis[api], name) for api in APIS)])
    return ["limit, in tokens", "mean", *(f"{api} APIs, of {len(set(apis[api].values('case')))}" for api in APIS)], rows


def _limit(strategy: str) -> int:
    """Return the limit on the context that is part of a strategy's name, in tokens."""
    return int(strategy.rpartition(LIMIT)[2])


def contrasts(run: StoredRun, protocol: str) -> Table:
    """Return the results of a protocol's primary contrasts."""
    (primary,) = (one for one in primaries_of(run) if one.protocol == protocol)
    rows = []
    for one in primary.results:
        found = one.difference
        if one.undefined or found is None or found.difference is None:
            rows.append([one.name, "no result", one.undefined or "", "", ""])
            continue
        p = "" if found.p is None else f"{found.p:.2g}"
        rows.append([
            one.name, f"{found.won} won, {found.lost} lost of {found.cases} cases in {found.groups} groups",
            f"{100 * found.difference:+.0f} points", p, found.verdict,
        ])  # fmt: skip
    return ["contrast", "cases", "difference", "p, after Holm's correction", "verdict"], rows


def alone(run: StoredRun) -> Table:
    """Return the first responses to prompts that were asked alone, by stratum, with those in batches to the same prompts."""
    own = run.records.where("treatment", lambda one: one.model == ALONE)
    pairs = {name: {api: _pairs(run, name, api) for api in APIS} for name in by_tokens(own)}
    head = ["strategy", "context tokens"]
    head += [
        f"{api} APIs: alone \\| in a batch, of {max(sum(one[api].values()) for one in pairs.values())}" for api in APIS
    ]
    rows = []
    for name, found in pairs.items():
        cells = [f"{_count_at(found[api], 1)} \\| {_count_at(found[api], 0)}" for api in APIS]
        rows.append([f"`{name}`", f"{context_tokens(own.where('treatment', partial(_strategy_is, name))):.0f}", *cells])
    return head, rows


def single(run: StoredRun) -> Table:
    """Return what asking each prompt alone changes, in first responses to the same prompts, both strata together."""
    rows = []
    for name in by_tokens(run.records.where("treatment", lambda one: one.model == ALONE)):
        both: Counter[tuple[bool, bool]] = Counter()
        for api in APIS:
            both += _pairs(run, name, api)
        batched, single_, of_all = _count_at(both, 0), _count_at(both, 1), sum(both.values())
        rows.append([
            f"`{name}`", f"{batched} of {of_all}", f"{single_} of {of_all}", str(both[True, False]), str(both[False, True]),
            f"{100 * (single_ - batched) / of_all:+.0f} points",
        ])  # fmt: skip
    return ["strategy", "right in a batch", "right alone", "only in a batch", "only alone", "change"], rows


def batches(run: StoredRun) -> Table:
    """Return how many first responses of each batch of prompts were right, by strategy."""
    found: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for row in run.rows:
        if (
            row["model"] == STRONG
            and row["policy"] == "naive"
            and row["part"] == "test"
            and row["kind"] in EDIT_KINDS
            and row["attempts"]
        ):
            batch = row["attempts"][0]["batch"]
            found[row["strategy"]][batch["name"] if batch else ""].append(bool(row["right_after_first"]))
    rows = []
    for name in by_tokens(strong(run)):
        parts = sorted(found[name].values(), key=lambda part: sum(part) / len(part))
        rows.append([f"`{name}`", str(len(parts)), ", ".join(f"{sum(part)} of {len(part)}" for part in parts)])
    return ["strategy", "batches", "right, by batch"], rows


def _pairs(run: StoredRun, strategy: str, api: str) -> Counter[tuple[bool, bool]]:
    """Return how often a first response was right in a batch, and right alone, over the cases that have both."""
    sides = (
        run.records.where("treatment", lambda one: (one.model, one.policy) == (ALONE, "first-answer")),
        strong(run),
    )
    one, many = (
        {
            record.case: record
            for record in of_api(side, api).where("treatment", partial(_strategy_is, strategy))
            if record.judged
        }
        for side in sides
    )
    return Counter(
        (bool(many[case].right_after_first), bool(one[case].right_after_first)) for case in one.keys() & many.keys()
    )


def _count_at(pairs: Counter[tuple[bool, bool]], at: int) -> int:
    return sum(count for pair, count in pairs.items() if pair[at])


def main_policies(run: StoredRun, part: str = "test") -> Table:
    """Return what each policy loses and gains against ``naive`` with the strong model."""
    own = strong(run, policy=None, part=part)
    naive = {(one.case, one.treatment.strategy): one for one in own if one.treatment.policy == "naive"}
    rows = []
    for name in POLICIES:
        trials = {(one.case, one.treatment.strategy): one for one in own if one.treatment.policy == name}
        both = [pair for pair in trials if pair in naive and trials[pair].judged and naive[pair].judged]
        if both:
            lost = sum(naive[pair].right and not trials[pair].right for pair in both)
            gained = sum(trials[pair].right and not naive[pair].right for pair in both)
            made, of_naive = (sum(len(one[pair].attempts) for pair in both) for one in (trials, naive))
            edits = [pair for pair in both if trials[pair].kind in EDIT_KINDS]
            net = sum(naive[pair].right - trials[pair].right for pair in edits)
            price = f"{(of_naive - made) / net:.1f}" if net > 0 else ""
            rows.append([
                f"`{name}`", str(len(both)), str(sum(trials[pair].right for pair in both)), str(lost), str(gained), str(made),
                str(of_naive - made), price,
            ])  # fmt: skip
    head = [
        "policy",
        "trials judged under both",
        "right",
        "lost against `naive`",
        "gained",
        "attempts",
        "saved",
        "saved for each lost repair",
    ]
    return head, rows


UNSURE = 0.95
"""Below this confidence the model labels a noticed failure: the same threshold as the policy ``confident`` has."""


def detectors(_run: StoredRun) -> Table:
    """Return the scores of the detectors on the shipped responses: first those that ``weighted`` was written without."""
    head = [
        "detector", "responses", "of services", "accuracy", "warning F1", "false warnings", "unnoticed failures",
        "successes called failures",
    ]  # fmt: skip
    paths = [(part, path) for part in PARTS if (path := shipped_responses(part)).is_file()]
    models = {"evaluation": (STRONG,)}
    return head, [
        [f"`{score.detector}`", *_scored(part, score)]
        for part, path in paths
        for score in evaluate_detectors(path, models=models.get(part, ()), unsure=UNSURE).scores
    ]


def _scored(part: str, score: DetectorScore) -> list[str]:
    return [
        f"{part}, {score.n}",
        str(score.services),
        f"{score.accuracy:.2f} ({interval(score.accuracy_interval)})",
        "" if score.f1 is None else f"{score.f1:.2f} ({interval(score.f1_interval)})",
        *(f"{rate.part} of {rate.n}" for rate in (score.false_warnings, score.unnoticed, score.false_failures)),
    ]


EXPERIMENTS = {STRONG: "the strong model", MAIN: "the model of 1.5 billion parameters"}
"""The models that responded to the prompts of experiments, in words."""


STUDY = Path("studies/mcp-servers/results.md")
"""What ``analyse.py`` of the study prints, from its own runs."""


def mcp_wordings(_run: StoredRun) -> Table:
    """Return the last table of the study of MCP servers: right next calls per wording, public and private names apart."""
    lines = STUDY.read_text("utf-8").rpartition("## Side by side")[2].strip().splitlines()
    _, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    rows.sort(key=lambda row: -int(row[2].split()[0]))
    return ["what the model sees", "public names", "names that it cannot know"], rows


def frames(run: StoredRun) -> Table:
    """Return the two frames on the training part: usable and right first responses."""
    head = ["model", "strategy", "usable responses: `v1` \\| `v2`", "right: `v1` \\| `v2`", "won : lost by `v2`"]
    rows = []
    for model, words in EXPERIMENTS.items():
        for strategy in ("full-context", "mend"):
            one, two = (_by_case(run, model, name, "train", "first-answer") for name in (strategy, f"{strategy}@v2"))
            counts = [
                f"{_count_of(one, holds)} \\| {_count_of(two, holds)} of {len(two)}"
                for holds in (_usable, _first_right)
            ]
            rows.append([words, f"`{strategy}`", *counts, _won_lost(two, one, _first_right)])
    return head, rows


def equal_information(run: StoredRun) -> Table:
    """Return the right first responses where form and data are apart, and those of the strong model against ``mend``."""
    head = [
        "strategy", "facts shown", "context tokens", *(f"right, {api} APIs" for api in APIS), "won : lost against `mend`",
        f"test part, {EXPERIMENTS[MAIN]}", *(f"training part, {words}" for words in EXPERIMENTS.values()),
    ]  # fmt: skip
    mend = _by_case(run, STRONG, "mend", "test", "first-answer")
    rows = []
    for name in ("none", "oracle-hint", "mend~data", "full-context", "full-context+data", "mend"):
        test = _by_case(run, STRONG, name, "test", "first-answer")
        parts = [{case: one for case, one in test.items() if one.api == api} for api in APIS]
        small = _by_case(run, MAIN, name, "test", "first-answer")
        others = [{case: one for case, one in small.items() if case in mend}]
        others += [_by_case(run, model, name, "train", "first-answer") for model in EXPERIMENTS]
        rows.append([
            f"`{name}`", f"{_mean(one.context_recall for one in test.values()):.2f}",
            f"{_mean(one.attempts[0].context_tokens for one in test.values() if one.attempts):.0f}",
            *(f"{_count_of(part, _first_right)} of {len(part)}" for part in parts),
            "" if name == "mend" else _won_lost(test, mend, _first_right),
            *(f"{_count_of(part, _first_right)} of {len(part)}" if part else "" for part in others),
        ])  # fmt: skip
    return head, rows


def feedback(run: StoredRun) -> Table:
    """Return what feedback changes within three responses: repairs, identical prompts and tokens."""
    head = [
        "model", "part", "strategy", "right after one response", "within three", "won : lost by feedback", "responses",
        "to an identical prompt", "tokens",
    ]  # fmt: skip
    rows = []
    for model, words in EXPERIMENTS.items():
        for part, strategy in ((part, name) for part in ("test", "train") for name in ("full-context", "mend")):
            names = strategy, f"{strategy}+feedback"
            sides = [_by_case(run, model, name, part, "naive") for name in names]
            shared = sides[0].keys() & sides[1].keys()
            for name, side in zip(names, sides, strict=True) if shared else ():
                own = {case: one for case, one in side.items() if case in shared}
                attempts = [attempt for one in own.values() for attempt in one.attempts]
                tokens = sum((one.prompt_tokens or 0) + (one.completion_tokens or 0) for one in own.values())
                rows.append([
                    words, part, f"`{name}`", f"{_count_of(own, _first_right)} of {len(own)}", str(_count_of(own, _right)),
                    _won_lost(own, sides[0], _right) if name != strategy else "", str(len(attempts)),
                    str(sum(attempt.repeat for attempt in attempts)), f"{tokens:,}",
                ])  # fmt: skip
    return head, rows


def rule_book(run: StoredRun) -> Table:
    """Return how the rule book ranks the strategies on the training part, beside the models."""
    head = ["strategy", "the rule book", *EXPERIMENTS.values()]
    rows = []
    for name in STRATEGIES:
        of_rules = run.records.where("treatment", partial(_is_rules, name))
        own = [
            {one.case: one for one in of_rules if one.kind in EDIT_KINDS},
            *(_by_case(run, model, name, "train", "naive") for model in EXPERIMENTS),
        ]
        rows.append([f"`{name}`", *(f"{_count_of(side, _first_right)} of {len(side)}" for side in own)])
    return head, rows


def _is_rules(name: str, treatment: Treatment) -> bool:
    return (treatment.repairer, treatment.strategy) == ("rules", name)


def _by_case(run: StoredRun, model: str, strategy: str, part: str, policy: str) -> dict[str, TrialRecord]:
    """Return a treatment's judged trials of cases with an edit fault, by case."""
    found = run.records.where(
        "treatment", lambda one: (one.model, one.strategy, one.policy) == (model, strategy, policy)
    )
    return {one.case: one for one in found if one.judged and one.kind in EDIT_KINDS and one.part == part}


def _won_lost(
    own: Mapping[str, TrialRecord], other: Mapping[str, TrialRecord], holds: Callable[[TrialRecord], bool]
) -> str:
    """Return how many cases only the first treatment gets right, and how many only the second one."""
    pairs = Counter((holds(own[case]), holds(other[case])) for case in own.keys() & other.keys())
    return f"{pairs[True, False]} : {pairs[False, True]}"


def _count_of(side: Mapping[str, TrialRecord], holds: Callable[[TrialRecord], bool]) -> int:
    return sum(map(holds, side.values()))


def _usable(record: TrialRecord) -> bool:
    """Return whether the first response could be applied, or declined."""
    return bool(record.attempts) and record.attempts[0].status in {"edited", "declined"}


def _mean(numbers: Iterable[float | None]) -> float:
    found = [number for number in numbers if number is not None]
    return sum(found) / len(found) if found else 0.0


def undeclared_steps(run: StoredRun) -> Table:
    """Return how many right trials of the strong model send a shell command or a file in a case that declares neither."""
    found: Counter[tuple[str, str, bool]] = Counter()
    for row in run.rows:
        if row["model"] == STRONG and row["policy"] == "naive" and row["part"] == "test" and row["kind"] in EDIT_KINDS:
            urls = [str(one.get("url")) for one in row["requests"]]
            if any(url.startswith(OWN_URLS) for url in urls) and not {"shell", "file"} & set(row["recorded_from"]):
                found[row["strategy"], row["api"], True] += bool(row["right_after_first"])
                found[row["strategy"], row["api"], False] += row["verdict"] == "correct"
    head = ["strategy", *(f"{api} APIs: first response \\| within three" for api in APIS)]
    return head, [
        [f"`{name}`", *(f"{found[name, api, True]} \\| {found[name, api, False]}" for api in APIS)]
        for name in by_tokens(strong(run))
    ]


def open_trials(run: StoredRun) -> Table:
    """Return the trials of the strong model without a verdict, and what each lacks."""
    rows = []
    for row in run.rows:
        if row["model"] == STRONG and row["policy"] == "naive" and row["verdict"] == "unjudged":
            lacks = str(whole(row["problem"], run.texts)["message"]).partition("; nearest")[0].partition("; nothing")[0]
            rows.append([f"`{row['case']}`", f"`{row['strategy']}`", lacks.replace("|", "\\|")[:160]])
    return ["case", "strategy", "what is missing"], rows or [["none", "", ""]]


APIS = ("private", "well-known")
LIMIT = "^"
"""What separates a strategy from the limit on its context: ``full-context^200``."""


def strong(
    run: StoredRun, policy: str | None = "naive", kinds: Collection[str] | None = EDIT_KINDS, part: str = "test"
) -> Records:
    """Return the strong model's trials in a part: of cases with an edit fault, unless ``kinds`` says otherwise."""
    chosen = run.records.where("part", part.__eq__).where("kind", lambda kind: kinds is None or kind in kinds)
    return chosen.where(
        "treatment", lambda one: one.model == STRONG and policy in (None, one.policy) and _is_plain(one.strategy)
    )


def _is_plain(strategy: str) -> bool:
    return parts_of(strategy).base == strategy and strategy != ORACLE_HINT


def of_api(records: Records, api: str) -> Records:
    """Return the trials of cases of one stratum."""
    return records.where("api", lambda one: one == api)


def by_tokens(records: Records) -> list[str]:
    """Return the strategies of some trials, the shortest context first."""
    names = {treatment.strategy for treatment in records.values("treatment")}
    return sorted(names, key=lambda name: context_tokens(records.where("treatment", partial(_strategy_is, name))))


def context_tokens(records: Records) -> float:
    """Return the mean size of the first context."""
    sizes = [attempts[0].context_tokens for attempts in records.column("attempts") if attempts]
    return sum(sizes) / len(sizes)


def _strategy_is(name: str, treatment: Treatment) -> bool:
    return treatment.strategy == name


def _right(record: TrialRecord) -> bool:
    return record.right


def _first_right(record: TrialRecord) -> bool:
    return bool(record.right_after_first)


def _bounds(records: Records, holds: Callable[[TrialRecord], bool]) -> str:
    least = sum(record.judged and holds(record) for record in records)
    most = least + sum(record.verdict == "unjudged" for record in records)
    return str(least) if least == most else f"{least} to {most}"


def harm(run: StoredRun) -> Table:
    """Return how many trials are harmful, and how many were while a workflow that is not left applied counted too."""
    counted: Counter[tuple[str, str, str]] = Counter()
    for row in run.rows:
        if row["part"] == "test" and row["model"] == MAIN and (facts := row["evidence"]["verdict"]):
            treatment = row["strategy"], row["policy"]
            counted[*treatment, "before"] += facts["harmed"] or facts["would_harm"]
            counted[*treatment, "after"] += row["harmful"]
    head = ["strategy", *(f"`{name}`, {when}" for name in ("naive", "two-layer") for when in ("before", "after"))]
    return head, [
        [f"`{name}`", *(str(counted[name, policy, when]) for policy in ("naive", "two-layer") for when in ("before", "after"))]
        for name in STRATEGIES
    ]  # fmt: skip


TABLES: Mapping[str, Callable[[StoredRun], Table]] = {
    "strategies": strategies, "policies": policies, "samples": samples, "models": models, "harm": harm, "headline": headline,
    "funnel": funnel_table, "strata": strata, "single": single, "alone": alone, "error-reports": error_reports,
    "second-edition": partial(edition, protocol="protocol-2"), "third-edition": partial(edition, protocol="protocol-3"),
    "levels": partial(levels, protocol="protocol-2"), "third-levels": partial(levels, protocol="protocol-3"),
    "second-protocol": partial(contrasts, protocol="protocol-2"), "third-protocol": partial(contrasts, protocol="protocol-3"),
    "batches": batches, "budgets": budgets, "small-model": small_model,
    "main-policies": main_policies, "training-policies": partial(main_policies, part="train"), "open": open_trials,
    "undeclared-steps": undeclared_steps, "detectors": detectors, "frames": frames, "equal-information": equal_information,
    "feedback": feedback, "rule-book": rule_book, "mcp-wordings": mcp_wordings,
}  # fmt: skip


def of(
    run: StoredRun, strategy: str, *, policy: str = "two-layer", model: str = MAIN, part: str = "test"
) -> JsonObject:
    """Return the totals of a treatment."""
    (found,) = (
        total
        for total in run.run["totals"]
        if (total["strategy"], total["policy"], total["model"], total["part"]) == (strategy, policy, model, part)
    )
    return found


def bound(run: StoredRun, repairer: str, part: str) -> str:
    """Return how many a bound repairs."""
    (found,) = (one for one in run.run["totals"] if (one["repairer"], one["part"]) == (repairer, part))
    return count(found["scores"]["repair_success"]["numerator"])


def draws(run: StoredRun, strategy: str, policy: str) -> int:
    """Return how many single draws came out right."""
    chosen = run.records.where(
        "treatment", lambda one: (one.model, one.strategy, one.policy) == (DRAWN, strategy, policy)
    )
    return sum(one.right for one in chosen)


def over_groups(records: Records, figure: Callable[[TrialRecord], float]) -> Interval | None:
    """Return the interval of a mean over trials, with groups of cases as what is drawn."""
    parts: dict[str, tuple[float, float]] = {}
    groups: dict[str, str] = {}
    for one in records:
        top, under = parts.get(one.case, (0.0, 0.0))
        parts[one.case], groups[one.case] = (top + float(figure(one)), under + 1.0), one.group
    return clustered_ratio(parts, groups)


def right(total: JsonObject, score: str, *, interval: bool = True) -> str:
    """Return a share as so many of so many, with its interval."""
    one = total["scores"][score]
    share = f"{count(one['numerator'])} of {count(one['denominator'])}"
    return f"{share} ({_ends(one['interval'])})" if interval and one["interval"] else share


def ranged(total: JsonObject, score: str) -> str:
    """Return a mean with its interval."""
    one = total["scores"][score]
    return f"{one['value']:.2f} ({_ends(one['interval'])})"


def value(total: JsonObject, score: str) -> float:
    """Return what a score comes to."""
    return float(total["scores"][score]["value"])


def link(text: str, **wanted: str) -> str:
    """Return a text as a link to its trials in the report, if there are any: they are of :data:`MAIN` under ``two-layer``."""
    shown, _, rest = text.partition(" (")
    if shown.startswith("0 "):
        return text
    return f"[{shown}]({PAGE}#{urlencode({'policy': 'two-layer', 'by': MAIN, **wanted})}&view=grid)" + (
        f" ({rest}" if rest else ""
    )


def interval(found: Interval | JsonObject | None) -> str:
    """Return the ends of an interval."""
    return "no interval" if found is None else _ends(found if isinstance(found, dict) else found._asdict())


def _ends(found: JsonObject) -> str:
    return f"{found['low']:.2f} to {found['high']:.2f}"


def count(number: float) -> str:
    """Return a count."""
    return f"{number:,.0f}"


def _differences(page: Path, stands: str, true: str) -> Iterator[str]:
    found = list(difflib.unified_diff(stands.splitlines(), true.splitlines(), str(page), "the run", lineterm="", n=0))
    if found:
        yield f"{page}: differs from the run; `python qa/benchmarks/figures.py` writes its tables"
        yield from found


def _unread(run: StoredRun) -> Iterator[str]:
    sheet = {
        (line["case"], line["workflow"]) for line in map(json.loads, SHEET.read_text(encoding="utf-8").splitlines())
    }
    missing = sorted({(case, workflow) for case, workflow in final_workflows(run)} - sheet)
    yield from (f"{SHEET}: {case}, workflow {workflow} counts and was not read" for case, workflow in missing)


def final_workflows(run: StoredRun) -> Iterator[tuple[str, str]]:
    """Yield the case and the first ten digits of the SHA-1 of each final workflow that has to be judged by eye."""
    for row in run.rows:
        if row["outcome"] in JUDGED_BY_EYE and row["model"] in {*MODELS, DRAWN}:
            yield from (
                (row["case"], workflow)
                for workflow in last(whole(one["workflow"], run.texts) for one in row["attempts"])
            )


def last(candidates: Iterable[str | None]) -> Iterator[str]:
    """Yield the digest of the last candidate that there is."""
    found = [one for one in candidates if one]
    if found:
        yield hashlib.sha1(found[-1].encode(), usedforsecurity=False).hexdigest()[:10]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

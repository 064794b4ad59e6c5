"""What a user does wrong, in words and in files: each ends in one line that names the place, what was found and what to do."""

import contextlib
import json
import re
import shutil
from pathlib import Path
from tempfile import mkdtemp

import pytest

from mendbench import api
from tests.fakes import cases
from tests.fakes.tables import for_each

CASE = f"cases/{cases.RENAMED}/case.yaml"
WORKFLOW = f"cases/{cases.RENAMED}/workflow.json"
RUN = "reports/latest/run.json"
TRIALS = "reports/latest/trials.jsonl"
SPLIT = "format: 1\ntrain: [desk-renamed-field]\ntest: [desk-closed-ledger, desk-quiet]\nhalf: []\n"
TEMPLATE = """---
title: The error
source: invented
sections:
  - {name: error, label: raw, keep: 1}
---
{% block error %}
{{ message }}
{% endblock %}
"""
HAR = json.dumps({"log": {"version": "1.2", "entries": [{"request": 3}]}})
BINARY = bytes(range(256))


def swap(path, old, new):
    """Put another text in the place of the first ``old`` of a file."""

    def spoil(root):
        text = (root / path).read_text("utf-8")
        assert old in text
        (root / path).write_text(text.replace(old, new, 1), encoding="utf-8")

    return spoil


def more(path, text):
    """Add a text to the end of a file."""
    return lambda root: (root / path).write_text((root / path).read_text("utf-8") + text, encoding="utf-8")


def half(path):
    """Cut a file in two."""
    return lambda root: (root / path).write_bytes((root / path).read_bytes()[: (root / path).stat().st_size // 2])


def after_a_line(path):
    """Cut a file within the first key of its second line."""

    def spoil(root):
        first, second, *_ = (root / path).read_bytes().splitlines(keepends=True)
        (root / path).write_bytes(first + second[:3])

    return spoil


def conflict(path):
    """Leave a merge conflict about a file's third line."""

    def spoil(root):
        lines = (root / path).read_text("utf-8").splitlines()
        both = ["<<<<<<< HEAD", lines[2], "=======", lines[2], ">>>>>>> theirs"]
        (root / path).write_text("\n".join([*lines[:2], *both, *lines[3:], ""]), encoding="utf-8")

    return spoil


def gone(path):
    return lambda root: (root / path).unlink()


def settings(text):
    return more("mendbench.toml", text)


def truth(change):
    return lambda root: cases.change_case(root, cases.RENAMED, change)


def template(old, new):
    assert old in TEMPLATE
    return ("mine.md.j2", TEMPLATE.replace(old, new))


def without_trials(root):
    lines = (root / "baseline.tsv").read_text("utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(("http/", "control/"))]
    (root / "baseline.tsv").write_text("".join(kept), encoding="utf-8")


def other_trials(root):
    text = (root / "baseline.tsv").read_text("utf-8").replace("\ttwo-layer\t", "\tnaive\t")
    (root / "baseline.tsv").write_text(text, encoding="utf-8")


def prompts_and_answers(prompts):
    def spoil(root):
        (root / "p.jsonl").write_text(prompts, encoding="utf-8")
        (root / "a.jsonl").write_text('{"custom_id": "ask-1", "content": "x"}\n', encoding="utf-8")

    return spoil


ROWS = (
    # words on the command line
    ("unknown command", None, "rnu", 2, "command: unknown command 'rnu'; did you mean 'run'? known: case, compare, debug, detectors, doctor, engine, errors, gate, init, mcp, merge, node, prompts, recordings, report, run, schema, strategy, tools, try and 1 more"),
    ("unknown option", None, "run --polcy naive", 2, "run: unknown option '--polcy'; did you mean '--policy'? known: --all, --allow-shell, --allow-writes, --cases, --cassettes, --cluster, --concurrency, --details, --detector, --dry-run, --engine, --format, --frame, --fresh, --gated, --help, --model, --out, --part, --policy and 7 more"),
    ("option without value", None, "run --out", 2, "run: Option '--out' requires an argument; `mendbench run --help` shows how"),
    ("argument too many", None, "report a b", 2, "report: Got unexpected extra argument(s) (b); `mendbench report --help` shows how"),
    ("required option missing", None, "merge a", 2, "merge: Missing option '--out'; `mendbench merge --help` shows how"),
    ("case, misspelt", None, "run http/renamed-feild", 2, "{root}/cases: unknown case 'http/renamed-feild'; did you mean 'http/renamed-field'? known: control, control/quiet-greeting, http, http/closed-ledger, http/renamed-field"),
    ("family, unknown", None, "prompts diff slack", 2, "{root}/cases: unknown case 'slack'; known: control, control/quiet-greeting, http, http/closed-ledger, http/renamed-field"),
    ("case of show", None, "case show http/renamed-feild", 2, "{root}/cases: unknown case 'http/renamed-feild'; did you mean 'http/renamed-field'? known: control/quiet-greeting, http/closed-ledger, http/renamed-field"),
    ("strategy", None, "run --strategy full-contxt", 2, "strategy: unknown strategy 'full-contxt'; did you mean 'full-context'? known: agent-json, cli-json, cli-text, errors-json, full-context, instructor, langchain, mend, none, openai-agents, pattern-hints, placebo, pydantic-ai, suggestions, summary, summary-b, top3-text"),
    ("strategy, section", None, "strategy show summary~nope", 2, "strategy summary: unknown section 'nope'; known: errors, guidance, state"),
    ("strategy, addition", None, "strategy show summary+histroy", 2, "strategy summary+histroy: unknown addition 'histroy'; did you mean 'history'? known: data, feedback, history"),
    ("frame", None, "prompts export --frame v9", 2, "frame: unknown frame 'v9'; did you mean 'v2'? known: v1, v2, v2-json-patch, v2-workflow"),
    ("policy", None, "run --policy two-layr", 2, "policy: unknown policy 'two-layr'; did you mean 'two-layer'? known: all, ask-first, confident, first-answer, loop, naive, seed, three-strikes, two-layer, warn"),
    ("policy twice", None, "run --policy naive --policy naive", 2, "--policy: 'naive' is given twice; give it once"),
    ("detector", None, "detectors evaluate --detector structurl", 2, "detector: unknown detector 'structurl'; did you mean 'structural'? known: coded, graded, minimal, status-table, structural, weighted"),
    ("detector, threshold", None, "run --detector weighted@2", 2, "detector weighted@2: threshold '2'; write a confidence from 0.5 to 1 after the @"),
    ("model", None, "run --model gpt-9", 2, "model: unknown model 'gpt-9'; known: tiny-coder; to use a new one, add [models.\"gpt-9\"] to {root}/mendbench.toml"),
    ("model of a rendering", None, "strategy render full-context http/renamed-field --model gpt-9", 2, "model: unknown model 'gpt-9'; known: tiny-coder; to use a new one, add [models.\"gpt-9\"] to {root}/mendbench.toml"),
    ("model of labels", None, "detectors evaluate --model gpt-9", 2, "model: unknown model 'gpt-9'; known: tiny-coder"),
    ("repairer", None, "run --repairer rulez", 2, "repairer: unknown repairer 'rulez'; did you mean 'rules'? known: callable, chat, command, noop, reference, rules, suggestion-only"),
    ("engine", None, "run --engine mendbnch", 2, "engine: unknown engine 'mendbnch'; did you mean 'mendbench'? known: mendbench"),
    ("part", None, "strategy render summary --part tset", 2, "part: unknown part 'tset'; did you mean 'test'? known: all, half, test, train"),
    ("part of a corpus without split", None, "run --part test", 2, "{root}/cases/split.yaml: no such file, so the corpus has no parts; write it, or take all cases"),
    ("part of a run without parts", None, "report --part tset", 2, "--part tset: the run has no parts, because its corpus has no split; leave --part away"),
    ("treatment of a side", None, "compare reports/latest:strategy=nine reports/latest", 2, "reports/latest:strategy=nine: unknown strategy 'nine'; known: full-context"),
    ("score", None, "compare reports/latest reports/latest --score repair_sucess", 2, "score: unknown score 'repair_sucess'; did you mean 'repair_success'? known: attempt1_success, attempts, collateral_edits, completion_tokens, context_recall, context_tokens, control_success, cost, cost_per_repair, crashed, false_alarm_rate, false_warning, fruitless, futile, green_right, harmful, missed_warning, mixed_success, needs_user_success, pass_1 and 23 more"),
    ("example", None, "init --example htpp", 2, "--example: unknown example 'htpp'; did you mean 'http'? known: http, mcp, slack"),
    ("ci service", None, "init --ci gitlub", 2, "--ci: unknown CI service 'gitlub'; did you mean 'gitlab'? known: github, gitlab, none"),
    ("schema", None, "schema cases", 2, "schema: unknown schema 'cases'; did you mean 'case'? known: case, config, strategy, trial, workflow"),
    ("format", None, "run --format yaml", 2, "run: Invalid value for '--format': 'yaml' is not one of 'text', 'json'; `mendbench run --help` shows how"),
    ("kind", None, "case list --kind repairible", 2, "kind: unknown kind 'repairible'; did you mean 'repairable'? known: control, mixed, needs_user, repairable, transient"),
    ("provenance", None, "case list --provenance sim", 2, "provenance: unknown provenance 'sim'; did you mean 'simulator'? known: live, real, simulator"),
    ("shard above its number", None, "run --shard 5/4", 2, "--shard: '5/4'; give K/N with K from 1 to N, such as 2/4"),
    ("more shards than cases", None, "run --shard 1/4", 2, "--shard: 4 shards of 3 cases; use 3 shards at most"),
    ("workers", None, "run --workers -1", 2, "run: Invalid value for '--workers': '-1' is not an integer of at least 0; `mendbench run --help` shows how"),
    ("samples", None, "run --samples 0", 2, "run: Invalid value for '--samples': '0' is not an integer of at least 1; `mendbench run --help` shows how"),
    ("record", None, "run --record sometimes", 2, "record mode: unknown record mode 'sometimes'; known: all, new_episodes, none"),
    ("record without a server", None, "run --record all --strategy summary --policy naive", 2, "models.tiny-coder: no base_url; configure one, or replay with --record none"),
    ("budget", None, "try mend --budget soon", 2, "--budget: 'soon'; write an amount above 0 and a unit: 5min, 2usd or 200prompts"),
    ("input without value", None, "workflow run flow.json --input person_id", 2, "--input: 'person_id'; write NAME=VALUE"),
    ("secret that is no pair", None, "workflow run flow.json --secret hunter2", 2, "--secret: no pair; write NAME=ENVVAR: the name of an environment variable, never the secret itself"),
    ("secret that is not set", None, "workflow run flow.json --secret token=NO_SUCH_VARIABLE", 2, "--secret: the environment variable 'NO_SUCH_VARIABLE' of the input 'token' is not set; set it, or name another variable"),
    ("strategy of a repair", None, "workflow run flow.json --auto-repair --strategy sumary", 2, "strategy: unknown strategy 'sumary'; did you mean 'summary'? known: agent-json, cli-json, cli-text, errors-json, full-context, instructor, langchain, mend, none, openai-agents, pattern-hints, placebo, pydantic-ai, suggestions, summary, summary-b, top3-text"),
    ("model of a repair", None, "workflow run flow.json --auto-repair --model gpt-9", 2, "model: unknown model 'gpt-9'; known: tiny-coder; to use a new one, add [models.'gpt-9'] to the configuration"),
    ("resume of nothing", None, "run --resume reports/nothing", 2, "reports/nothing: there is no unfinished run to resume; start one without --resume"),
    ("gated with strategy", None, "run --gated --strategy none", 2, "--gated: given with --strategy none; the baseline names the trials: leave out one of the two"),
    ("partial without update", None, "gate --partial", 2, "--partial: nothing to accept; give it together with --update"),
    ("attempt that never was", None, "strategy render full-context http/renamed-field --attempt 9", 2, "--attempt 9: the trial has 1 attempt and then stops (succeeded); give the number of one that there is"),
    ("watch as json", None, "strategy watch ./mine.md.j2 --format json", 2, "--format json: a watch does not end; add --once"),
    ("labelled with strategy", None, "prompts export --labelled r.jsonl --strategy none", 2, "--labelled: options that choose trials; use it with --model and --out only"),
    ("try of a strategy against itself", None, "try mend --against mend --model tiny-coder", 2, "--against: 'mend' is the strategy itself; name another one"),
    # folders and files in the wrong place
    ("run to gate", None, "gate reports/nothing", 2, "reports/nothing: no run is in it; make one with `mendbench run`"),
    ("run that is no shard", None, "merge reports/latest --out merged", 2, "reports/latest: a run that is no shard; merge what `mendbench run --shard K/N` wrote"),
    ("cases that are a file", None, "run --cases mendbench.toml", 2, "mendbench.toml: a file, not a folder; name the folder of the cases with --cases"),
    ("cassettes nowhere", None, "prompts prune --cassettes nowhere", 2, "--cassettes nowhere: no such folder; name the folder of the recordings"),
    ("out of a file", None, "run --repairer rules --out mendbench.toml", 2, "mendbench.toml: a file, and a run needs a folder; choose another folder with --out"),
    ("out below a file", None, "run --repairer rules --out mendbench.toml/here", 2, "mendbench.toml/here: a folder of this path is a file; choose another folder with --out"),
    ("out in use", None, "run --repairer rules --out cases", 2, "cases: it holds 'control', which is of no run; choose another folder with --out"),
    ("junit in the run", None, "report --junit reports/latest/j.xml", 2, "reports/latest/j.xml: it lies in the folder of the run; write beside reports/latest: a run replaces it whole"),
    ("junit over a folder", None, "report --junit cases", 2, "cases: a folder, not a file; name another place"),
    ("summary outside github", None, "report --github-summary", 2, "GITHUB_STEP_SUMMARY: not set; leave --github-summary away outside GitHub Actions, or write the same with --markdown FILE"),
    ("against nothing", None, "report --junit j.xml --against nope.tsv", 2, "nope.tsv: no such file or folder; name a baseline's file or a run's folder"),
    ("prompts over a folder", None, "prompts export --out cases --strategy summary --policy naive --workers 1", 2, "--out cases: a folder, not a file; name another file"),
    ("trace nowhere", None, "errors list", 2, ".mendbench/last-trace.json: no such file; write one with `mendbench workflow run FILE`, or name one with --trace"),
    ("trace of something else", ("t.json", '{"a": 1}'), "debug node-io --node person --trace t.json", 2, "t.json: no trace; write one with `mendbench workflow run FILE`"),
    ("trace of another format", ("t.json", '{"format": 99, "executions": []}'), "errors show person --trace t.json", 2, "t.json: format: format 99; this mendbench reads format 1"),
    ("workflow that is a list", ("w.json", "[]"), "workflow validate w.json", 2, "w.json: a JSON list; a workflow is a JSON object with 'nodes'"),
    ("workflow that is binary", ("w.json", BINARY), "workflow inspect w.json", 2, "w.json: byte 128 is not UTF-8; save the file as UTF-8"),
    ("template nowhere", None, "strategy watch ./nope.md.j2 --once", 2, "nope.md.j2: no such file; give the path of a UTF-8 template file"),
    ("responses nowhere", None, "detectors evaluate nope.jsonl", 2, "nope.jsonl: no such file; name a file of labelled responses"),
    # files of a run and of the gate
    ("run of another format", swap(RUN, '"format": 6', '"format": 4'), "report", 2, "reports/latest/run.json: format: 4; this mendbench reads format 6: make the run again with `mendbench run`"),
    ("run cut off", half(RUN), "report", 2, "reports/latest/run.json:286:21: no JSON (Unterminated string starting at); make the run again with `mendbench run`"),
    ("run in conflict", conflict(RUN), "compare", 2, "reports/latest/run.json:3: a merge conflict; resolve it"),
    ("trials cut off", after_a_line(TRIALS), "gate", 2, "reports/latest/trials.jsonl:2:2: no JSON (Unterminated string starting at); make the run again with `mendbench run`"),
    ("trials missing", gone(TRIALS), "report", 2, "reports/latest/trials.jsonl: no such file; make the run again with `mendbench run`"),
    ("no baseline", gone("baseline.tsv"), "gate", 2, "baseline.tsv: no such baseline; make it from a run that is right with `mendbench gate --update`"),
    ("empty baseline", ("baseline.tsv", ""), "gate", 2, "baseline.tsv: no line that states 'format'; take it from version control, or delete the file and accept a run with `mendbench gate --update`"),
    ("baseline of format 3", swap("baseline.tsv", "format\t4", "format\t3"), "gate", 2, "baseline.tsv:2: format '3'; this mendbench reads format 4; accept a run again with `mendbench gate --update`"),
    ("baseline without trials", without_trials, "gate", 2, "baseline.tsv: a baseline without trials; accept a run with `mendbench gate --update`"),
    ("baseline in conflict", conflict("baseline.tsv"), "gate", 2, "baseline.tsv:3: a merge conflict; resolve it, or accept a run of the merged code with `mendbench gate --update`"),
    ("baseline cut off", half("baseline.tsv"), "gate", 2, "baseline.tsv:7: 17 columns where 20 are due; take it from version control, or delete the file and accept a run with `mendbench gate --update`"),
    ("baseline of other trials", other_trials, "gate", 2, "baseline.tsv: none of its 3 trials is among the 3 of reports/latest; gate the run that it belongs to, or accept this one with `mendbench gate reports/latest --update`"),
    ("baseline of a case that went", swap("baseline.tsv", "http/closed-ledger", "http/open-ledger"), "run --gated", 2, "baseline.tsv: trials of http/open-ledger, which is no case of {root}/cases; make a run without --gated, and accept it with `mendbench gate --update`"),
    ("unjudged run to accept", None, "gate reports/open --update", 3, "reports/open: 2 of 3 trials miss a recording, the first of them http/closed-ledger | mendbench | chat | tiny-coder | summary | naive | - | 000000; record what is missing (`mendbench run` says how), or accept the others with --update --partial"),
    ("recording that is missing", lambda root: shutil.rmtree(root / "cassettes"), "strategy render full-context http/renamed-field --attempt 2", 3, "no recording answers the model request 71f36e44 to model 'tiny-coder'; nothing like it is recorded; record it with: mendbench run http/renamed-field --strategy full-context --policy naive --repairer chat --model tiny-coder --record new_episodes"),
    # mendbench.toml
    ("toml syntax", settings("[gate\nnew = true\n"), "case list", 2, "{root}/mendbench.toml:9:6: no TOML (Expected ']' at the end of a table declaration); mend the TOML there"),
    ("toml in conflict", conflict("mendbench.toml"), "case list", 2, "{root}/mendbench.toml:3: a merge conflict; resolve it"),
    ("toml not utf-8", ("mendbench.toml", "# caf\xe9\n".encode("latin-1")), "case list", 2, "{root}/mendbench.toml: byte 5 is not UTF-8; save the file as UTF-8"),
    ("unknown key", settings("[gate]\nbasline = 'b'\n"), "gate", 2, "{root}/mendbench.toml: gate.basline: unknown key 'basline'; did you mean 'baseline'?"),
    ("wrong word", settings("[gate]\ngone = 'ignore'\n"), "gate", 2, "{root}/mendbench.toml: gate.gone: unknown value 'ignore'; known: fail, show"),
    ("wrong type", settings("[gate]\nnew = 'yes'\n"), "gate", 2, "{root}/mendbench.toml: gate.new: Input should be a valid boolean (found 'yes'); `mendbench schema config` has all keys and values"),
    ("limit out of range", settings("[gate.limits]\nmin_repair_success = 3\n"), "gate", 2, "{root}/mendbench.toml: gate.limits.min_repair_success: 3 for a share; give a number from 0 to 1"),
    ("limit on an unknown score", settings("[gate.limits]\nmax_wastedd = 1\n"), "gate", 2, "{root}/mendbench.toml: gate.limits.max_wastedd: unknown score 'wastedd'; did you mean 'wasted'? known: attempt1_success, attempts, collateral_edits, completion_tokens, context_recall, context_tokens, control_success, cost, cost_per_repair, crashed, false_alarm_rate, false_warning, fruitless, futile, green_right, harmful, missed_warning, mixed_success, needs_user_success, pass_1 and 23 more"),
    ("limit of no side", settings("[gate.limits]\nwasted = 1\n"), "gate", 2, "{root}/mendbench.toml: gate.limits.wasted: a limit named 'wasted'; begin it with max_ or min_ before a score's name, such as max_wasted"),
    ("limit on an unknown strategy", settings("[gate]\nstrategies = ['nine']\n[gate.limits]\nmax_wasted = 1\n"), "gate", 2, "{root}/mendbench.toml: gate.strategies: unknown strategy 'nine'; known: full-context"),
    ("unknown model", swap("mendbench.toml", 'models = ["tiny-coder"]', 'models = ["tiny-codr"]'), "run", 2, "{root}/mendbench.toml: matrix.models: unknown model 'tiny-codr'; did you mean 'tiny-coder'? known: tiny-coder; or add a table [models.'tiny-codr']"),
    ("tables that share responses", settings("[models.other]\nserved_as = 'tiny-coder'\nbase_url = 'http://127.0.0.1:1/v1'\n"), "run", 2, "{root}/mendbench.toml: models.other: its responses are recorded as 'tiny-coder', like those of 'tiny-coder', but it has another base_url, api_key_env, provider, timeout_s, concurrency or requests_per_minute; let both tables say the same of them, or give the models different names"),
    ("repairer of neither kind", settings("[repairers.mine]\nwindow = 4096\n"), "run", 2, "{root}/mendbench.toml: repairers.mine: give either 'command' or 'callable'; `mendbench schema config` has all keys and values"),
    # case.yaml
    ("missing key", truth(lambda case: case["faults"][0].pop("evidence")), "case show http/renamed-field", 2, "{root}/cases/http/renamed-field/case.yaml:53:3: faults.0.evidence: nothing is there; add 'evidence'; `mendbench schema case` has all keys and values"),
    ("misspelt key", truth(lambda case: case.update(titel=case.pop("title"))), "case show http/renamed-field", 2, "{root}/cases/http/renamed-field/case.yaml:113:1: titel: unknown key 'titel'; did you mean 'title'?"),
    ("misspelt value", truth(lambda case: case.update(api="privat")), "case show http/renamed-field", 2, "{root}/cases/http/renamed-field/case.yaml:114:1: api: unknown value 'privat'; did you mean 'private'? known: private, well-known"),
    ("repeated key", more(CASE, "title: again\n"), "case show http/renamed-field", 2, "{root}/cases/http/renamed-field/case.yaml:114:1: the key 'title' stands twice; keep one of the two"),
    ("bad regular expression", truth(lambda case: case["checks"].append({"no_request": {"url": "notes("}})), "case show http/renamed-field", 2, "{root}/cases/http/renamed-field/case.yaml:89:5: checks.4.no_request.url: not a regular expression: missing ), unterminated subpattern at position 5 (found 'notes('); mend it, or put a backslash in front of a character that stands for itself"),
    ("unknown node", truth(lambda case: case["expect"]["first"].update(nota="error")), "case show http/renamed-field", 2, "{root}/cases/http/renamed-field/case.yaml:67:5: expect.first.nota: unknown node 'nota'; did you mean 'note'? known: note, person"),
    ("fault without fix", truth(lambda case: case.pop("fix")), "run --repairer rules", 2, "{root}/cases/http/renamed-field/case.yaml:58:3: faults.0.who: an edit fault and no reference fix; add fix, or say who else can help"),
    ("fix that does not apply", truth(lambda case: case["fix"][0].update(path="/nodes/nota/params")), "case check http/renamed-field --workers 1", 1, "{root}/cases/http/renamed-field/case.yaml:99:1: fix: it does not apply: operation 1: there is no node 'nota'; the nodes are person, note; mend the patch"),
    ("unlabelled case", truth(lambda case: case.update(title="LABEL-ME what is wrong, in one line")), "case show http/renamed-field", 2, "{root}/cases/http/renamed-field/case.yaml:1:8: title is not labelled; what is wrong, in one line"),
    ("tab", swap(CASE, "  ", "\t"), "case show http/renamed-field", 2, "{root}/cases/http/renamed-field/case.yaml:5:1: a tab; indent with spaces"),
    ("empty case", (CASE, ""), "case show http/renamed-field", 2, "{root}/cases/http/renamed-field/case.yaml: the file is empty; `mendbench schema case` has all keys and values"),
    ("case in conflict", conflict(CASE), "case show http/renamed-field", 2, "{root}/cases/http/renamed-field/case.yaml:3: a merge conflict; resolve it"),
    ("secret in a case", truth(lambda case: case.update(secrets={"desk": "hunter2"}, recorded_from={"json_api": "live"})), "case show http/renamed-field", 2, "{root}/cases/http/renamed-field/case.yaml:115:3: secrets.desk: a secret that is no ${env:VARIABLE}; name an environment variable, and never write the secret"),
    # workflow.json, split.yaml
    ("no workflow.json", gone(WORKFLOW), "case show http/renamed-field", 2, "{root}/cases/http/renamed-field/workflow.json: no such file; put the failing workflow there"),
    ("workflow.json with a key twice", (WORKFLOW, '{"nodes": [], "nodes": []}'), "case show http/renamed-field", 2, "{root}/cases/http/renamed-field/workflow.json: the key 'nodes' stands twice in an object; keep one of the two"),
    ("edge from an unknown node", swap(WORKFLOW, '"from": "person"', '"from": "persn"'), "case show http/renamed-field", 2, "{root}/cases/http/renamed-field/workflow.json: edges.0.from: unknown node 'persn'; did you mean 'person'? known: note, person"),
    ("group of no case", ("cases/split.yaml", SPLIT.replace("desk-renamed-field", "desk-renamed-field, desk-qiet")), "case check --workers 1", 1, "{root}/cases/split.yaml:2:1: train: unknown group 'desk-qiet'; did you mean 'desk-quiet'? known: desk-closed-ledger, desk-quiet, desk-renamed-field"),
    ("empty split", ("cases/split.yaml", ""), "run --part train", 2, "{root}/cases/split.yaml: the file is empty; its keys are editions, format, half, test, train"),
    ("empty part", ("cases/split.yaml", SPLIT), "run --part half", 2, "--part half: no trial is selected, because none of the cases is in the part; name another part or case"),
    # templates
    ("no front matter", ("mine.md.j2", "{% block error %}x{% endblock %}\n"), "strategy show ./mine.md.j2", 2, "mine.md.j2:1: no front matter; begin the file with '---', title, source and sections, '---'"),
    ("no source", template("source: invented\n", ""), "strategy show ./mine.md.j2", 2, "mine.md.j2: front matter: no field 'source'; add it"),
    ("no keep", template(", keep: 1", ""), "strategy show ./mine.md.j2", 2, "mine.md.j2: sections[0]: {'name': 'error', 'label': 'raw'}; give exactly name, label and keep"),
    ("unknown label", template("raw", "rwa"), "strategy show ./mine.md.j2", 2, "mine.md.j2: sections[0].label: unknown label 'rwa'; did you mean 'raw'? known: derived, raw, state"),
    ("template syntax", template("{{ message }}", "{{ message }"), "strategy show ./mine.md.j2", 2, "mine.md.j2:8: unexpected '}'; mend the template"),
    ("unknown variable", template("{{ message }}", "{{ mesage }}"), "strategy show ./mine.md.j2", 2, "mine.md.j2:8: unknown variable 'mesage'; did you mean 'message'? known: action, agent, attempts, available_fields, available_fields_total, available_fields_truncated, batch_item, before, category, diagnosis, earlier, exception_type, execution, failures, fixable, hint, mcp_error, mcp_error_details, message, node_id and 20 more"),
    ("unknown field of a failure", template("{{ message }}", "{{ failures[0].mesage }}"), "strategy show ./mine.md.j2", 2, "mine.md.j2:8: unknown field of a failure 'mesage'; did you mean 'message'? known: action, available_fields, available_fields_total, available_fields_truncated, batch_item, category, earlier, exception_type, fixable, hint, mcp_error, mcp_error_details, message, node_id, node_type, problems, raw_response, request_sent, response_headers, response_time and 10 more"),
    ("undeclared block", template("{% endblock %}", "{% endblock %}{% block more %}x{% endblock %}"), "strategy show ./mine.md.j2", 2, "mine.md.j2:9: block 'more' is no declared section; declare it in sections"),
    ("template in conflict", conflict("mine.md.j2"), "strategy show ./mine.md.j2", 2, "mine.md.j2:3: a merge conflict; resolve it"),
    ("template that fails", template("{{ message }}", "{{ status_code + 1 }}"), "strategy render ./mine.md.j2 http/renamed-field", 2, "mine.md.j2:8: TypeError: unsupported operand type(s) for +: 'NoneType' and 'int'; mend the template for this failure"),
    # files of prompts and responses; files to import
    ("prompts nowhere", ("a.jsonl", "{}\n"), "prompts import a.jsonl --prompts p.jsonl", 2, "p.jsonl: no such file; name a file that can be read"),
    ("prompts that are none", prompts_and_answers("hello\n"), "prompts import a.jsonl --prompts p.jsonl", 2, "p.jsonl:1:1: no whole line of JSON (Expecting value); fetch the file again, or mend the line"),
    ("prompts without content", prompts_and_answers(""), "prompts import a.jsonl --prompts p.jsonl", 2, "p.jsonl: no prompt in it; use the file as it was exported"),
    ("response cut off", ("r.jsonl", '{"service": "desk", "status": 40'), "detectors explain r.jsonl", 2, "r.jsonl:1:33: no JSON (Expecting ',' delimiter); write one JSON object a line"),
    ("response of a misspelt key", ("r.jsonl", '{"statsu": 404, "truth": "error"}\n'), "detectors evaluate r.jsonl", 2, "r.jsonl:1: statsu: unknown key 'statsu'; did you mean 'status'?"),
    ("response without label", ("r.jsonl", '{"status": 404}\n'), "detectors evaluate r.jsonl", 2, "r.jsonl:1: truth: missing; write success, warning or error"),
    ("import of nothing", None, "case import http/new --from nope.har", 2, "nope.har: no such file; name the file to import"),
    ("import of unknown json", ("f.json", "{}"), "case import http/new --from f.json", 2, "f.json: JSON of no known format; name a trace of `workflow run` or of the engine, a HAR file, a vcrpy cassette, an OpenTelemetry trace, an MCP JSON-RPC log, an n8n execution, a `curl -v` transcript, or a pasted request and response"),
    ("import of text", ("f.txt", "hello\n"), "case import http/new --from f.txt", 2, "f.txt: no known format; name a trace of `workflow run` or of the engine, a HAR file, a vcrpy cassette, an OpenTelemetry trace, an MCP JSON-RPC log, an n8n execution, a `curl -v` transcript, or a pasted request and response"),
    ("import of a har without version", ("f.har", '{"log": {"entries": []}}'), "case import http/new --from f.har", 2, "f.har: log.version: no version; export it as HAR 1.2"),
    ("import of a broken har", ("f.har", HAR), "case import http/new --from f.har", 2, "f.har: log.entries[0]: no entry ('response' is missing); export it as HAR 1.2"),
    ("import of a har cut off", ("f.har", HAR[:40]), "case import http/new --from f.har", 2, "f.har:1:41: no JSON (Expecting property name enclosed in double quotes); mend the JSON there"),
    ("import of a broken cassette", ("f.yaml", "interactions: 3\n"), "case import http/new --from f.yaml", 2, "f.yaml: no cassette: interactions is missing or no list; name a cassette of vcrpy, in YAML or JSON"),
    ("import of a broken trace", ("f.json", '{"executions": 3}'), "case import http/new --from f.json", 2, "f.json: no trace; write one with `mendbench workflow run FILE`"),
    ("import of an open log", ("f.jsonl", '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}}\n'), "case import http/new --from f.jsonl", 2, "f.jsonl: no tool call with a response ([0] tools/call x: the log ends before its response); name a log with the JSON-RPC messages of an MCP client or server, one message or array a line"),
    ("import of a request alone", ("f.txt", "> GET /x HTTP/1.1\n"), "case import http/new --from f.txt", 2, "f.txt: line 1 GET /x: no exchange that can be imported (no response follows); paste the output of `curl -v` with its command line, or a request and its response as sent"),
    ("import of a broken execution", ("f.json", '{"workflowData": {"nodes": []}, "data": {"resultData": 3}}'), "case import http/new --from f.json", 2, "f.json: data.resultData.runData: no object; export the execution with its data: GET /api/v1/executions/ID?includeData=true"),
    ("import over a case", ("f.har", HAR), "case import http/renamed-field --from f.har", 2, "cases/http/renamed-field: it is there already; choose another name, or delete it first"),
    ("case over a case", None, "case new http/renamed-field", 2, "cases/http/renamed-field: it is there already; choose another name, or delete it first"),
    ("case below a file", None, "case new http/new --cases mendbench.toml", 2, "mendbench.toml/http/new: a folder of this path is a file; name another folder with --cases"),
)  # fmt: skip


def tree(root):
    """Return every file and folder with its bytes, but for what a command may keep for itself."""
    found = (path for path in root.rglob("*") if ".mendbench" not in path.relative_to(root).parts)
    return {path.relative_to(root): path.read_bytes() if path.is_file() else None for path in found}


@pytest.fixture(scope="module")
def whole(built, tmp_path_factory):
    """A corpus with a run, an accepted baseline, a run without all its recordings, a workflow and a template. Nobody may change it."""
    root = cases.copy_of(built, tmp_path_factory.mktemp("whole") / "corpus")
    (root / "flow.json").write_text(json.dumps(cases.workflow("Hello!")), encoding="utf-8")
    (root / "mine.md.j2").write_text(TEMPLATE, encoding="utf-8")
    with contextlib.chdir(root):
        api.run(api.RunOptions(strategies=("full-context",), policies=("two-layer",), repairers=("rules",), workers=1))
        api.accept_run()
        unrecorded = api.RunOptions(strategies=("summary",), policies=("naive",), out=Path("reports/open"), workers=1)
        api.run(unrecorded)
    shutil.rmtree(root / ".mendbench")
    return root


@pytest.fixture
def spoilt(whole, tmp_path, monkeypatch):
    """Return the corpus after a change, as the current folder: without a change the shared one, else a copy."""
    for name in ("CI", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)

    def prepare(spoil):
        root = whole if spoil is None else cases.copy_of(whole, Path(mkdtemp(dir=tmp_path)) / "corpus")
        if isinstance(spoil, tuple):
            path, content = spoil
            (root / path).write_bytes(content if isinstance(content, bytes) else content.encode())
        elif spoil is not None:
            spoil(root)
        monkeypatch.chdir(root)
        return root

    return prepare


@for_each(("name", "spoil", "words", "code", "line"), ROWS)
def test_bad_input_ends_in_one_line_that_states_where_what_and_what_to_do(
    mendbench, spoilt, name, spoil, words, code, line
):
    root = spoilt(spoil)
    before = tree(root)
    result = mendbench(*(words.split(" ") if isinstance(words, str) else words))
    assert (result.code, result.line.replace(str(root), "{root}")) == (code, line)
    assert len(result.err) <= 1200
    assert re.fullmatch(r".+?: .+?; .+", line) or line.startswith("no recording answers ")
    assert tree(root) == before


def test_no_two_rows_have_one_name():
    names = [row[0] for row in ROWS]
    assert len(names) == len(set(names))

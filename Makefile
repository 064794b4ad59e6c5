# Two commands on a fresh machine: `make bench` replays the shipped matrix, `make test` runs every test but the slow ones. Both set up what they need.
.DEFAULT_GOAL := help
.PHONY: help bench bench-all test check check-release torture speed profile gallery format lock clean record-world record-test record-lock

PYTHON ?= python3
# The tests start hundreds of programs: without cached bytecode each of them compiles mendbench again.
unexport PYTHONDONTWRITEBYTECODE
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

help:
	@echo "make bench   replay the headline of the shipped matrix and write reports/latest/index.html"
	@echo "make bench-all   replay all of it: every model, strategy and policy"
	@echo "make test    every test but the slow ones, the browser's too"
	@echo "make check   format, lint, types, layers, the proof of every case, the README's figures, and the gate on the shipped matrix"
	@echo "make check-release   the same and every test, also the slow ones and those of qa, properties with ten times the examples; the corpus again and again; packages, audit, lowest and newest dependencies"
	@echo "make torture   kill it, damage its files, feed it hostile answers and secrets: what was tried and what survived"
	@echo "make speed   replay beside other commands: ratios, with their spread"
	@echo "make profile   where a replay's time goes, as a table and as a flame graph, reports/flame.svg"
	@echo "make gallery   the shipped matrix's report, its pictures and the README's tables: reports/benchmark.html, docs/images"
	@echo "make record-world   record what is missing from the real servers, in .venv-record"

# One sentence where Python is too old or too new: pip would only say that it finds no file of a pinned package.
CHECK_PYTHON = @version=$$($(PYTHON) --version 2>&1) || version=missing; case "$$version" in "Python 3.1"[123].*) ;; *) \
	echo "mendbench needs Python 3.11 to 3.13; $(PYTHON) is $${version\#Python }. Run make PYTHON=python3.12 $(MAKECMDGOALS), or name another one." >&2; \
	exit 1;; esac

.venv/bin/python:
	$(CHECK_PYTHON)
	$(PYTHON) -m venv .venv

.venv/.run: requirements/run.txt pyproject.toml | .venv/bin/python
	$(PIP) install --require-hashes --only-binary :all: -r requirements/run.txt
	$(PIP) install --no-deps --no-build-isolation --no-index -e .
	@touch $@

.venv/.test: requirements/test.txt .venv/.run
	$(PIP) install --require-hashes --only-binary :all: -r requirements/test.txt
	@touch $@

bench: .venv/.run
	$(BIN)/mendbench run

bench-all: .venv/.run
	$(BIN)/mendbench run --all

# Three workers, since on two cores each waits a quarter of its time: for programs that it started, and for a browser.
WORKERS ?= 3

test: .venv/.test
	@sh tests/setup-machine
	$(BIN)/python -m pytest tests -n $(WORKERS) --dist worksteal

# What takes longer than a commit should: the slow tests, those of qa, and ten times the examples of every property; and what a release has to stand.
# PARTS="packages audit" chooses of the latter.
check-release: check
	HYPOTHESIS_PROFILE=thorough $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "slow or not slow"
	$(BIN)/mendbench case check --cases seeds/cases --cassettes seeds/cassettes
	$(BIN)/python -m qa.torture determinism
	$(BIN)/python qa/benchmarks/getting_started.py --check
	$(BIN)/python -m qa.release $(PARTS)

# The long versions of what qa/torture tries briefly in `make test`. PARTS="crashes secrets" chooses.
torture: .venv/.test
	$(BIN)/python -m qa.torture $(PARTS)

check: .venv/.test
	$(BIN)/ruff format --check src tests qa examples
	$(BIN)/ruff check src tests qa examples
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/mendbench run --all
	$(BIN)/mendbench case check
	$(BIN)/python qa/benchmarks/figures.py --check
	$(BIN)/mendbench gate

# The other harnesses that speed.py measures, in an environment of their own; promptfoo is measured if its command is installed.
.venv-speed/.done: pyproject.toml | .venv/.test
	$(PYTHON) -m venv .venv-speed
	@echo '*' > .venv-speed/.gitignore
	.venv-speed/bin/python -m pip --disable-pip-version-check -q install $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["speed"])')
	@touch $@

# ROUNDS=1 is quick.
ROUNDS ?= 5

speed: .venv/.test .venv-speed/.done
	$(BIN)/python qa/benchmarks/speed.py --rounds $(ROUNDS) --peers .venv-speed/bin/python

profile: .venv/.run
	$(BIN)/python -m cProfile -o reports/profile.pstats -m mendbench run 'github/*' --workers 1 --out reports/profiled
	$(BIN)/python -c "import pstats; pstats.Stats('reports/profile.pstats').sort_stats('cumulative').print_stats(60)"
	$(BIN)/python qa/benchmarks/flame.py --label "mendbench run 'github/*'" -- run 'github/*' --workers 1 --out reports/profiled

gallery: .venv/.test
	@sh tests/setup-machine
	$(BIN)/mendbench run --part first --out reports/headline
	set -e; for edition in second third; do \
		$(BIN)/mendbench run --part $$edition-test --model claude-2026-11-28-batched --policy first-answer --strategy none --strategy cli-text --strategy summary \
			--strategy agent-json --strategy full-context --strategy full-context+data --strategy mend --out reports/$$edition; \
	done
	$(BIN)/mendbench run --all
	$(BIN)/python qa/benchmarks/gallery.py
	$(BIN)/python qa/benchmarks/figures.py

format: .venv/.test
	$(BIN)/ruff format src tests qa examples
	$(BIN)/ruff check --fix src tests qa examples

# Pins are by name, version and hash; the files carry no address to download from.
lock: .venv/.test
	$(PIP) install uv
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header pyproject.toml requirements/build.in -o requirements/run.txt
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --all-extras --group test -c requirements/run.txt pyproject.toml -o requirements/test.txt
	$(BIN)/uv pip compile --resolution lowest-direct --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --all-extras pyproject.toml requirements/lowest.in -o requirements/lowest.txt

# What recording from real servers needs: pip's part, then npm's beside it. bubblewrap, Git and Node.js have to be there.
.venv-record/.done: requirements/record.txt requirements/record-npm/package-lock.json
	$(CHECK_PYTHON)
	$(PYTHON) -m venv .venv-record
	@echo '*' > .venv-record/.gitignore
	.venv-record/bin/python -m pip --disable-pip-version-check -q install --require-hashes --only-binary :all: -r requirements/record.txt
	.venv-record/bin/python -m pip --disable-pip-version-check -q install --no-deps --no-build-isolation --no-index -e .
	@mkdir -p .venv-record/npm && cp requirements/record-npm/package*.json .venv-record/npm
	npm ci --prefix .venv-record/npm --no-audit --no-fund --silent
	@touch $@

# Records what is missing from the real servers. CASES="mcp github/labels-as-string" chooses, RECORD=all records everything anew.
RECORD ?= new_episodes
record-world: .venv-record/.done
	PATH="$(CURDIR)/.venv-record/npm/node_modules/.bin:$$PATH" .venv-record/bin/mendbench case check --record $(RECORD) --allow-shell $(CASES)

# The real servers against what the tests replay of them.
record-test: .venv-record/.done
	PATH="$(CURDIR)/.venv-record/npm/node_modules/.bin:$$PATH" .venv-record/bin/python -m pytest -p no:cacheprovider tests/services/test_real_mcp.py tests/services/test_real_http.py

# Without the pins of test.txt, which some servers do not accept; what record.txt pins stays as far as possible.
record-lock: .venv/.test
	$(PIP) install uv
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --all-extras pyproject.toml requirements/build.in requirements/record.in -o requirements/record.txt
	npm install --prefix requirements/record-npm --package-lock-only --omit-lockfile-registry-resolved=true --no-audit --no-fund
	$(PYTHON) -c 'import json, pathlib; p = pathlib.Path("requirements/record-npm/package-lock.json"); d = json.loads(p.read_text()); [one.pop("funding", None) for one in d["packages"].values()]; p.write_text(json.dumps(d, indent=2, ensure_ascii=False) + "\n")'

clean:
	rm -rf .venv .venv-record .venv-speed .pytest_cache .mypy_cache .ruff_cache .hypothesis reports

# make run   a board in the browser, from nothing
# make test  the tests, from nothing; make test-browser  those in a browser
# make screenshots   docs/images from the real app, for the README
# VENV=... uses another virtual environment, PYTHON=... another interpreter.

VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check install --quiet --no-compile
PORT ?= 8501

.PHONY: run demo test test-browser test-slow soak fuzz lint types contracts figures site messages bench bench-others bench-store bench-remote screenshots check-aarch64 clean

# The demo is trained while the board is open.
run: $(VENV)/engine.stamp
	$(BIN)/featherboard db init
	@$(MAKE) --no-print-directory demo & demo=$$!; trap 'kill $$demo 2>/dev/null' EXIT INT TERM; \
	$(BIN)/featherboard serve --port $(PORT)

demo: $(VENV)/engine.stamp
	$(BIN)/featherboard demo

# Compiled modules are kept: tests start many processes, and each would compile torch again, for 8 of its 12 seconds.
unexport PYTHONDONTWRITEBYTECODE

# Each worker starts with a half of the tests, in order, so that a file's fixtures are made once; who is done early takes
# over a part of what the other still has.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal
test: $(VENV)/dev.stamp
	$(PYTEST) -m 'not slow and not browser'

# A real server in Chromium.
test-browser: $(VENV)/dev.stamp
	$(PYTEST) -m 'browser and not slow' tests/browser

# What takes minutes, the random tests with many examples, and those on a Ray cluster.
test-slow: $(VENV)/dev.stamp
	$(PIP) -e ".[cluster]"
	$(BIN)/python -m pytest -m 'slow or random' --hypothesis-profile thorough

# Writers, importers and readers of one database under faults, for so many seconds; the history is checked.
SECONDS ?= 60
soak: $(VENV)/dev.stamp
	$(BIN)/python -m tests.simulations.soak $(SECONDS)

# 101,000 files and submissions that nobody would write, each within its limits of time and memory.
fuzz: $(VENV)/dev.stamp
	$(BIN)/python -m pytest tests/db/importers/test_fuzz.py tests/db/submissions/test_fuzz.py -m slow -s

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/dev.stamp
	$(BIN)/mypy

contracts: $(VENV)/dev.stamp
	$(BIN)/lint-imports

# New texts of the pages go into the Korean catalogue, empty, and those that are gone leave it.
PO := dashboard/locale/ko/LC_MESSAGES/featherboard.po
BABEL := $(BIN)/python -m babel.messages.frontend -q
messages: $(VENV)/dev.stamp
	mkdir -p build
	$(BABEL) extract -F pyproject.toml -k NP_:1c,2 --no-location --sort-output -o build/messages.pot .
	$(BABEL) update -l ko -i build/messages.pot -o $(PO) --no-fuzzy-matching --ignore-obsolete --no-wrap

# Every board, run, comparison and prediction, held against the digests of the commit before the restructuring.
figures: $(VENV)/dev.stamp
	$(BIN)/python -m tests.contracts.snapshot compare tests/contracts/figures.json

# The static files of a new board.
SITE ?= build/site
site: $(VENV)/engine.stamp
	$(BIN)/featherboard db init
	$(BIN)/featherboard publish-site "$(SITE)"

bench: $(VENV)/dev.stamp
	$(BIN)/python -m pytest tests/benchmarks -s -m 'slow or not slow'

# Pictures for the README, from the real app in Chromium.
screenshots: $(VENV)/dev.stamp
	$(BIN)/python docs/screenshots.py

# Other trackers beside ours on the same runs. They get a virtual environment of their own.
bench-others: $(VENV)-others/stamp
	$(VENV)-others/bin/python -m pytest tests/benchmarks/test_board_beside_others.py -s -m slow

# Writers and readers of other trackers beside ours, and the best of 10,000 runs: about ten minutes.
bench-store: $(VENV)-others/stamp
	$(VENV)-others/bin/python -m pytest tests/benchmarks/store/test_beside_others.py \
	  tests/benchmarks/test_board_beside_others.py -k "writers or writer or trackio" -s -m slow

# Runs a second that a service takes from one other machine and from four; with BESIDE=DIR those of another checkout too.
bench-remote: $(VENV)/dev.stamp
	$(BIN)/python -m tests.benchmarks.store.remote_writers 1 4 $(if $(BESIDE),--beside $(BESIDE))

# Asks the package index whether every dependency has a wheel for a Raspberry Pi.
check-aarch64: $(VENV)/dev.stamp
	$(BIN)/python tests/contracts/aarch64_wheels.py

clean:
	rm -rf $(VENV) $(VENV)-others build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp per set of extras: a second `make run` starts without asking the package index anything.
$(VENV)/engine.stamp: pyproject.toml | $(BIN)/python
	@echo "Installing the board and the engine into $(VENV) (once, some minutes)"
	$(PIP) -e ".[engine,offline]"
	@touch $@

$(VENV)/dev.stamp: pyproject.toml | $(BIN)/python
	@echo "Installing the board, the engine and the test tools into $(VENV) (once, some minutes)"
	$(PIP) -e ".[dev]"
	@touch $@ $(VENV)/engine.stamp

$(VENV)-others/stamp: pyproject.toml
	@echo "Installing the board and other trackers into $(VENV)-others (once, some minutes)"
	$(PYTHON) -m venv $(VENV)-others
	$(VENV)-others/bin/pip --disable-pip-version-check install --quiet --no-compile -e ".[compare]" pytest pytest-timeout hypothesis psutil
	@touch $@

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

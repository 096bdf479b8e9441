# Each target sets up what it needs: a virtual environment in .venv with the versions of constraints.txt.
#
#   make tournament                      the main job; make tournament ARGS="greedy heuristic --deals 5000"
#   make test                            the tests;    make test PYTEST_ARGS="-k straight -x" PYTEST_WORKERS=0
#   make clean test PYTHON=python3.12    a Python of your choice (3.11 to 3.13)
#   make test TEST_EXTRAS=test,browser   with the tests that need a browser (Chromium or Chrome)
#
# What runs needs the extras EXTRAS; the test tools, which take much more room, come with the first target that tests.

VENV ?= .venv
PYTHON ?=
EXTRAS ?= play,tune
TEST_EXTRAS ?= test
ARGS ?=
PYTEST_ARGS ?=
PYTEST_WORKERS ?= logical

BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
WITH_TESTS := $(VENV)/.with-$(TEST_EXTRAS)
WITH_NOTEBOOKS := $(VENV)/.with-notebooks
PYTEST = $(strip $(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist worksteal)

# Running it is the only sure test: a command of that name may be a stand-in, and a Python may lack venv.
SUITS = import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))

.DEFAULT_GOAL := help
.PHONY: help install tournament bench notebooks test test-sweeps test-interpreted test-bounds lanes lint format clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-24s %s\n", $$1, $$2 }'

$(INSTALLED): pyproject.toml constraints.txt
	@set -e; \
	if ! $(BIN)/python -c '$(SUITS)' 2>/dev/null; then \
		for candidate in $(or $(PYTHON),python3.13 python3.12 python3.11 python3); do \
			if $$candidate -c '$(SUITS)' >/dev/null 2>&1; then found=$$candidate; break; fi; \
		done; \
		if [ -z "$${found:-}" ]; then \
			echo "No suitable Python: bigtwo_sim needs Python 3.11, 3.12 or 3.13 with its venv module." >&2; \
			echo "Tried: $(or $(PYTHON),python3.13 python3.12 python3.11 python3). Name one with: make PYTHON=/path/to/python ..." >&2; \
			echo "(On Debian and Ubuntu the venv module is a package of its own: python3-venv.)" >&2; \
			exit 1; \
		fi; \
		echo "Setting up $(VENV) with $$($$found --version)"; \
		$$found -m venv --clear $(VENV); \
	fi; \
	echo "Installing the packages of constraints.txt (once)"; \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$(EXTRAS)]'; \
	touch $@

# Further extras, named by the target itself.
$(VENV)/.with-%: $(INSTALLED)
	@echo "Installing the extras [$*] of constraints.txt (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$*]'
	@touch $@

install: $(INSTALLED) ## set up the virtual environment, with what running needs

tournament: $(INSTALLED) ## play the tournament (ARGS=...)
	$(BIN)/bigtwo tournament $(ARGS)

bench: $(INSTALLED) ## measure throughput (ARGS=...)
	$(BIN)/bigtwo bench $(ARGS)

notebooks: $(WITH_NOTEBOOKS) ## run the notebooks in full, keeping their outputs (ARGS="03 04")
	$(BIN)/python notebooks/run.py $(ARGS)

# Lanes are chosen by the markers of pyproject.toml.
test: $(WITH_TESTS) ## run the tests, compiled (PYTEST_ARGS=...)
	$(PYTEST) -m "not sweep" $(PYTEST_ARGS)

test-sweeps: $(WITH_TESTS) ## the proofs over all cases and over many deals
	$(PYTEST) -m sweep $(PYTEST_ARGS)

test-interpreted: $(WITH_TESTS) ## the tests as plain Python, with coverage
	NUMBA_DISABLE_JIT=1 $(PYTEST) --cov --cov-report=term --ignore=README.md $(PYTEST_ARGS)

test-bounds: $(WITH_TESTS) ## the quick tests of kernels, compiled with every array index checked
	NUMBA_BOUNDSCHECK=1 $(PYTEST) -m "kernel and not slow and not sweep" $(PYTEST_ARGS) tests

lanes: test test-sweeps test-interpreted test-bounds ## all ways to run the tests

lint: $(WITH_TESTS) ## style, types, import contracts and declared dependencies
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry .

format: $(WITH_TESTS) ## lay the sources out
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove the virtual environment and what the tools left
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One command each: `make demo` and `make test` set up what they need first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-slow lint fuzz bench setup clean

demo: $(READY)  ## train on the simulation three ways, print a table, draw the picture
	$(BIN)/pairsift demo --out demo

test: $(READY)  ## all but the slow tests
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 -q

test-slow: $(READY)  ## the tests that take minutes
	$(BIN)/python -m pytest -q -m slow

lint: $(READY)  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fuzz: $(READY)  ## so many inputs for every reader of files, the same each time; needs pairsift[fuzz]
	$(BIN)/python -m tests.fuzz.run --runs 150 --out fuzz

bench: $(READY)  ## the speed claims beside their bars; fails where one is missed by more than noise
	$(BIN)/python -m benchmarks

setup: $(READY)  ## the environment alone

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) demo fuzz .pytest_cache .mypy_cache .ruff_cache

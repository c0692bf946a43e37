# Two commands on a fresh machine: make demo, make test. make check is what CI runs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: setup demo test check lint types format bench evaluation clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

demo: setup
	@$(BIN)/ncf demo

test: setup
	$(BIN)/pytest

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: setup
	$(BIN)/mypy

check: lint types test
	$(BIN)/ncf demo --format json --quiet | $(BIN)/python -m json.tool > /dev/null
	$(BIN)/ncf demo

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup
	$(BIN)/python -m tests.bench

# The figures in docs/evaluation.md, from the commands themselves; needs the shared data beside the project.
evaluation: setup
	$(BIN)/python -m tests.support.build_evaluation

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

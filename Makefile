# `make demo` and `make test` need nothing but Python 3.11 or newer and make.
PYTHON ?= python3
BIN := .venv/bin
# one more than there are processors: many tests only wait
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

.PHONY: setup demo test thorough otter redteam lint types check bench template clean

setup: .venv/ready

.venv/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "error: $$($(PYTHON) --version) is too old: install Python 3.11 or newer, or say make PYTHON=python3.12"; exit 2; }
	@$(PYTHON) -m venv .venv \
	  || { echo "error: Python cannot make virtual environments: install its venv package (apt-get install python3-venv)"; exit 2; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: setup
	$(BIN)/autograder batch autograd-engine examples/submissions --out reports --allow-unsafe
	@echo
	$(BIN)/autograder grade autograd-engine examples/submissions/overwrites.py --allow-unsafe
	@echo
	$(BIN)/autograder batch autograd-engine examples/moodle/submissions.zip --out reports/moodle --allow-unsafe
	$(BIN)/autograder export moodle --batch reports/moodle --sheet examples/moodle/worksheet.csv --out reports/moodle/upload

test: setup lint types
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile
	$(BIN)/autograder check --quick --allow-unsafe

# What is tried again and again, on a cluster, or in an image that is built first.
thorough: setup
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --thorough -m thorough

# Otter brings a hundred packages and 600 MB, so it has an environment of its own.
otter: .venv-otter/ready
	.venv-otter/bin/python -m pytest tests/otter

.venv-otter/ready: .venv/ready pyproject.toml
	$(PYTHON) -m venv .venv-otter
	.venv-otter/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[otter]'
	@touch $@

redteam: setup
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --every-tier tests/redteam

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy
	@for solution in solutions/*/value.py; do $(BIN)/mypy $$solution || exit 1; done

check: setup
	$(BIN)/autograder check --allow-unsafe

bench: setup
	$(BIN)/python -m benchmarks.bench

template: setup
	$(BIN)/autograder template

clean:
	rm -rf .venv .venv-otter reports out build *.egg-info

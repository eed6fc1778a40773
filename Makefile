# `make demo` and `make test` need nothing but Python 3.11 or newer and make.
PYTHON ?= python3
BIN := .venv/bin
# one more than there are processors: many tests only wait, but each worker reads all tests first
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

# Tests start the same commands again and again, and each would be compiled anew.
unexport PYTHONDONTWRITEBYTECODE

# What grading needs is also installed where Gradescope builds an image, so its lock file is part of the package.
LOCK := requirements.lock
GRADING_LOCK := autograder/platforms/gradescope/image/requirements.lock
COMPILE := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --upgrade --no-config \
  --no-annotate --quiet --custom-compile-command "make lock"

# Modules in the folders of assignments; each is checked there, since several have one name.
MODULES := $(wildcard $(foreach name,diagnosis other_suites,assignments/*/$(name) assignments/*/$(name).py))

PROOFS := $(patsubst assignments/%,proof-of-%,$(wildcard assignments/*))
# Print the lines of each job together, where make can (4.0 and newer).
OUTPUT_SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync)

.PHONY: setup lock audit demo demo-plan serve-demo browser-demo test quick thorough otter docs redteam sample lint types proofs check bench template clean $(PROOFS)

setup: .venv/ready

.venv/ready: pyproject.toml $(LOCK) .ci/install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "error: $$($(PYTHON) --version) is too old: install Python 3.11 or newer, or say make PYTHON=python3.12"; exit 2; }
	@echo "making .venv with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv .venv \
	  || { echo "error: Python cannot make virtual environments: install its venv package (apt-get install python3-venv)"; exit 2; }
	@.ci/install $(BIN)/python
	@touch $@

# The newest versions that pyproject.toml allows, for every Python and system, with their hashes.
lock: .venv-lock/ready
	.venv-lock/bin/$(COMPILE) --extra dev --output-file $(LOCK)
	.venv-lock/bin/$(COMPILE) --constraint $(LOCK) --output-file $(GRADING_LOCK)

# What the kit is made of, as CycloneDX, and what is known to be wrong with it.
audit: .venv-lock/ready
	@mkdir -p build
	.venv-lock/bin/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible \
	  --output-file build/sbom.json $(GRADING_LOCK)
	.venv-lock/bin/python .ci/audit.py $(GRADING_LOCK) $(LOCK)

.venv-lock/ready:
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check 'uv>=0.9' 'pip-audit>=2.9' 'cyclonedx-bom>=7'
	@touch $@

demo: demo-plan setup
	$(BIN)/autograder batch autograd-engine examples/submissions --out reports --no-explain --allow-unsafe
	@echo
	$(BIN)/autograder grade autograd-engine examples/submissions/overwrites.py --allow-unsafe
	@echo
	$(BIN)/autograder batch autograd-engine examples/moodle/submissions.zip --out reports/moodle --no-explain --allow-unsafe
	$(BIN)/autograder export moodle --batch reports/moodle --gradebook examples/moodle/worksheet.csv --out reports/moodle/upload

demo-plan:
	@if [ ! -e .venv/ready ]; then \
	  echo "once: download and install the $$(grep -c '^[A-Za-z].*==' $(LOCK)) packages of $(LOCK) into .venv/, and compile the kit"; \
	fi
	@if [ ! -e reports/results.sqlite ]; then \
	  echo "once: grade the programs of examples/, one of which never ends; a few minutes in all, and later demos keep the results"; \
	fi
	@echo "then: a class as a gradebook, one program explained, and marks as Moodle takes them; reports/ holds all of it"

# The course on the web in the sixth week of an invented term: anybody at this machine signs in as anybody by a click.
serve-demo: setup
	$(BIN)/autograder serve --demo --out build/serve-demo --allow-unsafe

# The same, with a page under each assignment to work on in the browser.
browser-demo: setup
	$(BIN)/autograder template --browser build/browser
	$(BIN)/autograder serve --demo --browser build/browser --out build/serve-demo --allow-unsafe

# Types and the proofs of each assignment are looked at side by side: proofs wait for processes again and again.
test: setup lint
	$(MAKE) --no-print-directory --jobs=3 $(OUTPUT_SYNC) types $(PROOFS)
	.ci/pytest -n $(WORKERS) --dist loadfile

# That what was proven of the assignments is of their present files.
proofs: $(PROOFS)

$(PROOFS): setup
	$(BIN)/autograder check $(@:proof-of-%=%) --quick --allow-unsafe

# For daily work: lint, and the first test of each file. There is one process for each processor.
quick: setup lint
	.ci/pytest -q -n $$(getconf _NPROCESSORS_ONLN) --dist loadfile --quick

# What is tried again and again, on a cluster, in an image that is built first, or with a platform of somebody else's.
# KIT_MOODLE=/path/to/a/checkout of Moodle tries that, too; KIT_MOODLE_LANGUAGES=/path/to/packs in other languages.
thorough: setup .venv-lti/ready
	.ci/pytest -n $(WORKERS) --dist loadgroup --thorough -m thorough

# Otter brings a hundred packages and 600 MB, so it has an environment of its own.
otter: .venv-otter/ready
	.venv-otter/bin/python -m pytest tests/otter

.venv-otter/ready: .venv/ready pyproject.toml
	$(PYTHON) -m venv .venv-otter
	.venv-otter/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[otter]'
	@touch $@

# The platform side of Open edX judges what the kit says by LTI. It is AGPL: an environment and a process of its own.
.venv-lti/ready:
	$(PYTHON) -m venv .venv-lti
	.venv-lti/bin/python -m pip install --quiet --disable-pip-version-check 'lti-consumer-xblock==11.4.4' 'PyJWT[crypto]'
	@touch $@

# The documentation as a site. MkDocs has an environment of its own, as Otter has.
docs: .venv-docs/ready
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --strict --quiet
	@echo "the site is in build/site: open build/site/index.html"

.venv-docs/ready: pyproject.toml
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

# Most attacks wait, and say how long a verdict takes: no more of them at once than there are processors. Their files lie
# on a disk, as they do where submissions are graded: some attacks work there alone.
redteam: setup
	$(BIN)/python -m pytest -n $$(getconf _NPROCESSORS_ONLN) --dist loadfile --every-tier tests/redteam tests/bridge

# A part of `make check` and of `make redteam` that each commit draws anew; SEED=N draws the same as elsewhere.
SEED ?= $(shell printf %d "0x0$$(git rev-parse HEAD 2>/dev/null | cut -c1-7)")
sample: setup
	@echo "a sample: run the same one again by make sample SEED=$(SEED)"
	$(BIN)/autograder check --sample 10 --seed $(SEED) --allow-unsafe
	$(BIN)/python -m pytest -n $$(getconf _NPROCESSORS_ONLN) --dist loadfile --every-tier --sample $(SEED) tests/redteam tests/bridge

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy
	@for solution in solutions/*/value.py; do $(BIN)/mypy $$solution || exit 1; done
	@for module in $(MODULES); do \
	  (cd $$(dirname $$module) && $(CURDIR)/$(BIN)/mypy --config-file $(CURDIR)/pyproject.toml \
	    --cache-dir $(CURDIR)/.mypy_cache $$(basename $$module)) || exit 1; done

check: setup
	$(BIN)/autograder check --allow-unsafe

bench: setup
	$(BIN)/python -m benchmarks.bench

template: setup
	$(BIN)/autograder template

clean:
	rm -rf .venv .venv-lti .venv-otter .venv-docs .venv-lock reports out build *.egg-info

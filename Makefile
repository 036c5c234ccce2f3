# Everything a person or a machine does here. `make demo` and `make test` set up by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
# Interpreters of pyenv, where there are any, by their versions: its shims hide all but one.
PYENVS := $(subst $() ,,$(patsubst %,%:,$(wildcard $(HOME)/.pyenv/versions/*/bin)))

# Numeric libraries start no threads of their own, and compiled tests are kept for the next time.
QUICKLY := OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=

.PHONY: help setup demo test test-fast test-docs test-slow recompute matrix dist release-check lint format docs reproduce paper validity bench clean

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 14

setup: $(INSTALLED)  ## create .venv and install everything into it

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[all]" --group dev
	@touch $(INSTALLED)

demo: $(INSTALLED)  ## certify forests on bundled data, write report.html
	$(BIN)/tandemvote demo

test: $(INSTALLED)  ## the tests on all cores, minutes at most
	$(QUICKLY) $(BIN)/python -m pytest -q -n auto --dist worksteal

test-fast: $(INSTALLED)  ## the mathematics, the votes and the doctests, for every small change
	$(QUICKLY) $(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow and not dist and not long" \
		src tests/inequalities tests/bounds tests/weights tests/certificate tests/votes tests/metrics tests/test_*.py

test-docs: $(INSTALLED)  ## run the longer pages and examples of the documentation
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n auto --dist worksteal -m slow tests/docs tests/journeys/test_examples.py

test-slow: $(INSTALLED)  ## the long statistical and numerical tests
	$(BIN)/python -m pytest -q -m slow

recompute: $(INSTALLED)  ## compare committed rows with rows computed now (data: TANDEMVOTE_DATA)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -rs -m slow reproduction/tests/experiments/test_recomputed_rows.py

matrix: $(INSTALLED)  ## the tests on every supported Python found here, old and new libraries
	PATH="$(PYENVS)$$PATH" OMP_NUM_THREADS=1 $(BIN)/nox --no-error-on-missing-interpreters

dist: $(INSTALLED)  ## build wheel and sdist, check them, install them into empty environments
	rm -rf dist
	$(BIN)/python -m build --quiet
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python -m pytest -q -m dist tests/packaging/test_distribution.py

release-check: dist docs  ## all that can be checked before a release: dist, docs, their links
	$(BIN)/python -m pytest -q -m dist tests/packaging/test_release.py

lint: $(INSTALLED)  ## style, types, order of the packages, sections of docstrings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/test_docstrings.py  # numpydoc

format: $(INSTALLED)  ## let ruff fix what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(INSTALLED)  ## build the documentation into docs/_build/html
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --group docs
	$(BIN)/python -m sphinx -b html -W --keep-going docs docs/_build/html

reproduce: $(INSTALLED)  ## tables and figures of the paper from the committed rows
	$(BIN)/python -m reproduction render
	$(BIN)/python -m reproduction.report.front_page
	@echo "To grow the forests anew, or on your own data: $(BIN)/python -m reproduction run --help"

paper: $(INSTALLED)  ## one data set of the paper in a minute: printed | ours (SET=Letter, data: TANDEMVOTE_DATA)
	OMP_NUM_THREADS=1 $(BIN)/python -m reproduction paper $(or $(SET),Pendigits)

validity: $(INSTALLED)  ## simulate every guarantee: hours, or less with DRAWS=200
	OMP_NUM_THREADS=1 $(BIN)/python validity/run.py $(if $(DRAWS),--draws $(DRAWS))

bench: $(INSTALLED)  ## speed, as ratios measured in one run
	@export PYTHONPATH=. OMP_NUM_THREADS=1; \
	for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script; done

clean:  ## remove what the other targets made
	rm -rf $(VENV) build dist docs/_build .pytest_cache .ruff_cache .mypy_cache .hypothesis

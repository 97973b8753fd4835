# Two commands set everything up: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EDITABLE := --no-deps --no-build-isolation -e ./judge -e .

.PHONY: demo test venv lint chaos long bench judge clean

demo: $(VENV)/.server
	$(BIN)/steelyard demo $(DEMO)

test: venv
	$(BIN)/python -m pytest $(PYTEST)

venv: $(VENV)/.dev

chaos: venv
	$(BIN)/python -m pytest -m "chaos and not long" $(PYTEST)

long: venv
	$(BIN)/python -m pytest -m long $(PYTEST)

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

$(BIN)/python:
	$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(None if v >= (3, 11) else f"Steelyard needs Python 3.11 or newer, this is {v[0]}.{v[1]}: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.server: requirements/server.lock pyproject.toml judge/pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --require-hashes -r requirements/server.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(EDITABLE)
	touch $@

$(VENV)/.dev: requirements/dev.lock pyproject.toml judge/pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --require-hashes -r requirements/dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(EDITABLE)
	touch $(VENV)/.server $@

# Everything in judge/src/steelyard_judge from ../shared/data: about an hour on two cores; seeds are fixed.
judge: .venv-training/.made
	OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=1 PYTHONPATH=src .venv-training/bin/python training/build.py $(JUDGE)

.venv-training/.made: requirements/training.txt
	$(PYTHON) -m venv .venv-training
	.venv-training/bin/python -m pip install --quiet --disable-pip-version-check -r requirements/training.txt
	touch $@

clean:
	rm -rf $(VENV) build dist

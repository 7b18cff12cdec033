# `make demo` and `make test` need nothing but Python 3.11 or newer and make.
PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check lint bench pins clean

demo: $(VENV)/.run
	$(BIN)/horacerta demo --port $(PORT)

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto $(ARGS)

# What the gate runs before the tests.
check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev
	$(BIN)/python -m tests.bench

# The marks are older than the pins after a pull that changed them: then the environment is brought up to date.
$(VENV)/.run: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Hora Certa needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps -e .
	touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.run
	$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements-dev.txt
	touch $@

# Needs uv; writes no index address into the files.
pins:
	uv pip compile -q --universal --python-version 3.11 --no-header --no-annotate pyproject.toml -o requirements.txt
	uv pip compile -q --universal --python-version 3.11 --no-header --no-annotate --extra test --extra lint \
		-c requirements.txt pyproject.toml -o requirements-dev.txt

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache build dist *.egg-info

# Everything sets itself up: a virtual environment, the dependencies, a real control plane.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# Modules compiled once are half of a quick start.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
CLUSTER ?= auto
SELECT  ?=
ARGS    ?=
REPORTS ?= $(wildcard reports/report.json)

# The images: BASE has a python3 of version IMAGE_PYTHON; ARCHIVE is a file for kind to load.
BASE         ?= python:3.13-slim-bookworm
IMAGE_PYTHON ?= 3.13
ARCHIVE      ?=
VERSION      := $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' queuecheck/__init__.py)
WHEELHOUSE   := build/wheelhouse
MACHINE      := $(shell uname -m)

# Prose has 100 columns. Tables, code, headings, and lines with a link may have more.
define LONG_PROSE
FNR == 1 { code = 0 }
/^ *```/ { code = !code }
!code && length > 100 && !/^ *[|#]/ && !/\]\(/ { print FILENAME ":" FNR ": " length " columns"; long = 1 }
END { exit long }
endef
export LONG_PROSE

.PHONY: help e2e docs test soak vacuity image engine wheelhouse lint types lock clean

help: ## Show what there is to make
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / {printf "  make %-7s %s\n", $$1, $$2}' Makefile
	@echo '  Variables: CLUSTER=local (or kind; auto is kind where Docker and kind are there),'
	@echo '             SELECT="must and not @slow", ARGS="--id KQ-SEQ-01", PYTHON=python3.12'

e2e: $(READY) ## Play every feature against the reference controller on a real cluster
	@$(BIN)/queuecheck run --strict --cluster $(CLUSTER) $(if $(SELECT),--select '$(SELECT)') $(ARGS)

docs: $(READY) ## Make the documentation as web pages, with what the last run's report says
	@$(BIN)/queuecheck docs $(REPORTS) --output build/site

test: $(READY) ## Test the engine and the controller, on a real control plane too
	@$(BIN)/queuecheck cluster prepare
	@$(BIN)/pytest -n 2 --dist loadgroup $(ARGS)

soak: $(READY) ## Run what takes minutes: other controllers that are right, whole suites of them
	@$(BIN)/queuecheck cluster prepare
	@$(BIN)/pytest -m soak $(ARGS)

vacuity: $(READY) ## Show that no scenario passes with a controller that does nothing, or next to it
	@PYTHONPATH="$(CURDIR)" $(BIN)/queuecheck run --must-fail tests/vacuity/spared.yaml \
	  --implementation tests/vacuity/nothing.yaml --timeout-scale 0.03 $(ARGS)
	@PYTHONPATH="$(CURDIR)" $(BIN)/queuecheck run --must-fail tests/vacuity/spared.yaml \
	  --implementation tests/vacuity/takes-over-only.yaml --timeout-scale 0.1 $(ARGS)

image: engine wheelhouse ## Build the images queuecheck-controller and queuecheck (ARCHIVE=file for kind)
	@docker build --quiet --target controller --build-arg BASE=$(BASE) -t queuecheck-controller:$(VERSION) .
	@docker build --quiet --target suite --build-arg BASE=$(BASE) -t queuecheck:$(VERSION) .
	@$(if $(ARCHIVE),docker save -o $(ARCHIVE) queuecheck-controller:$(VERSION))

engine:
	@docker version >/dev/null 2>&1 || { command -v docker >/dev/null \
	  && echo "make: the Docker engine does not answer; start it, or set DOCKER_HOST" >&2 \
	  || echo "make: there is no docker on the PATH; install it to build images" >&2; exit 2; }

wheelhouse: $(WHEELHOUSE)/.for-$(IMAGE_PYTHON)
	@rm -f $(WHEELHOUSE)/queuecheck-*.whl
	@$(BIN)/pip wheel --quiet --no-deps --wheel-dir $(WHEELHOUSE) .

# What the lock file pins, and pip itself, as wheels for the image's Python; nothing is built.
$(WHEELHOUSE)/.for-$(IMAGE_PYTHON): $(READY) pyproject.toml requirements.lock
	@rm -rf $(WHEELHOUSE) && mkdir -p $(WHEELHOUSE)
	@$(BIN)/uv pip compile --quiet --no-header --generate-hashes --constraints requirements.lock \
	  --python-version $(IMAGE_PYTHON) --python-platform $(MACHINE)-manylinux_2_28 \
	  --group image pyproject.toml -o $(WHEELHOUSE)/requirements.txt
	@$(BIN)/pip download --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary=:all: \
	  --python-version $(IMAGE_PYTHON) --platform manylinux_2_28_$(MACHINE) \
	  --platform manylinux2014_$(MACHINE) -r $(WHEELHOUSE)/requirements.txt --dest $(WHEELHOUSE)
	@touch $@

lint: $(READY) ## Check format, style, layers and features
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports
	@$(BIN)/queuecheck lint
	@git ls-files '*.md' | xargs awk "$$LONG_PROSE"

types: $(READY) ## Check types
	@$(BIN)/mypy

lock: $(READY) ## Renew requirements.lock from pyproject.toml
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --upgrade \
	  --group dev --extra kind pyproject.toml -o requirements.lock

clean: ## Remove what was made in this checkout (the control plane's cache stays)
	@rm -rf $(VENV) dist build reports .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage

$(READY): pyproject.toml requirements.lock
	@command -v $(PYTHON) >/dev/null || \
	  { echo "make: there is no $(PYTHON); name another: make PYTHON=python3.12 …" >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "make: $(PYTHON) is older than 3.11; name another: make PYTHON=python3.12 …" >&2; exit 2; }
	@echo "Installing the locked dependencies into $(VENV) …"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

ifneq ($(shell command -v uv),)
VENV = uv venv --quiet --allow-existing --seed --python $(PYTHON)
INSTALL = uv pip install --python $(BIN)/python
else
VENV = $(PYTHON) -m venv
INSTALL = $(BIN)/python -m pip install
endif

.DEFAULT_GOAL := help
.PHONY: help env run test test-fast test-lowest test-newest torture check bench audit findings data docs screenshots lock \
	vulnerabilities

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z -]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' Makefile

env: $(READY) ## Create .venv from the lock, with uv when there is one

run: $(READY) ## Open the dashboard; prints its address
	$(BIN)/dpcore dashboard

test: $(READY) ## Run every test
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist loadfile

test-fast: $(READY) ## Run the tests that together take two minutes
	OMP_NUM_THREADS=1 $(BIN)/pytest --fast -n 2 --dist loadfile

test-lowest test-newest: ## Run the quick tests with the lowest or newest versions (needs uv)
	uv venv --quiet --clear --python $(PYTHON) .venv-versions
	uv pip install --quiet --python .venv-versions --editable '.[app,auth,sign,test,docs,dev]' \
		--resolution $(if $(findstring lowest,$@),lowest-direct,highest)
	OMP_NUM_THREADS=1 .venv-versions/bin/python -m pytest --fast -n 2 --dist loadfile

torture: $(READY) ## Kill, cut and race the ledger, and read malformed files, for a long time
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.torture --full

check: $(READY) ## Lint, format and types, without changing anything
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(READY) ## Measure speed against the bars, as ratios
	$(BIN)/python -m benchmarks

audit: $(READY) ## Search for counterexamples to every privacy claim
	$(BIN)/dpcore audit --save data/audit.json

findings: $(READY) ## Measure the papers' findings again (DATA=folder of sets that do not ship)
	$(BIN)/dpcore reproduce --save data/findings.json $(if $(DATA),--data $(DATA))

docs: $(READY) ## Build the documentation as a site, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

screenshots: $(READY) ## Photograph every page with Chromium, into screenshots/
	$(BIN)/python tests/browser/screenshots.py

data: $(READY) ## Make the files in data/ again from their sources
	$(BIN)/python data/make.py

lock: ## Choose newer versions and write requirements.lock (needs uv)
	uv pip compile pyproject.toml --all-extras --universal --upgrade --quiet \
		--generate-hashes --no-header --no-annotate --output-file requirements.lock

vulnerabilities: ## Look up the locked packages among known vulnerabilities (needs a network)
	$(PYTHON) .ci/vulnerabilities

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed: make $(MAKECMDGOALS) PYTHON=python3.11"; exit 1; }
	test -x $(BIN)/pip || $(VENV) .venv
	$(INSTALL) --require-hashes -r requirements.lock
	$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

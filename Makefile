PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed

.DEFAULT_GOAL := help
.PHONY: help env run test check bench audit data screenshots lock

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

env: $(INSTALLED) ## Create .venv from the lock, with uv when there is one

run: $(INSTALLED) ## Open the dashboard on http://127.0.0.1:8501
	$(BIN)/streamlit run app.py

test: $(INSTALLED) ## Run every test
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist loadfile

check: $(INSTALLED) ## Lint, format and types, without changing anything
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(INSTALLED) ## Measure speed against the bars, as ratios
	$(BIN)/python -m benchmarks

audit: $(INSTALLED) ## Search for counterexamples to every privacy claim
	$(BIN)/dpcore audit

screenshots: $(INSTALLED) ## Photograph every page with Chromium, into screenshots/
	$(BIN)/python tests/browser/screenshots.py

data: $(INSTALLED) ## Make the files in data/ again from their sources
	$(BIN)/python data/make.py

lock: ## Choose newer versions and write requirements.lock (needs uv)
	uv pip compile pyproject.toml --all-extras --universal --upgrade --quiet \
		--generate-hashes --no-header --no-annotate --output-file requirements.lock

$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed: make $(MAKECMDGOALS) PYTHON=python3.11"; exit 1; }
	@if command -v uv >/dev/null; then \
		set -x; \
		test -x $(BIN)/python || uv venv --quiet --python $(PYTHON) .venv; \
		uv pip install --python $(BIN)/python --require-hashes -r requirements.lock \
		&& uv pip install --python $(BIN)/python --no-deps --no-build-isolation --editable .; \
	else \
		set -x; \
		$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv .venv; \
		$(BIN)/python -m pip install --require-hashes -r requirements.lock \
		&& $(BIN)/python -m pip install --no-deps --no-build-isolation --editable .; \
	fi
	@touch $@

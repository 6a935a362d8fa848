# `make demo` and `make test` need nothing but Python 3.11+ and make; the rest is for developers.
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2
DATA ?=
DEMO := .demo

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow lint fix bench docs setup clean

help: ## show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

demo: ## answer a question from the project's own docs, offline, with no key
	@VENV=$(VENV) tools/bootstrap runtime
	@RESEARCH_DATA_DIR=$(DEMO) $(BIN)/leadline "How does Leadline decide when to stop searching?" --docs docs

setup: ## make .venv with everything the tests and benches need
	@VENV=$(VENV) tools/bootstrap dev

test: setup ## run the tests
	@$(BIN)/pytest -n $(JOBS) -m "not slow"

test-slow: ## run the slow tests too: many kills, large folders, a real language model
	@VENV=$(VENV) tools/bootstrap slow
	@$(BIN)/pytest -n $(JOBS) -m slow

lint: setup ## style and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

fix: setup ## mend what can be mended by itself
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

docs: setup ## write the reference pages anew
	@$(BIN)/python tools/gen_docs.py

bench: setup ## run the benches that need no outside data; DATA=folder runs all
	@$(BIN)/leadline bench all $(if $(DATA),--data $(DATA)) --data-dir .bench --jobs $(JOBS)

clean: ## remove the virtual environment and what runs left behind
	rm -rf $(VENV) $(DEMO) .bench .mypy_cache .ruff_cache .hypothesis

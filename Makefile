# The verbs of this repository. `make` lists them; each sets up what it needs by itself.

MULTIPLEXER ?=
ARGS ?=
PYTHON ?=

# Nothing of the pane or the agent that make was started from may reach what it starts.
unexport $(filter TMUX TMUX_% ZELLIJ% TONGS_AGENTS_% CLAUDECODE,$(.VARIABLES))

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1

PY := .venv/bin/python
# A copied or moved tree gets a virtual environment of its own: the old one points at the old place.
PLACE := $(firstword $(shell pwd | cksum))
RUN := .venv/run-$(PLACE)
DEV := .venv/dev-$(PLACE)
PIP_INSTALL := $(PY) -m pip install --quiet --constraint constraints.txt
# A cached Zellij is put on PATH for one command: its place hangs on HOME, which tests and demo replace.
WITH_ZELLIJ = dir=$$(sh scripts/need-zellij --where-if-any); PATH="$${dir:+$$dir:}$$PATH"

.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help demo test check bench validate docs clean tmux zellij

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile
	@echo '  Variables: MULTIPLEXER=tmux|zellij (demo), ARGS="…" (demo, test, bench, validate), PYTHON=… (set-up)'

demo: $(RUN) $(if $(filter zellij,$(MULTIPLEXER)),zellij,tmux) ## the main job from nothing: agents started in panes, prompted, watched, refused
	@echo "demo: scripted agents in a throw-away multiplexer server, no account and no network"
	@$(if $(filter zellij,$(MULTIPLEXER)),$(WITH_ZELLIJ)) .venv/bin/tongs-agents demo $(if $(MULTIPLEXER),--multiplexer '$(MULTIPLEXER)') $(ARGS)

test: $(DEV) tmux zellij ## every test, in parallel, on private tmux servers (ARGS="-k paste -n 0")
	@echo "test: every test, in parallel, on private tmux servers"
	@$(WITH_ZELLIJ) $(PY) -m pytest $(ARGS) || { [ $$? -eq 1 ] || exit 1; for turn in 1 2; do \
	echo "test: what failed is run again, by itself ($$turn of 2); what then passes is a race, named above, to be mended"; \
	PATH="$${dir:+$$dir:}$$PATH" $(PY) -m pytest -n 0 --last-failed --last-failed-no-failures none $(ARGS) && exit 0; done; exit 1; }

check: $(DEV) ## lint, format, types, layers, and the generated pages
	@echo "check: ruff, mypy, import-linter and the generated pages"
	@failed=; \
	.venv/bin/ruff check . || failed="$$failed ruff"; \
	.venv/bin/ruff format --check . || failed="$$failed format"; \
	.venv/bin/mypy || failed="$$failed mypy"; \
	.venv/bin/lint-imports --no-logo || failed="$$failed layers"; \
	$(PY) -m scripts.docs --check || failed="$$failed docs"; \
	if [ -n "$$failed" ]; then echo "check: failed:$$failed"; exit 1; fi; echo "check: all is well"

bench: $(DEV) tmux zellij ## measure the goals of docs/reference/benchmarks.md and write that page
	@echo "bench: measuring; this writes docs/reference/benchmarks.md"
	@$(WITH_ZELLIJ) $(PY) -m validation.bench $(ARGS)

validate: $(DEV) tmux zellij ## runnable proofs against real programs
	@echo "validate: runnable proofs against real programs"
	@$(WITH_ZELLIJ) $(PY) -m validation $(ARGS)

docs: $(DEV) ## write the generated pages of docs/reference
	@$(PY) -m scripts.docs

clean: ## remove the virtual environment and every cache
	@echo "clean: removing .venv, build products and caches"
	@rm -rf .venv build dist tongs_agents.egg-info .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

tmux:
	@sh scripts/need-tmux

zellij:
	@sh scripts/need-zellij

$(RUN): pyproject.toml constraints.txt
	@python=$$(sh scripts/need-python $(PYTHON)) && \
	echo "set-up: a virtual environment in .venv, made by $$python" && \
	"$$python" -m venv --clear .venv && \
	$(PIP_INSTALL) --editable . && touch $@

$(DEV): $(RUN)
	@echo "set-up: the tools to develop, into .venv"
	@$(PIP_INSTALL) --editable '.[dev]' && touch $@

# Each target does all of its own set-up, on a machine with only Python 3.11, git and make.
.DEFAULT_GOAL := help
.PHONY: help demo test test-all check bench clean

help:  ## print these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo:  ## make a synthetic study with known truth in demo/, run the whole loop on it, say where the report is
	@scripts/install base
	.venv/bin/comoderate demo

test:  ## check the code, then run the tests but the slow ones
	@scripts/install all
	@scripts/test

test-all:  ## the same with the slow tests: simulations and whole studies
	@scripts/install all
	@scripts/test --slow

check:  ## style, types, import layers, and the base without its extras; no tests
	@scripts/install all
	@scripts/check

bench:  ## run the benchmarks of bench/, each printing its times as ratios within one run
	@scripts/install all
	@scripts/bench

clean:  ## remove what the tools left here, but not .venv and no study
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
	find src tests scripts bench -name __pycache__ -type d -prune -exec rm -rf {} +

# Two commands do all the set-up: `make verify` and `make test`.
# Everything runs in .venv, which is made anew when pyproject.toml changes.

PYTHON ?= python3
BIN := .venv/bin
PYTEST_ARGS ?= -n auto
FUZZ_PROFILE ?= deep
BENCH_ARGS ?=
# Published code that asks for more than is run here: servers, plots, other versions of torch.
NO_DEPS := specdec==0.2.0 mini-infer==0.2.5 lmdeploy==0.18.0
# Tests of subjects that need torch, or mean something else beside it.
NEED_TORCH := torch_*.py transformers_*.py published.py rule_programs.py exact.py running.py libraries.py
SOURCES := conftest.py specdec_core grids verification reports tests benchmarks examples

.PHONY: verify verify-full test coverage check fuzz report bench bench-sampled bench-scaling \
	bench-kills format lint types \
	layers package clean test-implementations test-cluster test-page docs

verify: .venv/installed
	$(BIN)/specdec-verify verify --out report

verify-full: .venv/installed
	$(BIN)/specdec-verify verify --profile full --out report

report: verify
	@echo "open report/report.html"

test: .venv/installed
	$(BIN)/python -m pytest $(PYTEST_ARGS)

fuzz: .venv/installed
	HYPOTHESIS_PROFILE=$(FUZZ_PROFILE) $(BIN)/python -m pytest -n auto -m hypothesis

# Every test once: those of the core with their coverage, which would double the others' time.
check: lint types layers coverage
	$(MAKE) test PYTEST_ARGS="-n auto --ignore=tests/specdec_core"

coverage: .venv/installed
	$(BIN)/python -m pytest -n auto tests/specdec_core --cov

format: .venv/installed
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

lint: .venv/installed
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)

types: .venv/installed
	$(BIN)/mypy

layers: .venv/installed
	$(BIN)/lint-imports

# Speeds as ratios, side by side, and what they grow with; `bench-sampled` is the statistics' longer
# share, `bench-scaling` wants an idle machine, and `bench-kills` half an hour.
bench: .venv/installed .venv-cluster/installed
	.venv-cluster/bin/python benchmarks/ratios.py $(BENCH_ARGS)
	$(BIN)/python benchmarks/costs.py
	$(BIN)/python benchmarks/paths.py
	$(BIN)/python benchmarks/lattices.py
	$(BIN)/python benchmarks/decode_laws.py
	$(BIN)/python benchmarks/plugin_cost.py
	$(BIN)/python benchmarks/sampled_statistics.py --quick

bench-scaling: .venv/installed
	$(BIN)/python benchmarks/workers.py full 4 1
	$(BIN)/python benchmarks/scaling.py full 60
	$(BIN)/python benchmarks/planned_costs.py

bench-kills: .venv/installed
	$(BIN)/python benchmarks/run_kills.py

bench-sampled: .venv/installed
	$(BIN)/python benchmarks/counting.py
	$(BIN)/python benchmarks/sampled_statistics.py
	$(BIN)/python benchmarks/sampled_side_by_side.py
	$(BIN)/python benchmarks/ledger_kills.py

# The wheel and the sdist, installed into an empty environment, and asked for a law.
package: .venv/installed
	rm -rf dist .package
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	$(PYTHON) -m venv .package
	.package/bin/python -m pip install --quiet dist/*.whl
	.package/bin/specdec-verify law examples/python_draws/instance.json --rule token_rejection
	rm -rf .package

# Exact execution of published code, and kernels in Triton's interpreter: torch first, as a file
# for the CPU and nothing more.
test-implementations: .venv-implementations/installed
	.venv-implementations/bin/python -m pytest $(PYTEST_ARGS) \
		$(wildcard $(addprefix tests/specdec_verification/subjects/test_, $(NEED_TORCH)))
	TRITON_INTERPRET=1 .venv-implementations/bin/python -m pytest tests/test_kernel_examples.py
	.venv-implementations/bin/python benchmarks/implementations.py

.venv-implementations/installed: pyproject.toml
	$(PYTHON) -m venv .venv-implementations
	.venv-implementations/bin/python -m pip install --quiet --upgrade pip
	.venv-implementations/bin/python -m pip install --quiet torch==2.13.0
	.venv-implementations/bin/python -m pip install --quiet --editable '.[implementations]'
	.venv-implementations/bin/python -m pip install --quiet --no-deps $(NO_DEPS)
	.venv-implementations/bin/python -m pip install --quiet --no-deps \
		--ignore-requires-python naive-speculate==0.1.0
	touch $@

# The site, into site/: a page that does not build fails.
docs: .venv-docs/installed
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --strict --quiet

# A run on a Dask cluster of this machine, whose workers are killed on the way.
test-cluster: .venv-cluster/installed
	.venv-cluster/bin/python -m pytest tests/specdec_verification/test_cluster.py

# The page in Chromium, which comes from the system (Debian: apt-get install chromium).
test-page: .venv-page/installed
	.venv-page/bin/python -m pytest tests/specdec_reports/test_page_in_browser.py

.venv-docs/installed: EXTRAS := docs
.venv-cluster/installed: EXTRAS := dask
.venv-page/installed: EXTRAS := dev,page

.venv-%/installed: pyproject.toml
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet --upgrade pip
	.venv-$*/bin/python -m pip install --quiet --editable '.[$(EXTRAS)]'
	touch $@

clean:
	rm -rf .venv .venv-implementations .venv-cluster .venv-docs .venv-page report site

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

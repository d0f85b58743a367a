# Every target makes .venv and installs what it needs by itself.
PYTHON ?= python3
BIN := .venv/bin
TOOLS := build/tools/bin
export PYTHONDONTWRITEBYTECODE :=  # else every process that a test starts compiles all modules again
.PHONY: run test test-rest test-all coverage same check format bench quality challenge docs words trust inventory clean

run: .venv/run.stamp
	$(BIN)/streamlit run streamlit_app.py

# what `make test` leaves to `make test-rest`
LEFT := (engines or hostile or quality or browser or slow) and not quick
test: ONLY := -m "not ($(LEFT))"
test-rest: ONLY := -m "$(LEFT)"
coverage: COVER := --cov --cov-report=term  # of all tests, which take twice as long with it
coverage: export THOROUGH := 1  # and try three times as many examples, see tests/thorough.py
test test-rest coverage: .venv/dev.stamp
	$(BIN)/python -m pytest -n 2 --dist worksteal --durations=20 -rfER $(ONLY) $(COVER)

test-all: test test-rest

same: .venv/dev.stamp  # AGAINST=<commit>: do the answers differ from that commit's? ONLY=<tool>: of one
	$(BIN)/python -m benchmarks.same $(AGAINST) $(if $(ONLY),--only $(ONLY))

check: .venv/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m docs.words --check
	$(BIN)/python -m benchmarks.counts

format: .venv/dev.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/dev.stamp
	$(BIN)/python -m benchmarks

quality: .venv/dev.stamp
	$(BIN)/python -m benchmarks.quality --families

challenge: .venv/dev.stamp  # FOLDER=<folder of cases>: what the audits say of cases that somebody brings
	$(BIN)/python -m benchmarks.challenge $(FOLDER)

docs: .venv/dev.stamp
	$(BIN)/python -m docs.generated

words: .venv/dev.stamp
	$(BIN)/python -m docs.words

trust: .venv/dev.stamp
	$(BIN)/python -m tests.hostile.trust
	$(BIN)/python -m tests.hostile.repeats

inventory: .venv/run.stamp  # the lock file, what it installs (CycloneDX), and under which licences
	test -x $(TOOLS)/python || $(PYTHON) -m venv build/tools
	$(TOOLS)/python -m pip install --quiet --disable-pip-version-check pip-tools cyclonedx-bom pip-licenses
	$(TOOLS)/pip-compile --quiet --generate-hashes --strip-extras --no-header --no-annotate --no-emit-index-url \
		--no-emit-trusted-host --no-emit-find-links --output-file deploy/requirements.lock requirements.txt
	$(TOOLS)/cyclonedx-py requirements deploy/requirements.lock --output-file build/sbom.json
	$(TOOLS)/pip-licenses --python=$(BIN)/python --with-system --format=csv --output-file=build/licences.csv

clean:
	rm -rf .venv build

.venv/run.stamp: requirements.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

.venv/dev.stamp: requirements-dev.txt .venv/run.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@

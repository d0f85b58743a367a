# Every target makes .venv and installs what it needs by itself.
PYTHON ?= python3
BIN := .venv/bin
.PHONY: run test check format bench quality docs words trust clean

run: .venv/run.stamp
	$(BIN)/streamlit run streamlit_app.py

test: .venv/dev.stamp
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term

check: .venv/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m benchmarks.counts

format: .venv/dev.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/dev.stamp
	$(BIN)/python -m benchmarks

quality: .venv/dev.stamp
	$(BIN)/python -m benchmarks.quality --families

docs: .venv/dev.stamp
	$(BIN)/python -m docs.generated

words: .venv/dev.stamp
	$(BIN)/python -m docs.words

trust: .venv/dev.stamp
	$(BIN)/python -m tests.hostile.trust

clean:
	rm -rf .venv

.venv/run.stamp: requirements.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

.venv/dev.stamp: requirements-dev.txt .venv/run.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@

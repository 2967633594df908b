# The commands of the project. `make run` and `make test` need nothing but Python 3.11 and make.
#   PYTHON  the interpreter the environment is made from
#   VENV    where the environment is kept
#   PARTS   of the gallery, all without any: entering, talking, languages, alone, market, desk, studies, people

PYTHON ?= python3
VENV ?= .venv

export PYTHONUNBUFFERED = 1
FIND_PYTHON = @command -v $(PYTHON) >/dev/null 2>&1 || { echo "There is no Python here. Install Python 3.11 or newer (Debian, Ubuntu: apt install python3 python3-venv), or name it: make PYTHON=/path/to/python3 $@"; exit 1; }

.PHONY: run test check drill bench capacity gallery pictures docs words clean

run: ## start the product
	$(FIND_PYTHON)
	@exec $(PYTHON) -m collector.run --venv $(VENV) --for run -- manage.py serve --with-parent

test: ## install what the tests need, then run everything
	@command -v $(PYTHON) >/dev/null 2>&1 || sh tests/install_python.sh
	@$(PYTHON) -m tests.machine
	@exec $(PYTHON) -m collector.run --venv $(VENV) --for test -- -m tests.everything

check: ## lint, types, layers, migrations, templates, docs, licences, known holes
	$(FIND_PYTHON)
	@exec $(PYTHON) -m collector.run --venv $(VENV) --for test -- -m tests.check

drill: ## break things on purpose, on several processes
	$(FIND_PYTHON)
	@exec $(PYTHON) -m collector.run --venv $(VENV) --for test -- -m tests.drills

bench: ## measure on this machine, against references; BENCH="relay --runs 1" measures a part
	$(FIND_PYTHON)
	@exec $(PYTHON) -m collector.run --venv $(VENV) --for test -- -m tests.bench $(BENCH)

capacity: ## how many dialogs at once, in twenty minutes; writes docs/capacity.md. CAPACITY="pairs --pairs 100" measures a part
	$(FIND_PYTHON)
	@exec $(PYTHON) -m collector.run --venv $(VENV) --for test -- -m tests.bench.capacity $(or $(CAPACITY),--write)

gallery: ## pictures of every page in every state, and what is wrong there; GALLERY=dir names another folder
	$(FIND_PYTHON)
	@exec $(PYTHON) -m collector.run --venv $(VENV) --for test -- -m tests.gallery $(PARTS)

words: ## bring the files of translations in line with the code, and say what is to be translated
	$(FIND_PYTHON)
	@exec $(PYTHON) -m collector.run --venv $(VENV) --for test -- -m tests.words

pictures: ## those of README and docs, from the gallery that was taken last
	$(FIND_PYTHON)
	@exec $(PYTHON) -m collector.run --venv $(VENV) --for test -- -m tests.gallery.pictures

docs: ## the pages of docs/ as a site, in var/docs
	$(FIND_PYTHON)
	@exec $(PYTHON) -m collector.run --venv $(VENV) --for test -- -m mkdocs build --strict --quiet

clean: ## remove what can be made again; the data in var/ stays
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage test-results
	find chat collector hits tests -name __pycache__ -type d -prune -exec rm -rf {} +

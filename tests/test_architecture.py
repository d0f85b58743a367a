"""Imports point one way, and every audit runs where Streamlit is not installed."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest

from benchmarks.counts import function_length

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*ROOT.glob("core/**/*.py"), *ROOT.glob("pages/**/*.py")])
# a tool whose releases, or joined classes, another judges, so that the two never contradict
ASKS = {"diversity": "risk", "delivery": "risk"}
DRAWING = {
    "altair": "core.charts.lazy_altair",
    "vl_convert": "core.processes.drawing",
}
STREAMLIT = ("core.web.caching", "core.web.streamlit_internals")
INTERNALS = ("streamlit.runtime", "streamlit.web", "streamlit.proto", "streamlit.auth_util")
TOOLS = ("tabular", "vcf", "leakage", "events", "delivery", "diversity", "risk")


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _imports(path: Path) -> frozenset[str]:
    found: set[str] = set()
    for node in ast.walk(_parsed(path)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path.name} imports relatively"
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(found)


def _tool_of(module: str) -> str | None:
    """Return the tool a module of core belongs to: core.vcf, core.vcf.sites or core.vcf.donor.result."""
    parts = module.split(".")
    if len(parts) < 2 or parts[0] != "core":
        return None
    name = parts[1]
    return name if name in TOOLS else None


def _against_the_way(module: str, imports: frozenset[str]) -> Iterator[str]:
    """Yield what a module imports and must not, with what is wrong about it."""
    tool = _tool_of(module)
    is_part = module.startswith("pages.components") or "_parts" in module
    rooms = ("pages.components", module.rpartition(".")[0])
    for name in imports:
        root = name.split(".")[0]
        if name.startswith(INTERNALS) and module != "core.web.streamlit_internals":
            yield f"{name}, an internal of Streamlit"
        if (
            module.startswith("core")
            and module not in STREAMLIT
            and (root == "streamlit" or name == "core.web.caching")
        ):
            yield f"{name}, where no Streamlit is"
        if module.startswith("core") and root == "pages":
            yield f"{name}, a page"
        if DRAWING.get(root, module) != module:
            yield f"{name}, which draws"
        if tool and _tool_of(name) not in (None, tool, ASKS.get(tool)):
            yield f"{name}, another tool"
        if module.startswith("core.comparing") and _tool_of(name):
            yield f"{name}, a tool"
        if is_part and name.startswith("pages.") and not name.startswith(rooms):
            yield f"{name}, a page or the parts of another"


def test_imports__point_one_way() -> None:
    found = [
        f"{_module(path)}: {each}"
        for path in SOURCES
        for each in _against_the_way(_module(path), _imports(path))
    ]
    assert found == []


def test_settings_policies_and_reports__know_no_command() -> None:
    rooms = ("core.filed", "core.policies", "core.settings", "core.tools")
    found = [
        (_module(path), name)
        for path in SOURCES
        for name in _imports(path)
        if _module(path).startswith(rooms) and name.startswith(("core.commands", "core.__main__", "argparse"))
    ]
    assert found == []


def test_tool__is_declared_without_the_libraries_that_compute() -> None:
    modules = ("core.settings.options", "core.settings.reading", "core.settings.form", "core.tools")
    declaring = [path for path in SOURCES if path.name == "tool.py" or _module(path) in modules]
    roots = {name.partition(".")[0] for path in declaring for name in _imports(path)}
    assert roots.isdisjoint({"pandas", "pyarrow", "numpy", "scipy", "sklearn", "argparse"})


@pytest.mark.slow
def test_core__imports_where_streamlit_cannot_be_imported() -> None:
    modules = [_module(path) for path in SOURCES if path.is_relative_to(ROOT / "core")]
    program = (
        "import importlib, sys\n"
        "sys.modules['streamlit'] = None\n"
        f"for name in {[name for name in modules if name not in (*STREAMLIT, 'core.__main__')]!r}:\n"
        "    importlib.import_module(name)\n"
        "print('imported')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.strip() == "imported", done.stderr


def test_tool__has_the_rooms_of_every_tool() -> None:
    names = ("settings.py", "measuring.py", "judging.py", "result.py", "tool.py")
    rooms = [Path("core") / tool / name for tool in TOOLS for name in names]
    assert [room for room in rooms if not (ROOT / room).exists()] == []


def test_module__of_one_importer_is_a_subject_of_its_own() -> None:
    """A small module that only one other needs belongs into that one; those named are looked for by name."""
    importers: dict[str, set[str]] = {_module(path): set() for path in SOURCES}
    for path in SOURCES:
        for name in _imports(path) & importers.keys() - {_module(path)}:
            importers[name].add(_module(path))
    small = {
        _module(path)
        for path in SOURCES
        if path.name not in ("__init__.py", "charts.py", "proof.py", "result.py", "tool.py")
        and path.parent.name not in ("measures", "components")
        and len(path.read_text(encoding="utf-8").splitlines()) < 90
    }
    lone = {name for name in small if len(importers[name] - _offering(name)) == 1}
    assert lone == {
        *"""core.delivery.same_order core.people.free_text.models core.reports.index core.tables.parquet
        core.tabular.second_opinion.shifted_dates core.vcf.contigs pages.measure.risk_parts.counts
        pages.start.filed_parts.comparing pages.start.filed_parts.repeating""".split()
    }


def _offering(module: str) -> set[str]:
    """Return what imports a module only to offer it: its package."""
    package = module.rpartition(".")[0]
    return {package, f"{package}.offered"}


READS = frozenset({"open", "fdopen", "read_bytes", "read_text", "read_metadata", "ParquetFile", "memory_map"})
NO_INPUTS = {  # what else is opened, by function: of ourselves, of this system, or in memory
    *(
        "core.__main__._end_of",
        "core.processes.bounded_process._give",
        "core.processes.bounds._addresses",
        "core.processes.bounded_process.begin_here",
    ),
    *(
        "core.files.named_files.give_name",
        "core.files.input_bytes.mapped",
        "core.files.named_files.write_file",
        "core.cluster.tasks.build",
        "core.demo.demo_file",
    ),
    *("core.commands.output.write_new_files", "core.languages.catalogues", "core.files.plain_text.write"),
    "core.reports.as_pdf.render_pdf",
    *("core.files.own_reports._is_archive_of_ours", "core.policies.shipped.shipped_policies"),
    "core.tables.delimited.read_delimited",
    *(
        "core.tables.parquet.read_parquet",
        "core.tables.parquet._packed",
        "core.processes.queue.machine_memory",
    ),
    *("core.tables.hidden_contents._pieces", "core.vcf.files.sha256", "core.vcf.files.__init__"),
    *("core.vcf.header.opened", "core.vcf.header._feed", "core.vcf.unread.unread_bytes"),
    *("core.vcf.binary.lines", "core.vcf.binary._feed"),
    "core.commands.engines._needed",  # of a file that was just opened as an input
    "core.commands.output.ready_streams",
    "core.declared.proposing._usual",  # our own file
    *("core.checks._read", "core.measures._read", "core.vcf.checks.case._read"),  # our own tables
    "core.engines.sources.configured",  # the operator's own secrets
}


def _reads(node: ast.AST, function: str = "") -> Iterator[str]:
    """Yield the function of each call below a node that may open something."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            called = child.func
            name = getattr(called, "id", getattr(called, "attr", ""))
            if name in READS:
                yield function
        yield from _reads(child, child.name if isinstance(child, ast.FunctionDef) else function)


def test_inputs__are_opened_by_one_function() -> None:
    """What is opened elsewhere may be a pipe, for which a command would wait for ever."""
    found = {
        f"{_module(path)}.{function}"
        for path in SOURCES
        if path.is_relative_to(ROOT / "core")
        for function in _reads(_parsed(path))
    }
    assert found - {"core.files.input_bytes.open_input"} == NO_INPUTS


@pytest.mark.one_of(7)
@pytest.mark.parametrize("tool", TOOLS)
def test_tool__is_measured_where_nothing_can_be_shown_or_drawn(tool: str) -> None:
    needless = ("streamlit", *DRAWING, *(["pandas"] if tool == "vcf" else []))
    blocked = "; ".join(f"sys.modules[{name!r}] = None" for name in needless)
    program = f"import sys; {blocked}; import core.{tool}; print('imported')"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.strip() == "imported", done.stderr


def test_streamlit__is_of_the_version_whose_internals_are_used() -> None:
    assert version("streamlit").startswith("1.67.")
    assert "streamlit[auth]==1.67.*" in (ROOT / "requirements.txt").read_text(encoding="utf-8")


def test_core__loads_no_module_by_its_name() -> None:
    loading = {_module(path) for path in SOURCES if "importlib" in _imports(path)}
    assert loading <= {"core.commands", "core.processes.bounded_process", "core.tools"}, (
        "only the command line, processes apart and the registry of tools choose a module"
    )


_WRITES = {"write_bytes", "write_text", "touch", "mkstemp", "NamedTemporaryFile", "TemporaryFile", "truncate"}
_TO_WRITE = re.compile("[wax+]")
_FLAGS = ("O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND")


def _opens_to_write(call: ast.Call) -> bool:
    """Tell whether a call makes or changes a file; where one is ended, half of the file may be left."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    given = [*call.args, *(each.value for each in call.keywords)]
    if name not in ("open", "fdopen", "FileIO"):
        return name in _WRITES
    modes = [each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    flags = " ".join(ast.unparse(each) for each in given)
    is_unknown = name == "open" and isinstance(call.func, ast.Name) and len(call.args) > 1 and not modes
    return is_unknown or any(map(_TO_WRITE.search, modes)) or any(flag in flags for flag in _FLAGS)


def _writers() -> Iterator[str]:
    for path in SOURCES:
        tree = _parsed(path)
        for function in (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)):
            calls = (each for each in ast.walk(function) if isinstance(each, ast.Call))
            if any(map(_opens_to_write, calls)):
                yield f"{_module(path)}.{function.name}"


@pytest.mark.slow
def test_files__are_written_by_one_function() -> None:
    """Else the laws of `tests/unit/test_writing.py` would not hold for every command that is ended."""
    others = {
        *(
            "core.__main__._end_of",
            "core.commands.output.ready_streams",
        ),  # the null device, for what is closed
        *(
            "core.processes.bounded_process._give",
            "core.processes.bounded_process.begin_here",
            "core.vcf.header._feed",
            "core.vcf.binary._feed",
        ),  # pipes and shared memory
        "pages.components.trail._write",  # a line a time, at the end
        "core.reports.as_pdf.render_pdf",  # a page that a browser prints, in a folder of its own
    }
    assert {*_writers()} - others == {"core.files.named_files.write_file"}


@pytest.mark.parametrize(
    ("call", "writes"),
    [
        ("path.write_bytes(data)", True),
        ("open(path, mode)", True),
        ("path.open('a', encoding='utf-8')", True),
        ("os.open(path, os.O_RDWR)", True),
        ("open(path, 'rb')", False),
        ("archive.open(name)", False),
        ("os.open(folder, os.O_RDONLY)", False),
    ],
)
def test_files__opened_to_be_written_are_told_from_those_read(call: str, writes: bool) -> None:
    (found,) = (each for each in ast.walk(ast.parse(call)) if isinstance(each, ast.Call))
    assert _opens_to_write(found) == writes


def test_imports__are_all_listed_as_requirements() -> None:
    """By the names that packages install, so that none is there by chance, because another needs it."""
    listed = {
        re.split(r"[\[<>=~ ]", line)[0].lower().replace("_", "-")
        for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
        if line
    }
    files = ("requirements-text.txt", "requirements-engines.txt")
    optional = "".join((ROOT / name).read_text(encoding="utf-8") for name in files)
    installs = packages_distributions()
    sources = [ROOT / "streamlit_app.py", *SOURCES]
    roots = {name.split(".")[0] for path in sources for name in _imports(path)}
    roots -= {"core", "pages", "__future__", *sys.stdlib_module_names}
    roots -= {name for name in roots if re.search(rf"(?m)^{name.replace('_', '-')}\b", optional)}
    missing = {
        name for name in roots if not {each.lower().replace("_", "-") for each in installs[name]} & listed
    }
    assert missing == set()


@pytest.mark.slow
def test_function__is_no_longer_than_45_lines() -> None:
    long = {
        f"{_module(path)}.{node.name}"
        for path in SOURCES
        for node in ast.walk(_parsed(path))
        if isinstance(node, ast.FunctionDef) and function_length(node) > 45
    }
    assert long == set()


def test_exception__of_any_kind_is_caught_at_an_edge_only_with_a_reason() -> None:
    broad = re.compile(r"^ *(?:except Exception\b|except:|with suppress\((?:Base)?Exception\))")
    without = [
        f"{_module(path)} {number}"
        for path in SOURCES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if broad.match(line) and ":  # " not in line
    ]
    assert without == []


def test_source__names_no_path_of_one_machine() -> None:
    words = ["/" + "work/", "/" + "root/", "/" + "home/"]
    checked = [*SOURCES, *ROOT.glob("tests/**/*.py"), *ROOT.glob("*.md"), *ROOT.glob("benchmarks/*.py")]
    assert [path.name for path in checked for word in words if word in path.read_text(encoding="utf-8")] == []


@pytest.mark.slow
def test_tables__say_in_every_language_that_a_cell_holds_nothing() -> None:
    calls = [
        (path.name, {each.arg for each in node.keywords})
        for path in SOURCES
        for node in ast.walk(_parsed(path))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "dataframe"
    ]
    assert calls
    assert [name for name, given in calls if "placeholder" not in given] == []  # else it is “None”

"""Who counts says "1 column": a count before a noun in the plural has its message for one as well."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import pytest

from core.vcf.checks import ALL_CHECKS
from core.words import own
from docs import words

# What is never one, by how its message begins, and why.
NEVER_ONE = {
    "Records miss quasi-identifiers in {n} different ways, too many": "too many",
    "The table has {n} cells over {columns}; at most": "too many",
    "The totals leave each suppressed count of `{column}` at least {least} values": "a limit of 2 or more",
    "The report has {n} findings {key}; name one": "several",
    "The {role} {file} ({n_bytes} bytes": "a file that was audited",
    "{file} is not what was audited: it had {n_bytes} bytes": "a file that was audited",
    "Of the {nearest} persons nearest": "the nearest of all",
    "{release}: {column} has {n} different values, too many": "too many",
    "{column} has {n} different values, too many": "too many",
    "[{n} characters; the XLSX holds more]": "too many",
    "The {columns} released columns that nobody has marked": "one is spoken of by itself",
    "All {n} columns are quasi-identifiers": "one is spoken of by itself",
    "There are {n} groups, too many": "too many",
    "The tables have {records} and {originals} rows": "two numbers together",
    "{file}: the table has {n} columns; at most": "too many",
    "{file}: the table has {records} records of {columns} columns, more": "too many",
    "{file}: the table has {columns} columns; every one": "too many",
    "The values of `{column}` are alike where": "enough to tell from chance",
    "`{column}` is said to be kept, but holds {n_values}": "more than before",
    "`{column}` is said to be made coarser, but its {n_values}": "several categories",
    "{name} (repeated {times} times": "fewer are told otherwise",
}
WORD = re.compile(r"[a-z-]+")
SMALL = r"(?:(?!and |as |by |in |is |of |or |to |with )[a-z-]+ ){0,2}?"  # words before the noun
AGREES = re.compile(r"\{(\w+)\} (?:are|differ|do|have|hold|lack|miss|name|remain|show|stand|were)\b")
OF_ALL = re.compile(r"\bof (?:the |its |up to )?$")  # "1 of 5 records" is right, and so is "1 of 1 records"
TEXTS = {"counted", "part_of", "percent", "share_of", "text"}
Local = Mapping[str, Sequence[ast.expr]]


@cache
def _counted() -> re.Pattern[str]:
    """Return the pattern of a value before a noun in the plural: those that messages with both forms have."""
    nouns = {"people"}
    for one, many in words.messages():
        singular, plural = set(WORD.findall(one)), set(WORD.findall(many))
        ends = {word for word in plural - singular if word.endswith("s") and len(word) > 3}
        nouns |= {word for word in ends if {word[:-1], word[:-2], f"{word[:-3]}y"} & singular}
    return re.compile(rf"\{{(\w+)\}} {SMALL}(?:{'|'.join(sorted(nouns))})\b")


def _literals(node: ast.expr, local: Local) -> list[str]:
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.IfExp):
        return _literals(node.body, local) + _literals(node.orelse, local)
    given = local.get(node.id, ()) if isinstance(node, ast.Name) else ()
    return [literal for one in given for literal in _literals(one, {})]


def _is_count(node: ast.expr, local: Local) -> bool:
    """Tell by the names of the house, where ``n_`` is how many, or by what makes it."""
    if isinstance(node, ast.Name):
        given = local.get(node.id, ())
        if node.id == "n" or node.id.startswith("n_"):
            return not any(isinstance(one, ast.Call) and ast.unparse(one.func) in TEXTS for one in given)
        return any(_is_count(one, {}) for one in given)
    if isinstance(node, ast.BinOp):
        is_less = isinstance(node.op, ast.Sub | ast.FloorDiv)
        return is_less or _is_count(node.left, local) or _is_count(node.right, local)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in {"int", "len", "round", "sum"}
    return isinstance(node, ast.Attribute) and node.attr.startswith("n_")


def _assigned(function: ast.FunctionDef) -> Local:
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        pairs: list[tuple[ast.expr, ast.expr]] = []
        if isinstance(node, ast.NamedExpr):
            pairs = [(node.target, node.value)]
        elif isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = list(zip(target.elts, value.elts, strict=False))
            else:
                pairs = [(target, value)]
        for target, value in pairs:
            if isinstance(target, ast.Name):
                found.setdefault(target.id, []).append(value)
    return found


def uncounted(code: str, counted: re.Pattern[str]) -> Iterator[str]:
    """Yield the messages of a module that say a count before a plural, and have no form for one.

    A text of :func:`core.words.counted` has such a form itself; the verb behind it has none.
    """
    for function in ast.walk(ast.parse(code)):
        if not isinstance(function, ast.FunctionDef):
            continue
        local = _assigned(function)
        for call in ast.walk(function):
            if not isinstance(call, ast.Call) or len(call.args) != 1:
                continue
            given = {keyword.arg: keyword.value for keyword in call.keywords}
            for message in _literals(call.args[0], local):
                for place in counted.finditer(message):
                    value = given.get(place[1])
                    if value and _is_count(value, local) and not OF_ALL.search(message[: place.start()]):
                        yield message
                for place in AGREES.finditer(message):
                    value, before = given.get(place[1]), message[: place.start()]
                    is_text = isinstance(value, ast.Call) and ast.unparse(value.func) == "counted"
                    if is_text and not OF_ALL.search(before):
                        yield message


def test_counts__have_a_message_for_one() -> None:
    counted, lacking = _counted(), set()
    for path in sorted([*(words.ROOT / "core").rglob("*.py"), *(words.ROOT / "pages").rglob("*.py")]):
        lacking |= set(uncounted(path.read_text(encoding="utf-8"), counted))
    assert {message for message in lacking if not message.startswith(tuple(NEVER_ONE))} == set()
    assert [start for start in NEVER_ONE if not any(one.startswith(start) for one in lacking)] == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('def f(t): return text("{n} empty columns.", n=len(t))', True),
        ('def f(t): return say("Of {k} tables, {one} rows", one=t.n_rows)', True),
        ('def f(t):\n m = "{a} records" if t else "none"\n n_left = len(t)\n return text(m, a=n_left)', True),
        ('def f(t): return text("{cells} are blank", cells=counted(len(t), "cell"))', True),
        ('def f(t): return text("{cells} and no more", cells=counted(len(t), "cell"))', False),
        ('def f(t): return text("{n} column", "{n} columns", n=len(t))', False),
        ('def f(t): return text("{found} columns", found=share_of(1, 2))', False),
        ('def f(t): return text("1 of {n} columns", n=len(t))', False),
        ('def f(t): return text("{file} names columns", file=t.name)', False),
    ],
)
def test_uncounted__tells_counts_from_shares_and_names(code: str, found: bool) -> None:
    assert bool([*uncounted(code, _counted())]) == found


def test_checks_of_genome_files__agree_with_one_site() -> None:
    """Each speaks of `{n}` of something in both forms; but for those whose verb is not of them."""
    alike = {
        check for check, one in ALL_CHECKS.items() if "{n}" in one.message and not own(one.message).plural
    }
    assert alike == {"membership", "samples_computed"}

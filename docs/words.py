"""Catalogues of translations: `python -m docs.words` writes them anew, `--check` tells what is wrong.

Every message stands in the code as a literal, and every literal of core/ and pages/ that looks like words is
one, whether or not :func:`core.words.text` takes it: settings, measures and findings hold literals that pages
and reports say. Of a template only what it says is one.
"""

import ast
import re
import string
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import write_po
from jinja2 import Environment, nodes

from core.languages import ENGLISH, FOLDER, LANGUAGES, PLURAL_FORMS, catalogues
from core.measures.measure import Unit

ROOT = Path(__file__).parents[1]
TOOLS = ("tabular", "vcf", "leakage", "risk", "dataset", "events", "diversity")
_ROOMS = {"delivery": "dataset"}  # of core, whose tool is called otherwise
SILENT = (
    "core/demo.py",
    "core/people/names.py",
    "core/values/letters.py",
)  # names and values, but what is marked
_MAKERS = frozenset({"text", "say", "counted", "share_of", "part_of", "own", "input_error", "Finding.of"})
_IDENTIFIER = re.compile(r"[a-z0-9_.:/-]*|[A-Z0-9_]+|[\w-]+\.[\w-]+|--?[a-z-]+|#?[0-9A-Fa-f]{6}")
_CODE = re.compile(
    r"\\[a-zA-Z]|\(\?|\[\^|\]\+|\]\{\d|</|/>|^<|: [a-z]+;|^\s"
    r"|datum\.|\.\w+[(\[]|print\(|^import |%[Ymd]|^[^\w{“(*]*$"
)
_MARKS = re.compile(r"\{[^{}]*\}")
_WHO_AND_WHEN = tuple(
    f'"{name}-'
    for name in ("POT-Creation", "PO-Revision", "Project-Id", "Report-Msgid", "Last", "Language", "Generated")
)
# Lone words that look like names of code and are said: verdicts, units, directions, delimiters and choices.
_LONE = re.compile(
    "PASS|WARN|FAIL|higher|lower|neither|share|risk|number|bits|records?|cells?|class(es)?|columns?|users?"
    "|events?|sites?|values?|comma|semicolon|tab|colon|caret|tilde|space|all|any|ask|blank|fresh|yes|no"
    "|high|low|equal|ordered|other|original|anonymized|scrambled|masked|log|infinite|threshold|rows?|mode|frequencies"
)
# Words of figures, which no literal tells from a key.
_OF_FIGURES = (
    *get_args(Unit),
    *("higher", "lower", "neither", "infinite"),
)
_FIGURES = ("core/measures/measure.py", 1)
_Id = tuple[str, str]


def messages() -> dict[_Id, list[tuple[str, int]]]:
    """Return every message of the code, with its plural or an empty one, and where it stands."""
    found: dict[_Id, list[tuple[str, int]]] = {(word, ""): [_FIGURES] for word in _OF_FIGURES}
    for path in sorted([*(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]):
        name = path.relative_to(ROOT).as_posix()
        for message, line in _of_file(
            ast.parse(path.read_text(encoding="utf-8")), silent=name.startswith(SILENT)
        ):
            found.setdefault(message, []).append((name, line))
    for path in sorted((ROOT / "core").rglob("*.jinja")):
        for message, line in _of_template(path.read_text(encoding="utf-8")):
            found.setdefault(message, []).append((path.relative_to(ROOT).as_posix(), line))
    for path in sorted((ROOT / "policies").glob("*.toml")):
        for words in _of_policy(tomllib.loads(path.read_text(encoding="utf-8"))):
            found.setdefault((words, ""), []).append((path.relative_to(ROOT).as_posix(), 1))
    return found


def _of_policy(policy: dict[str, Any]) -> Iterator[str]:
    """Return what pages and reports say of a policy that comes along; clauses of a law stay as they are."""
    yield policy["title"]
    yield from policy["judgement"]
    for limit in policy["limit"]:
        yield limit["says"]
        yield from filter(None, [limit.get("read_in")])
        if not limit["clause"].startswith("45 CFR"):
            yield limit["clause"]


def _of_template(source: str) -> Iterator[tuple[_Id, int]]:
    """Return what a template says: `say("…")`, or with a plural `say("…", "…", n=n)`."""
    for call in Environment(autoescape=True).parse(source).find_all(nodes.Call):
        literals = [each.value for each in call.args if isinstance(each, nodes.Const)]
        if getattr(call.node, "name", "") == "say" and literals:
            yield (literals[0], literals[1] if literals[1:] else ""), call.lineno


def _of_file(tree: ast.Module, *, silent: bool) -> Iterator[tuple[_Id, int]]:
    taken: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            given = _given(node)
            taken |= {id(one) for one in (*given, *_listed(node))}
            yield from (
                (message, node.lineno) for message in _of_call(node, [str(one.value) for one in given])
            )
        elif isinstance(node, ast.JoinedStr):
            taken |= {id(part) for part in ast.walk(node) if part is not node}
        elif isinstance(node, ast.Expr):
            taken.add(id(node.value))
        for kind in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            taken |= {id(part) for part in ast.walk(kind)} if kind is not None else set()
    for node in () if silent else ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in taken and _looks_like_words(node.value):
            yield (str(node.value), ""), node.lineno


def _given(call: ast.Call) -> list[ast.Constant]:
    """Return the literals that a call makes a message of."""
    maker = ast.unparse(call.func.func) if isinstance(call.func, ast.Call) else getattr(call.func, "id", "")
    given: list[ast.expr] = list(call.args) if maker in _MAKERS else []
    if maker == "Demo":
        given = [keyword.value for keyword in call.keywords if keyword.arg in ("label", "description")]
    return [one for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def _listed(call: ast.Call) -> list[ast.expr]:
    """Return the literals of which a call makes lists of words to look for, which nobody is shown."""
    is_list = ast.unparse(call.func) == "_words" or getattr(call.func, "attr", "") == "named"
    if not is_list and isinstance(call.func, ast.Attribute) and call.func.attr == "split":
        return [call.func.value]
    return call.args if is_list else []


def _of_call(call: ast.Call, literals: list[str]) -> list[_Id]:
    maker = getattr(call.func, "id", "")
    if maker == "counted":
        one, many = (*literals, "")[:2] if literals else ("", "")
        return [(f"{{n}} {one}", f"{{n}} {many or one + 's'}")] if one else []
    if maker == "share_of":
        of = " ".join(["{found} of {total}", *literals])
        return [(of, ""), (f"{of} ({{share}})", "")]
    if maker == "part_of":
        return [(f"{part} {noun}", "") for noun in literals for part in ("{found} of {total}", "{share} of")]
    if maker == "Demo":
        return [(literal, "") for literal in literals]
    if not literals or not _has_words(literals[0]):
        return []
    return [(literals[0], literals[1] if literals[1:] else "")]


def _has_words(message: str) -> bool:
    return re.search(r"[^\W\d_]", _MARKS.sub("", message)) is not None


def _looks_like_words(literal: object) -> bool:
    """Return whether a literal may be shown: it is no code, or a lone word that is said."""
    if not isinstance(literal, str):
        return False
    if _LONE.fullmatch(literal):
        return True
    if _IDENTIFIER.fullmatch(literal) or _CODE.search(literal) or not _has_words(literal):
        return False
    return " " in literal or re.fullmatch(r"[A-Z][a-z]+(-[a-z]+)*", literal) is not None


def domain(places: list[tuple[str, int]]) -> str:
    """Return the tool whose messages these are; what several say belongs to all."""
    words = (*TOOLS, *_ROOMS)
    rooms = {next((word for word in words if re.search(rf"\b{word}", name)), "shared") for name, _ in places}
    named = {_ROOMS.get(room, room) for room in rooms}
    return named.pop() if len(named) == 1 else "shared"


def update() -> None:
    """Write the catalogues of every language: new messages empty, those gone left out, all others kept."""
    found = messages()
    for code in LANGUAGES:
        if code == ENGLISH:
            continue
        known = {_key(each): each for _, catalogue in catalogues(code) for each in catalogue if each.id}
        (FOLDER / code).mkdir(parents=True, exist_ok=True)
        for name in ("shared", *TOOLS):
            catalogue = Catalog(
                locale=code, domain=name, fuzzy=False, header_comment=f"# {LANGUAGES[code]}: {name}"
            )
            for key, places in sorted(found.items()):
                if domain(places) == name:
                    locations = [(path, 0) for path in sorted({path for path, _ in places})]
                    catalogue.add(_written(key), string=_kept(known.get(key), code, key), locations=locations)
            with (FOLDER / code / f"{name}.po").open("wb") as file:
                write_po(file, catalogue, omit_header=False, include_lineno=False, width=110)
            _without_clock(FOLDER / code / f"{name}.po")


def _written(key: _Id) -> str | tuple[str, str]:
    return key if key[1] else key[0]


def _kept(message: Message | None, code: str, key: _Id) -> str | tuple[str, ...]:
    empty = ("",) * len(PLURAL_FORMS[code]) if key[1] else ""
    if message is None or not message.string:
        return empty
    return message.string if isinstance(message.string, str) else tuple(message.string)


def _key(message: Message) -> _Id:
    return (message.id, "") if isinstance(message.id, str) else (message.id[0], message.id[1])


def _without_clock(path: Path) -> None:
    """Leave out the lines of the header that say who and when."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(_WHO_AND_WHEN)]
    path.write_text("".join(kept), encoding="utf-8")


def problems() -> list[str]:
    """Return a sentence for everything that is wrong with the catalogues."""
    found = messages()
    told = []
    for code in LANGUAGES:
        if code == ENGLISH:
            continue
        known = {}
        for path, catalogue in catalogues(code):
            for message in catalogue:
                if message.id:
                    known[_key(message)] = message
                    told += [f"{path.relative_to(ROOT)}: {problem}" for problem in _of_message(message, code)]
        told += [
            f"locale/{code}: no entry for {key[0]!r}; run make words." for key in found.keys() - known.keys()
        ]
        told += [
            f"locale/{code}: nothing says {key[0]!r} any more; run make words."
            for key in known.keys() - found.keys()
        ]
    return told


def _of_message(message: Message, code: str) -> Iterator[str]:
    """Tell what is wrong with a translation: it is missing, or its values are not those of the message."""
    key = _key(message)
    forms = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
    if len(forms) != (len(PLURAL_FORMS[code]) if key[1] else 1) or not all(forms):
        yield f"{key[0]!r} has no translation."
        return
    for form in forms:
        try:
            named = _names(str(form))
        except ValueError:
            yield f"{key[0]!r}: the braces of its translation do not fit each other."
            continue
        wanted = _names(key[0]) | _names(key[1])
        if not wanted - {"n"} <= named <= wanted:
            yield f"{key[0]!r}: the translation names other values: {', '.join(sorted(named))}."


def _names(message: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(message) if name is not None}


if __name__ == "__main__":
    if "--check" in sys.argv:
        wrong = problems()
        sys.exit("\n".join(wrong[:50]) or 0)
    update()

"""Settings files: everything that a page or a command can set for a tool, as TOML, and back.

The names in such a file are those of the settings in JSON, and of the further options of the command; what a
report's words say is the same data (:func:`settings_asked`), so a page and a command write the same file.
"""

import json
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from core import __version__
from core.errors import AuditInputError
from core.settings.asked import Asked, words_asked
from core.settings.form import NONE, Setting, described, given_options, option_of, parts_of, settings_named_by
from core.settings.options import Option
from core.tools import tool as declared
from core.words import Text, input_error, own, text

_MOST_DOTS = 1000  # between two commas, or on a line
_MOST_KEYS = 20_000  # with brackets
LARGEST_FILE = 1 << 20  # bytes
MOST_PROBLEMS = 20  # that are told of a file
_LONGEST_WORD = 100  # letters of a key or a version, as far as they are looked at and told
_TABLES = ("settings", "files")
_TOP = ("tool", "version", "policy", *_TABLES)
_LINE = re.compile(r"line ([0-9]{1,9})")


@dataclass(frozen=True, kw_only=True)
class ToolSettings:
    """All that is set for a run of a tool, as plain data: numbers, texts, lists and tables of texts.

    Attributes
    ----------
    values
        Name to value; what is not named is as usual. "none" says that a number is not asked for.
    by_file
        What is set otherwise for a file, by its name.
    version
        Of AnonAudit, that wrote them.
    policy
        Whose limits were taken, by the name of one that comes along; empty for none.
    """

    tool: str
    values: Mapping[str, Any]
    by_file: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    version: str = __version__
    policy: str = ""

    def with_policy(self, name: str) -> "ToolSettings":
        """Return the same with the limits of a policy that comes along; empty for none."""
        return replace(self, policy=name)

    @property
    def words(self) -> list[str]:
        """Return the words of the command line that set the same, those of single files left out."""
        known = known_settings(self.tool)
        return [
            word
            for name, value in self.values.items()
            for word in option_of(known[name], None if value == "none" and known[name].may_be_none else value)
        ]


@cache
def known_settings(key: str) -> Mapping[str, Option]:
    """Return all that can be set for a tool, by name: its settings, and its command's further options."""
    return {told.name: told for told in declared(key).asks if told.use == "setting" and not told.sets}


def settings_asked(
    tool: str, runs: Iterable[Sequence[str]], *, further: Mapping[str, Any] | None = None
) -> ToolSettings:
    """Return what the words of each run of a tool set.

    Parameters
    ----------
    further
        What the words name as a file of the person's own, such as the mapping of events.
    """
    asked = [_given(tool, words) for words in runs]
    common = {
        name: value
        for name, value in asked[0][1].items()
        if all(values.get(name) == value for _, values in asked)
    } | dict(further or {})
    by_file = {
        file.name: other
        for files, values in asked
        if (other := {name: value for name, value in values.items() if name not in common})
        for file in files
    }
    differing = {name for own in by_file.values() for name in own}
    usual = {
        told.name: _plain(told, told.default)
        for told in known_settings(tool).values()
        if told.is_field and _has_usual(told) and told.name not in differing
    }
    return ToolSettings(tool=tool, values=usual | common, by_file=by_file)


def _has_usual(told: Setting) -> bool:
    """Return whether a value is written where none was given: that of a number, a choice or a switch."""
    is_known = told.default is not None and told.default is not MISSING and not told.secret
    return is_known and (bool(told.choices) or (told.kind in (bool, int, float) and not told.is_several))


def _given(key: str, words: Sequence[str]) -> tuple[list[Path], dict[str, Any]]:
    """Return the files that a command names, and what it sets."""
    asked = words_asked(declared(key), words, refused="A command cannot be read: {reason}.")
    values = {
        told.name: _plain(told, asked[told.dest])
        for told in known_settings(key).values()
        if told.dest in asked and told.is_plain and not told.secret
    }
    by_hand = [Path(original) for original, *_ in asked.get("pair", ())] if declared(key).by_file else []
    return [*asked.get("originals", ()), *by_hand], values


def _plain(told: Setting, value: Any) -> Any:
    if value is NONE:
        return "none"
    if told.is_several:
        if told.is_grouped:
            return [list(group) for group in value]
        return parts_of(value) if told.commas else [str(e) if isinstance(e, Path) else e for e in value]
    return "file" if told.choices and value not in told.choices else value  # a model of the person's own


def settings_toml(settings: ToolSettings) -> bytes:
    """Write settings as TOML: tool and version, then a line for each, with its label."""
    known = known_settings(settings.tool)
    lines = [f"tool = {_toml(settings.tool)}", f"version = {_toml(settings.version)}"]
    lines += [f"policy = {_toml(settings.policy)}"] if settings.policy else []
    lines += ["", "[settings]"]
    lines += _lines(settings.values, known)
    for file, own_values in settings.by_file.items():
        lines += ["", f"[files.{_toml(file)}]", *_lines(own_values, known)]
    return "\n".join([*lines, ""]).encode("utf-8", "replace")


def _lines(values: Mapping[str, Any], known: Mapping[str, Setting]) -> list[str]:
    return [f"{name} = {_toml(value)}  # {known[name].label}" for name, value in values.items()]


def _toml(value: Any) -> str:
    """Write a number, a text, a list or a table of texts; JSON's escapes are TOML's too."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_toml(key)} = {_toml(one)}' for key, one in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


@dataclass(frozen=True, kw_only=True)
class Opened:
    """Settings that were read from a file, and what is said of it."""

    settings: ToolSettings
    notes: tuple[Text, ...]  # what another version set that this one does not know


def is_report(data: bytes) -> bool:
    """Return whether a file of settings is a report, as JSON or as page, and not TOML."""
    return data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"<"))


def read_settings(data: bytes, *, name: str, tool: str) -> Opened:
    """Read a settings file of a tool.

    Raises
    ------
    AuditInputError
        Names every key that is unknown, where the file is of this version, and every impossible value.
    """
    content = read_toml(data, name=name)
    given = content.get("tool", tool)
    if given != tool:
        raise of_another_tool(name, given=str(given), tool=tool)
    version = str(content.get("version", __version__))[:_LONGEST_WORD]
    known = known_settings(tool)
    top = _TOP if declared(tool).by_file else _TOP[:-1]
    unknown: list[tuple[str, Iterable[str]]] = [(key, top) for key in content if key not in top]
    problems: list[str] = []

    def read(key: str, table: object) -> dict[str, Any]:
        if not isinstance(table, dict):
            problems.append(text("{setting} must be {kind}.", setting=key, kind=text("a table of settings")))
            return {}
        found = {name: value for name, value in table.items() if name in known}
        unknown.extend((name, known) for name in table if name not in found)
        problems.extend(_problems(found, known, tool))
        return found

    values = read("settings", content.get("settings", {}))
    files = content.get("files", {}) if "files" in top else {}
    by_file = {file: read(file, table) for file, table in files.items()} if isinstance(files, dict) else {}
    if not isinstance(files, dict):
        read("files", files)
    notes = [_unknown(key, among, version) for key, among in unknown[:MOST_PROBLEMS]]
    if version == __version__:
        problems = [*notes, *problems]
    if problems:
        raise AuditInputError(*first_problems(problems, name=name))
    policy = str(content.get("policy", ""))
    settings = ToolSettings(tool=tool, version=version, values=values, by_file=by_file, policy=policy)
    return Opened(settings=settings, notes=tuple(first_problems(notes, name=name)))


def of_another_tool(name: str, *, given: str, tool: str) -> AuditInputError:
    """Return the error of a file that sets another tool."""
    return input_error("{file} holds settings of {given}, not of {tool}.", file=name, given=given, tool=tool)


def read_toml(data: bytes, *, name: str) -> dict[str, Any]:
    """Return what a TOML file of a person holds; refuse what is none, with the line."""
    if len(data) > LARGEST_FILE:
        raise input_error("{file} is too large to be a file of settings.", file=name)
    try:
        if any(part.count(b".") > _MOST_DOTS for part in data.replace(b",", b"\n").split(b"\n")):
            raise RecursionError  # it is read in time that grows with the square of a key's parts
        if data.count(b"=") + data.count(b"[") > _MOST_KEYS:
            raise input_error("{file} is too large to be a file of settings.", file=name)
        content = tomllib.loads(data.decode("utf-8-sig"))
        json.dumps(content, default=str)  # ValueError of a number that cannot be told
        return content
    except UnicodeDecodeError:
        raise input_error("{file} is no TOML: it is not written in UTF-8.", file=name) from None
    except RecursionError:
        raise input_error("{file} is no TOML that can be read: it is nested too deeply.", file=name) from None
    except ValueError as error:
        line = _LINE.search(str(error))
        if line is None:
            raise input_error("{file} is no TOML.", file=name) from None
        raise input_error("{file} is no TOML: look at line {line}.", file=name, line=int(line[1])) from None


def refuse_impossible(settings: ToolSettings, *, name: str) -> None:
    """Refuse values that a tool's settings cannot have, as a report may that was changed by hand."""
    known = known_settings(settings.tool)
    tables = (settings.values, *settings.by_file.values())
    problems = [one for values in tables for one in _problems(values, known, settings.tool)]
    if problems:
        raise AuditInputError(*first_problems(problems, name=name))


def first_problems(problems: Iterable[str], *, name: str) -> Iterator[Text]:
    """Say of a file what is wrong with it, as far as a person reads."""
    for problem in islice(problems, MOST_PROBLEMS):
        yield text("{file}: {problem}", file=name, problem=own(problem))


def _unknown(key: str, known: Iterable[str], version: str) -> Text:
    if version != __version__:
        told = "AnonAudit {version} wrote {key}, which this version does not know; it is left out."
        return text(told, version=version, key=key[:_LONGEST_WORD])
    return nearest_known(key, known)


def nearest_known(key: str, known: Iterable[str]) -> Text:
    """Say that there is no such key, and which one is spelt most like it."""
    key = key[:_LONGEST_WORD]
    nearest = get_close_matches(key, known, n=1, cutoff=0)
    return text("there is no key {key}; the nearest is {nearest}.", key=key, nearest=nearest[0])


def _problems(values: Mapping[str, Any], known: Mapping[str, Setting], key: str) -> list[str]:
    """Return what is wrong with values, one by one, and, where nothing is, with several together."""
    with settings_named_by("name"):
        problems = [problem for name, value in values.items() for problem in problems_of(known[name], value)]
        if not problems:
            arguments = Asked(**{known[name].dest: _argument(known[name], values[name]) for name in values})
            for form in declared(key).forms:
                problems += _problems_together(form, arguments)
    return problems


def _problems_together(form: type[Any], arguments: Asked) -> Sequence[str]:
    """Return what is wrong with the settings of a form together, where all that it needs is given."""
    given = {
        key: value for key, value in given_options(form, arguments).items() if described(form)[key].is_plain
    }
    needed = {key for key, told in described(form).items() if told.default is MISSING}
    if not needed <= given.keys():
        return ()
    try:
        form(**given)
    except AuditInputError as error:
        return error.problems
    return ()


def problems_of(told: Setting, value: object) -> Iterator[str]:
    """Say what is wrong with a value that a file gives for a setting, where anything is."""
    if value == "none" and told.may_be_none:
        return
    if not told.is_plain:
        is_right = isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
        kind: str = text("a table of texts")
    elif told.is_several:
        is_right = isinstance(value, list) and all(_is_item(told, one) for one in value)
        kind = text("a list of lists of texts") if told.is_grouped else text("a list of texts")
    elif told.kind in (int, float):
        is_right, kind = True, ""
    else:
        is_right = isinstance(value, told.kind)
        kind = text("true or false") if told.kind is bool else text("a text in quotation marks")
    if not is_right:
        yield text("{setting} must be {kind}.", setting=told.said, kind=kind)
    elif told.is_plain:
        yield from told.problems(value)


def _is_item(told: Setting, value: object) -> bool:
    if told.is_grouped:
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    is_number = isinstance(value, int) and not isinstance(value, bool) and told.kind is not str
    return isinstance(value, str) or is_number


def _argument(told: Setting, value: Any) -> Any:
    """Return a value as the parsed command line holds it."""
    if value == "none" and told.may_be_none:
        return NONE
    return list(map(str, value)) if told.is_several and not told.is_grouped else value


def fill(arguments: Asked, settings: ToolSettings, typed: Collection[str]) -> Asked:
    """Return parsed arguments with settings in the place of all options but those typed."""
    filled = vars(arguments) | _untyped(settings.values, settings.tool, typed)
    by_file = {file: _untyped(values, settings.tool, typed) for file, values in settings.by_file.items()}
    return Asked(**filled | {"by_file": by_file})


def _untyped(values: Mapping[str, Any], tool: str, typed: Collection[str]) -> dict[str, Any]:
    known = known_settings(tool)
    given = ((known[name], value) for name, value in values.items())
    return {told.dest: _argument(told, value) for told, value in given if told.dest not in typed}

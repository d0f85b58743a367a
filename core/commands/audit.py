"""The command of any audit tool, made of what the tool declares; its module adds what is special about it."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import csv as arrow_csv

from core import policies
from core.commands import command
from core.commands.audited import Audited, check_report_options, memory_asked_for
from core.commands.output import print_warning
from core.errors import refuse
from core.files.input_bytes import read_unchanged, unreadable
from core.policies import Policy
from core.processes.bounds import limit_memory
from core.settings.asked import Asked, as_usual, converter, excluding, words_asked
from core.settings.files import Opened, ToolSettings, fill, is_report, read_settings
from core.settings.options import CONTEXT, Option, policy_option
from core.tools import TOOLS, Tool, tool
from core.words import input_error

if TYPE_CHECKING:
    from core.filed import FiledReport, Repeat
    from core.files.named_files import Source

_REFUSED = "The report cannot be repeated: its command is refused ({reason})."


def add_arguments(parser: argparse.ArgumentParser, of: Tool) -> None:
    """Declare all that a tool can be asked; what is not given is absent, so that it can be told."""
    excluded: dict[int, tuple[str, bool]] = {}
    for one, other in excluding(of):
        excluded |= dict.fromkeys((id(one), id(other)), (one.name, one.is_needed))
    groups: dict[str, argparse._ActionsContainer] = {"": parser}
    for told in of.asks:
        if told.group not in groups:
            groups[told.group] = parser.add_argument_group(told.group)
        within = groups[told.group]
        if id(told) in excluded:
            name, is_needed = excluded[id(told)]
            if name not in groups:
                groups[name] = within.add_mutually_exclusive_group(required=is_needed)
            within = groups[name]
        _add(within, policy_option(policies.shipped_names()) if told.flags == ("--policy",) else told)


def _add(parser: argparse._ActionsContainer, told: Option) -> None:
    """Declare one option or argument.

    A list option takes values together and one by one (``--x A B``, ``--x A --x B``), and adds them up.
    """
    words: dict[str, Any] = {"default": argparse.SUPPRESS, "help": _help(told), **_values(told)}
    if told.flags:
        words |= {"required": True} if told.is_needed else {}
        parser.add_argument(*told.flags, dest=told.dest, **words)
        return
    if told.is_several:
        words |= {"action": "store", "nargs": "+" if told.is_needed else "*"}
    elif told.excludes or not told.is_needed:
        words |= {"nargs": "?", "default": None}  # what is absent would be converted else
    parser.add_argument(told.name, **words)


def _values(told: Option) -> dict[str, Any]:
    """Return how the values of an option are taken."""
    if told.kind is bool:
        return {"action": "store_const", "const": told.to} if told.sets else {"action": "store_true"}
    found: dict[str, Any] = {"metavar": _metavar(told), "type": converter(told)}
    if told.choices and not told.is_field:
        found["choices"] = tuple(told.choices)
    if told.is_several or told.n_values > 1:
        found["nargs"] = "+" if told.is_several else told.n_values
    if told.is_several or told.adds_up:
        found["action"] = "append" if told.adds_up else "extend"
    return found


def _metavar(told: Option) -> str | tuple[str, ...] | None:
    if told.n_values > 1:
        return tuple(told.metavar.split(",")) if told.metavar else None
    if told.is_field:
        return told.metavar or "|".join(told.choices) or told.flag.rpartition("-")[2].upper()
    return told.metavar or None


def _help(told: Option) -> str:
    if not told.is_field:
        return argparse.SUPPRESS if told.is_hidden else told.label.replace("%", "%%")
    words = "; ".join(f"{value}: {word}" for value, word in told.choices.items() if word)
    default = f"(default: {told.default_words})" if told.default_words else ""
    parts = [told.heading, told.about, words and f"{words}.", default]
    return " ".join(part for part in parts if part).replace("%", "%%")


def run(parsed: argparse.Namespace) -> int:
    """Audit as the command line says, print the result, return the exit code."""
    asked = asked_by(parsed)
    check_report_options(asked)
    _check_numbers(asked)
    if (most := memory_asked_for(asked)) is not None:
        arrow_csv.read_csv(
            pa.py_buffer(b"a\n1\n")
        )  # begins Arrow's threads, which end all where one finds no room
        limit_memory(most, here=True)
    module = command(asked.tool)
    code: int = module.run(asked) if hasattr(module, "run") else module.audit(asked).show(asked)
    return code


def _check_numbers(asked: Asked) -> None:
    """Refuse numbers out of their range that no form checks."""
    numbers = (told for told in tool(asked.tool).asks if not told.is_field and told.kind is int)
    given = ((told, getattr(asked, told.dest)) for told in numbers if told.n_values == 1)
    refuse(problem for told, value in given if value is not None for problem in told.problems(value))


def asked_by(parsed: argparse.Namespace) -> Asked:
    """Return what is asked: what was typed, else what policy and settings file say, else what is usual."""
    of, given = tool(parsed.tool), vars(parsed)
    asked = Asked(**as_usual(of) | given)
    settings = None if asked.settings is None else _settings_in(asked.settings, of.key)
    typed = {*given}
    for one, other in excluding(of):
        typed |= {one.dest, other.dest} if typed & {one.dest, other.dest} else set()
    if named := asked.policy or (settings.policy if settings else "") or _context(asked, settings):
        asked = _with_policy(asked, named, typed)
    return fill(asked, settings, typed) if settings else asked


def _context(asked: Asked, settings: ToolSettings | None) -> str:
    """Return the name of the policy of the context that is stated, empty where none is."""
    stated = {} if settings is None else settings.values
    given = (getattr(asked, each.name, None) or stated.get(each.name) for each in CONTEXT)
    return policies.context_name(*given)


def _settings_in(file: Path, key: str) -> ToolSettings:
    try:
        data = read_unchanged(file)
    except OSError as error:
        raise unreadable(error, file=str(file)) from None
    opened = _opened(data, name=file.name, key=key)
    for note in opened.notes:
        print_warning(note)
    return opened.settings


def _opened(data: bytes, *, name: str, key: str) -> Opened:
    """Return the settings in a file, which may be a report."""
    if not is_report(data):
        return read_settings(data, name=name, tool=key)
    from core.filed.as_settings import settings_in_report  # noqa: PLC0415 - takes long to import

    return settings_in_report(data, name=name, tool=key)


def _with_policy(asked: Asked, named: str, typed: Collection[str]) -> Asked:
    """Return what is asked with the policy, and with its limits where no option was given."""
    policy = _policy(named)
    limits = ToolSettings(tool=asked.tool, values=policies.policy_settings(policy, asked.tool))
    filled = fill(asked, limits, typed)
    filled.policy = policy
    return filled


def _policy(given: str) -> Policy:
    """Return a policy by the name of one that comes along, or by its file."""
    if given in policies.shipped_policies():
        return policies.shipped_policies()[given]
    path = Path(given)
    try:
        return policies.read_policy(read_unchanged(path), name=path.name)
    except OSError:
        neither = "--policy must be one of {names}, or a file that can be read; {given} is neither."
        raise input_error(neither, names=", ".join(policies.shipped_names()), given=given) from None


def audit_again(key: str, runs: Sequence[Sequence[str]], policy: Policy | None = None) -> Audited:
    """Audit as the words of a filed report say, on the files at hand; nothing is printed or written.

    The result is held against the limits of `policy` where the words name none. AuditInputError: words that
    no tool takes, or that would write a file; and as the audit does.
    """
    if key not in TOOLS or (len(runs) > 1 and not tool(key).by_file):
        raise input_error(_REFUSED, reason=key)
    asked = []
    for words in runs:
        of_words = words_asked(tool(key), words, refused=_REFUSED)
        one = Asked(tool=key, **as_usual(tool(key)) | of_words)
        one.policy = policy if one.policy is None else policies.shipped_policy(one.policy)
        _check_numbers(one)
        asked.append(one)
    audited: Audited = command(key).audit(*asked)
    return audited.asked_by(*asked)


def repeated_report(filed: FiledReport, files: Sequence[Source]) -> Repeat:
    """Repeat the audit of a filed report by the commands here; see :func:`core.filed.repeat_report`."""
    from core.filed import repeat_report  # noqa: PLC0415 - takes long to import

    return repeat_report(filed, files, audit_again)

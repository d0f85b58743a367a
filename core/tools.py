"""What a tool is: its question, what it asks for, and what stands beside every result of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from core.settings.options import EARLIER_RELEASES, JSON, OF_EVERY_AUDIT, Option, options_of, policy_option

if TYPE_CHECKING:
    from core.demo import Demo

_ROOMS = {
    "tabular": "tabular",
    "vcf": "vcf",
    "leakage": "leakage",
    "risk": "risk",
    "dataset": "delivery",
    "events": "events",
    "diversity": "diversity",
}
TOOLS = tuple(_ROOMS)  # by key, in the order of the navigation


@dataclass(frozen=True, kw_only=True)
class Input:
    """What a tool takes in one part, which it plays on the page, among demos and in reports."""

    role: str
    label: str  # above what it is given by
    kind: Literal["table", "tables", "files", "releases"] = "table"
    needed: bool = True  # nothing is audited without it
    help: str = ""
    part: str = ""  # what reports call it, where not by its role
    taken_by: tuple[Option, ...] = ()  # how the command takes it, where that is no setting


EARLIER = Input(
    role="earlier",
    label="Tables of earlier releases of these people, or their ledgers",
    kind="releases",
    needed=False,
    help="Two releases can be fine each and tell together who came between them, and what they have. A "
    "ledger is offered among the downloads of each audit.",
    taken_by=(EARLIER_RELEASES,),
)


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool as pages, commands and reports name it."""

    key: str  # of the command, of the page, and in reports
    title: str  # on screen
    question: str  # that it answers
    limits: tuple[str, ...]  # sentences about what its results cannot tell
    measures: tuple[str, ...]  # keys of the figures that it may show
    section: str = ""  # of the pages, in which its own is
    icon: str = ""  # of its page
    files_are: str = "files"  # what its JSON calls the files of a run
    by_file: bool = False  # whether single files of a run may be asked otherwise
    asked: str = ""  # the question as the person would ask it, where that is shorter
    needs: str = ""  # what the person has to have at hand
    upload: str = ""  # what to upload, in which format
    inputs: tuple[Input, ...] = ()
    settings: type | None = None  # the form that starts a measurement
    thresholds: type | None = None  # the form that judges it
    forms: tuple[type, ...] = ()  # all of them
    options: tuple[Option, ...] = ()  # what its command takes besides
    demos: tuple[Demo, ...] = ()
    offer: str = "Try synthetic data of ours:"

    @property
    def script(self) -> str:
        """Return the file of its page."""
        return f"pages/{self.section}/{self.key}.py"

    def input(self, role: str) -> Input:
        """Return an input by the part it plays."""
        return next(each for each in self.inputs if each.role == role)

    @cached_property
    def asks(self) -> tuple[Option, ...]:
        """Return all that it can be asked, in the order of its command."""
        of_inputs = (each for one in self.inputs for each in one.taken_by)
        of_forms = (told for form in self.forms for told in options_of(form))
        return (*of_inputs, *of_forms, *self.options, JSON, *OF_EVERY_AUDIT, policy_option())


def tool(key: str) -> Tool:
    """Return a tool; what it measures with is imported only now."""
    found: Tool = import_module(f"core.{_ROOMS[key]}.tool").TOOL
    return found

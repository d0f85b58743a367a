"""What a tool is: its question, and what stands beside every result of it."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool as pages, commands and reports name it."""

    key: str  # of the command, of the page, and in reports
    title: str  # on screen
    question: str  # that it answers
    limits: tuple[str, ...]  # sentences about what its results cannot tell
    measures: tuple[str, ...]  # keys of the figures that it may show
    files_are: str = "files"  # what its JSON calls the files of a run

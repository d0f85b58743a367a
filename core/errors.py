"""The one error for what the person can fix."""

from collections.abc import Iterable


class AuditInputError(Exception):
    """Tell the person what is wrong with an input, where, and what to do.

    Every problem is one complete sentence in our own words. It names files, columns, lines and counts, and
    never holds a cell value: messages reach screens, terminals and logs. All problems of an input are
    collected before raising, so that nobody has to fix a file one message at a time.
    """

    def __init__(self, *problems: str) -> None:
        if not problems:
            raise TypeError("AuditInputError needs at least one problem.")
        super().__init__(*problems)
        self.problems: tuple[str, ...] = problems

    def __str__(self) -> str:
        return " ".join(self.problems)


class UnansweredError(AuditInputError):
    """Tell that an engine could not answer; what it answered before holds all the same."""


def refuse(problems: Iterable[str]) -> None:
    """Raise all that is wrong with an input at once; do nothing where there is nothing."""
    if told := tuple(problems):
        raise AuditInputError(*told)

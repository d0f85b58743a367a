"""Errors that nobody foresaw, where one pair of files must not end the others."""

from core.errors import AuditInputError
from core.words import input_error

UNREADABLE = (
    "{file}: reading this pair ended in an error that was not foreseen ({kind}); nothing was verified. "
    "Please tell what kind of files these are."
)
UNEXPECTED = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)


def pair_ended_by(error: BaseException, *, file: str) -> AuditInputError:
    """Return the error of a pair, without the message of what came up, which may quote a cell."""
    return input_error(UNREADABLE, file=file, kind=type(error).__name__)

"""Logs tell where an unexpected error happened, and nothing of the data."""

import logging
import sys

import pytest

from pages.components.serving import leave_out_messages, where_it_happened

NAME = "".join(["Kim", " ", "Minji"])  # not in one piece, as tracebacks show source lines


def _fail() -> None:
    int(NAME)


def test_where_it_happened__names_type_and_line_but_not_the_message() -> None:
    with pytest.raises(ValueError, match="Kim Minji") as caught:
        _fail()
    told = where_it_happened(caught.value)
    assert "ValueError" in told
    assert "in _fail" in told
    assert NAME not in told


def test_leave_out_messages__keeps_the_cell_out_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("test.serving")
    logger.addFilter(leave_out_messages)
    try:
        _fail()
    except ValueError:
        logger.error("Uncaught app execution", exc_info=sys.exc_info())
    logger.info("quiet")
    assert NAME not in caplog.text
    assert "ValueError (message left out" in caplog.text
    assert "quiet" not in caplog.text

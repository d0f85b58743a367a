"""What commands set, as tests write them."""

import shlex
from collections.abc import Mapping
from typing import Any

from core.settings.files import ToolSettings, settings_asked


def settings_of(commands: str, *, further: Mapping[str, Any] | None = None) -> ToolSettings:
    """Return what commands of one tool set, a line for the files of the same options."""
    calls = [shlex.split(line)[3:] for line in commands.splitlines()]
    return settings_asked(calls[0][0], [words for _, *words in calls], further=further)

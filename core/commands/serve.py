"""``python -m core serve``: the dashboard, as ``make run`` starts it."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from core.errors import AuditInputError
from core.processes.bounded_process import FORKER

_SCRIPT = Path(__file__).parents[2] / "streamlit_app.py"
_LARGEST_PORT = 65_535


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where the dashboard listens."""
    parser.add_argument(
        "--port",
        type=int,
        metavar="N",
        help="where it listens on this machine (default: 8501, or the next one that is free)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Let Streamlit take the place of this process; its settings are those of .streamlit/config.toml."""
    port: int | None = arguments.port
    if port is not None and not 0 < port <= _LARGEST_PORT:
        raise AuditInputError("--port must be a number from 1 to 65535.")
    where = [] if port is None else [f"--server.port={port}"]
    command = [sys.executable, "-m", "streamlit", "run", str(_SCRIPT), *where]
    if sys.platform != "win32":  # where whoever started this would take it for ended
        FORKER.end()  # of this process; the server has its own
        sys.stdout.flush()
        os.execv(sys.executable, command)  # noqa: S606 - this very interpreter
    return subprocess.call(command)  # noqa: S603 - this very interpreter

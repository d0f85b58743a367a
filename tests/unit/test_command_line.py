import subprocess
import sys


def test_main__ends_quietly_when_its_reader_has_gone() -> None:
    command = subprocess.Popen(
        [sys.executable, "-m", "core", "measures"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert command.stdout is not None
    command.stdout.close()
    _, error = command.communicate(timeout=60)
    assert (command.returncode, error) == (2, b"")

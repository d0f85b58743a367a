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


def test_main__imports_the_tool_asked_for_only() -> None:
    program = (
        "import sys; from core.__main__ import build_parser\n"
        "build_parser(['vcf'])\n"
        "print([name for name in sys.modules if name.startswith(('core.commands.', 'altair', 'sklearn'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['core.commands.output', 'core.commands.vcf']"

"""The demo files are what the tools offer."""

from core.demo import DEMOS, FOLDER


def test_demos__name_all_files() -> None:
    named = {
        FOLDER / tool / name
        for tool, demos in DEMOS.items()
        for demo in demos
        for names in demo.files.values()
        for name in names
    }
    assert named == {path for path in FOLDER.rglob("*") if path.is_file()}
    assert sum(path.stat().st_size for path in named) <= 2_000_000

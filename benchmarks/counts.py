"""How large core and pages are: files, lines, and the longest function of each; printed by ``make check``."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]


def longest_function(paths: list[Path]) -> tuple[int, str]:
    """Return the lines of the longest function without its docstring, and where it is."""
    return max(
        (function_length(node), f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
        for path in paths
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    )


def function_length(node: ast.FunctionDef) -> int:
    """Return the lines from ``def`` to the end, those of the docstring not counted."""
    of = [(statement.end_lineno or 0) - statement.lineno + 1 for statement in (node, node.body[0])]
    return of[0] - of[1] if ast.get_docstring(node) is not None else of[0]


def main() -> None:
    """Print a line for each room, and their sum."""
    n_files = n_lines = 0
    for room in ("core", "pages"):
        paths = sorted((ROOT / room).rglob("*.py"))
        lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)
        length, where = longest_function(paths)
        print(f"{room}: {lines:,} lines in {len(paths):,} files; longest function {length} lines ({where})")
        n_files, n_lines = n_files + len(paths), n_lines + lines
    print(f"together: {n_lines:,} lines in {n_files:,} files")


if __name__ == "__main__":
    main()

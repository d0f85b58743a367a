"""Run every benchmark, or those named: ``python -m benchmarks [name …]``.

A benchmark is a module of this package with a function ``run()`` that prints its lines.
"""

import importlib
import pkgutil
import sys

import benchmarks


def main(names: list[str]) -> None:
    """Run the named benchmarks, all when none is named."""
    found = [
        module.name
        for module in pkgutil.iter_modules(benchmarks.__path__)
        if module.name.startswith("bench_")
    ]
    for name in found:
        if not names or name.removeprefix("bench_") in names:
            print(f"== {name.removeprefix('bench_')}")
            importlib.import_module(f"benchmarks.{name}").run()


if __name__ == "__main__":
    main(sys.argv[1:])

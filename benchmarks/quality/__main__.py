"""Print how good the auditor is: ``python -m benchmarks.quality [tool …] [--scenarios 5] [--wrong]``."""

from __future__ import annotations

import argparse

from benchmarks.quality.scoreboard import TOOLS, family_lines, run_tool, summary_lines, wrong_lines


def main() -> None:
    """Try the kinds of the named tools, all when none is named, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("tools", nargs="*", choices=[*TOOLS, []], help="all unless named")
    parser.add_argument("--scenarios", type=int, default=5, help="scenarios of each kind (default 5)")
    parser.add_argument("--largest", type=int, default=20_000, help="records at most (default 20,000)")
    parser.add_argument("--first-seed", type=int, default=0, help="other numbers try fresh data")
    parser.add_argument("--kind", action="append", default=[], help="only this kind; may be repeated")
    parser.add_argument("--families", action="store_true", help="a line for each family too")
    parser.add_argument("--wrong", action="store_true", help="list what was judged wrongly")
    chosen = parser.parse_args()
    trials = [
        trial
        for tool in chosen.tools or TOOLS
        for trial in run_tool(
            tool,
            n_scenarios=chosen.scenarios,
            largest=chosen.largest,
            first_seed=chosen.first_seed,
            only=chosen.kind,
        )
    ]
    print("\n".join(summary_lines(trials)))
    if chosen.families:
        print("\n" + "\n".join(family_lines(trials)))
    if chosen.wrong:
        print("\n" + "\n".join(wrong_lines(trials)))


if __name__ == "__main__":
    main()

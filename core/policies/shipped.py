"""Policies that come along: those in files, and one for each context that data may be given away in.

A context is who receives the data, and how bad it would be for people to be found.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from core.policies.reading import Limit, Policy, read_policy
from core.settings.options import CONTEXT
from core.words import input_error, own, text

FOLDER = Path(__file__).parents[2] / "policies"
RECIPIENTS, IMPACTS = (told.choices for told in CONTEXT)
# The benchmark risk thresholds of the handbook, by impact.
_RISKS: Mapping[str, float] = {"low": 0.1, "medium": 0.075, "high": 0.05}
_OF_OUTLIERS = 3  # the smallest group, where the average counts
_SOURCE: Mapping[str, Any] = {
    "clause": own("Process, Determine specific goals, Benchmark Risk Thresholds"),
    "source": "IHE De-Identification Handbook (build.fhir.org/ig/IHE/ITI.DeIdHandbook)",
    "year": 2026,
    "read": True,
}
_JUDGED_BY_HIGHEST = ("dataset", "events", "tabular", "diversity")  # which have no average risk


def shipped_names() -> list[str]:
    """Return the names of the policies in files."""
    return sorted(file.stem for file in FOLDER.glob("*.toml"))


@cache
def shipped_policies() -> Mapping[str, Policy]:
    """Return the policies that come along, by name."""
    files = {name: FOLDER / f"{name}.toml" for name in shipped_names()}
    in_files = {name: read_policy(file.read_bytes(), name=file.name) for name, file in files.items()}
    return {**in_files, **_context_policies()}


def shipped_policy(name: str) -> Policy:
    """Return a policy that comes along; no file is opened."""
    if name not in shipped_policies():
        raise input_error("The policy {name} does not come along with this version.", name=name)
    return shipped_policies()[name]


def context_name(recipient: str | None, impact: str | None) -> str:
    """Return the name of the policy of a context, empty where neither question is answered.

    Raises
    ------
    AuditInputError
        One of the two is answered alone, or by another word.
    """
    if recipient is None and impact is None:
        return ""
    if recipient not in RECIPIENTS or impact not in IMPACTS:
        raise input_error(
            "A context is who receives the data ({recipients}) and how bad it would be for people to be "
            "found ({impacts}): give both.",
            recipients=", ".join(RECIPIENTS),
            impacts=", ".join(IMPACTS),
        )
    return f"{recipient}-{impact}"


def context_of(policy: str) -> tuple[str | None, ...]:
    """Return who receives the data, and the impact, of the policy of a context; None for another policy."""
    answers = policy.split("-")
    return tuple(answers) if policy in _context_policies() else (None, None)


def _context_policies() -> Mapping[str, Policy]:
    """Return the policy of every context, by its name such as ``public-high``."""
    return {
        f"{recipient}-{impact}": _policy(recipient, impact) for recipient in RECIPIENTS for impact in IMPACTS
    }


def _policy(recipient: str, impact: str) -> Policy:
    limits = _of_anybody(impact) if recipient == "public" else _of_recipients(impact)
    content = json.dumps([recipient, impact, *map(asdict, limits)])
    return Policy(
        name=f"{recipient}-{impact}",
        digest=hashlib.sha256(content.encode()).hexdigest(),
        title=text("IHE handbook: {release}, {impact}", release=_TITLES[recipient], impact=_TITLES[impact]),
        about="For a release whose recipients are known, and how bad it would be for people to be found.",
        version="1",
        read_on="2026-11-29",
        judgement=(own("How large the impact is, and whether contract and safeguards hold."),),
        limits=limits,
    )


_TITLES: Mapping[str, str] = {
    "public": own("public release"),
    "contract": own("recipients under contract"),
    "inside": own("inside the organization"),
    "low": own("low impact"),
    "medium": own("medium impact"),
    "high": own("high impact"),
}


def _of_anybody(impact: str) -> tuple[Limit, ...]:
    says = own("Where anybody may get the data, the highest risk of anybody counts.")
    return (Limit(key="highest_risk", value=_RISKS[impact], says=says, **_SOURCE),)


def _of_recipients(impact: str) -> tuple[Limit, ...]:
    """Return the average risk, small groups apart; where no average is measured the highest counts."""
    return (
        Limit(
            key="average_risk",
            value=_RISKS[impact],
            says=own("Where trusted recipients get the data under contract, the average risk counts."),
            **_SOURCE,
        ),
        Limit(
            key="k",
            value=_OF_OUTLIERS,
            says=own(
                "Beside an average, outlier groups at high risk are safeguarded. The handbook names no "
                "size: groups of 3 are taken."
            ),
            tools=("risk",),
            **_SOURCE,
        ),
        Limit(
            key="highest_risk",
            value=_RISKS[impact],
            says=own("Where no average risk is measured, the highest counts."),
            tools=_JUDGED_BY_HIGHEST,
            **_SOURCE,
        ),
    )

"""Event logs countable by hand, and the audit of one."""

from dataclasses import fields

import numpy as np

from core.events import EventAudit, EventSettings, ReleaseOptions, Rule, audit_events
from core.tables import Dataset, read_dataset
from core.verdict import Finding

HEADER = "OD_ISO;GUID;dogodek"


def log_of(*lines: str, header: str = HEADER) -> Dataset:
    return read_dataset("\n".join([header, *lines]).encode(), name="log.csv")


def chosen_for(kind: type, chosen: dict[str, object]) -> dict[str, object]:
    """Return of what was chosen what a kind of settings has."""
    return {field.name: chosen[field.name] for field in fields(kind) if field.name in chosen}


def audit(*lines: str, log: Dataset | None = None, header: str = HEADER, **chosen: object) -> EventAudit:
    """Audit a log of lines; what is chosen is a setting, of the rule or of the release."""
    settings, rule, options = (chosen_for(kind, chosen) for kind in (EventSettings, Rule, ReleaseOptions))
    assert settings.keys() | rule.keys() | options.keys() == chosen.keys()
    return audit_events(
        log or log_of(*lines, header=header),
        settings=EventSettings(**settings),
        rule=Rule(**{"k": 2, **rule}),
        options=ReleaseOptions(**options),
        token_source=np.random.default_rng(1).bytes,
    )


def finding(found: EventAudit, check: str) -> Finding | None:
    return next((each for each in found.findings if each.check == check), None)


def messages(found: EventAudit) -> dict[str, str]:
    return {each.check: each.message for each in found.findings}

"""Measures of the event-log tool."""

from __future__ import annotations

from core.measures.measure import Measure

_OURS = "AnonAudit"
_UNICITY = "de Montjoye et al., Unique in the Crowd, Scientific Reports 3:1376, 2013"

MEASURES = (
    Measure(
        key="users_total",
        label="Users in the log",
        unit="users",
        better="neither",
        definition="Distinct users of the readable records.",
        source=_OURS,
    ),
    Measure(
        key="users_after_cleanup",
        label="Users after cleanup",
        unit="users",
        better="neither",
        definition="Distinct users with an event whose class is not left out.",
        source=_OURS,
    ),
    Measure(
        key="users_after",
        label="Users kept",
        unit="users",
        better="neither",
        definition="Distinct users with at least one released event.",
        source=_OURS,
    ),
    Measure(
        key="events_total",
        label="Events in the log",
        unit="events",
        better="neither",
        definition="Records of the file, unreadable ones included.",
        source=_OURS,
    ),
    Measure(
        key="events_after_cleanup",
        label="Events after cleanup",
        unit="events",
        better="neither",
        definition="Readable records whose event class is not left out.",
        source=_OURS,
    ),
    Measure(
        key="events_after",
        label="Events kept",
        unit="events",
        better="neither",
        definition="Records of the export: the events whose combination at least k users share.",
        source=_OURS,
    ),
    Measure(
        key="events_flattened_kept",
        label="Events kept flattened",
        unit="events",
        better="neither",
        definition="Released events with at least one value replaced by a coarser one or by any.",
        source=_OURS,
    ),
    Measure(
        key="cells_generalized",
        label="Cells made coarser",
        unit="cells",
        better="neither",
        definition="Cells of contributing columns in the export that hold a coarser value or any.",
        source=_OURS,
    ),
    Measure(
        key="smallest_combination",
        label="Users of the smallest combination",
        unit="users",
        lower=1,
        better="higher",
        definition="Distinct users of the released combination that fewest users share, counted from the "
        "bytes of the exported file. k is reached when it is at least k.",
        source="Sweeney, k-anonymity, IJUFKS 10(5), 2002; counted in users instead of records",
    ),
    Measure(
        key="penalty_share",
        label="Information lost (NCP)",
        unit="share",
        upper=1,
        better="neither",
        definition="Normalized certainty penalty: the mean over the events after cleanup and the "
        "contributing columns of 0 for a value kept, values covered divided by values of the column for a "
        "coarser one, 1 for a removed event. What is lost before (classes left out, kinds merged "
        "into classes) "
        "is in the information lost of the whole log.",
        source="Xu et al., Utility-based anonymization using local recoding, KDD 2006",
    ),
    Measure(
        key="trace_unique_share",
        label="Singled out by known events",
        unit="share",
        upper=1,
        better="lower",
        definition="Users with some choice of 1, 2, 3 or 4 released combinations under one pseudonym that "
        "no other user has together, divided by the users released. Every choice is looked at where that "
        "is feasible, else a seeded sample of users, given with its 95 % interval.",
        source=f"{_OURS}, after {_UNICITY}",
    ),
    Measure(
        key="trace_random_share",
        label="Random known events that single out",
        unit="share",
        upper=1,
        better="lower",
        definition="Probability that 1, 2, 3 or 4 random combinations under a random pseudonym of a random "
        "user are had together by no other user (unicity); exact where feasible, else from seeded draws "
        "with a 95 % interval.",
        source=_UNICITY,
    ),
    Measure(
        key="whole_trace_unique_share",
        label="Users whose whole trace is unique",
        unit="share",
        upper=1,
        better="lower",
        definition="Users with a pseudonym whose set of combinations equals that of no other user's "
        "pseudonym, divided by the users released.",
        source=_OURS,
    ),
    Measure(
        key="number_unique_share",
        label="Singled out by the number of rows",
        unit="share",
        upper=1,
        better="lower",
        definition="Users with a pseudonym of so many exported rows that no other user's pseudonym "
        "has as many, "
        "divided by the users released.",
        source=_OURS,
    ),
    Measure(
        key="number_below_k_share",
        label="Numbers of rows that fewer than k share",
        unit="share",
        upper=1,
        better="lower",
        definition="Users with a pseudonym of so many exported rows as fewer than k users' pseudonyms have, "
        "divided by the users released.",
        source=_OURS,
    ),
    Measure(
        key="multiset_unique_share",
        label="Singled out by all rows",
        unit="share",
        upper=1,
        better="lower",
        definition="Users with a pseudonym whose exported rows, each as often as it occurs, equal "
        "those of no "
        "other user's pseudonym, divided by the users released.",
        source=_OURS,
    ),
    Measure(
        key="sequence_unique_share",
        label="Singled out by the order of kinds",
        unit="share",
        upper=1,
        better="lower",
        definition="Users with a pseudonym whose kinds of events, in the order that the exported "
        "time columns "
        "tell (rows of the same time together, rows of flattened time passed over), equal those of no other "
        "user's pseudonym, divided by the users released. Not assessed where the export tells no order.",
        source=f"{_OURS}; the variants of process mining",
    ),
    Measure(
        key="events_capped",
        label="Events removed as excess",
        unit="events",
        better="neither",
        definition="Events of released combinations that are removed because their user has more rows of the "
        "combination than the cap.",
        source=_OURS,
    ),
    Measure(
        key="whole_log_penalty_share",
        label="Information lost of the whole log",
        unit="share",
        upper=1,
        better="neither",
        definition="Normalized certainty penalty over all records of the file: 1 for a record that is "
        "unreadable, left out, removed or capped; for a released one the mean over the contributing "
        "columns as "
        "in the information lost (NCP), and for an event class of several kinds of events, kinds of "
        "the class "
        "divided by kinds of the log.",
        source="Xu et al., Utility-based anonymization using local recoding, KDD 2006; over the "
        "whole log, ours",
    ),
    Measure(
        key="uniform_combinations",
        label="Combinations with one value of the attribute",
        unit="classes",
        better="lower",
        definition="Released combinations in which all events have the same value of the chosen attribute.",
        source="Machanavajjhala et al., l-diversity, TKDD 1(1), 2007",
    ),
    Measure(
        key="combination_distinct_l",
        label="Smallest distinct l of a combination",
        unit="values",
        lower=1,
        better="higher",
        definition="Fewest distinct values of the chosen attribute in any released combination, over events.",
        source="Machanavajjhala et al., l-diversity, TKDD 1(1), 2007",
    ),
    Measure(
        key="combination_entropy_l",
        label="Smallest entropy l of a combination",
        unit="number",
        lower=1,
        better="higher",
        definition="Smallest exponential of the entropy of the chosen attribute in any released "
        "combination, over events.",
        source="Machanavajjhala et al., l-diversity, TKDD 1(1), 2007",
    ),
    Measure(
        key="combination_t",
        label="Largest t of a combination",
        unit="number",
        upper=1,
        better="lower",
        definition="Largest distance of the chosen attribute's distribution in a released combination from "
        "that of all released events: half the sum of the absolute differences.",
        source="Li et al., t-closeness, ICDE 2007",
    ),
)

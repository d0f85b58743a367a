"""Measures of the event-log tool."""

from core.measures.measure import Measure

_UNICITY = "de Montjoye et al., Unique in the Crowd, Scientific Reports 3:1376, 2013"

_LI = "Li et al., t-closeness, ICDE 2007"
_MACHANAVAJJHALA = "Machanavajjhala et al., l-diversity, TKDD 1(1), 2007"
_XU = "Xu et al., Utility-based anonymization using local recoding, KDD 2006; over the whole log, ours"
_XU_AL = "Xu et al., Utility-based anonymization using local recoding, KDD 2006"
_SWEENEY = "Sweeney, k-anonymity, IJUFKS 10(5), 2002; counted in users instead of records"

MEASURES = (
    Measure("users_total", "Users in the log", "users", "neither").means(
        "Distinct users of the readable records."
    ),
    Measure("users_after_cleanup", "Users after cleanup", "users", "neither").means(
        "Distinct users with an event whose class is not left out."
    ),
    Measure("users_after", "Users kept", "users", "neither").means(
        "Distinct users with at least one released event."
    ),
    Measure("events_total", "Events in the log", "events", "neither").means(
        "Records of the file, unreadable ones included."
    ),
    Measure("events_after_cleanup", "Events after cleanup", "events", "neither").means(
        "Readable records whose event class is not left out."
    ),
    Measure("events_after", "Events kept", "events", "neither").means(
        "Records of the export: the events whose combination at least k users share."
    ),
    Measure("combinations_after", "Combinations released", "classes", "neither").means(
        "Different combinations of the contributing columns in the exported file."
    ),
    Measure("events_flattened_kept", "Events kept flattened", "events", "neither").means(
        "Released events with at least one value replaced by a coarser one or by any."
    ),
    Measure("cells_generalized", "Cells made coarser", "cells", "neither").means(
        "Cells of contributing columns in the export that hold a coarser value or any."
    ),
    Measure(
        "smallest_combination", "Users of the smallest combination", "users", "higher", _SWEENEY, lower=1
    ).means(
        "Distinct users of the released combination that fewest share, counted from the bytes of the "
        "exported file; k is reached when it is at least k."
    ),
    Measure("penalty_share", "Information lost (NCP)", "share", "neither", _XU_AL).means(
        "Normalized certainty penalty, mean over the events after cleanup and the contributing columns: 0 "
        "for a value kept, values covered divided by values of the column for a coarser one, 1 for a "
        "removed event. What is lost before is in the information lost of the whole log."
    ),
    Measure(
        "trace_unique_share", "Singled out by known events", "share", "lower", f"AnonAudit, after {_UNICITY}"
    ).means(
        "Users with some choice of 1, 2, 3 or 4 released combinations under one pseudonym that no other "
        "user has together, divided by the users released; every choice where feasible, else of a seeded "
        "sample of users with its 95 % interval."
    ),
    Measure("trace_random_share", "Random known events that single out", "share", "lower", _UNICITY).means(
        "Probability that 1, 2, 3 or 4 random combinations under a random pseudonym of a random user are "
        "had together by no other user (unicity); exact where feasible, else of seeded draws with a 95 % "
        "interval."
    ),
    Measure("whole_trace_unique_share", "Users whose whole trace is unique", "share", "lower").means(
        "Users with a pseudonym whose set of combinations equals that of no other user's pseudonym, divided "
        "by the users released."
    ),
    Measure("whole_trace_below_k_share", "Whole traces that fewer than k share", "share", "lower").means(
        "Users with a pseudonym whose set of combinations is that of fewer than k users' pseudonyms, divided "
        "by the users released."
    ),
    Measure("number_unique_share", "Singled out by the number of rows", "share", "lower").means(
        "Users with a pseudonym of so many exported rows that no other user's pseudonym has as many, "
        "divided by the users released."
    ),
    Measure("number_below_k_share", "Numbers of rows that fewer than k share", "share", "lower").means(
        "Users with a pseudonym of so many exported rows as fewer than k users' pseudonyms have, divided by "
        "the users released."
    ),
    Measure("users_standing_out", "Users with far more rows than others", "users", "lower").means(
        "Users, fewer than k, with at least twice the exported rows of every other user, or users alone with "
        "their number of rows and with at least ten times the rows of most."
    ),
    Measure("multiset_unique_share", "Singled out by all rows", "share", "lower").means(
        "Users with a pseudonym whose exported rows, each as often as it occurs, equal those of no other "
        "user's pseudonym, divided by the users released."
    ),
    Measure("multiset_below_k_share", "Rows together that fewer than k share", "share", "lower").means(
        "Users with a pseudonym whose exported rows, each as often as it occurs, equal those of fewer than k "
        "users' pseudonyms, divided by the users released."
    ),
    Measure("sequence_below_k_share", "Orders of kinds that fewer than k share", "share", "lower").means(
        "Users with a pseudonym whose kinds of events, in the order that the exported times tell, are those"
        " of fewer than k users' pseudonyms, divided by the users released; not assessed where no order is "
        "told."
    ),
    Measure(
        "sequence_unique_share",
        "Singled out by the order of kinds",
        "share",
        "lower",
        "AnonAudit; the variants of process mining",
    ).means(
        "Users with a pseudonym whose kinds of events, in the order that the exported times tell (rows of "
        "one time together, those of flattened time passed over), are those of no other user's pseudonym, "
        "divided by the users released; not assessed where no order is told."
    ),
    Measure("event_tells_share", "Users of whom one known event gives another", "share", "lower").means(
        "Users with an exported combination of which every pseudonym has another one too, which at most "
        "half of the users have, divided by the users released; judged beyond all combinations spread over "
        "the users at random, each keeping as many."
    ),
    Measure("time_tells_share", "Users of whom a known time gives the kind", "share", "lower").means(
        "Users with an event at an exported time at which one kind alone happens, at most half of all that "
        "happens, divided by the users released; events of coarser time count at every time that it may be,"
        " removed ones too. Judged beyond kinds spread over all times at random; not assessed where the "
        "export tells no time or no kind."
    ),
    Measure("events_capped", "Events removed as excess", "events", "neither").means(
        "Events of released combinations that are removed because their user has more rows of the "
        "combination than the cap."
    ),
    Measure("whole_log_penalty_share", "Information lost of the whole log", "share", "neither", _XU).means(
        "Normalized certainty penalty over all records: 1 for one that is unreadable, left out, removed or "
        "capped; for a released one the mean over the contributing columns as in the information lost "
        "(NCP), an event class of several kinds counting its kinds divided by those of the log."
    ),
    Measure(
        "uniform_combinations",
        "Combinations with one value of the attribute",
        "classes",
        "lower",
        _MACHANAVAJJHALA,
    ).means("Released combinations in which all events have the same value of the chosen attribute."),
    Measure(
        "combination_distinct_l",
        "Smallest distinct ℓ of a combination",
        "values",
        "higher",
        _MACHANAVAJJHALA,
        lower=1,
    ).means("Fewest distinct values of the chosen attribute in any released combination, over events."),
    Measure(
        "combination_entropy_l",
        "Smallest entropy ℓ of a combination",
        "number",
        "higher",
        _MACHANAVAJJHALA,
        lower=1,
    ).means(
        "Smallest exponential of the entropy of the chosen attribute in any released combination, over "
        "events."
    ),
    Measure("combination_t", "Largest t of a combination", "number", "lower", _LI, upper=1).means(
        "Largest distance of the chosen attribute's distribution in a released combination from that of all "
        "released events: half the sum of the absolute differences."
    ),
)

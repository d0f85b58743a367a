"""What the event-log anonymizer asks for, answers, and cannot tell."""

from core.demo import EVENTS
from core.events.settings import EventSettings, ReleaseOptions, Rule
from core.measures import keys_of
from core.settings.options import CONTEXT, LEDGER, READING, file_option, switch, written_option
from core.tools import EARLIER, Input, Tool

_LIMITS = (
    (
        "k covers single combinations. A pseudonym links a user's events, and several of them together, "
        "their number or their order can be unique although each is shared: that is what the figures of "
        "traces, counts and order say."
    ),
    (
        "Whether two identifiers are one person is judged by their spelling and by other columns of the "
        "log; nicknames, second accounts and shared devices are not seen. Names inside released event "
        "values are found where the log has them as users or in a column of its own."
    ),
    (
        "Linking with other data: whoever holds another log of the same people may match them by more than "
        "the columns released here."
    ),
    (
        "Inference: everyone in a combination may have the same attribute (look at ℓ-diversity), and "
        "knowing that somebody is in the log may already tell something."
    ),
    (
        "Uneven data: a few users with most of the events dominate every combination. Raise k, flatten "
        "another column, or merge event classes."
    ),
    (
        "An export like this needs a legal basis; k users per combination do not replace it, and nothing "
        "here calls the log anonymous."
    ),
)
TOOL = Tool(
    key="events",
    title="Event-log anonymizer",
    section="anonymize",
    icon=":material/notifications_active:",
    question=(
        "Which export of an event log shows every combination for at least k users, at what loss, and what "
        "does k not cover?"
    ),
    limits=_LIMITS,
    measures=keys_of("events", "releases"),
    asked="Which export of my event log shows every combination for k users, at what loss?",
    needs="a log of times, users and events",
    upload=(
        "Upload a log with a line per event: when, who and what; any column names. Other columns are not "
        "exported."
    ),
    inputs=(
        Input(
            role="log",
            label="Event log",
            help="CSV, Excel, Parquet, Feather, JSON lines, SPSS, Stata, SAS, XES or XES.gz.",
            taken_by=(
                file_option(
                    "input",
                    "the log: a table in any form, or XES",
                    metavar="INPUT",
                    is_needed=True,
                ),
            ),
        ),
        Input(role="mapping", label="Event mapping", kind="files", needed=False),
        EARLIER,
    ),
    settings=EventSettings,
    thresholds=Rule,
    demos=EVENTS,
    forms=(EventSettings, Rule, ReleaseOptions),
    options=(
        *CONTEXT,
        switch("--leave-out-none", "keep the events of every class", excludes="leave_out"),
        *READING,
        *LEDGER,
        switch("--write-user-mapping", "also write who has which pseudonym"),
        switch("--suggest", "only say which coarser settings keep most; nothing is exported"),
        written_option("--out-dir", "folder for the files; none by default", metavar="D"),
    ),
)

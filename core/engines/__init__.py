"""Tables where they are, larger than memory or in a database: only aggregates leave their engine."""

from core.engines.addresses import Address, address_of
from core.engines.columns import (
    KeyColumn,
    check_groupable,
    distinct_values,
    is_groupable,
    is_missing_text,
    key_columns,
    known_value,
    n_too_many,
    text_form,
    trimmed_text,
)
from core.engines.joining import (
    JoinedColumn,
    check_key,
    key_problems,
    look_at,
    may_say_the_same,
    no_common_key,
    say_the_same,
    side_of,
)
from core.engines.sources import (
    SECRETS,
    Engine,
    Origin,
    beside,
    configured,
    connected,
    refused_in_engine,
    tables_below,
    unanswered_by,
)

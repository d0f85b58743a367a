"""Tables where they are, larger than memory or in a database: only aggregates leave their engine."""

from core.engines.addresses import Address, address_of
from core.engines.columns import (
    KeyColumn,
    Values,
    distinct_values,
    is_groupable,
    key_columns,
    n_too_many,
    text_form,
    trimmed_text,
)
from core.engines.joining import (
    JoinedColumn,
    check_key,
    key_problems,
    look_at,
    no_common_key,
    side_of,
)
from core.engines.signatures import items_in_engine, with_codes
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

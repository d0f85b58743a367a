"""Tables where they are, larger than memory or in a database: only aggregates leave their engine."""

from core.engines.addresses import Address, address_of
from core.engines.columns import KeyColumn, is_groupable, key_columns
from core.engines.sources import SECRETS, Engine, Origin, beside, configured, connected

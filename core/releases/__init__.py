"""Release after release: what a table tells whoever has earlier releases of it too."""

from core.releases.judging import ReleasesAudit, judge_releases, releases_sentence
from core.releases.ledger import Ledger, new_ledger, read_ledger, read_salt
from core.releases.measuring import ReleasesMeasurement, measure_releases, table_for
from core.releases.settings import EARLIER, EarlierTable, ReleasedTable, Roles, earlier_words

"""Batches of pairs: each done here or as a task of a Dask cluster, kept as it is done, continued later.

Only paths and settings go to a worker, and only what was measured comes back. Nothing that is kept in a
folder is ever unpickled.
"""

from core.cluster.kept import Kept
from core.cluster.running import Scheduler
from core.cluster.tasks import (
    OUT_OF_MEMORY,
    Answer,
    Measured,
    Task,
    digest_of,
    identity,
    settings_digest,
    stamps,
)

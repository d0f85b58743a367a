"""What the columns of a table may be, as names and values suggest."""

from core.people.roles import RoleSuggestion, suggest_roles
from core.tables import Dataset
from core.web.caching import remembered


@remembered()
def suggested_roles(dataset: Dataset) -> tuple[RoleSuggestion, ...]:
    """Suggest a role for every column of a table."""
    return suggest_roles(dataset.table)

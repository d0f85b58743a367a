"""What each column of a table may be: direct identifier, quasi-identifier, sensitive attribute, other.

Suggestions for a person to confirm, from the column's name (English, Korean, Slovenian) and from its
values. See :func:`suggest_roles` for what it cannot tell.
"""

from core.roles.role import Role, RoleSuggestion
from core.roles.suggest import roles_table, suggest_roles

__all__ = ["Role", "RoleSuggestion", "roles_table", "suggest_roles"]

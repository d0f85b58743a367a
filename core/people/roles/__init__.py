"""What each column of a table may be: direct identifier, quasi-identifier, sensitive attribute, other.

Suggestions for a person to confirm, from the column's name (English, Korean, Slovenian) and from its
values. See :func:`suggest_roles` for what it cannot tell.
"""

from core.people.roles.suggest import (
    PERSON_KINDS,
    columns_of_people,
    is_the_same_for_life,
    is_trait,
    says_who,
    says_whose,
    suggest_by_name,
    suggest_roles,
    whose_records,
)
from core.people.roles.values import vary_like_names
from core.people.roles.vocabulary import DIGESTS, PERHAPS_NAMES, Role, RoleSuggestion

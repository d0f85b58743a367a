"""What a log calls the content of a column, from what :mod:`core.people.roles` finds in it."""

import re
from collections.abc import Mapping

from core.people.roles import suggest_by_name

SEMANTICS: Mapping[str, str] = {  # what a column may be for the rule: kind of content to semantic
    "person's name": "name",
    "national identification number": "ssn",
    "patient or person number": "patientid",
    "identity document or account number": "document_id",
    "record identifier": "record_id",
    "phone number": "phone",
    "e-mail address": "email",
    "online identifier or network address": "user_id",
    "date of birth": "birthdate",
    "date of death": "deathdate",
    "date of a visit or stay": "visit_date",
    "age": "age",
    "sex or gender": "gender",
    "race, ethnicity or nationality": "ethnicity",
    "marital status or household": "marital_status",
    "postal address": "address",
    "place or region": "region",
    "coordinates": "address",
    "postal code": "zipcode",
    "diagnosis or disease": "diagnosis",
    "treatment or medication": "medication",
    "test result": "test_result",
    "free text": "free_text",
    "": "other",
}


def semantic_of(kind: str) -> str:
    """Return the semantic of what a column holds by :mod:`core.people.roles`.

    >>> semantic_of("date of birth"), semantic_of("number of days")
    ('birthdate', 'number_of_days')
    """
    return SEMANTICS.get(kind) or "_".join(re.findall(r"\w+", kind.lower()))


def semantic_by_name(column: str) -> str:
    """Return the semantic that a column's name alone tells.

    >>> semantic_by_name("datum rojstva"), semantic_by_name("x7")
    ('birthdate', 'other')
    """
    return semantic_of(suggest_by_name(column, n_nonblank=2, n_distinct=2).kind)

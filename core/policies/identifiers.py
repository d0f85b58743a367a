"""Columns of a release that look like something a policy forbids: by name, by values, or in single cells."""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import CodedColumn, CodedTable
from core.people.names import US_STATES
from core.people.patterns import ALL_PATTERNS, CATALOGUE, scan_values
from core.people.roles import Role, RoleSuggestion, suggest_roles
from core.people.roles.vocabulary import NAMED_KINDS, PERHAPS_NAMES, name_tokens
from core.values.letters import without_accents

FINER_DATES, OLDEST_AGES, OTHER_NUMBERS = (
    "dates finer than a year",
    "ages above 89",
    "identifier by distinctness",
)
SMALL_PLACES, PICTURES, BIOMETRICS = "places smaller than a state", "pictures", "biometric identifiers"
FREE_TEXT = "free text"
PERSONS_NAME = "person's name"
_OLDEST = 89
_YEARS = r"^\s{0,9}\d{4}(?:\s{0,9}[-–]\s{0,9}\d{4})?\s{0,9}$"
_AGES = r"^\s{0,9}(?P<age>\d{1,3})(?:\.\d{0,9})?\s{0,9}(?:-.{0,20})?$"
_DATES = frozenset({"date of birth", "date of death", "date of a visit or stay"})
_DATE_PATTERNS = frozenset({"date", "date_other"})
# What values can be told by that no column's name has to say; the keys of the patterns of values.
_COUNTED_HERE = (OTHER_NUMBERS, FINER_DATES, OLDEST_AGES, SMALL_PLACES, PICTURES, BIOMETRICS)
KINDS = frozenset({*NAMED_KINDS, *CATALOGUE, *_COUNTED_HERE})
_PICTURE = r"(?i)\.(?:jpe?g|png|gif|bmp|tiff?|webp|heic|dcm)$|^data:image/|^(?:/9j/|iVBORw0KGgo|R0lGOD)"
_OF_A_BODY = frozenset(
    "fingerprint fingerprints voiceprint voiceprints faceprint iris retina biometric biometrics".split()  # noqa: SIM905
) | {"지문", "홍채", "성문", "prstni"}
_FEWEST_OF_A_GROUP = 6  # above 89 who all have one age: of people at random in fewer than 1 of 1,000 tables


def kinds_of_columns(
    table: pa.Table, wanted: Collection[str], left_out: Iterable[str] = ()
) -> dict[str, frozenset[str]]:
    """Return what the columns of a table look like, those that look like none of what is asked for left out.

    `wanted` are of :data:`KINDS`: kinds of columns, keys of sensitive patterns, and the two that are counted
    here. Whoever asks for names of people hears of columns in their form, too. Columns in `left_out` are not
    released.
    """
    released = table.drop_columns([name for name in dict.fromkeys(left_out) if name in table.column_names])
    if not wanted or not released.num_columns or not released.num_rows:
        return {}
    coded = CodedTable(table=released)
    suggested = {each.column: each for each in suggest_roles(coded)}
    asked = frozenset(wanted) | ({PERHAPS_NAMES} if PERSONS_NAME in wanted else frozenset())
    found = {name: asked & _kinds_of(suggested[name], coded[name], asked) for name in released.column_names}
    return {name: kinds for name, kinds in found.items() if kinds}


def _kinds_of(suggestion: RoleSuggestion, column: CodedColumn, wanted: frozenset[str]) -> set[str]:
    """Return what a column looks like, as far as it is asked for."""
    is_said = suggestion.role is not Role.OTHER or suggestion.kind == "coordinates"
    found = {suggestion.kind} if is_said else set()
    patterns = wanted & CATALOGUE.keys()
    looked_for = patterns | (_DATE_PATTERNS if FINER_DATES in wanted else frozenset())
    hits = scan_values(column, [each for each in ALL_PATTERNS if each.key in looked_for]).counts
    found |= {key for key, n_cells in hits.items() if n_cells}
    if FINER_DATES in wanted and (
        _DATE_PATTERNS & found or (suggestion.kind in _DATES and not _years(column))
    ):
        found.add(FINER_DATES)
    if OLDEST_AGES in wanted and suggestion.kind == "age" and _is_old(column):
        found.add(OLDEST_AGES)
    if _PLACES.get(suggestion.kind, lambda _: False)(column.values):
        found.add(SMALL_PLACES)
    if PICTURES in wanted and pc.any(pc.match_substring_regex(column.values, _PICTURE)).as_py():
        found.add(PICTURES)
    if _OF_A_BODY & {*name_tokens(suggestion.column)}:
        found.add(BIOMETRICS)
    return found


_PLACES: Mapping[str, Callable[[pa.Array], bool]] = MappingProxyType(
    {
        "place or region": lambda values: not _are_states(values),
        "postal code": lambda values: not _is_large_area(values),
    }
)


def _years(column: CodedColumn) -> bool:
    return bool(pc.all(pc.match_substring_regex(column.values, _YEARS)).as_py())


def _is_old(column: CodedColumn) -> bool:
    """Return whether an age above 89 is told; 90 and over as one value ("90", "90+", "≥ 90") is not.

    Nor is another one value, such as 91, of so many people that it can only be that of all of them.
    """
    numbers = pc.struct_field(pc.extract_regex(column.values, _AGES), "age").to_pylist()
    old = np.array([bool(age) and int(age) > _OLDEST for age in numbers], dtype=bool)
    told = {int(age) for age, is_old in zip(numbers, old, strict=True) if is_old}
    if not told or told == {_OLDEST + 1}:
        return False
    return len(told) > 1 or column.n_cells(old) < _FEWEST_OF_A_GROUP


# --- places that the Safe Harbor rule lets stand: states and what is larger, and areas of three digits

# Areas of postal codes that begin alike with at most 20,000 people, by the censuses of 2000 and of 2010.
_FEW_PEOPLE = (
    "036 059 063 102 203 205 369 556 692 753 772 790 821 823 830 831 878 879 884 890 893".split()  # noqa: SIM905
)
_THREE_DIGITS = r"^(?P<area>\d{3})[*xX#-]{0,6}$"
_CODES = """
al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh ok or
pa ri sc sd tn tx ut vt va wa wv wi wy dc pr gu vi as mp
""".split()  # noqa: SIM905 - a list of fifty codes is no easier to read
_STATES = """
new hampshire, new jersey, new mexico, new york, north carolina, north dakota, rhode island, south carolina,
south dakota, west virginia, district of columbia, puerto rico, northeast, midwest, south, west, new england,
middle atlantic, east north central, west north central, south atlantic, east south central,
west south central, mountain, pacific, other, unknown
"""


def _is_large_area(values: pa.Array) -> bool:
    """Whether postal codes are three digits each, of areas with more than 20,000 people; 000 is any other.

    >>> _is_large_area(pa.array(["021", "606**", "000"])), _is_large_area(pa.array(["036", "606"]))
    (True, False)
    """
    found = pc.extract_regex(pc.utf8_trim_whitespace(values.cast(pa.string())), _THREE_DIGITS)
    areas = pc.struct_field(found, "area")
    return (
        areas.null_count == 0
        and not pc.any(pc.is_in(areas, value_set=pa.array(_FEW_PEOPLE)), min_count=0).as_py()
    )


def _are_states(values: pa.Array) -> bool:
    """Whether places are all states of the United States, their regions, or countries.

    >>> _are_states(pa.array(["MA", "New York", "Slovenia"])), _are_states(pa.array(["Boston", "Ohio"]))
    (True, False)
    """
    return all(without_accents(value.strip()) in _known() for value in values.to_pylist())


@cache
def _known() -> frozenset[str]:
    from babel import Locale  # noqa: PLC0415 - takes long to import

    states = " ".join(_STATES.split()).split(", ")
    countries = {*Locale("en").territories.items()}
    names = (name for code, country in countries for name in (code, country))
    return frozenset({*US_STATES, *_CODES, *states, *map(without_accents, names)})

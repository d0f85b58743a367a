"""Places that the Safe Harbor rule lets stand: states and what is larger, and areas of three digits."""

from functools import cache

import pyarrow as pa
import pyarrow.compute as pc

from core.letters import without_accents
from core.people import US_STATES

# Areas of postal codes that begin alike with at most 20,000 people, by the censuses of 2000 and of 2010.
_FEW_PEOPLE = pa.array(
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


def is_large_area(values: pa.Array) -> bool:
    """Whether postal codes are three digits each, of areas with more than 20,000 people; 000 is any other.

    >>> is_large_area(pa.array(["021", "606**", "000"])), is_large_area(pa.array(["036", "606"]))
    (True, False)
    """
    found = pc.extract_regex(pc.utf8_trim_whitespace(values.cast(pa.string())), _THREE_DIGITS)
    areas = pc.struct_field(found, "area")
    return areas.null_count == 0 and not pc.any(pc.is_in(areas, value_set=_FEW_PEOPLE), min_count=0).as_py()


def are_states(values: pa.Array) -> bool:
    """Whether places are all states of the United States, their regions, or countries.

    >>> are_states(pa.array(["MA", "New York", "Slovenia"])), are_states(pa.array(["Boston", "Ohio"]))
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

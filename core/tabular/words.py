"""Lists of names and of patterns as words."""

from collections.abc import Mapping, Sequence

from core.people.patterns import CATALOGUE
from core.words import Text, joined, own, share_of, text

# How columns were compared, and the modes of a log.
SHORT_WORDS: Mapping[str, Text] = {
    str(word): word
    for word in (
        text("rows"),
        text("values"),
        text("records"),
        text("frequencies"),
        text("low"),
        text("high"),
    )
}
_SHOWN = 6


def listed(names: Sequence[str]) -> Text:
    """Return names in backticks, the first six of a long list with how many more.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed("abcdefgh")
    ('`a`', '`a`, `b` and `c`', '`a`, `b`, `c`, `d`, `e`, `f` and 2 more')
    """
    shown = [f"`{name}`" for name in names[:_SHOWN]]
    if len(names) > _SHOWN:
        return text("{names} and {more} more", names=", ".join(shown), more=len(names) - _SHOWN)
    if len(shown) > 1:
        return text("{names} and {last}", names=", ".join(shown[:-1]), last=shown[-1])
    return text("{names}", names=shown[0]) if shown else text("none")


def values_compared(n: int, n_compared: int, *, is_sample: bool) -> Text:
    """Return how many of the values compared were found."""
    message = "{found} values of a sample" if is_sample else "{found} values"
    return text(message, found=share_of(n, n_compared))


def patterns_found(counts: Mapping[str, int]) -> Text:
    """Return labels of sensitive patterns, each with the cells that hold it."""
    return joined(
        [text("{label} {found}", label=own(CATALOGUE[key].label), found=n) for key, n in counts.items()], ", "
    )

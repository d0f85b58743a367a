"""Measures of what a release tells beside earlier ones."""

from core.measures.measure import Measure

_XIAO_TAO = "Xiao and Tao, m-invariance: towards privacy preserving re-publication, SIGMOD 2007"
_GUSFIELD = "Gusfield, A graph theoretic approach to statistical data security, SIAM J. Comput. 17(3), 1988"

MEASURES = (
    Measure("newcomers_below_k_share", "Newcomers among fewer than k", "share", "lower").means(
        "Persons (records, where none are named) more than in an earlier release, in a class of k or more "
        "that fewer than k came to, divided by all who came."
    ),
    Measure("newcomers_value_share", "Newcomers whose value follows", "share", "lower").means(
        "Those who came to a class of several sensitive values and all have one, divided by all who came; "
        "of several sensitive attributes the one that tells most."
    ),
    Measure("leavers_below_k_share", "Leavers among fewer than k", "share", "lower").means(
        "Persons (records, where none are named) whom an earlier release has more of, in a class of k or "
        "more there that fewer than k left, divided by all who left."
    ),
    Measure("leavers_value_share", "Leavers whose value follows", "share", "lower").means(
        "Those who left a class of several sensitive values and all had one, divided by all who left; of "
        "several sensitive attributes the one that tells most."
    ),
    Measure("alike_below_k_share", "Alike in both releases with fewer than k", "share", "lower").means(
        "Persons whose classes of two releases with a common pseudonym fewer than k share, where each class "
        "alone has k or more, divided by the persons in both."
    ),
    Measure("candidates_value_share", "One value left over releases", "share", "lower", _XIAO_TAO).means(
        "Persons whose classes' sensitive values have one in common over all releases, where each release "
        "alone leaves several, divided by the persons with one class and one value in several."
    ),
    Measure("recut_below_k_share", "Between cuts among fewer than k", "share", "lower", _GUSFIELD).means(
        "Persons (records, where none are named) in a class of each release that fewer than k are in both "
        "of, which the sizes of the classes tell, divided by those in both releases."
    ),
    Measure("relinked_share", "Found again under another pseudonym", "share", "lower").means(
        "Persons whose values in the columns that find most fit one person in each of two releases, divided "
        "by the persons of this release."
    ),
)

"""What a scan notes about an original record that may be a target: bits, as whole numbers."""


class Mark:
    """What the published rule and the tables need; the bits above are those of the checks of masked sites."""

    REPEAT = 1 << 0  # a short tandem repeat: a target at any threshold
    REPEAT_MASKED = 1 << 1  # some anonymized record at the site satisfies the repeat rule
    MISSING = 1 << 2  # no anonymized record at the site
    SAME_SITE = 1 << 3  # the candidate before stands at the same site
    REPEAT_KEPT = 1 << 4  # an anonymized record at the site still holds a repeat
    ALT_CHANGED = 1 << 5  # the record's own ALT, or one at its site, differs from the original's
    SOLE_CARRIER = 1 << 6  # exactly one sample carries the rarest allele, which is still named
    NAMED = 1 << 7  # the record's own ALT still names one of its alleles
    BLANK = 1 << 8  # the MAF rule is satisfied at any threshold


FIRST_CHECK = 1 << 10

"""The registry of exposure checks: each says what it is, what it found and what to do."""

import pytest

from core.vcf import CHECKS


@pytest.mark.parametrize("name", CHECKS)
def test_checks__say_what_to_do(name: str) -> None:
    check = CHECKS[name]
    assert check.label
    assert check.message.endswith((".", "?"))
    assert check.remedy.endswith((".", "…"))
    assert check.remedy[0].isupper()

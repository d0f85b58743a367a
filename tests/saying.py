"""Sentences by what they begin with: whole they stand in the source, and once in three languages."""

import re


class Saying:
    """Equal to every sentence that reads so; “…” stands for any words."""

    def __init__(self, words: str) -> None:
        self.words = words

    def __eq__(self, other: object) -> bool:
        parts = map(re.escape, self.words.split("…"))
        return isinstance(other, str) and re.fullmatch(".*".join(parts), other, re.DOTALL) is not None

    def __hash__(self) -> int:
        return hash(self.words)

    def __repr__(self) -> str:
        return f"Saying({self.words!r})"

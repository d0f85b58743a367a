"""Whom a header, a value or a text is about: names, patterns, roles of columns, free text."""

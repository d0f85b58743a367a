"""How values are written: numbers, dates, stretches, letters, and when two cells say the same."""

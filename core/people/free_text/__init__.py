"""Free text in tables: which columns hold it, who is named in it, and how much of it a person has to read."""

from core.people.free_text.finding import KINDS, TextColumn, is_text_column, measure_texts, records_that_name
from core.people.free_text.judging import check_reading, text_findings
from core.people.free_text.reading import (
    LARGEST_SHARE,
    Reading,
    cells_to_read,
    read_cells,
    reading_words,
    sample_of_cells,
    upper_bound,
)
from core.settings.reading import ModelName

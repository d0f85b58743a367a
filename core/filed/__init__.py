"""Reports that were filed: read again, repeated on their files, compared with each other."""

from core.filed.comparing import Change, Comparison, compare_reports, comparison_document
from core.filed.reading import FiledFigure, FiledReport, read_report
from core.filed.repeating import Difference, Repeat, Sameness, repeat_report

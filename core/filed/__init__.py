"""Reports that were filed: read again, repeated on their files, compared with each other."""

from core.filed.reading import FiledFigure, FiledFinding, FiledReport, read_report

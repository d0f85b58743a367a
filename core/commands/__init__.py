"""The subcommands of ``python -m core``, one module per tool, imported when it is asked for."""

COMMANDS = {
    "tabular": "Verify anonymized tables against their originals and logs, with a second opinion.",
    "leakage": "Compare an original table with its scrambled copy: leaking rows, how much of it is chance.",
    "risk": "Measure class sizes, re-identification risk and attribute disclosure of a table.",
    "dataset": "Read the tables of one delivery together: who is found by facts from several of them.",
    "events": "Generalize, flatten and reduce an event log until k users share every released combination.",
    "diversity": "Search the (k, ℓ) grid: protection against the accuracy of a model; k and ℓ are proven.",
    "measures": "Print the definition, unit, range, direction and source of every figure.",
    "vcf": "Verify that anonymized VCF files are masked: header, short tandem repeats, rare variants.",
}

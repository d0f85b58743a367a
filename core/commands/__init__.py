"""The subcommands of ``python -m core``, one module per tool."""

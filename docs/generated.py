"""The parts of docs/ that come from the code: `python -m docs.generated` writes them."""

from importlib import import_module
from pathlib import Path

from core.commands import COMMANDS
from core.settings_form import Setting, described

HERE = Path(__file__).parent
BEGIN, END = "<!-- settings: made by `make docs` -->", "<!-- end of settings -->"
TOOLS = tuple(name for name in COMMANDS if hasattr(import_module(f"core.commands.{name}"), "FORMS"))


def settings_table(tool: str) -> str:
    """Return a Markdown table of all settings of a tool."""
    told = [
        each for form in import_module(f"core.commands.{tool}").FORMS for each in described(form).values()
    ]
    rows = ["| option | setting | may be | default |", "|---|---|---|---|"]
    rows += [f"| `{each.flag}` | {_words(each)} | {_allowed(each)} | {each.default_words} |" for each in told]
    return "\n".join(rows)


def with_settings(page: str, tool: str) -> str:
    """Return a tool's page with its table of settings as it should be."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{settings_table(tool)}\n{END}{after}"


def _words(told: Setting) -> str:
    return f"**{told.heading}** {told.about}".strip().replace("|", r"\|")


def _allowed(told: Setting) -> str:
    if told.kind is bool:
        return "given or not"
    if any(told.choices.values()):
        return "; ".join(f"`{value}` {word}".strip() for value, word in told.choices.items())
    return told.allowed or (f"{told.metavar}…" if told.is_several else told.metavar)


if __name__ == "__main__":
    for name in TOOLS:
        path = HERE / f"{name}.md"
        path.write_text(with_settings(path.read_text(encoding="utf-8"), name), encoding="utf-8")

"""A setting described once: widget, option, check, report line and JSON come from its dataclass field."""

import math
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import MISSING, dataclass, field, fields, replace
from numbers import Integral, Real
from types import NoneType
from typing import Any, Literal, TypedDict, TypeVar, Unpack, get_args, get_origin, get_type_hints

from core.errors import refuse
from core.words import Text, Written, joined, own, text

Naming = Literal["name", "flag", "label"]
_NAMING: ContextVar[Naming] = ContextVar("_NAMING", default="name")
_Form = TypeVar("_Form")
REQUIRED: Any = MISSING
NONE: Any = object()  # a number that is not asked for, given as such: None is an option that is not given
_KNOWN: "dict[type, Mapping[str, Setting]]" = {}


@dataclass(frozen=True, kw_only=True)
class Widget:
    """How pages show a setting, where its kind alone does not tell.

    Attributes
    ----------
    kind
        What is shown; by default a list of choices, a number to type, or a box to tick.
    span, step
        The range shown, which may end where the allowed one does not, and the steps in it.
    none_at
        The value shown that means none: one that every table meets.
    options
        Values to choose from with their words, where not only these are allowed.
    key
        The widget's own key after the tool's, by default the field's name.
    further
        What else Streamlit is told; words are said.
    """

    kind: Literal["", "slider", "segmented_control", "select_slider", "radio", "toggle"] = ""
    span: tuple[float, float] | None = None
    step: float | None = None
    none_at: float | None = None
    options: Mapping[Any, str] = field(default_factory=dict)
    key: str = ""
    further: Mapping[str, Any] = field(default_factory=dict)


class _Further(TypedDict, total=False):
    least: float
    most: float
    above: float
    below: float
    any_size: bool
    choices: Mapping[str, str]
    none: str
    metavar: str
    percent: bool
    commas: bool
    plain: Callable[[Any], object]
    secret: bool
    widget: Widget


@dataclass(frozen=True, kw_only=True, eq=False)
class Setting:
    """What a person is told of one setting, and what it may be.

    Attributes
    ----------
    label, about
        Its words on the page, on the command line, in documents; the report takes the label.
    flag, metavar
        Its option on the command line, by default the field's name with hyphens, and what stands for a value
        there.
    least, most, above, below
        The range of a number: the first two are allowed themselves, the others are not.
    any_size
        Of a number without a largest value: neither time nor memory grows with it. All others have one, so
        that nobody's settings, such as those of a filed report, decide how long an audit works.
    choices
        Value to its words, where only these are allowed.
    none
        What no value at all means, in words.
    percent
        Whether it is a share in [0, 1] that pages show as percent.
    commas
        Whether the option also takes several values in one word, with commas between them.
    plain
        Makes of a value one that a report and JSON can hold.
    secret
        Whether only the person may know it, so that nothing that is written holds it.
    widget
        How pages show it.
    name, default, kind, is_several, is_optional
        Of the field itself.
    """

    label: str
    about: str
    flag: str = ""
    metavar: str = ""
    least: float = -math.inf
    most: float = math.inf
    above: float = -math.inf
    below: float = math.inf
    any_size: bool = False
    choices: Mapping[str, str] = field(default_factory=dict)
    none: str = ""
    percent: bool = False
    commas: bool = False
    plain: Callable[[Any], object] = field(default=lambda value: value)
    secret: bool = False
    widget: Widget = field(default_factory=Widget)
    name: str = ""
    default: Any = None
    kind: type = str
    is_several: bool = False
    is_optional: bool = False

    @property
    def is_grouped(self) -> bool:
        """Return whether each use of the option names a group, several values that belong together."""
        return get_args(self.kind)[1:] == (Ellipsis,)

    @property
    def is_plain(self) -> bool:
        """Return whether the option names the values themselves, not a file that holds them."""
        return self.kind in (bool, int, float, str) or self.is_several

    @property
    def may_be_none(self) -> bool:
        """Return whether it is a number that need not be asked for."""
        return self.is_optional and self.kind in (int, float)

    @property
    def dest(self) -> str:
        """Return what the parsed command line calls it."""
        return self.flag.lstrip("-").replace("-", "_")

    @property
    def said(self) -> str:
        """Return its name in sentences: the option on the command line, the label on a page."""
        naming = _NAMING.get()
        if naming == "label":
            return text("“{label}”", label=own(self.label))
        return self.flag if naming == "flag" else self.name

    @property
    def heading(self) -> str:
        """Return the label as a sentence."""
        return self.label if self.label.endswith("?") else f"{self.label}."

    @property
    def allowed(self) -> str:
        """Return what it may be, in words; empty where anything goes."""
        if self.choices:
            among = "among {choices}" if self.is_several else "one of {choices}"
            return text(among, choices=", ".join(self.choices))
        if -math.inf < self.least and self.most < math.inf:
            return text("from {least} to {most}", least=_decimal(self.least), most=_decimal(self.most))
        ends = (
            (text("above {number}", number=_decimal(self.above)), self.above > -math.inf),
            (text("at least {number}", number=_decimal(self.least)), self.least > -math.inf),
            (text("at most {number}", number=_decimal(self.most)), self.most < math.inf),
            (text("below {number}", number=_decimal(self.below)), self.below < math.inf),
        )
        given = [end for end, is_given in ends if is_given]
        return (
            given[0]
            if len(given) == 1
            else text("{one} and {other}", one=given[0], other=given[1])
            if given
            else ""
        )

    @property
    def default_words(self) -> str:
        """Return the default in words; empty for what has to be given."""
        if self.kind is bool:
            return ""
        if self.default is MISSING:
            return self.none
        if self.default is None or self.default in ((), {}):
            return self.none or "none"
        if self.is_several:
            return ", ".join(map(str, self.default))
        return f"{self.default:,.15g}" if isinstance(self.default, Real) else str(self.plain(self.default))

    def problems(self, value: object) -> Iterator[str]:
        """Say what is wrong with a value, where anything is."""
        if value is None and self.is_optional:
            return
        if self.is_several and isinstance(value, str):
            yield text(
                "{setting} must be a list of values, received {value}.", setting=self.said, value=value
            )
            return
        several: Iterable[object] = value if self.is_several else (value,)  # type: ignore[assignment]
        if wrong := [each for each in several if not self._allows(each)]:
            allowed = self.allowed or text("a number")
            if self.kind is int and not all(isinstance(each, Integral) for each in wrong):
                allowed = (
                    text("a whole number {allowed}", allowed=self.allowed)
                    if self.allowed
                    else text("a whole number")
                )
            yield text(
                "{setting} must be {allowed}, received {received}.",
                setting=self.said,
                allowed=allowed,
                received=joined([_received(each) for each in wrong], ", "),
            )

    def _allows(self, value: object) -> bool:
        if self.choices:
            return isinstance(value, str) and value in self.choices
        if self.kind not in (int, float):
            return True
        if not isinstance(value, Integral if self.kind is int else Real) or isinstance(value, bool):
            return False
        try:
            number = float(value)
        except OverflowError:
            return False
        return (
            math.isfinite(number) and self.least <= number <= self.most and self.above < number < self.below
        )


def metadata_of(label: str, about: str, flag: str = "", **further: Unpack[_Further]) -> dict[str, Setting]:
    """Return the metadata of a dataclass field that a person can set; `Setting` says what is told of it."""
    if further.get("percent"):
        further = {"least": 0, "most": 1, "metavar": "SHARE", **further}
    return {"setting": Setting(label=label, about=about, flag=flag, **further)}


def setting(default: object, label: str, about: str, flag: str = "", **further: Unpack[_Further]) -> Any:
    """Return a dataclass field that a person can set."""
    metadata = metadata_of(label, about, flag, **further)
    if isinstance(default, dict):
        return field(default_factory=lambda: dict(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def setting_of(form: type, name: str, default: object = None) -> Any:
    """Return a dataclass field that asks what another form's field asks, by default nothing."""
    return field(default=default, metadata={"setting": replace(described(form)[name], default=default)})


def described(form: Any) -> Mapping[str, Setting]:
    """Return the settings of a dataclass by name, in order; fields that nobody sets are left out."""
    if form not in _KNOWN:
        hints = get_type_hints(form)
        _KNOWN[form] = {
            each.name: _of_field(
                each.metadata["setting"],
                each.name,
                each.default if each.default_factory is MISSING else each.default_factory(),
                hints[each.name],
            )
            for each in fields(form)
            if "setting" in each.metadata
        }
    return _KNOWN[form]


def _of_field(told: Setting, name: str, default: object, hint: Any) -> Setting:
    parts = [part for part in get_args(hint) or (hint,) if part is not NoneType]
    is_optional = NoneType in get_args(hint)
    kept = parts[0] if is_optional else hint
    is_several = get_origin(kept) in (tuple, Mapping)
    kind = get_args(kept)[0] if is_several else kept
    if get_origin(kind) is Literal:
        told = told if told.choices else replace(told, choices=dict.fromkeys(get_args(kind), ""))
        kind = str
    return replace(
        told,
        flag=told.flag or f"--{name.replace('_', '-')}",
        name=name,
        default=default,
        kind=kind,
        is_several=is_several,
        is_optional=is_optional,
    )


def check(settings: Any, further: Iterable[str] = ()) -> None:
    """Refuse settings out of their range, and what else is wrong with them: all at once, with what may be."""
    problems = [
        problem
        for each in described(type(settings)).values()
        for problem in each.problems(getattr(settings, each.name))
    ]
    problems += further
    refuse(problems)


@contextmanager
def settings_named_by(naming: Naming) -> Iterator[None]:
    """Let sentences name settings by their options or labels instead of their fields, while this lasts."""
    token = _NAMING.set(naming)
    try:
        yield
    finally:
        _NAMING.reset(token)


def said(form: type, name: str) -> str:
    """Return what sentences call a setting."""
    return described(form)[name].said


def given_options(form: type, arguments: object) -> dict[str, Any]:
    """Return the values of a form's settings that the command line names."""
    found: dict[str, Any] = {}
    for name, told in described(form).items():
        value = getattr(arguments, told.dest, None)
        if value is not None and told.commas:
            value = parts_of(value)
        if value is not None and told.is_grouped:
            value = map(tuple, value)
        if value is NONE:
            found[name] = None
        elif value is not None:
            found[name] = tuple(value) if told.is_several else value
    return found


def parts_of(words: Iterable[str]) -> list[str]:
    """Return the values in words that may hold several with commas between them."""
    return [part.strip() for word in words for part in word.split(",") if part.strip()]


def from_options(form: type[_Form], arguments: object, **given: object) -> _Form:
    """Return settings as the options say, the defaults where nothing was given, and `given` before both."""
    return form(**given_options(form, arguments) | given)


def report_lines(*settings: object) -> dict[str, object]:
    """Return label and value of all settings, as reports state them."""
    return {told.label: reported(told, value) for told, value in _values(settings)}


def reported(told: Setting, value: Any) -> object:
    """Return a value as a report states it: choices by their words, names as they are."""
    if value is None:
        return own(told.none) if told.none else None
    if isinstance(value, list):
        return [reported(told, one) if told.choices else one for one in told.plain(value)]  # type: ignore[attr-defined]
    if isinstance(value, str) and told.choices.get(value):
        return own(told.choices[value])
    return told.plain(value)


def settings_document(*settings: object) -> dict[str, object]:
    """Return name and value of all settings as JSON holds them."""
    return {told.name: None if value is None else told.plain(value) for told, value in _values(settings)}


def option_words(settings: Any, *, usual: object = None, left_out: Iterable[str] = ()) -> list[str]:
    """Return the words of the command line that give settings, without those that are as usual.

    `usual` are settings that the command would take by itself, without them the defaults of the fields;
    `left_out` are the names of settings that are given in another way.
    """
    words: list[str] = []
    for told, value in _values([settings]):
        expected = told.default if usual is None else getattr(usual, told.name)
        expected = list(expected) if isinstance(expected, tuple) else expected
        if told.name not in left_out and value != expected:
            words += option_of(told, value)
    return words


def option_of(told: Setting, value: Any) -> list[str]:
    """Return the words of the command line that give a value; none where they cannot."""
    if value is None:
        return [told.flag, "none"] if told.may_be_none else []
    if told.kind is bool:
        return [told.flag] if value else []
    if told.is_grouped:
        return [word for group in value for word in (told.flag, *group)]
    return [word for each in _given(value) for word in _option(told.flag, each)]


def _given(value: object) -> list[str]:
    """Return a value, or the values of a list, as the command line takes them; pairs with an equals sign."""
    pairs = value.items() if isinstance(value, Mapping) else value if isinstance(value, list) else [value]
    return ["=".join(map(str, each)) if isinstance(each, tuple) else str(each) for each in pairs]


def _option(flag: str, value: str) -> list[str]:
    return [f"{flag}={value}"] if value.startswith("-") else [flag, value]


def command_line(tool: str, files: Iterable[str], words: Iterable[str]) -> str:
    """Return the command that repeats an audit, in the folder of the files it names."""
    named = [f"./{file}" if file.startswith("-") else file for file in files]
    return shlex.join(["python", "-m", "core", tool, *named, *words])


def _values(settings: Iterable[Any]) -> Iterator[tuple[Setting, Any]]:
    for each in settings:
        for name, told in described(type(each)).items():
            value = getattr(each, name)
            yield told, list(value) if isinstance(value, tuple) else value


def _received(value: object) -> str:
    if isinstance(value, Real) and not isinstance(value, bool):
        with suppress(OverflowError):
            return _decimal(float(value))
    return text("{value}", value=str(value))


def _decimal(number: float) -> Text:
    """Return a number as exactly as it was given."""
    return Written(f"{number:,.15g}")

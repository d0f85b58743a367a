import itertools
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.charts import (
    COLORS,
    TEXT_COLOR,
    Part,
    alt,
    class_size_bins,
    class_size_chart,
    class_size_table,
    counts,
    described,
    for_report,
    heatmap,
    histogram,
    horizontal_bars,
    layered,
    meaning,
    one_bar,
    stacked_share_bar,
    vega_lite,
)
from core.verdict import Verdict
from core.words import speaking

CONFIG = Path(__file__).parents[2] / ".streamlit" / "config.toml"
THEME = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"]
BACKGROUNDS = [THEME[name]["backgroundColor"] for name in ("light", "dark")]
TRICKY_NAMES = (
    "a.b",
    "x[0]",
    "q:Q",
    "it's",
    'say "x"',
    "back\\slash",
    "a(b)",
    "__proto__",
    "",
    "c1",
    "datum.x",
)


def linear(color):
    channels = np.array([int(color[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """WCAG 2.2 contrast ratio."""
    dark, light = sorted(float(linear(color) @ [0.2126, 0.7152, 0.0722]) for color in (one, other))
    return (light + 0.05) / (dark + 0.05)


# Machado, Oliveira and Fernandes, IEEE TVCG 15(6), 2009, at full severity, on linear RGB.
SIGHT = {
    "normal": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}  # fmt: skip


def lab(color, sight):
    """CIELAB as seen with that sight, from linear sRGB under D65."""
    rgb = np.clip(np.array(SIGHT[sight]) @ linear(color), 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ rgb
    x, y, z = (
        np.cbrt(part) if part > 0.008856 else 7.787 * part + 16 / 116 for part in xyz / [0.9505, 1, 1.089]
    )
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_colors__mean_one_thing_each_and_stand_out_in_light_and_dark():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)  # as the standard has it
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert len(set(COLORS.values())) == len(COLORS)
    assert {verdict.value for verdict in Verdict} <= set(COLORS)
    for background in BACKGROUNDS:
        assert contrast(TEXT_COLOR, background) >= 4
        assert [each for each, color in COLORS.items() if contrast(color, background) < 3] == []


@pytest.mark.parametrize("sight", SIGHT)
def test_colors__of_one_group_stay_apart_for_every_sight(sight):
    groups = "PASS WARN NOT_ASSESSED FAIL / original anonymized / observed chance / kept generalized removed"
    for group in f"{groups} / FAIL neutral".split(" / "):
        for one, other in itertools.combinations(group.split(), 2):
            distance = float(np.linalg.norm(lab(COLORS[one], sight) - lab(COLORS[other], sight)))
            assert distance >= 15, (one, other)  # about 2 is just noticeable side by side


def test_meaning__gives_each_meaning_its_color():
    same = meaning("series:N", ("observed", "chance"))
    colors = [COLORS["observed"], COLORS["chance"]]
    assert same["scale"] == {"domain": ["observed", "chance"], "range": colors}
    other = meaning("series:N", {"masked": "PASS"}, legend=None)
    assert (other["scale"], other["legend"]) == ({"domain": ["masked"], "range": [COLORS["PASS"]]}, None)


def test_chart__leaves_out_layers_without_rows_but_not_all_of_them():
    bars = alt.Chart(pd.DataFrame({"n": [1]})).mark_bar().encode(x=alt.X("n:Q"))
    nothing = alt.Chart(pd.DataFrame({"n": []})).mark_rule().encode(x=alt.X("n:Q"))
    assert marks(layered(bars, nothing, height=9)) == ["bar"]
    assert marks(layered(nothing, nothing, height=9)) == ["rule"]


def test_chart__names_a_table_once_and_says_where_a_value_is_missing():
    table = pd.DataFrame({"n": [1.5, np.nan]})
    rows, other = (alt.Chart(each).encode(x=alt.X("n:Q")) for each in (table, table[:1]))
    drawn = layered(rows.mark_bar(), other.mark_rule(), rows.mark_tick(), height=9)
    written = vega_lite(drawn)
    assert written["datasets"] == {"rows_0": [{"n": 1.5}, {"n": None}], "rows_1": [{"n": 1.5}]}
    assert [each["data"]["name"] for each in written["layer"]] == ["rows_0", "rows_1", "rows_0"]
    assert vega_lite(drawn) == written  # as often as it is asked for
    assert counts(2)["axis"]["values"] == [0, 1, 2]  # no halves of few
    assert "values" not in counts(4)["axis"]


# ---------------------------------------------------------------------------------------- class sizes


def test_class_size_bins__are_few_and_never_cut_by_k():
    tens = "10–19 20–49 50–99 100–199 200–499"
    for largest, k, expected in (
        (3, 2, "1 2 3"),
        (3, 5, "1 2 3 4 5"),
        (0, 1, "1"),
        (412, 5, f"1 2 3 4 5–9 {tens}"),
        (412, 7, f"1 2 3 4 5–6 7–9 {tens}"),
        (21, 2, "1 2 3 4 5–9 10–19 20–49"),
        (1000, 3, f"1 2 3 4 5–9 {tens} 500–999 1,000–1,999"),
        (3, 30, "1 2 3 4 5–9 10–19 20–29 30–49"),
    ):
        assert " ".join(bin_.label for bin_ in class_size_bins(largest, k)) == expected


def test_class_size_table__counts_every_record_once():
    table = class_size_table(np.array([1, 4, 6, 7, 300]), np.array([3, 8, 12, 14, 300]), 7)
    filled = table.loc[table["n_records"] > 0, ["class_size", "n_records", "below_k"]].to_numpy().tolist()
    below = [["1", 3, True], ["4", 8, True], ["5–6", 12, True]]
    assert filled == [*below, ["7–9", 14, False], ["200–499", 300, False]]
    assert table["n_records"].sum() == 337
    assert table["records_share"].sum() == pytest.approx(1)
    empty = class_size_table(np.array([], dtype=int), np.array([], dtype=int), 2)
    assert empty["n_records"].tolist() == empty["records_share"].tolist() == [0, 0]


def marks(chart):
    return [layer["mark"]["type"] for layer in vega_lite(chart)["layer"]]


def data_of(chart, layer):
    specification = vega_lite(chart)
    part = specification["layer"][layer]
    data = part.get("data") or specification["data"]
    return specification["datasets"][data["name"]]


def test_class_size_chart__marks_what_is_below_k_by_color_outline_and_number():
    chart = class_size_chart(np.array([1, 4, 9]), np.array([3, 8, 90]), 5)
    assert marks(chart) == ["bar", "text", "rule", "text"]
    written = vega_lite(chart)["layer"][1]["encoding"]["text"]
    assert written["field"] == "n_records"
    assert [row["n_records"] for row in data_of(chart, 1)] == [3, 8]
    encoding = vega_lite(chart)["layer"][0]["encoding"]
    names = ["in groups smaller than 5", "in groups of 5 or more"]
    assert encoding["color"]["scale"] == {"domain": names, "range": [COLORS["FAIL"], COLORS["neutral"]]}
    below = {"test": "datum.below_k", "value": [4, 3]}
    assert encoding["strokeDash"] == {"condition": below, "value": [1, 0]}
    assert encoding["x"]["title"] == ["Group size (records sharing all", "quasi-identifiers)"]
    assert encoding["y"]["title"] == "Records"


def test_class_size_chart__has_a_place_for_its_threshold_and_a_scale_for_small_beside_large():
    chart = class_size_chart(np.array([1, 4, 300]), np.array([3, 8, 300]), 7)
    assert data_of(chart, 2) == [{"class_size": "7–9", "label": "k = 7"}]  # the first class that holds it
    assert vega_lite(chart)["layer"][2]["encoding"]["x"]["bandPosition"] == 0
    chart = class_size_chart(np.array([1, 2]), np.array([3, 8]), 1000)
    assert data_of(chart, 2) == [{"class_size": "1,000–1,999", "label": "k = 1,000"}]
    chart = class_size_chart(np.array([1, 9]), np.array([3, 45000]), 5, log=True)
    y = vega_lite(chart)["layer"][0]["encoding"]["y"]
    assert y["scale"] == {"type": "symlog", "domain": [0, 45000]}
    assert y["axis"]["values"] == [0, 1, 10, 100, 1000, 10000]


# ------------------------------------------------------------------------------------- other builders


def test_stacked_share_bar__names_each_part_with_count_and_share():
    def drawn(**parts):
        given = [Part(label=name, count=count, meaning=name) for name, count in parts.items()]
        return data_of(stacked_share_bar(given, unit="users", title="Share of users"), 0)

    rows = drawn(kept=2999, generalized=0, removed=1)
    legends = [row["legend"] for row in rows]
    assert legends == ["kept: 2,999 (> 99.9 %)", "generalized: 0 (0 %)", "removed: 1 (< 0.1 %)"]
    assert rows[0]["start"] == 0
    assert rows[0]["end"] == rows[1]["start"] == rows[1]["end"] == pytest.approx(2999 / 3000)
    assert rows[2]["end"] == pytest.approx(1)
    (nothing,) = drawn(kept=0)
    assert (nothing["start"], nothing["end"]) == (0, 0)


def test_histogram__leaves_out_intervals_of_nothing():
    drawn = histogram([0, 10, 20], [5, 0], of="observed", x_title="Age (years)", y_title="Records")
    assert data_of(drawn, 0) == [{"lower": 0, "upper": 10, "count": 5}]
    part = vega_lite(drawn)["layer"][0]
    assert part["mark"]["color"] == COLORS["observed"]
    assert part["encoding"]["x"]["scale"] == {"domain": [0, 20]}


def test_horizontal_bars__draw_names_of_any_kind():
    for name in TRICKY_NAMES:
        titles = {"value_title": "Share of records", "label_title": "Column", "compared_with": "chance"}
        rows = [(name, 0.5, 0.1), ("b", np.nan, 0.2)]
        chart = horizontal_bars(rows, **titles, rule=0.3, rule_label="limit")
        assert marks(chart) == ["bar", "tick", "rule", "text"], name
        assert data_of(chart, 0) == [
            {"name": name, "value": 0.5, "series": "observed", "text": "50.0 %"},
            {"name": "b", "value": None, "series": "observed", "text": "not assessed"},
        ], name
        assert data_of(chart, 1)[1]["text"] == "20.0 %", name
        x = vega_lite(chart)["layer"][0]["encoding"]["x"]
        assert x["scale"] == {"domain": [0, 1], "nice": False}, name
    of_counts = {"unit": "records", "value_title": "Records", "label_title": "A"}
    chart = horizontal_bars([("x", 1234)], **of_counts)
    assert marks(chart) == ["bar"]
    assert "scale" not in vega_lite(chart)["layer"][0]["encoding"]["x"]
    assert data_of(chart, 0)[0]["text"] == "1,234"


def test_heatmap__writes_the_figure_into_every_cell_that_has_room():
    frame = pd.DataFrame({"a.b": ["x", "y"], "q:Q": ["1", "1"], "v[0]": [0.25, 0.9999]})
    chart = heatmap(frame, x="a.b", y="q:Q", value="v[0]", x_title="X", y_title="Y", value_title="Accuracy")
    assert marks(chart) == ["rect", "text"]
    written = [(row["text"], row["is_dark"]) for row in data_of(chart, 1)]
    assert written == [("25.0 %", False), ("> 99.9 %", True)]
    assert vega_lite(chart)["layer"][1]["mark"]["opacity"] == {"expr": "width < 116 ? 0 : 1"}
    scale = vega_lite(chart)["layer"][0]["encoding"]["color"]["scale"]
    assert scale["domain"] == [0, 0.5, 1]
    assert contrast(scale["range"][0], "#16202E") >= 4.5
    assert contrast(scale["range"][2], "#F4F8FC") >= 4.5


def every_chart():
    cells = pd.DataFrame({"a": ["x"], "b": ["y"], "c": [0.2]})
    yield class_size_chart(np.array([1, 9]), np.array([3, 45000]), 5)
    yield class_size_chart(np.array([1, 9]), np.array([3, 45000]), 5, log=True)
    yield histogram([0, 1], [2], of="neutral", x_title="x", y_title="y")
    yield stacked_share_bar([Part(label="a", count=1, meaning="kept")], unit="users", title="t")
    yield horizontal_bars([("x", 0.5, 0.2)], value_title="v", label_title="l", compared_with="chance")
    yield heatmap(cells, x="a", y="b", value="c", x_title="x", y_title="y", value_title="v")


@pytest.mark.parametrize("chart", list(every_chart()))
def test_builders__leave_theme_and_width_to_the_page_and_a_report_sets_them(chart):
    specification = vega_lite(chart, validate=True)  # raises where the schema of Vega-Lite does not allow it
    assert specification["width"] == "container"
    assert specification["height"] > 0
    assert list(specification["config"]) == ["locale"]
    colors = {word.lower() for word in str(specification).replace("'", " ").split() if word.startswith("#")}
    assert not colors & {"#000", "#000000", "#fff", "#ffffff"}
    assert not any(color in str(specification) for color in ("'black'", "'white'"))
    for_paper = for_report(chart)
    assert (for_paper["width"], for_paper["background"]) == (720, None)
    assert for_paper["config"]["axis"]["labelColor"] == "currentColor"
    assert TEXT_COLOR not in str(for_paper)
    assert vega_lite(chart) == specification


def test_for_report__writes_numbers_as_the_language_does():
    points = alt.Chart(pd.DataFrame({"n": [1]})).mark_point()
    drawn = layered(points.encode(x=alt.X("n:Q")), height=9)
    for code, signs in (("en", ",."), ("ko", ",."), ("sl", ".,")):
        with speaking(code):
            number = for_report(drawn)["config"]["locale"]["number"]
        assert number["thousands"] + number["decimal"] == signs


def test_described__tells_titles_of_axes_the_first_marks_and_thresholds():
    bars = horizontal_bars(
        [(name, 0.5, 0.25) for name in "uvwxyz"],
        value_title="Share",
        label_title="Column",
        compared_with="chance",
    )
    rows = "; ".join(f"{name}, {{}}" for name in "uvwxy") + "; …"
    assert described(vega_lite(bars)) == (
        "Horizontal axis: Share. Vertical axis: Column. "
        f"Column, Share: {rows.replace('{}', '50.0 %')} Compared with, chance: {rows.replace('{}', '25.0 %')}"
    )
    for code, axis in (
        ("ko", "가로축: 비율. 세로축: 열."),
        ("sl", "Vodoravna os: Delež. Navpična os: Stolpec."),
    ):
        with speaking(code):
            assert described(vega_lite(bars)).startswith(axis)
    sizes = described(vega_lite(class_size_chart(np.array([2, 9]), np.array([4, 4500]), 5)))
    assert sizes.endswith(
        "2, 4, < 0.1 %, in groups smaller than 5; 9, 4,500, > 99.9 %, in groups of 5 or more. "
        "Threshold: k = 5."
    )
    for chart in every_chart():
        assert "nan" not in described(vega_lite(chart))


def test_one_bar__is_said_in_words_and_anything_to_compare_it_with_is_drawn():
    titles = {"value_title": "Share", "label_title": "Column"}
    assert one_bar(horizontal_bars([("age", 0.5)], **titles)) == "Column: age · Share: 50.0 %"
    single = histogram([0, 10, 20], [5, 0], of="observed", x_title="Age (years)", y_title="Records")
    assert one_bar(single).endswith("5")
    assert "100 %" in one_bar(
        stacked_share_bar([Part(label="a", count=3, meaning="kept")], unit="users", title="t")
    )
    assert one_bar(horizontal_bars([("age", 0.5), ("sex", 0.1)], **titles)) == ""
    assert one_bar(horizontal_bars([("age", 0.5)], **titles, rule=0.3, rule_label="limit")) == ""
    assert one_bar(class_size_chart(np.array([9]), np.array([3]), 5)) == ""

"""Figures: every bar and point has its interval, titles tell what was played, and no text stands over another one."""

import json
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from bigtwo_sim.arena import Plan, RunError, RunFolder, SavedRun, load, play_chunks, run
from bigtwo_sim.arena.runners.single_deals import single_deals
from bigtwo_sim.games.big_two import PRESETS, Rules
from bigtwo_sim.plots import (
    against_time,
    by_agent,
    columns,
    curve,
    distribution,
    milliseconds,
    pairs,
    render,
    throughput,
)
from bigtwo_sim.plots.style import names, plain, short_number
from bigtwo_sim.roster.spec import agent_from_manifest, parse_agents
from tests import ROOT
from tests.conftest import INTERPRETED
from tests.games.big_two.sides import amount
from tests.plots.figure_texts import intervals, overlaps, title

pytestmark = pytest.mark.drawing

LONG = "a rather long name of an agent, one that goes on and on, with $signs$ and 錄"
LINE_UPS = {
    "two": ["greedy", f"{LONG}=random"],
    "four": ["greedy", "heuristic", "random", "mine=greedy"],
    "nine": [f"{LONG} {number}=greedy" for number in range(7)] + ["greedy", "random"],
}
RULES = {"singapore": Rules(), "taiwan": PRESETS["taiwan"].replace(bombs=True)}


def play(path: Path, agents: list[str], rules: Rules, deals: int, seed: int = 3) -> SavedRun:
    plan = Plan.of(parse_agents(agents), rules, seed, deals=deals)
    with closing(RunFolder.create(path, plan, "bigtwo tournament")) as folder:
        run(plan, folder, play=partial(play_chunks, workers=1))
        speeds = {name: 10.0 ** (3 + number % 4) for number, name in enumerate(plan.names)}
        ranges = {name: [0.9 * speed, 1.2 * speed] for name, speed in speeds.items()}
        folder.update(decisions_per_second=speeds, decisions_per_second_range=ranges)
    return load(path)


SIZES = [size for size in LINE_UPS if size != "nine" or not INTERPRETED]  # nine meet in 3,024 deals a block


@pytest.fixture(scope="module", params=[(size, rules) for size in SIZES for rules in RULES], ids="-".join)
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> SavedRun:
    size, rules = request.param
    deals = {"two": amount(1400, 28), "four": amount(2400, 48), "nine": 18_000}[size]
    return play(tmp_path_factory.mktemp("run") / "run", LINE_UPS[size], RULES[rules], deals)


def check(figure: Figure, told: SavedRun, *words: str) -> None:
    """What every figure of a run must hold."""
    assert overlaps(figure) == []
    for word in (f"{told.result['deals']:,} deals", f"rules {told.manifest['rules']['name']}", *words):
        assert word in title(figure)


def test_bars_by_agent(saved: SavedRun) -> None:
    figure = by_agent(saved)
    check(figure, saved, "Win rate and points")
    ranked = saved.agents.sort_values("points", ascending=False)
    for axes, measure, scale in zip(figure.axes, ("win_rate", "points"), (100, 1), strict=True):
        widths = [bar.get_width() for bar in axes.patches]
        assert widths == pytest.approx((ranked[measure] * scale).tolist())
        ends = np.array(intervals(axes))
        assert ends[:, 0] == pytest.approx((ranked[f"{measure}_low"] * scale).to_numpy())
        assert ends[:, 1] == pytest.approx((ranked[f"{measure}_high"] * scale).to_numpy())


@pytest.mark.parametrize("measure", ["points", "win_rate"])
def test_heat_map_of_pairs(saved: SavedRun, measure: str) -> None:
    figure = pairs(saved, measure)
    check(figure, saved, "Row minus column")
    ranked = saved.agents.sort_values("points", ascending=False)["agent"].tolist()
    cells = figure.axes[0].images[0].get_array()
    scale = 100 if measure == "win_rate" else 1
    for _, pair in saved.pairs.iterrows():
        first, second = ranked.index(pair["first"]), ranked.index(pair["second"])
        assert cells[first, second] == pytest.approx(scale * pair[measure])
        assert cells[second, first] == pytest.approx(-scale * pair[measure])
    told = [text.get_text() for text in figure.axes[0].texts]
    assert sum("\n± " in text for text in told) == 2 * len(saved.pairs)
    assert sum(text.startswith("(") for text in told) == 2 * int(
        ((saved.pairs[f"{measure}_low"] <= 0) & (saved.pairs[f"{measure}_high"] >= 0)).sum()
    )


def test_distribution_of_points(saved: SavedRun) -> None:
    figure = distribution(saved, agent_from_manifest)
    check(figure, saved, "Points of single deals")
    panels = [axes for axes in figure.axes if axes.get_visible()]
    assert len(panels) == len(saved.names)
    means = dict(zip(saved.agents["agent"], saved.agents["points"], strict=True))
    ranked = sorted(means.values(), reverse=True)
    for axes, mean in zip(panels, ranked, strict=True):
        assert f"{mean:+.2f}".replace("-", "\u2212") in axes.get_title(loc="left")
        cut = sum(bar.get_height() > axes.get_ylim()[1] for bar in axes.patches)
        assert len(intervals(axes)) == len(axes.patches) - cut


def test_strength_against_time(saved: SavedRun) -> None:
    figure = against_time(saved)
    check(figure, saved, "Strength against time")
    for axes in figure.axes[:2]:
        assert len(intervals(axes)) == len(saved.names)
    spent = dict.fromkeys(saved.names[:2], 2.0)
    assert len(intervals(against_time(saved, spent).axes[0])) == 2


def test_throughput_of_a_run(saved: SavedRun) -> None:
    figure = throughput(saved)
    check(figure, saved, "Decisions a second")
    assert len(intervals(figure.axes[0])) == len(saved.names)
    assert milliseconds(saved)[saved.names[1]] == pytest.approx(0.1)


# --- deals played again -----------------------------------------------------------------------------------------------
def test_deals_that_are_played_again_are_those_that_were_counted(tmp_path: Path) -> None:
    saved = play(tmp_path / "run", LINE_UPS["four"], Rules(), amount(2400, 96))
    again = single_deals(saved, agent_from_manifest)
    assert again.deals == saved.result["deals"]
    for entry, points, left in zip(again.entries, again.points, again.left, strict=True):
        row = saved.agents.iloc[entry.agent]
        assert points.mean() == pytest.approx(row["points"], abs=1e-6)
        assert (left == 0).mean() == pytest.approx(row["win_rate"], abs=1e-6)
    figure = distribution(saved, agent_from_manifest, blocks=3)
    assert f"{saved.result['deals']:,} deals" in title(figure)
    assert "of which the first 72 deals are shown" in title(figure)


def test_deals_that_come_out_otherwise_are_not_shown(tmp_path: Path) -> None:
    saved = play(tmp_path / "run", ["greedy", "random"], Rules(), amount(1400, 28))
    with pytest.raises(RunError, match="its deals come out otherwise here; another version of the engine"):
        single_deals(saved, lambda agent: replace(parse_agents(["greedy"])[0], name=agent["name"]))
    mine = play(tmp_path / "mine", ["greedy", "python_agents:Weakest"], Rules(), 28)
    with pytest.raises(RunError, match="python_agents:Weakest is not compiled; only compiled agents are played again"):
        distribution(mine, agent_from_manifest)
    with pytest.raises(ValueError, match="blocks is 0; it must be at least 1"):
        single_deals(saved, agent_from_manifest, blocks=0)


# --- little known -----------------------------------------------------------------------------------------------------
def test_of_few_blocks_no_share_reaches_beyond_what_is_possible(tmp_path: Path) -> None:
    saved = play(tmp_path / "run", ["greedy", "random"], Rules(), 28)
    ends = np.array([end for axes in distribution(saved, agent_from_manifest).axes for end in intervals(axes)])
    assert ends.min() == 0
    assert ends.max() <= 100
    with pytest.raises(RunError, match="this run has 2 blocks; the spread of single deals is drawn of at least 3"):
        distribution(saved, agent_from_manifest, fewest=3)
    longer = play(tmp_path / "longer", ["greedy", "random"], Rules(), 42)
    with pytest.raises(RunError, match="agents as slow as these play 2 blocks again; the spread of single deals"):
        distribution(longer, agent_from_manifest, blocks=2, fewest=3)


def test_a_single_block_has_no_interval(tmp_path: Path) -> None:
    saved = play(tmp_path / "run", ["greedy", "random"], Rules(), 1)
    for figure in (by_agent(saved), pairs(saved), distribution(saved, agent_from_manifest), against_time(saved)):
        check(figure, saved, "1 block")
        assert "A single block: no interval is known yet." in figure.get_supxlabel()
        assert not any(intervals(axes) for axes in figure.axes)


def test_an_unfinished_run_is_called_so(tmp_path: Path) -> None:
    plan = Plan.of(parse_agents(["greedy", "random"]), Rules(), 3, deals=140, chunk=2)
    with closing(RunFolder.create(tmp_path / "run", plan)) as folder:
        with pytest.raises(RunError, match="no chunk of this run was saved"):
            by_agent(load(tmp_path / "run"))
        with pytest.raises(RunError, match="nothing can be replayed"):
            single_deals(load(tmp_path / "run"), agent_from_manifest)

        def stop(outcome: Any) -> None:
            if outcome.tally.blocks == 6:
                raise KeyboardInterrupt

        run(plan, folder, stop)
    saved = load(tmp_path / "run")
    for figure in (by_agent(saved), pairs(saved), distribution(saved, agent_from_manifest)):
        check(figure, saved, "84 deals in 6 blocks", "not finished (interrupted): what is known so far")
    with pytest.raises(RunError, match="has no speeds of its agents"):
        throughput(saved)
    with pytest.raises(RunError, match="has the speed of 0 agents; strength against time needs two or more"):
        against_time(saved)


def test_one_agent_alone_has_no_pairs(tmp_path: Path) -> None:
    saved = play(tmp_path / "run", ["greedy"], Rules(), 10)
    check(by_agent(saved), saved)
    with pytest.raises(RunError, match="no two agents met"):
        pairs(saved)
    with pytest.raises(ValueError, match="measure is 'luck'; it must be one of points, win_rate"):
        pairs(saved, "luck")


def test_of_very_many_agents_the_best_are_shown(tmp_path: Path) -> None:
    saved = play(tmp_path / "run", ["greedy", "random"], Rules(), 28)
    agents = [
        {**saved.result["agents"][0], "agent": f"number {number}", "points": float(number)} for number in range(60)
    ]
    many = [{**saved.result["pairs"][0], "first": f"number {number}", "second": "number 59"} for number in range(59)]
    crowd = SavedRun(saved.path, saved.manifest, {**saved.result, "agents": agents, "pairs": many})
    for figure, said in ((by_agent(crowd), "The 20 best and worst of 60"), (pairs(crowd), "The 24 best of 60 agents")):
        check(figure, crowd, "60 agents")
        assert said in " ".join(figure.get_supxlabel().split())
    assert any(text.get_text() == "did not\nmeet" for text in pairs(crowd).axes[0].texts)


# --- curves and benchmarks --------------------------------------------------------------------------------------------
def report_of(values: list[float], times: list[float]) -> dict[str, Any]:
    rows = [
        {"value": value, "milliseconds": time}
        | {"win_rate": 0.2 + 0.01 * place, "win_rate_low": 0.19 + 0.01 * place, "win_rate_high": 0.22 + 0.01 * place}
        | {"margin": -1.0 + place, "margin_low": -1.5 + place, "margin_high": -0.5 + place}
        for place, (value, time) in enumerate(zip(values, times, strict=True))
    ]
    return {
        "format": 1,
        "agent": "strong",
        "knob": "worlds",
        "against": "normal",
        "rules": {"name": "pagat"},
        "seed": 9,
        "blocks": 500,
        "deals": 2000,
        "curve": rows,
    }


@pytest.mark.parametrize(
    ("values", "times", "axis"),
    [
        ([10, 30, 100, 300], [0.1, 0.3, 1.0, 3.0], "milliseconds a decision, logarithmic"),
        ([1, 2], [0.001, 0.004], "microseconds a decision"),
        ([0, 0.1, 0.2, 0.4], [0.1, 0.1, 0.1, 0.12], "worlds"),
        (list(range(1, 101)), [0.05 * 1.03**n for n in range(100)], "milliseconds a decision, logarithmic"),
        ([5], [20_000.0], "worlds"),
    ],
)
def test_curve(values: list[float], times: list[float], axis: str, tmp_path: Path) -> None:
    report = report_of(values, times)
    (tmp_path / "curve.json").write_text(json.dumps(report))
    figure = curve(tmp_path)
    assert overlaps(figure) == []
    told = "2,000 deals of each value, in 500 blocks, under the rules pagat, seed 9"
    assert title(figure) == f"One strong among three normal, by worlds {told}"
    for axes, measure, scale in zip(figure.axes, ("win_rate", "margin"), (100, 1), strict=True):
        assert axes.get_xlabel().startswith(axis)
        ends = np.array(intervals(axes))
        assert ends[:, 0] == pytest.approx([scale * row[f"{measure}_low"] for row in report["curve"]])
        assert ends[:, 1] == pytest.approx([scale * row[f"{measure}_high"] for row in report["curve"]])
        if axis.startswith("milli"):
            assert {text.get_text() for text in axes.texts} <= {short_number(value) for value in values}
            assert len(axes.texts) >= min(len(values), 4)


def test_what_is_no_curve_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"curve\.json cannot be read: .*; bigtwo curve --resume writes it at its end"):
        curve(tmp_path)
    (tmp_path / "curve.json").write_text("{")
    with pytest.raises(RunError, match=r"curve\.json is damaged"):
        curve(tmp_path)
    (tmp_path / "curve.json").write_text("{}")
    with pytest.raises(RunError, match=r"curve\.json is damaged: format is missing"):
        curve(tmp_path)


def test_throughput_of_a_bench() -> None:
    report = json.loads((ROOT / "results" / "reference" / "bench.json").read_text())
    figure = throughput(report)
    assert overlaps(figure) == []
    assert title(figure).startswith("Deals a second")
    rows = [row for row in report["results"] if row["unit"] == "deals/s"]
    ends = intervals(figure.axes[0])
    assert sorted(ends) == [
        pytest.approx((row["low"], row["high"])) for row in sorted(rows, key=lambda row: row["low"])
    ]
    with pytest.raises(RunError, match="this is not a report of bigtwo bench"):
        throughput({"results": [{}]})
    with pytest.raises(RunError, match="measured nothing in deals/s"):
        throughput({**report, "results": []})


# --- columns of anything ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "labels",
    [
        ["3D", "3C", "2S"],
        [f"{rank}{suit}" for rank in "3456789TJQKA2" for suit in "DCHS"],
        [f"a long label, number {number}" for number in range(12)],
        list(range(10, 160)),
        [-0.5, 0, 0.5],
    ],
    ids=["few", "cards", "long", "numbers", "negative"],
)
def test_columns(labels: list[Any]) -> None:
    means, margins = np.linspace(-1, 2, len(labels)), np.full(len(labels), 0.25)
    figure = columns(
        labels, means, margins, headline="Heights", about="of nothing at all", label="height", base=0.5, below="what"
    )
    assert overlaps(figure) == []
    assert title(figure) == "Heights of nothing at all"
    assert np.array(intervals(figure.axes[0])) == pytest.approx(np.stack([means - 0.25, means + 0.25], axis=1))
    assert [bar.get_y() + bar.get_height() for bar in figure.axes[0].patches] == pytest.approx(means.tolist())
    with pytest.raises(ValueError, match="1 means and 1 margins; they must be as many"):
        columns(labels, [1], [1], headline="", about="", label="")


# --- the house style --------------------------------------------------------------------------------------------------
def test_no_setting_of_matplotlib_is_left_changed_and_none_is_heeded(tmp_path: Path) -> None:
    saved = play(tmp_path / "run", ["greedy", "random"], Rules(), 28)
    usual = render(by_agent(saved))
    with mpl.rc_context({"font.size": 20, "axes.facecolor": "black", "text.usetex": False, "lines.linewidth": 9}):
        before = dict(mpl.rcParams)
        assert render(by_agent(saved)) == usual
        assert dict(mpl.rcParams) == before


def test_the_same_figure_is_the_same_file(tmp_path: Path) -> None:
    saved = play(tmp_path / "run", ["greedy", "random"], Rules(), 28)
    for form, begin in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        data = render(by_agent(saved), form)
        assert data.startswith(begin)
        assert data == render(by_agent(saved), form)
    with pytest.raises(ValueError, match="form is 'gif'; it must be one of png, svg, pdf"):
        render(by_agent(saved), "gif")
    assert by_agent(saved)._repr_png_() == render(by_agent(saved))  # type: ignore[attr-defined]


def test_figures_need_no_pyplot() -> None:
    import subprocess
    import sys

    program = (
        "import sys, bigtwo_sim.plots as plots\n"
        "from bigtwo_sim.plots.style import new_figure, house_style\n"
        "with house_style(): new_figure(3, 3, 'x')\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_names_and_numbers_for_labels() -> None:
    assert plain("$x$ 錄") == r"\$x\$ □"
    assert plain("a\x1b[2J\u202eb\nc") == "a\\x1b[2J\\u202eb\nc"
    assert names(["heuristic:lead_two=0.5,blunder=0.25"]) == ["heuristic: lead_two=0.5,\nblunder=0.25"]
    unlike = names([f"{'long ' * 40}{number}" for number in range(3)])
    assert [name[-1] for name in unlike] == ["0", "1", "2"]
    assert all("…" in name and name.count("\n") == 2 for name in unlike)
    same = names([f"{'long ' * 20}{number}{' long' * 20}" for number in range(3)])
    assert [name[-2:] for name in same[1:]] == ["#2", "#3"]
    assert [short_number(value) for value in (0.05, 20, 1500, 25_000, 1.5e6, 2e9, -3)] == [
        "0.05",
        "20",
        "1,500",
        "25 k",
        "1.5 M",
        "2 G",
        "\u22123",
    ]

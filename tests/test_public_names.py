"""The public face: which names each package offers, and that `import bigtwo_sim` imports nothing with them."""

import importlib
import subprocess
import sys

import pytest

import bigtwo_sim

NAMES = {
    "bigtwo_sim": """
        AgentError CardError CardSet Deal Level PythonAgent Rules RulesError SavedRun View __version__ analyse
        check_agent classify compare curve deal_statistics legal_plays load match play_deal position tournament tune
        tune_level variance
    """,
    "bigtwo_sim.arena": """
        AgentSummary Chunk ChunkResult ConfidenceSequence Entry Estimate Halt Interval LineupAgentSummary LineupSummary
        Outcome PairSummary Plan Precision RunError RunFolder SaveError SavedRun SequentialTest State StoppingError
        StoppingRule Strength Student Tally cores decisions_per_second entries gauntlet interval_from_dict lineup_count
        load mirrors play_chunks read_lineups round_robin rule_from_dict run saved_runs seatings strengths
    """,
    "bigtwo_sim.games.big_two": """
        Agent AgentError AgentFault AnyAgent CardError CardSet Comparison Deal DealResult Deck Fault FaultError Forfeit
        IllegalPlay Kind Match Method PRESETS Parameter Picture Play PolicyAgent PythonAgent PythonLoop Record
        RecordError RecordFile RecordedDeal Rules RulesError SWITCHES View check_agent classify close_agent compare
        highest legal_plays play_blocks policy popcount preset show_deal
    """,
    "bigtwo_sim.games.big_three": """
        Agent AgentError AgentFault AnyAgent CardError CardSet Comparison Deal DealResult Deck Fault IllegalPlay Kind
        Method PRESETS Parameter Play PolicyAgent PythonAgent PythonLoop Rules RulesError SWITCHES View check_agent
        classify compare legal_plays play_blocks policy preset
    """,
    "bigtwo_sim.plots": """
        FORMATS against_time by_agent columns curve distribution milliseconds options pairs read_curve render throughput
    """,
    "bigtwo_sim.poker": """
        CardError CardSet Category Equity HandEquity POKER_DECK PokerError Ranking Showdown equity rank showdown
        strengths words
    """,
}


@pytest.mark.parametrize("package", NAMES)
def test_a_package_offers_these_names(package: str) -> None:
    found = importlib.import_module(package)
    assert sorted(found.__all__) == sorted(NAMES[package].split())
    for name in found.__all__:
        assert getattr(found, name) is not None
    assert set(found.__all__) <= set(dir(found))


def test_importing_the_library_imports_nothing_with_it() -> None:
    code = "import sys; old = set(sys.modules); import bigtwo_sim; print(*sorted(set(sys.modules) - old))"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    found = {name.partition(".")[0] for name in done.stdout.split()}
    assert "bigtwo_sim" in found
    assert found <= {"bigtwo_sim", *sys.stdlib_module_names}
    assert not [name for name in done.stdout.split() if name.startswith("bigtwo_sim.")]


def test_a_name_that_there_is_not_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'bigtwo_sim' has no attribute 'tournamnet'"):
        bigtwo_sim.tournamnet  # type: ignore[attr-defined] # noqa: B018

"""`bigtwo bench`: it measures what it names, and its figures are a median between a lowest and a highest."""

import sys

import pytest

from tests.cli.command_line import good, refused

SHORT = ["--milliseconds", "1", "--repetitions", "2"]


def check(result):
    assert result["unit"]
    assert 0 < result["low"] <= result["median"] <= result["high"]


@pytest.mark.compiled
def test_bench_as_json():
    names = ["random", "greedy", "legal_plays", "five_card_answers"]
    arguments = [f"--only={name}" for name in names]
    found = good("bench", *arguments, *SHORT, "--workers", "2", "--json").json
    assert list(found["machine"]) == ["cpu", "cores", "memory_gb", "os", "python", "numpy", "numba"]
    assert [(r["name"], r["workers"]) for r in found["results"]] == [(name, n) for name in names for n in (1, 2)]
    for result in found["results"]:
        check(result)


@pytest.mark.compiled
def test_bench_for_people():
    answer = good("bench", "--only", "legal_plays", *SHORT, "--workers", "1")
    row = answer.out.splitlines()[-1].split()
    assert row[0] == "legal_plays"
    assert row[-1] == "lists/s"
    assert "measuring legal_plays on 1 thread" in answer.err
    assert max(map(len, answer.out.splitlines())) <= 80


@pytest.mark.compiled
def test_bench_measures_the_strong_player():
    names = ["strong_100", "rollouts_heuristic", "rollouts_greedy", "strong_decision", "strong_median"]
    arguments = [f"--only={name}" for name in names]
    found = good("bench", *arguments, *SHORT, "--workers", "1", "--json").json["results"]
    assert [result["name"] for result in found] == names
    for result in found:
        check(result)


@pytest.mark.compiled
def test_bench_measures_poker_beside_an_independent_evaluator_and_beside_copying():
    names = ["poker_five", "poker_seven", "poker_copy", "poker_equity"]
    beside = ["poker_five_ratio", "poker_seven_ratio", "poker_five_bound", "poker_seven_bound"]
    arguments = [f"--only={name}" for name in names + beside]
    found = good("bench", *arguments, *SHORT, "--workers", "1", "--json").json["results"]
    assert [result["name"] for result in found] == names + beside
    for result in found:
        check(result)


@pytest.mark.compiled
def test_bench_tells_what_it_cannot_measure(monkeypatch):
    monkeypatch.setitem(sys.modules, "phevaluator._pheval", None)
    answer = good("bench", "--only", "poker_five_ratio", *SHORT, "--json")
    assert answer.json["results"] == []
    assert "poker_five_ratio cannot be measured on this system" in answer.err


@pytest.mark.compiled
def test_bench_measures_processes():
    (result,) = good("bench", "--only", "startup_help", "--repetitions", "1", "--json").json["results"]
    check(result)
    assert (result["unit"], result["workers"]) == ("s", 1)


def test_bench_refuses():
    assert "--only is 'luck'; it must be one of random, greedy, heuristic" in refused("bench", "--only", "luck")
    assert "'0' must be a whole number from 1 to" in refused("bench", "--workers", "0")
    assert "'1.5' must be a whole number from 1 to" in refused("bench", "--milliseconds", "1.5")


@pytest.mark.compiled
def test_bench_measures_under_the_rules_asked_for():
    arguments = ["--only", "random", *SHORT, "--workers", "1", "--rules", "taiwan", "--set", "bombs=yes", "--json"]
    found = good("bench", *arguments).json
    assert (found["rules"]["straight_order"], found["rules"]["bombs"]) == ("taiwan", "yes")
    check(found["results"][0])
    assert "there are no rules called 'vegas'" in refused("bench", "--rules", "vegas")

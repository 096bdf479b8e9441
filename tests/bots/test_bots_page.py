"""docs/bots.md is true: its schema fits every message there is, its tables name their fields, its example happens."""

import json
import re
import subprocess
import sys
from typing import Any

import jsonschema
import pytest

from bigtwo_sim.bots.isolation import bot
from bigtwo_sim.bots.process import ManagedProcess
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.base.lines import LONGEST_LINE, PROTOCOL, hello
from bigtwo_sim.games.big_two import CardSet, Deal, DealResult, PythonAgent, PythonLoop, Rules
from bigtwo_sim.games.big_two.conformance import CHECKED_RULES
from bigtwo_sim.games.big_two.python_agent import view_of_new_deal
from bigtwo_sim.games.big_two.rules import SWITCHES
from bigtwo_sim.games.big_two.wire import GAME, Reader, Writer, read_rules
from tests import ROOT
from tests.bots.processes import asked, misbehaving
from tests.bots.test_bots import NEEDS_NODE, SAMPLES
from tests.conftest import INTERPRETED

pytestmark = pytest.mark.process

PAGE = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")


def block(language: str, heading: str) -> str:
    """The code block of the page under a heading."""
    found = re.search(rf"\n## {heading}\n.*?```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found, heading
    return found[1]


SCHEMA = json.loads(block("json", "The schema"))


def validator(part: str) -> Any:
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{part}", "$defs": SCHEMA["$defs"]})


ENGINE, BOT = validator("engine"), validator("bot")


def fields_told(value: Any, definition: dict[str, Any]) -> None:
    """Every field of a message stands in the schema, at every depth."""
    if "$ref" in definition:
        fields_told(value, SCHEMA["$defs"][definition["$ref"].removeprefix("#/$defs/")])
    elif "oneOf" in definition:
        fields_told(value, definition["oneOf"][0 if value is None else -1])
    elif isinstance(value, dict):
        assert set(value) <= set(definition["properties"])
        for name, entry in value.items():
            fields_told(entry, definition["properties"][name])
    elif isinstance(value, list):
        for entry in value:
            fields_told(entry, definition["items"])


class Recorded(ManagedProcess):
    """A process whose lines are kept, in both directions."""

    lines: list[tuple[str, str]] = []  # noqa: RUF012 - shared on purpose by all processes

    def write(self, line: str) -> None:
        self.lines.append((">", line))
        super().write(line)

    def read(self, seconds: float | None, late: str) -> bytes:
        line = super().read(seconds, late)
        self.lines.append(("<", line.decode()))
        return line


def conversation(
    agent: PythonAgent, rules: Rules, deals: int, monkeypatch: pytest.MonkeyPatch
) -> list[tuple[str, Any]]:
    """What is written between the engine and a bot in some deals."""
    monkeypatch.setattr("bigtwo_sim.bots.process.ManagedProcess", Recorded)
    Recorded.lines.clear()
    loop = PythonLoop([agent] * 4, rules, strict=True)
    for number in range(deals):
        loop.play_deal(root_key(9), number)
    loop.close()
    return [(side, json.loads(line)) for side, line in Recorded.lines]


@pytest.mark.parametrize("rules", CHECKED_RULES, ids=lambda rules: rules.name)
def test_all_messages_fit_the_schema(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    check_messages("sample_bot.py", rules, monkeypatch)


@NEEDS_NODE
def test_all_messages_of_the_other_sample_fit_the_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    check_messages("sample_bot.js", Rules(), monkeypatch)


def check_messages(name: str, rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    messages = conversation(bot("sample", str(SAMPLES / name)), rules, 1, monkeypatch)
    assert {message["type"] for side, message in messages if side == ">"} == {"hello", "new_deal", "turn", "result"}
    for side, message in messages:
        (ENGINE if side == ">" else BOT).validate(message)
        part = "bot_hello" if side == "<" and message["type"] == "hello" else message["type"]
        fields_told(message, {"$ref": f"#/$defs/{part}"})


def test_the_schema_refuses_what_is_wrong() -> None:
    good = [
        {"type": "hello", "protocol": 1},
        {"type": "play", "cards": ["3D", "3C"], "comment": "unknown fields are allowed"},
        {"type": "pass"},
        {"type": "error", "reason": "lost"},
    ]
    for message in good:
        BOT.validate(message)
    wrong: list[Any] = [
        {"type": "hello"},
        {"type": "hello", "protocol": 2},
        {"type": "play"},
        {"type": "play", "cards": []},
        {"type": "play", "cards": "3D"},
        {"type": "play", "cards": ["1D"]},
        {"type": "play", "cards": ["3D", "3D"]},
        {"type": "move", "cards": ["3D"]},
        {"cards": ["3D"]},
        "pass",
        3,
    ]
    for message in wrong:
        assert not BOT.is_valid(message), message


def test_every_field_of_the_schema_stands_in_the_tables() -> None:
    tables = "\n".join(line for line in PAGE.splitlines() if line.startswith("|"))
    for definition in SCHEMA["$defs"].values():
        for name in definition.get("properties", {}):
            assert name == "type" or f"`{name}`" in tables, name
    assert set(SCHEMA["$defs"]["rules"]["properties"]) == {"name", *SWITCHES, "ranks", "straights"}
    assert SCHEMA["$defs"]["hello"]["properties"]["protocol"]["const"] == PROTOCOL
    assert f"{LONGEST_LINE:,} bytes" in PAGE


# --- both ways --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rules", CHECKED_RULES, ids=lambda rules: rules.name)
def test_a_view_comes_back_as_it_was(rules: Rules) -> None:
    writer, reader = Writer(rules), Reader(rules)
    views = list(asked(1 if INTERPRETED else 3, rules))
    for _ in range(2):  # the second time most of it is remembered
        for view in views:
            if view.legal_plays:
                assert reader.turn(json.loads(writer.turn(view))) == view
            else:
                message = json.loads(writer.new_deal(view))
                assert reader.new_deal(message) == view
                assert read_rules(message) == rules


def test_a_result_comes_back_as_it_was() -> None:
    deal = Deal.new(Rules(), 1)
    while not deal.is_over:
        plays = deal.legal_plays()
        if plays:
            deal.play(plays[0].cards)
        else:
            deal.pass_()
    result = DealResult.of(deal, 2)
    assert Reader(Rules()).result(json.loads(Writer(Rules()).result(result))) == result


def test_names_are_put_into_json_whatever_they_are() -> None:
    name = 'my "own"\\ bot ♠'
    assert json.loads(hello(GAME, name))["name"] == name
    rules = Rules(name=name)
    view = next(asked(1, rules))
    assert json.loads(Writer(rules).new_deal(view))["rules"]["name"] == name


# --- the example ------------------------------------------------------------------------------------------------------
def example() -> str:
    """The conversation of the page, anew; only the first turns and the last are shown."""
    rules = Rules()
    texts = ["3D 4D 5H 6S 7C AS", "4C 4S 9D JH KH AH 2S", "3S 8C 8D QH AC", "5D 5C TC TS KD"]
    deal = Deal.from_hands(rules, [CardSet.parse(text, rules.deck) for text in texts])
    deal._seat_seeds = tuple(range(1000, 5000, 1000))
    writer = Writer(rules)
    lines = [hello(GAME, "sample"), writer.new_deal(view_of_new_deal(deal.view(1)))]
    answers: list[str] = []
    while not deal.is_over:
        options = [play.cards for play in deal.legal_plays()]
        cards = options[0] if options else None
        if deal.has_choice and deal.turn == 1:
            lines.append(writer.turn(deal.view()))
            answers = answers_of(lines)
            cards = CardSet.parse(" ".join(json.loads(answers[-1]).get("cards", [])), rules.deck)
        if cards:
            deal.play(cards)
        else:
            deal.pass_()
    lines.append(writer.result(DealResult.of(deal, 1)))
    told = iter(answers)
    steps = []
    for line in lines:
        steps.append(f"> {line}\n")
        if json.loads(line)["type"] in ("hello", "turn"):
            steps[-1] += f"< {next(told)}\n"
    assert next(told, None) is None
    return "".join([*steps[:4], "…\n", *steps[-2:]])


def answers_of(lines: list[str]) -> list[str]:
    """All that the sample answers to these lines."""
    command = [sys.executable, str(SAMPLES / "sample_bot.py")]
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_the_example_is_what_happens() -> None:
    assert block("text", "An example") == example()


def test_the_reasons_on_the_page_are_those_that_are_told() -> None:
    made: Any = misbehaving("other-type").make()
    with pytest.raises(Exception, match="answered with the type 'move'; it must be") as caught:
        made.choose(list(asked(1))[1])
    assert f"| {caught.value} |" in PAGE
    made.close()

"""`bigtwo rules`: the presets, one set of rules in full or in words, or every switch with its values."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from bigtwo_sim.cli.options import DEFAULT_PRESETS, GameOption, JsonOption, PlayersOption, SetOption, rules_of_game
from bigtwo_sim.games.big_two.comparison import SUIT_WORDS
from bigtwo_sim.games.big_two.display.words import LANGUAGES, in_words
from bigtwo_sim.games.registry import BIG_TWO, package_named, package_of
from bigtwo_sim.terminal.output import can_show, columns, emit, emit_json, table_text
from bigtwo_sim.terminal.paragraphs import paragraph
from bigtwo_sim.untrusted.errors import InputError


def rules(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A preset or a TOML file, shown in full.")] = None,
    house: Annotated[bool, typer.Option("--house", help="List every switch with its values.")] = False,
    rules_name: Annotated[
        str | None, typer.Option("--rules", metavar="NAME|FILE.toml", help="The same as NAME.")
    ] = None,
    game: GameOption = BIG_TWO,
    players: PlayersOption = None,
    changes: SetOption = None,
    words: Annotated[bool, typer.Option("--words", help="Tell the rules in plain sentences, as players do.")] = False,
    lang: Annotated[
        str | None, typer.Option("--lang", metavar="en|de|zh|ru", help="The language of --words; en by default.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the presets, a set of rules, or all house rules."""
    if name is not None and rules_name is not None:
        raise InputError(f"NAME is {name!r} and --rules is {rules_name!r}; only one of them may be given")
    if words and house:
        raise InputError("--words and --house are both given; only one of them may be")
    if lang is not None and not words:
        raise InputError(f"--lang is {lang!r}; it is the language of --words, which must be given too")
    wanted = name if name is not None else rules_name
    chosen: Any = rules_of_game(game, players, wanted, changes)
    if words:
        if game != BIG_TWO:
            raise InputError(f"--words tells the rules of Big Two, not of {chosen.TITLE}")
        _show_in_words(chosen, "en" if lang is None else lang.strip().lower(), as_json)
    elif house:
        _show_switches(chosen, as_json)
    elif wanted is None and not changes and players is None:
        _show_presets(game, as_json)
    elif as_json:
        emit_json(chosen.to_dict())
    else:
        _show_in_full(chosen)


def _show_in_full(rules: Any) -> None:
    sources = package_of(rules).rules.SOURCES
    emit(f"{rules.name}: {sources[rules.name]}" if rules.name in sources else rules.name)
    emit(table_text([(switch, rules.value_text(switch), _meaning(rules, switch)) for switch in rules.switches()]))


def _meaning(rules: Any, switch: str) -> str:
    """What the value of a switch means, for people."""
    if switch == "suit_order":
        return " < ".join(SUIT_WORDS[suit] for suit in rules.suit_order)
    if switch == "penalty_tiers":
        return "What a loser pays for each card left, by cards left."
    meanings = dict(package_of(rules).rules.switch_values(switch))
    return str(meanings.get(rules.value_text(switch)) or next(iter(meanings.values())))


def _show_in_words(rules: Any, lang: str, as_json: bool) -> None:
    if lang not in LANGUAGES:
        raise InputError(f"--lang is {lang[:40]!r}; it must be one of {', '.join(LANGUAGES)}")
    sections = in_words(rules, lang)
    if as_json:
        listed = [{"title": section.title, "sentences": list(section.sentences)} for section in sections]
        emit_json({"rules": rules.to_dict(), "lang": lang, "sections": listed})
        return
    lines = [paragraph(rules.name, columns())]
    for section in sections:
        lines += ["", section.title]
        lines += [paragraph(sentence, columns(), "  ", "    ") for sentence in section.sentences]
    text = "\n".join(lines)
    if not can_show(text):
        raise InputError(f"--lang is {lang!r}; the output must be in an encoding that has its letters, such as utf-8")
    emit(text)


def _show_presets(game: str, as_json: bool) -> None:
    package = package_named(game)
    presets, switches = package.PRESETS, package.SWITCHES
    if as_json:
        emit_json([preset.to_dict() for preset in presets.values()])
        return
    default = presets[DEFAULT_PRESETS[game]]
    rows = []
    for preset in presets.values():
        different = [switch for switch in switches if preset.value_text(switch) != default.value_text(switch)]
        shown = different or switches
        head = preset.name
        for switch in shown:
            rows.append((head, switch, preset.value_text(switch)))
            head = ""
        rows.append(("", "", ""))
    emit(f"The presets: {default.name}, the default, and how the others differ from it.\n")
    emit(table_text(rows))
    of_game, in_words = ("", ", in words: --words") if game == BIG_TWO else (f" --game {game}", "")
    emit(f"One in full: bigtwo rules NAME{of_game}{in_words}.")
    emit(f"Every switch with its values: bigtwo rules --house{of_game}.")


def _show_switches(rules: Any, as_json: bool) -> None:
    switch_values = package_of(rules).rules.switch_values
    if as_json:
        listed = {
            switch: [{"value": value, "meaning": meaning} for value, meaning in switch_values(switch)]
            for switch in rules.switches()
        }
        emit_json(listed)
        return
    for switch in rules.switches():
        emit(f"{switch}  ({rules.name}: {rules.value_text(switch)})")
        emit(table_text(switch_values(switch)) + "\n")
    emit("Change one with --set SWITCH=VALUE, or several in a TOML file (--rules FILE.toml):")
    emit(_EXAMPLES[rules.GAME])


_EXAMPLES = {
    "big-two": '  preset = "pagat"\n  bombs = true\n  penalty_tiers = "1-9:1 10-12:2 13:3"',
    "big-three": '  preset = "as_printed"\n  ace_sets = true\n  payment = "winning_bid"',
}

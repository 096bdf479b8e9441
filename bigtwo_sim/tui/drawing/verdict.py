"""What the chosen cards are, and whether they can be laid: the line below the hand, said at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bigtwo_sim.games.big_two import CardSet, Deal, classify
from bigtwo_sim.games.big_two.layout import SEATS
from bigtwo_sim.tui.drawing.card_art import card_text
from bigtwo_sim.tui.texts import Texts


@dataclass(frozen=True)
class Verdict:
    """A line, and its mood: `good` (it can be laid), `bad` (it cannot), `wait` (somebody else's turn) or `ask`."""

    text: str
    mood: str


def verdict(deal: Deal, seat: int, chosen: CardSet, texts: Texts, name: Callable[[int], str]) -> Verdict:
    """What to say of the cards that the person at `seat` has chosen; `name` gives the name of a seat."""
    play = classify(chosen, deal.rules) if chosen else None
    kind = "" if play is None else texts(play.kind)
    if deal.is_over:
        return Verdict("", "wait")
    if deal.turn != seat:
        who = name(deal.turn)
        if not chosen:
            return Verdict(texts("waiting", who=who), "wait")
        return Verdict(texts("waiting_chosen", who=who, kind=kind or texts("no_combination")), "wait")
    if not chosen:
        return Verdict(texts("your_turn" if deal.legal_plays() else "only_pass"), "ask")
    refusal = deal.refusal(chosen)
    if refusal is None:
        return Verdict(texts("can_lay_last" if chosen == deal.hands[seat] else "can_lay", kind=kind), "good")
    table = deal.play_to_beat
    lowest = CardSet(1, deal.rules.deck)
    highest = list(deal.hands[seat])[-1]
    table_text = f"{texts(table.kind)} {card_text(table.cards)}" if table else ""
    reason = texts(
        f"why_{refusal.why}",
        n=len(chosen),
        kind=kind,
        table=table_text,
        size=texts("cards_left", n=len(chosen)),
        size_to_beat=texts("cards_left", n=table.size if table else 0),
        card=card_text(highest if refusal.why == "last_card_single" else lowest),
        who=name((seat + 1) % SEATS),
    )
    return Verdict(reason, "bad")

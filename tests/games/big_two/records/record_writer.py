"""A program that plays a match into a record without end, and tells each turn when it is on disk; to be killed."""

import sys
from pathlib import Path

from python_agents import Greedy

from bigtwo_sim.games.big_two import CardSet, Match, RecordFile, Rules


def main() -> None:
    match = Match(Rules(), 6, 1_000_000)
    file = RecordFile.create(Path(sys.argv[1]), match, ["a", "b", "c", "d"])
    agent = Greedy()
    while True:
        deal = match.next_deal()
        file.begin_deal(deal)
        while not deal.is_over:
            seat = deal.turn
            if deal.has_choice:
                cards = agent.choose(deal.view())
            else:
                cards = deal.legal_plays()[0].cards if deal.legal_plays() else CardSet(0, deal.rules.deck)
            if cards:
                deal.play(cards)
            else:
                deal.pass_()
            file.turn(seat, cards)
            print(f"{match.number} {seat} {cards}", flush=True)
        file.end_deal(match.end_deal(deal), match.totals)


if __name__ == "__main__":
    main()

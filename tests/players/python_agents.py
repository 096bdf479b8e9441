"""Python agents for the tests, in a module of their own so that worker processes and the command line find them."""

from bigtwo_sim.games.big_two import CardSet, View


class Weakest:
    """Answers with the weakest play, and never passes where it need not."""

    def choose(self, view: View) -> CardSet:
        return view.legal_plays[0].cards


class Greedy:
    """The built-in `greedy` once more, over sets of cards."""

    def choose(self, view: View) -> CardSet:
        if view.play_to_beat is not None:
            return view.legal_plays[0].cards
        weakest = next(iter(view.hand))
        with_weakest = [play.cards for play in view.legal_plays if weakest <= play.cards]
        return max(with_weakest, key=len, default=view.legal_plays[0].cards)


class Uncertain:
    """Any option, by the view's own random stream."""

    def choose(self, view: View) -> CardSet:
        options = [play.cards for play in view.legal_plays]
        if view.may_pass:
            options.append(CardSet(0, view.rules.deck))
        return view.random.choice(options)


class Counting:
    """Remembers how often it was asked, and acts by it."""

    def __init__(self) -> None:
        self.asked = 0

    def choose(self, view: View) -> CardSet:
        self.asked += 1
        return view.legal_plays[self.asked % len(view.legal_plays)].cards


class Raising:
    def choose(self, view: View) -> CardSet:
        raise KeyError("no such weight")


class Cheating:
    """Lays the lowest card and the next one, whatever they are."""

    def choose(self, view: View) -> CardSet:
        return CardSet(0b10001, view.rules.deck)


class Dying:
    def choose(self, view: View) -> CardSet:
        import os

        os._exit(7)


class Mute:
    """Has no method choose."""


def failing() -> Weakest:
    raise RuntimeError("the weights are missing")


def needy(weights: str) -> Weakest:
    return Weakest()


not_callable = 3


class Leaving:
    def choose(self, view: View) -> CardSet:
        raise SystemExit(3)


class Wordless(Exception):  # noqa: N818 - its name is part of a message
    def __str__(self) -> str:
        raise ValueError("no words")


class RaisingWordless:
    def choose(self, view: View) -> CardSet:
        raise Wordless


class Printing(Weakest):
    def choose(self, view: View) -> CardSet:
        print("thinking aloud")
        return super().choose(view)


class DyingSeldom(Uncertain):
    """Ends its process at one decision in a thousand or so, the same ones each time."""

    def choose(self, view: View) -> CardSet:
        if view.stream_seed % 997 == 0:
            import os

            os._exit(7)
        return super().choose(view)


class Mortal(Weakest):
    """Ends its process on its first turn of a deal in which it holds one certain card."""

    def choose(self, view: View) -> CardSet:
        is_first_turn = all(seat != view.seat for seat, _ in view.log)
        if is_first_turn and "2S" in str(view.hand):
            import os

            os._exit(7)
        return super().choose(view)

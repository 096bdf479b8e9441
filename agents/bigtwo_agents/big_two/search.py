"""Big Two as a search sees it: its kernels by the names of `bigtwo_sim.search`, and the search made of them."""

from __future__ import annotations

from bigtwo_agents.big_two import heuristic
from bigtwo_agents.big_two.greedy import weakest_away
from bigtwo_agents.big_two.heuristic import score_options
from bigtwo_sim.core.kernel import NO_BITS, U64, kernel
from bigtwo_sim.games.base.agent import Parameter
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.kernels import scoring, turns, worlds
from bigtwo_sim.games.big_two.kernels.endgame import margin
from bigtwo_sim.games.big_two.kernels.match_equity import match_equity
from bigtwo_sim.games.big_two.kernels.turns import apply_play, legal_actions
from bigtwo_sim.games.big_two.kernels.worlds import enter_first_turn, enter_world, unseen_cards
from bigtwo_sim.games.big_two.plays import strength_of
from bigtwo_sim.search.game import SearchedGame
from bigtwo_sim.search.halving import make_search
from bigtwo_sim.search.own_turn_tree import MIX_1, MIX_2
from bigtwo_sim.search.settings import search_parameters

PARAMETERS = (
    *search_parameters(),
    Parameter(
        "objective", 0, 0, 2, "what is maximised: 0 points less the mean of the others', 1 wins, 2 the match", True
    ),
    Parameter("win_bonus", 30, 0, 1000, "objective 0: points that a win is worth besides what it collects"),
    Parameter("match_gain", 20, 1, 1000, "objective 2: points that the winner of a later deal is taken to collect"),
    Parameter(
        "endgame", 10, 0, 16, "cards in all hands from which on all worlds are searched to their end, not sampled", True
    ),
    Parameter("blunder", 0, 0, 1, "how often it does what a beginner would"),
)
OBJECTIVE, WIN_BONUS, MATCH_GAIN, ENDGAME, BLUNDER = range(len(search_parameters()), len(PARAMETERS))
POINTS, WINS, MATCH = range(3)
HEURISTIC_PARAMS = heuristic.METHOD.params()


@kernel(inline=True)
def apply_pass(state, hands):
    """The seat whose turn it is passes."""
    turns.apply_pass(state)


@kernel(inline=True)
def position_hash(state):
    """A hash of what lies on the table."""
    return U64(state.strength_to_beat + 2) * MIX_1 + U64(state.size_to_beat) * MIX_2


@kernel(inline=True)
def deal_world(public, hand, world, dealt, cards, stream):
    """Deal the unseen cards at random to the others; `dealt` are the hands at the beginning of the deal then."""
    worlds.deal_world(public, hand, unseen_cards(hand, public), world, cards, stream)
    for seat in range(at.SEATS):
        dealt[seat] = world[seat] | public.played[seat]


@kernel(inline=True)
def turns_taken(public):
    """How many turns there were."""
    return public.turns


@kernel(inline=True)
def calls_taken(public):
    """How many of them were in an auction: none."""
    return 0


@kernel(inline=True)
def turn_taken(public, turn):
    """What was laid in a turn, and its strength; no cards: a pass."""
    cards = public.log[turn]
    return cards, strength_of(cards, public.rules) if cards != NO_BITS else 0


@kernel(inline=True)
def is_same_play(play, strength, other_play, other_strength):
    """Whether a choice is the same."""
    return play == other_play


@kernel(inline=True)
def settle(state, hands, points):
    """Write the points of each seat."""
    scoring.settle(hands, state.winner, state.rules, points)


@kernel(inline=True)
def utility(public, points, winner, params):
    """What the outcome of a deal is worth to the seat on turn."""
    seat = public.turn
    objective = params[OBJECTIVE]
    target = public.rules[at.MATCH_TARGET]
    if objective == MATCH and target > 0:
        return match_equity(public.totals, points, seat, target, params[MATCH_GAIN])
    won = 1.0 if winner == seat else 0.0
    if objective == POINTS:
        return margin(points, seat) + params[WIN_BONUS] * won
    return won


GAME = SearchedGame(
    public=at.PUBLIC,
    seats=at.SEATS,
    hands=at.SEATS,
    cards=at.CARDS,
    max_plays=at.MAX_PLAYS,
    heuristic_params=HEURISTIC_PARAMS,
    score_options=score_options,
    greedy=weakest_away,
    legal_actions=legal_actions,
    apply_play=apply_play,
    apply_pass=apply_pass,
    position_hash=position_hash,
    deal_world=deal_world,
    enter_world=enter_world,
    enter_first_turn=enter_first_turn,
    turns_taken=turns_taken,
    calls_taken=calls_taken,
    turn_taken=turn_taken,
    is_same_play=is_same_play,
    first_judged=1,
    settle=settle,
    utility=utility,
)
SEARCH = make_search(GAME)
WORKSPACE = GAME.workspace()

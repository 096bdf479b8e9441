"""Big Three as a search sees it: its kernels by the names of `bigtwo_sim.search`, and the search made of them."""

from __future__ import annotations

from bigtwo_agents.big_three import heuristic
from bigtwo_agents.big_three.greedy import weakest_away
from bigtwo_agents.big_three.heuristic import score_options
from bigtwo_sim.core.kernel import NO_BITS, U64, kernel
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.kernels import scoring
from bigtwo_sim.games.big_three.kernels.turns import apply_pass, apply_play, legal_actions
from bigtwo_sim.games.big_three.kernels.worlds import deal_world, enter_first_turn, enter_world
from bigtwo_sim.games.big_three.plays import strength_of
from bigtwo_sim.search.game import SearchedGame
from bigtwo_sim.search.halving import make_search
from bigtwo_sim.search.own_turn_tree import MIX_1, MIX_2

HANDS = at.KITTY + 1
HEURISTIC_PARAMS = heuristic.METHOD.params()


@kernel(inline=True)
def position_hash(state):
    """A hash of what lies on the table and whose it is, or of the bid so far."""
    phase_and_bid = (state.owner + 1) * 2 + state.phase
    if state.phase == at.AUCTION:
        phase_and_bid += 16 * state.bid
    return U64(state.strength_to_beat + 2) * MIX_1 + U64(phase_and_bid) * MIX_2


@kernel(inline=True)
def turns_taken(public):
    """How many calls, plays and passes there were."""
    return public.calls + public.turns


@kernel(inline=True)
def calls_taken(public):
    """How many of them were in the auction."""
    return public.calls


@kernel(inline=True)
def turn_taken(public, turn):
    """What was laid in a turn and its strength, or what was bid; 0: a pass."""
    if turn < public.calls:
        return U64(public.called[turn]), public.called[turn]
    cards = public.log[turn - public.calls]
    return cards, strength_of(cards, public.rules)


@kernel(inline=True)
def is_same_play(play, strength, other_play, other_strength):
    """Whether two choices come to the same: suits count for nothing."""
    if play == NO_BITS or other_play == NO_BITS:
        return play == other_play
    return strength == other_strength


@kernel(inline=True)
def settle(state, hands, points):
    """Write the stakes of each seat."""
    scoring.settle(state, points)


@kernel(inline=True)
def utility(public, points, winner, params):
    """What the outcome of a deal is worth to the seat on turn: what it wins, of four players in stakes."""
    won = float(points[public.turn])
    return won / public.rules[at.STAKE] if public.rules[at.PLAYERS] == at.PAIRS_PLAYERS else won


GAME = SearchedGame(
    public=at.PUBLIC,
    seats=at.SEATS,
    hands=HANDS,
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
    first_judged=0,
    settle=settle,
    utility=utility,
)
SEARCH = make_search(GAME)
WORKSPACE = GAME.workspace()

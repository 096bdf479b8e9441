"""What the searching seat learns about its own later turns while it plays worlds out.

In a rollout the others play what they are assumed to play. For the seat itself the same later position comes up in
world after world, so it can learn there which of its best-scored options does best, by UCB1 (Auer, Cesa-Bianchi and
Fischer, Machine Learning 47, 2002). That makes a tree over information sets (Cowling, Powley and Whitehouse, IEEE
TCIAIG 4(2), 2012) at the seat's own turns. A position is known by the own hand and the play on the table alone: what is
told apart less is learnt faster, which measured best (docs/strong-bot.md).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bigtwo_sim.core.kernel import NO_BITS, ONE, U64, kernel
from bigtwo_sim.search.game import MAX_VISITED, SearchedGame
from bigtwo_sim.search.policies import AssumedPolicies

MIX_1 = U64(0xBF58_476D_1CE4_E5B9)
MIX_2 = U64(0x94D0_49BB_1331_11EB)
_GOLDEN = U64(0x9E37_79B9_7F4A_7C15)
_27, _30, _31 = U64(27), U64(30), U64(31)


@kernel(inline=True)
def _mix(word):
    """SplitMix64's finisher: a hash of 64 bits."""
    word = (word ^ (word >> _30)) * MIX_1
    word = (word ^ (word >> _27)) * MIX_2
    return word ^ (word >> _31)


@kernel(inline=True)
def _key(table, hand, play):
    """Hash, never 0, of an option: own hand, a hash of the play on the table, and the play laid (no cards: pass)."""
    return _mix(_mix(_mix(hand + _GOLDEN) + table) + _mix(play + _GOLDEN)) | ONE


@kernel(inline=True)
def _entry(keys, key):
    """The place of `key` in the table `keys` (uint64[power of two], linear probing), entered where it is new."""
    mask = U64(keys.shape[0] - 1)
    place = (key >> ONE) & mask
    while keys[place] != NO_BITS and keys[place] != key:
        place = (place + ONE) & mask
    keys[place] = key
    return np.int64(place)


@kernel
def table_entries(rollouts, options):
    """Entries (a power of two) that tables need for so many rollouts: each enters one new position at most."""
    size = 256
    while size < rollouts * (options + 1):
        size *= 2
    return size


@kernel
def backpropagate(visited, count_learnt, value, visits, sums):
    """Enter the value of a rollout at the choices that led to it."""
    for i in range(count_learnt):
        visits[visited[i]] += 1
        sums[visited[i]] += value


def make_learning(game: SearchedGame, policies: AssumedPolicies) -> Callable[..., Any]:
    """The kernel `play_out_learning` for `game`."""
    score_options, heuristic_params, position_hash = game.score_options, game.heuristic_params, game.position_hash
    legal_actions, apply_play, apply_pass = game.legal_actions, game.apply_play, game.apply_pass
    assumed_choice = policies.assumed_choice

    @kernel
    def play_out_learning(
        state, hands, seat, assumed, options, explore, keys, visits, offers, sums, visited, scores, plays, strengths
    ):
        """Play a deal to its end; `seat` chooses by what it has learnt among its `options` best, until one is new.

        From there on it plays the heuristic; the others play the policies that `assumed` (int64[seats]) gives them by
        number.

        `keys` uint64[n], `visits` and `offers` int64[n] and `sums` float64[n] are what was learnt so far; the entries
        chosen are written to `visited` (int64[MAX_VISITED]) and their number is returned, for `backpropagate`.
        """
        count_learnt = 0
        learning = True
        while state.winner < 0:
            hand = hands[state.turn]
            count, may_pass = legal_actions(state, hand, plays, strengths)
            total = count + may_pass
            choice = np.int64(0)
            if total > 1:
                if learning and state.turn == seat and count_learnt < MAX_VISITED:
                    choice, certain = score_options(hand, state, plays, strengths, count, heuristic_params, scores)
                    if not certain:
                        chosen = np.int64(0)
                        highest = -np.inf
                        for _ in range(min(total, options)):
                            option = 0
                            for i in range(1, total):
                                if scores[i] > scores[option]:
                                    option = i
                            scores[option] = -np.inf
                            entry = _entry(
                                keys, _key(position_hash(state), hand, plays[option] if option < count else NO_BITS)
                            )
                            offers[entry] += 1
                            bound = np.inf
                            if visits[entry] > 0:
                                bound = sums[entry] / visits[entry] + explore * np.sqrt(
                                    np.log(offers[entry]) / visits[entry]
                                )
                            if bound > highest:
                                highest = bound
                                choice = option
                                chosen = entry
                        visited[count_learnt] = chosen
                        count_learnt += 1
                        learning = visits[chosen] > 0
                elif state.turn == seat:
                    choice, _ = score_options(hand, state, plays, strengths, count, heuristic_params, None)
                else:
                    choice = assumed_choice(hand, state, plays, strengths, count, assumed[state.turn])
            if choice < count:
                apply_play(state, hands, plays[choice], strengths[choice])
            else:
                apply_pass(state, hands)
        return count_learnt

    return play_out_learning  # type: ignore[no-any-return]

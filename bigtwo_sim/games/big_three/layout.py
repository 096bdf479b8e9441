"""Named numbers that kernels share: sizes, the rules table's offsets, the form of a strength, the public record.

**Strength.** One int64 says of a play what it is and how strong it is. From the top::

    bits 9..6           5..4             3..0
    length of the run   cards a rank -1  highest rank of the play
    (1: no run)

The upper part is the play's *form*. A play may be laid on another of its form when its strength is greater; in a list
of legal plays strengths ascend.
"""

from __future__ import annotations

import numpy as np

from bigtwo_sim.games.base.kernels.tricks import NO_STRENGTH as NO_STRENGTH
from bigtwo_sim.games.base.kernels.tricks import NOBODY as NOBODY

RANKS = 13
CARDS = 52
SEATS = 4  # room for the seats of either game; three players use the first three
KITTY = SEATS  # where the kitty lies behind the hands
SOLO_PLAYERS = 3
PAIRS_PLAYERS = 4
SOLO_HAND = 16  # cards dealt to each of three
PAIRS_HAND = 13  # cards dealt to each of four
KITTY_SIZE = 4
LARGEST_HAND = SOLO_HAND + KITTY_SIZE
SHORTEST_RUN = 3
HIGHEST_BID = 3

# Room for the plays of two hands (a policy may list a hand behind the legal plays that it was given). Of 20 cards in 13
# ranks there are at most 13 singles, 10 pairs, 6 triples, 5 fours, and 66, 36, 10 and 6 runs of them.
MAX_LIST = 13 + 10 + 6 + 5 + 66 + 36 + 10 + 6
MAX_PLAYS = 2 * MAX_LIST
# Upper bound of the turns of a deal: 52 plays of one card, each followed by three passes.
MAX_TURNS = CARDS * SEATS
# The longest auction: pass, pass, 1, pass, 2, pass, 3.
MAX_CALLS = 7

# --- the rules table --------------------------------------------------------------------------------------------------
PLAYERS = 0  # 3 or 4
STEP = 1  # what is added to a seat, round the table, for the next one
RUN_RANKS = 2  # bit 4 * rank for each rank that may be in a run
SET_RANKS = 3  # bit 4 * rank for each rank of which a pair and a triple are plays
HEARTS_SPEAK = 4  # 1: hearts say who speaks first, 0: the dealer does
FOUR_OF_HEARTS = 5  # its number
HEARTS = 6  # the cards of that suit
OWN_BIDS = 7  # 1: a soloist who loses pays each opponent that opponent's own bid
PARTNER = 8  # of four: seat ^ this is the partner's seat
STAKE = 9  # of four: what each of the losing pair pays
TABLE_SIZE = 10

# --- strength ---------------------------------------------------------------------------------------------------------
FORM_SHIFT = 4
LENGTH_SHIFT = 6
RANK_BITS = 15

# --- the public half of a deal ----------------------------------------------------------------------------------------
AUCTION, PLAY = range(2)
# Numba reads a record's fields without a copy; strategies may read all of it and must write none.
PUBLIC = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("rules", np.int64, (TABLE_SIZE,)),  # the rules table
                ("phase", np.int64),  # AUCTION or PLAY
                ("turn", np.int64),  # seat whose turn it is
                ("play_to_beat", np.uint64),  # cards of the play to beat; 0 on lead
                ("size_to_beat", np.int64),  # its number of cards; 0 on lead
                ("strength_to_beat", np.int64),  # its strength; NO_STRENGTH on lead
                ("owner", np.int64),  # seat that laid it, or that leads; in the auction the highest bidder or NOBODY
                ("passed", np.int64),  # bit mask of the seats that passed since the last play, or the last bid
                ("may_pass", np.int64),  # 1 where the seat whose turn it is may pass; set with its options
                ("winner", np.int64),  # seat whose hand is empty; NOBODY while the deal runs
                ("turns", np.int64),  # plays and passes so far
                ("dealer", np.int64),  # seat that dealt
                ("first", np.int64),  # seat that speaks first and leads the first trick
                (
                    "soloist",
                    np.int64,
                ),  # seat that took the kitty and plays alone; NOBODY: not yet, or never
                ("bid", np.int64),  # highest bid so far, then what is played for; of four players: the stake
                ("bids", np.int64, (SEATS,)),  # highest bid by seat; 0: none
                ("left", np.int64, (SEATS,)),  # cards left by seat
                ("played", np.uint64, (SEATS,)),  # cards played by seat
                ("totals", np.int64, (SEATS,)),  # stakes won in the match before this deal
                ("calls", np.int64),  # bids and passes of the auction so far
                ("called", np.int64, (MAX_CALLS,)),  # each of them: a bid, 0 for a pass
                ("callers", np.int64, (MAX_CALLS,)),  # the seat of each of them
                ("log", np.uint64, (MAX_TURNS,)),  # cards of each turn after the auction, 0 for a pass
                ("log_seats", np.int64, (MAX_TURNS,)),  # the seat of each turn
            ],
            align=True,
        ),
    )
)

"""Named numbers that kernels share: sizes, the rules table's offsets, the form of a strength, the public record.

**Strength.** One int64 orders all plays of a size, and legality is a comparison: a play may be laid on another of its
size when its strength is greater. From the top::

    bit 24      23..20      19..0
    bomb        category    detail (card, rank, or sequence and suit; see `plays`)

The bomb bit is set only under rules with bombs; with it a play is stronger than every play of any size without it.
"""

from __future__ import annotations

import numpy as np

from bigtwo_sim.games.base.kernels.tricks import NO_STRENGTH as NO_STRENGTH

RANKS = 13
SEATS = 4
HAND_SIZE = 13
CARDS = 52
PLAY_SIZE = 5  # cards of the greatest plays

# Room for the plays of two hands, of which all subsets of 1 to 5 cards are an upper bound (a policy may list a hand
# behind the legal plays that it was given), and for writing singles four at a time.
MAX_PLAYS = 2 * (13 + 78 + 286 + 715 + 1287) + 3
# Upper bound of the turns of a deal: 52 plays of one card, each followed by three passes.
MAX_TURNS = CARDS * SEATS

# --- the rules table --------------------------------------------------------------------------------------------------
MAX_SEQUENCES = 10
SEQUENCES = 0  # how many sequences are straights
FLUSH = 1  # 0 none, 1 suit first, 2 ranks first, 3 top card
TRIPLES = 2  # 1 where three alone is a play
FOUR_CARD_PLAYS = 3  # 0 none, 1 four of a kind, 2 two pairs and four of a kind
BOMBS = 4
LAST_CARD = 5
OPENING_PLAY = 6  # 0 anything, 1 contains the lowest card, 2 is the lowest card
LOCKED_OUT = 7
DOUBLE_TWOS = 8
SETTLEMENT = 9  # 0 winner credited, 1 losers debited, 2 pairwise
WINNER_LEADS = 10  # 1 where the winner leads the next deal of a match
MATCH_TARGET = 11  # 0 none
PENALTY = 12  # [14]: points for 0 to 13 cards left
SEQUENCE_MASK = PENALTY + HAND_SIZE + 1  # [10]: bit 4 * rank for each rank of it, weakest sequence first
SEQUENCE_RANKS = SEQUENCE_MASK + MAX_SEQUENCES  # [10][5]: the tie card's rank, then the others downwards
TABLE_SIZE = SEQUENCE_RANKS + MAX_SEQUENCES * PLAY_SIZE

FLUSH_NONE, FLUSH_SUIT_FIRST, FLUSH_RANKS_FIRST, FLUSH_TOP_CARD = range(4)
OPENING_ANYTHING, OPENING_CONTAINS, OPENING_SINGLE = range(3)
WINNER_CREDITED, LOSERS_DEBITED, PAIRWISE = range(3)

# --- strength ---------------------------------------------------------------------------------------------------------
CATEGORY_SHIFT = 20
CATEGORY_BITS = 15
LOW = 0  # singles, pairs, triples, two pairs
STRAIGHT = 1
FLUSHES = 2
FULL_HOUSE = 3
FOUR_OF_A_KIND = 4
STRAIGHT_FLUSH = 5
BOMB = 1 << 24

# --- the public half of a deal ----------------------------------------------------------------------------------------
# Numba reads a record's fields without a copy; strategies may read all of it and must write none.
PUBLIC = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("rules", np.int64, (TABLE_SIZE,)),  # the rules table
                ("turn", np.int64),  # seat whose turn it is
                ("play_to_beat", np.uint64),  # cards of the play to beat; 0 on lead
                ("size_to_beat", np.int64),  # its number of cards; 0 on lead
                ("strength_to_beat", np.int64),  # its strength; NO_STRENGTH on lead
                ("owner", np.int64),  # seat that laid it, or that leads
                ("passed", np.int64),  # bit mask of the seats that passed since (locked out: in this trick)
                ("opening", np.int64),  # 1 while the first play of the deal must obey the opening rule
                ("may_pass", np.int64),  # 1 where the seat whose turn it is may pass; set with its legal plays
                ("winner", np.int64),  # seat whose hand is empty; -1 while the deal runs
                ("turns", np.int64),  # plays and passes so far
                ("left", np.int64, (SEATS,)),  # cards left by seat
                ("played", np.uint64, (SEATS,)),  # cards played by seat
                ("totals", np.int64, (SEATS,)),  # points in the match before this deal
                ("log", np.uint64, (MAX_TURNS,)),  # cards of each turn, 0 for a pass
                ("log_seats", np.int64, (MAX_TURNS,)),  # the seat of each turn
            ],
            align=True,
        ),
    )
)

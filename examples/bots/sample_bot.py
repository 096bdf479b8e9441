#!/usr/bin/env python3
"""A Big Two bot in Python that needs nothing but its standard library; docs/bots.md tells what the messages hold.

bigtwo check-bot examples/bots/sample_bot.py
bigtwo tournament sample=exec:examples/bots/sample_bot.py greedy heuristic --deals 1000
"""

import json
import sys


def choose(turn):
    """The play to lay, one of turn["legal_plays"]; None: pass."""
    plays = turn["legal_plays"]  # weakest first
    if turn["table"] is None:
        weakest_card = turn["hand"][0]
        with_it = [play for play in plays if weakest_card in play["cards"]]
        return max(with_it or plays, key=lambda play: len(play["cards"]))  # of the largest, the weakest
    others = [left for seat, left in enumerate(turn["left"]) if seat != turn["seat"]]
    spends_twos = min(others) <= 3 or len(turn["hand"]) <= 5
    for play in plays:
        if spends_twos or not any(card[0] == "2" for card in play["cards"]):
            return play
    return None if turn["may_pass"] else plays[0]


def say(message):
    """One line, sent at once: without the flush it would wait in a buffer, and the engine for it."""
    print(json.dumps(message), flush=True)


for line in sys.stdin:  # the loop ends, and the bot with it, when the engine closes the pipe
    message = json.loads(line)
    if message["type"] == "hello":
        say({"type": "hello", "protocol": 1, "name": "sample_bot.py"})
    elif message["type"] == "turn":
        play = choose(message)
        say({"type": "play", "cards": play["cards"]} if play else {"type": "pass"})
    # new_deal and result need no answer, and this bot does not look at them

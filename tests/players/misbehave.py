"""A bot that does one thing wrong, named by its argument; some do it only on their second turn (`late 2`).

Standard library only, so that it starts quickly.
"""

import json
import os
import signal
import sys
import time


def sleep() -> None:
    """Sleep longer than any limit, and say so where the tests look for it: in a file that is named, too."""
    sys.stderr.write("asleep\n")
    sys.stderr.flush()
    if len(sys.argv) > 3:
        os.close(os.open(sys.argv[3], os.O_CREAT))
    time.sleep(3600)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def play(cards: object) -> None:
    say(json.dumps({"type": "play", "cards": cards}))


def hungry() -> None:
    eaten = []
    while True:
        eaten.append(bytearray(os.urandom(1 << 20)))
        time.sleep(0.002)


def half() -> None:
    sys.stdout.write('{"type": "play", ')
    sys.stdout.flush()
    sleep()


def half_and_gone() -> None:
    sys.stdout.write('{"type": "play", ')
    sys.stdout.flush()
    os._exit(0)


def flood() -> None:
    while True:
        sys.stdout.write("x" * 100_000)


def deep() -> None:
    say("[" * 30_000)


def unflushed() -> None:
    sys.stdout.write('{"type": "pass"}')
    sleep()


def twice() -> None:
    weakest()
    weakest()


def exit_with_words() -> None:
    print("no such weights: big.npz", file=sys.stderr, flush=True)
    os._exit(3)


def weakest() -> None:
    play(turn["legal_plays"][0]["cards"])


def closed_output() -> None:
    os.close(1)
    sleep()


def closed_input() -> None:
    os.close(0)
    weakest()
    sleep()


def child_left_behind() -> None:
    if os.fork() == 0:
        time.sleep(3600)  # without a word, since it is not the bot that sleeps
    os._exit(5)


turn: dict = {}
ON_TURN = {
    "late": sleep,
    "illegal": lambda: play(["3D", "4D"]),
    "unknown-card": lambda: play(["3D", "1X"]),
    "two-in-one": lambda: play(["3D3C"]),
    "twice-one-card": lambda: play(["3D", "3D"]),
    "no-cards": lambda: say('{"type": "play"}'),
    "empty-play": lambda: play([]),
    "cards-as-text": lambda: play("3D"),
    "pass-always": lambda: say('{"type": "pass"}'),
    "garbage": lambda: say("I play the 3 of diamonds"),
    "bytes": lambda: os.write(1, b"\xff\xfe\n"),
    "number": lambda: say("3"),
    "no-type": lambda: say('{"cards": ["3D"]}'),
    "other-type": lambda: say('{"type": "move", "cards": ["3D"]}'),
    "deep": deep,
    "half": half,
    "half-and-gone": half_and_gone,
    "unflushed": unflushed,
    "flood": flood,
    "twice": twice,
    "hungry": hungry,
    "exit": lambda: os._exit(3),
    "exit-with-words": exit_with_words,
    "segfault": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "raise": lambda: [][1],
    "error": lambda: say('{"type": "error", "reason": "the weights are missing"}'),
    "closed-output": closed_output,
    "closed-input": closed_input,
    "child-left-behind": child_left_behind,
    "slow": lambda: (time.sleep(0.05), weakest()),
    "moody": lambda: play(turn["legal_plays"][os.getpid() % len(turn["legal_plays"])]["cards"]),
}


def main() -> None:
    how, when = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    asked = 0
    if how == "mute":
        sleep()
    if how == "gone":
        sys.exit("nothing to do")
    if how == "prints":
        say("hello, world")
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            protocol = {"other-protocol": 2, "text-protocol": "1"}.get(how, 1)
            say(json.dumps({"type": "hi" if how == "other-hello" else "hello", "protocol": protocol}))
        elif message["type"] == "turn":
            asked += 1
            turn.update(message)
            if how == "noise":
                sys.stderr.write("thinking\n" * 1000)
            if how in ON_TURN and asked >= when:
                ON_TURN[how]()
            else:
                weakest()
        elif message["type"] == "new_deal" and how == "chatty":
            say('{"type": "ok"}')
        elif message["type"] == "result" and how == "one-deal":
            return
    if how == "lingering":
        sleep()


if __name__ == "__main__":
    main()

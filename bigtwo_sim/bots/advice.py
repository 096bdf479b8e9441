"""What the author of a bot should do, by what is wrong with it."""

from __future__ import annotations

from pathlib import Path

from bigtwo_sim.bots.process import Problem

ADVICE = {
    Problem.START: "",
    Problem.LATE: "",
    Problem.MEMORY: "Use less, or play it with a higher limit.",
    Problem.ENDED: (
        "A bot ends only when its standard input does. What it wrote to its standard error tells why it ended before."
    ),
    Problem.CLOSED: "Leave both standard streams open until standard input ends.",
    Problem.LONG_LINE: 'A line is one JSON object such as {"type": "play", "cards": ["3D"]}, ended by a line feed.',
    Problem.UNASKED: "Write one line for hello and one for each turn; new_deal and result get no answer.",
    Problem.NO_JSON: (
        "Standard output is for answers alone, one JSON object a line; print what is for people to the standard error "
        "(Python: print(..., file=sys.stderr); JavaScript: console.error)."
    ),
    Problem.HELLO: 'Answer hello with {"type": "hello", "protocol": 1}.',
    Problem.ANSWER: (
        'Answer a turn with {"type": "play", "cards": ["3D", "3C"]} or with {"type": "pass"}, and nothing else.'
    ),
    Problem.ERROR: "",
}
FLUSH = (
    "Does it end each answer with a line feed and send it at once (Python: print(..., flush=True))? Does it read line "
    "by line, not to the end of its input?"
)
FASTER = "Answer faster, or play with a higher --move-time."
LEGAL = 'Lay one of "legal_plays", with exactly its cards; pass only where "may_pass" is true.'
RANDOM = 'Take random numbers from a generator that is seeded with "random" of each turn, and forget the deal before.'


def why_no_start(program: Path) -> str:
    """What may keep a program from starting, by its first line."""
    try:
        with program.open("rb") as file:
            first = file.readline(200)
    except OSError as error:
        return f"{program} cannot be read: {error.strerror}."
    if not first.strip():
        return f"{program} is empty."
    if first.startswith(b"#!"):
        words = first[2:].decode("utf-8", "replace").split()
        if first.endswith(b"\r\n"):
            return f"{program} has the line ends of Windows, so its first line names no program; save it as Unix does."
        if not words or not Path(words[0]).exists():
            return f"The first line of {program} names {' '.join(words) or 'nothing'} to run it, which is not there."
        return ""
    if first.isascii():
        return (
            f"{program} does not say what runs it; make its first line such as #!/usr/bin/env python3, or name that in "
            f"front, as in 'exec:python3 {program}'."
        )
    return ""

"""A figure with its interval, in a few signs: `41.2 ± 0.6`, `0.00 (0.00–3.42)`."""

from __future__ import annotations

import math

ALIKE = 0.8
"""Where the shorter side of an interval is at least so much of the longer one, both are given as the longer one."""


def figure_text(
    mean: float, low: float, high: float, form: str, *, plus_minus: str = "±", unknown: str = " ± ?"
) -> str:
    """A mean and its interval; `form` is the format of the mean, `unknown` follows it where no end is known.

    >>> figure_text(41.234, 40.6, 41.9, ".2f")
    '41.23 ± 0.67'
    >>> figure_text(1.5, 1.1, 2.2, ".2f")
    '1.50 (1.10–2.20)'
    >>> figure_text(1.5, -0.1, 4.2, "+.1f")
    '+1.5 (-0.1 to +4.2)'
    >>> figure_text(-820, -math.inf, -520, "+.0f")
    '-820 (at most -520)'
    >>> figure_text(25, 25, 25, ".1f")  # by definition
    '25.0'
    """
    text = f"{mean:{form}}"
    if math.isnan(mean) or low == high:
        return text
    ends = tuple(f"{end:{form}}" if math.isfinite(end) else None for end in (low, high))
    if ends == (None, None):
        return f"{text}{unknown}"
    if ends[0] is None:
        return f"{text} (at most {ends[1]})"
    if ends[1] is None:
        return f"{text} (at least {ends[0]})"
    sides = sorted((mean - low, high - mean))
    below, above = (f"{side:{form.lstrip('+')}}" for side in sides)
    if below == above or sides[0] >= ALIKE * sides[1]:
        return f"{text} {plus_minus} {above}"
    return f"{text} ({ends[0]}{' to ' if '+' in form or low < 0 else '–'}{ends[1]})"

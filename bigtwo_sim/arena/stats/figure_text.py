"""A figure with its interval, in a few signs: `41.2 ± 0.6`, `0.00 (0.00–3.42)`."""

from __future__ import annotations

import math
from decimal import Decimal

ALIKE = 0.8
"""Where the shorter side of an interval is at least so much of the longer one, both are given as the longer one."""


def figure_text(
    mean: float,
    low: float,
    high: float,
    form: str,
    *,
    plus_minus: str = "±",
    unknown: str = " ± ?",
    both_ends: bool = True,
) -> str:
    """A mean and its interval; `form` is the format of the mean, `unknown` follows it where no end is known.

    The ends of an interval that leans to one side are given to two digits of its longer side; without `both_ends` it is
    that side alone, which claims nothing that is not known.

    >>> figure_text(41.234, 40.6, 41.9, ".2f")
    '41.23 ± 0.67'
    >>> figure_text(1.5, 1.14, 2.25, ".2f")
    '1.50 (1.14–2.25)'
    >>> figure_text(7.5, 0, 18.19, ".2f"), figure_text(7.5, 0, 18.19, ".2f", both_ends=False)
    ('7.50 (0–18)', '7.50 ± 10.69')
    >>> figure_text(1.5, -0.14, 4.25, "+.2f")
    '+1.50 (-0.1 to +4.2)'
    >>> figure_text(-820, -math.inf, -520, "+.0f")
    '-820 (at most -520)'
    >>> figure_text(25, 25, 25, ".1f")  # by definition
    '25.0'
    """
    text = f"{mean:{form}}"
    if math.isnan(mean) or low == high:
        return text
    if not math.isfinite(low) and not math.isfinite(high):
        return f"{text}{unknown}"
    if not math.isfinite(low):
        return f"{text} (at most {high:{form}})"
    if not math.isfinite(high):
        return f"{text} (at least {low:{form}})"
    shorter, longer = sorted((mean - low, high - mean))
    if shorter >= ALIKE * longer or not both_ends:
        return f"{text} {plus_minus} {longer:{form.lstrip('+')}}"
    most = int(form.lstrip("+").strip(".f"))
    digits = min(most, max(0, 1 - math.floor(math.log10(longer))))
    ends = [f"{end + 0.0:{'+' * form.startswith('+')}.{digits}f}" if end else "0" for end in (low, high)]
    return f"{text} ({ends[0]}{' to ' if '+' in form or low < 0 else '–'}{ends[1]})"


def three_digits(value: float) -> str:
    """Three digits of a number above 0 that may be very small, such as `0.000267`."""
    return f"{Decimal(f'{value:.3g}'):f}"

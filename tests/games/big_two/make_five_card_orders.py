"""Write `data/five_card_orders.json`: kinds and order of all five-card sets under each preset, by the reference.

Run it on purpose only (`python -m tests.games.big_two.make_five_card_orders`): a changed digest is a changed rule.
"""

import json

from tests import DATA
from tests.reference.big_two import five_card_order
from tests.reference.vectors import PRESETS

PATH = DATA / "five_card_orders.json"
ABOUT = (
    "All 2,598,960 five-card sets under each preset, classified by the plain reference in tests/reference/big_two.py; "
    "counts by kind, and the digest of the order as defined by order_digest there. "
    "Made by tests/games/big_two/make_five_card_orders.py."
)


def main() -> None:
    content: dict[str, object] = {"about": ABOUT}
    for name, rules in PRESETS.items():
        counts, digest = five_card_order(rules)
        content[name] = {"counts": counts, "digest": digest}
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

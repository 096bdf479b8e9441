"""Drawn deals in a real browser: stepping, keys, several on a page, light and dark, and no text that is cut off."""

from collections.abc import Iterator
from typing import Any

import pytest

from bigtwo_sim.games.big_two import PRESETS, Rules
from tests.games.big_two.display.drawn_deals import played
from tests.tools.browser import chromium, open_context

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.slow,
    pytest.mark.process,
]  # once is enough: nothing of it hangs on how Python is run

STEPS = """(host) => {
    const root = host.shadowRoot, seen = [];
    const slider = root.querySelector('input');
    const of = (selector, tell) => [...root.querySelectorAll(selector)].map(tell);
    const faces = (part) => [...part.querySelectorAll('.face')].map((card) => card.dataset.card).join(' ');
    root.querySelector('.picture').focus();
    for (;;) {
        seen.push({
            step: Number(host.dataset.step),
            slider: Number(slider.value),
            hands: of('.hand', faces),
            words: of('.hand', (hand) => hand.getAttribute('aria-label')),
            laid: of('.lane', faces),
            passes: of('.lane', (lane) => lane.textContent === 'pass'),
            next: of('.seat', (seat) => seat.classList.contains('next')).indexOf(true),
            current: root.querySelector('.tricks .current')?.title ?? null,
        });
        if (seen.length > Number(slider.max)) return seen;
        root.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
    }
}"""

# What is cut off at its edge, or stands over its neighbour.
FAULTS = """(host) => {
    const faults = [];
    const expect = (holds, fault) => holds || faults.push(fault);
    const boxes = (part, name) => [...part.querySelectorAll(name)].map((found) => found.getBoundingClientRect());
    const within = (inner, outer) => inner.left >= outer.left - 1 && inner.right <= outer.right + 1;
    const below = (inner, outer) => inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
    const besides = (one, other) => one.right <= other.left + 1 || one.bottom <= other.top + 1;
    const picture = host.shadowRoot.querySelector('.picture');
    expect(document.documentElement.scrollWidth <= innerWidth, 'the page is wider than its window');
    for (const part of picture.querySelectorAll('*')) {
        if (part.closest('.note, .tricks, option')) continue; // these scroll
        expect(within(part.getBoundingClientRect(), picture.getBoundingClientRect()), part.outerHTML.slice(0, 80));
    }
    for (const row of picture.querySelectorAll('.seat')) {
        const [who, hand, lane, facts] = ['.who', '.hand', '.lane', '.facts'].map((name) => boxes(row, name)[0]);
        for (const card of boxes(row, '.hand .card')) expect(within(card, hand) && below(card, hand), 'card and hand');
        for (const card of boxes(row, '.lane .card')) expect(within(card, lane) && below(card, lane), 'card and table');
        expect(within(facts, who) && below(facts, who), 'words leave their seat');
        expect(besides(who, hand) && besides(who, lane), 'the name is overlapped');
        expect(besides(hand, lane) || besides(lane, hand), 'the table overlaps the hand');
    }
    return faults;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture
def opened(browser: Any) -> Iterator[Any]:
    """Opens HTML as a page; at the end nothing may have been asked of the network or complained of."""
    contexts, faults = [], []

    def open_page(html: str, *, scripts: bool = True, width: int = 800, scheme: str = "light") -> Any:
        context = open_context(
            browser,
            java_script_enabled=scripts,
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: faults.append(request.url))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text))
        page.set_content(html)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


def notebook(*fragments: str, style: str = "") -> str:
    """Outputs below each other, among the rules that notebooks have for tables and buttons."""
    hostile = (
        "td, th { text-align: right; padding: 9px } svg { width: 7px } button { display: none } .hand { opacity: 0 }"
    )
    outputs = "".join(f"<div class='output'>{fragment}</div>" for fragment in fragments)
    return f"<!DOCTYPE html><title>notebook</title><style>{hostile} {style}</style><body>{outputs}</body>"


def test_each_step_shows_the_deal_as_it_stands(opened: Any) -> None:
    rules = PRESETS["taiwan"]  # whose suits are in another order
    deal = played(rules, seed=6)
    page = opened(deal.show().page)
    hands = list(deal.dealt)
    trick: dict[int, str] = {}
    again = type(deal).from_hands(rules, list(deal.dealt))
    steps = page.locator(".bigtwo-deal").evaluate(STEPS)
    assert len(steps) == len(deal.log) + 1
    for number, shown in enumerate(steps):
        if number:
            seat, cards = deal.log[number - 1]
            if again.play_to_beat is None:
                trick = {}
            again.play(cards) if cards else again.pass_()
            hands[seat] -= cards
            trick[seat] = str(cards)
        assert (shown["step"], shown["slider"]) == (number, number)
        assert shown["hands"] == [str(hand) for hand in hands]  # ascending in strength
        assert shown["laid"] == [trick.get(seat, "") for seat in range(4)]
        assert shown["passes"] == [trick.get(seat) == "" for seat in range(4)]
        assert shown["next"] == (-1 if again.is_over else again.turn)
        assert shown["current"] == (f"turn {number - 1}" if number else None)
        gone = [card for _, cards in deal.log[:number] for card in str(cards).split()]
        assert len({*gone, *" ".join(shown["hands"]).split()}) == rules.deck.size
    suits = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
    lowest = str(next(iter(deal.dealt[0])))
    assert steps[0]["words"][0].endswith(f" of {suits[str(list(deal.dealt[0])[-1])[1]]}")
    assert suits[lowest[1]] in steps[0]["words"][0].split(", ")[0]
    assert steps[-1]["words"][deal.winner] == "no cards"
    marks = page.locator(".mark").all_inner_texts()
    assert [int(mark.split()[0].replace("−", "-")) for mark in marks] == list(deal.points)


def test_keys_buttons_slider_and_play(opened: Any) -> None:
    deal = played(Rules(), seed=2)
    last = len(deal.log)
    page = opened(deal.show(names=["north", "east", "south", "west"], notes={0: "a\tb\n1\t2\nplain <i>text</i>"}).page)
    host = page.locator(".bigtwo-deal")

    def step() -> int:
        return int(host.get_attribute("data-step"))

    picture, slider = page.locator(".picture"), page.get_by_label("Turns played")
    page.evaluate("window.heard = []; document.addEventListener('keydown', (event) => heard.push(event.key))")
    assert step() == 0
    page.keyboard.press("Tab")
    for key, expected in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last), ("ArrowRight", last)):
        page.keyboard.press(key)
        assert step() == expected
    page.keyboard.press("Home")
    slider.press("ArrowRight")
    assert (step(), slider.input_value()) == (1, "1")
    assert page.evaluate("heard") == ["Tab"]  # a notebook does not hear the keys that are meant for the picture
    assert page.locator(".note td").all_inner_texts() == ["a", "b", "1", "2"]
    assert page.locator(".note p").all_inner_texts() == ["plain <i>text</i>"]
    assert "lays" in page.get_by_role("status").inner_text()
    page.get_by_role("button", name="Next turn").click()
    assert step() == 2
    assert page.locator(".note").is_hidden()
    page.get_by_role("button", name="Previous turn").click()
    assert step() == 1
    page.get_by_role("button", name="Last", exact=True).click()
    assert step() == last
    page.get_by_role("button", name="First", exact=True).click()
    slider.fill("5")
    assert step() == 5
    page.locator(".tricks button").nth(2).click()
    assert step() == 3
    page.clock.install()
    page.get_by_label("Speed of playing").select_option("2×")
    picture.press(" ")
    page.get_by_role("button", name="Pause").wait_for()
    page.clock.run_for(1100)
    assert step() == 5
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(3000)
    assert step() == 5
    picture.press("End")
    page.get_by_role("button", name="Play").click()  # from the beginning again, and it ends by itself
    page.clock.run_for(500 * (last + 5))
    assert step() == last
    assert page.get_by_role("button", name="Play").is_visible()


def test_pictures_of_a_notebook_do_not_meddle_with_each_other(opened: Any) -> None:
    one, two = (played(Rules(), seed).show().fragment for seed in (1, 2))
    page = opened(notebook(one, two, one))
    hosts = page.locator(".bigtwo-deal")
    pictures = page.locator(".picture")
    assert pictures.count() == hosts.count() == 3
    pictures.nth(1).press("ArrowRight")
    pictures.nth(2).press("End")
    steps = [int(hosts.nth(i).get_attribute("data-step")) for i in range(3)]
    assert steps == [0, 1, len(played(Rules(), 1).log)]
    card = page.locator(".hand .card").first
    assert card.bounding_box()["width"] > 40  # the rules of the page end at the picture
    assert page.locator(".bar button").first.is_visible()
    assert page.evaluate("getComputedStyle(document.querySelector('.output')).backgroundColor") == "rgba(0, 0, 0, 0)"


def test_a_hand_face_down_shows_backs_only(opened: Any) -> None:
    deal = played(Rules(), seed=2)
    page = opened(deal.show(seat=1, turn=3).page)
    left = [13 - sum(len(cards) for seat, cards in deal.log[:3] if seat == player) for player in range(4)]
    for seat, hand in enumerate(page.locator(".hand").all()):
        assert hand.locator(".face").count() == (left[seat] if seat == 1 else 0)
        assert hand.locator(".back").count() == (0 if seat == 1 else left[seat])
    assert page.locator(".tricks button:visible").count() == 3  # what is to come is not told
    assert page.locator(".tricks tbody tr:visible").count() <= 3


@pytest.mark.parametrize(("width", "scheme"), [(800, "light"), (660, "dark"), (360, "light"), (360, "dark")])
def test_nothing_is_cut_off_and_the_picture_is_as_dark_as_the_page(opened: Any, width: int, scheme: str) -> None:
    names = [
        "strong",
        "heuristic:lead_two=0,long_hand=6",
        "x" * 80,
        "a b c d e f g h i j k l m n o p q r s t u v w x y z",
    ]
    deal = played(Rules(), seed=6)
    page = opened(deal.show(names=names, notes=["word " * 60] * 9).page, width=width, scheme=scheme)
    dark = page.locator(".picture").evaluate("(picture) => picture.classList.contains('dark')")
    assert dark == (scheme == "dark")
    for turns in (0, 1, 9, len(deal.log)):
        page.get_by_label("Turns played").fill(str(turns))
        assert page.locator(".bigtwo-deal").evaluate(FAULTS) == []
    page.evaluate("document.body.style.color = 'white'; document.body.dataset.theme = 'dark'")  # as a notebook's theme
    page.wait_for_function("document.querySelector('.bigtwo-deal').shadowRoot.querySelector('.picture.dark')")


def test_without_scripts_the_whole_deal_can_be_read(opened: Any) -> None:
    deal = played(Rules(), seed=2)
    page = opened(notebook(deal.show().fragment), scripts=False)
    assert page.locator("tr").count() == 1 + 4 + 1 + len(deal.log)
    assert page.locator("td").first.is_visible()

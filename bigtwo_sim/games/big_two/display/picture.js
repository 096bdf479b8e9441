// Draws a deal into a shadow tree of `host`, where one steps through it. What `deal` holds is said in picture.py.
function drawDeal(host, deal, css) {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";
  const SUIT_NAMES = { D: "diamonds", C: "clubs", H: "hearts", S: "spades" };
  const RANK_NAMES = { T: "10", J: "jack", Q: "queen", K: "king", A: "ace" };
  // Suits are drawn, in a square of 24, so that they look the same whatever fonts there are.
  const SUIT_SHAPES = {
    D: "M12 1Q15.6 7.2 20.6 12Q15.6 16.8 12 23Q8.4 16.8 3.4 12Q8.4 7.2 12 1Z",
    C: "M12 1.6a4.9 4.9 0 0 1 4.2 7.4q-.5.9-1.5 1.7a4.9 4.9 0 1 1-1.7 6.5q.2 3.4 3 5.3H8" +
      "q2.8-1.9 3-5.3a4.9 4.9 0 1 1-1.7-6.5q-1-.8-1.5-1.7A4.9 4.9 0 0 1 12 1.6Z",
    H: "M12 22C8 17.5 1.8 13.5 1.8 7.9A5.4 5.4 0 0 1 12 5.3A5.4 5.4 0 0 1 22.2 7.9C22.2 13.5 16 17.5 12 22Z",
    S: "M12 1.5C9 6 2.3 9.6 2.3 14.4A4.9 4.9 0 0 0 11.1 17.2Q10.9 20.7 8 22.5H16Q13.1 20.7 12.9 17.2" +
      "A4.9 4.9 0 0 0 21.7 14.4C21.7 9.6 15 6 12 1.5Z",
  };
  const ICONS = {
    first: "M6 5h2.5v14H6zM19 5v14l-9.5-7z",
    previous: "M17 5v14L7 12z",
    play: "M7 4v16l13-8z",
    pause: "M6 5h4v14H6zM14 5h4v14h-4z",
    next: "M7 5v14l10-7z",
    last: "M15.5 5H18v14h-2.5zM5 5v14l9.5-7z",
  };
  const SEATS = deal.hands.length;
  const LAST = deal.turns.length;

  // --- making elements ---
  function element(tag, attributes = {}, ...children) {
    const made = tag === "svg" || tag === "path" || tag === "rect" || tag === "text"
      ? document.createElementNS(SVG, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }
  const span = (kind, ...children) => element("span", { class: kind }, ...children);

  const suitOf = (card) => deal.suits[card % 4];
  const rankOf = (card) => deal.ranks[card >> 2];
  const rankText = (card) => (rankOf(card) === "T" ? "10" : rankOf(card));
  const inWords = (card) => `${RANK_NAMES[rankOf(card)] || rankOf(card)} of ${SUIT_NAMES[suitOf(card)]}`;
  const allInWords = (cards) => cards.map(inWords).join(", ");

  function face(card) {
    const rank = { x: 14, y: 24, "text-anchor": "middle", class: "rank" };
    if (rankOf(card) === "T") Object.assign(rank, { textLength: 23, lengthAdjust: "spacingAndGlyphs" });
    return element(
      "svg", { viewBox: "0 0 50 70", class: `card face ${suitOf(card)}`, "data-card": rankOf(card) + suitOf(card), "aria-hidden": "true" },
      element("rect", { x: 0.75, y: 0.75, width: 48.5, height: 68.5, rx: 6 }),
      element("text", rank, rankText(card)),
      element("path", { d: SUIT_SHAPES[suitOf(card)], transform: "translate(5.5 30) scale(.7)" }),
      element("path", { d: SUIT_SHAPES[suitOf(card)], transform: "translate(29 45) scale(.78)" }),
    );
  }

  function back() {
    return element(
      "svg", { viewBox: "0 0 50 70", class: "card back", "aria-hidden": "true" },
      element("rect", { x: 0.75, y: 0.75, width: 48.5, height: 68.5, rx: 6 }),
      element("rect", { x: 5.5, y: 5.5, width: 39, height: 59, rx: 3, class: "inner" }),
      element("path", { d: "M25 14L40 35L25 56L10 35ZM25 24L33 35L25 46L17 35Z" }),
    );
  }

  /** A card within a text. */
  function small(card) {
    return span(`small ${suitOf(card)}`, rankText(card),
      element("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, element("path", { d: SUIT_SHAPES[suitOf(card)] })));
  }

  /** A row of cards, which is one picture to those who do not see it. */
  function row(kind, label, cards) {
    return element("div", { class: kind, role: "img", "aria-label": label }, ...cards);
  }

  const name = (seat) => (deal.names[seat] ? `seat ${seat} ${deal.names[seat]}` : `seat ${seat}`);
  const player = (seat) => span("player", `seat ${seat} `, element("b", { dir: "auto" }, deal.names[seat]));
  const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

  // --- the deal after so many turns ---
  function stateAt(step) {
    const hands = deal.hands.map((hand) => (hand ? new Set(hand) : null));
    const left = [...deal.counts];
    const laid = Array(SEATS).fill(null); // the last turn of each seat in this trick
    let trick = 0;
    let table = null; // the play to beat
    for (let i = 0; i < step; i++) {
      const turn = deal.turns[i];
      if (turn.trick !== trick) laid.fill(null);
      trick = turn.trick;
      laid[turn.seat] = turn;
      left[turn.seat] = turn.left;
      if (turn.cards.length) table = turn;
      if (hands[turn.seat]) for (const card of turn.cards) hands[turn.seat].delete(card);
    }
    const coming = deal.turns[step];
    const closed = step > 0 && (coming ? coming.trick !== trick : deal.closed);
    return { hands, left, laid, table, closed, next: coming ? coming.seat : deal.next, last: deal.turns[step - 1] };
  }

  // --- the parts of the picture ---
  const root = host.attachShadow({ mode: "open" });
  root.append(element("style", {}, css));
  const picture = element("div", { class: "picture", role: "group", tabindex: 0, "aria-label": `${deal.title}. Arrow keys step through it.` });
  root.append(picture);

  const order = span("order", deal.title.includes(deal.rules) ? "suits " : `rules ${deal.rules}, suits `);
  order.setAttribute("title", "the suits from weak to strong");
  [...deal.suits].forEach((suit, i) => {
    if (i) order.append(" < ");
    order.append(element("svg", { viewBox: "0 0 24 24", class: `suit ${suit}`, role: "img", "aria-label": SUIT_NAMES[suit] },
      element("path", { d: SUIT_SHAPES[suit] })));
  });
  picture.append(element("header", {}, element("bdi", { class: "title" }, deal.title), order));

  const buttons = {};
  const bar = element("div", { class: "bar" });
  function button(icon, label, action) {
    const made = element("button", { type: "button", title: label, "aria-label": label },
      element("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, element("path", { d: ICONS[icon] })));
    made.addEventListener("click", action);
    buttons[icon] = made;
    bar.append(made);
  }
  button("first", "First", () => go(0));
  button("previous", "Previous turn", () => go(step - 1));
  button("play", "Play", () => (timer ? pause() : play()));
  button("next", "Next turn", () => go(step + 1));
  button("last", "Last", () => go(LAST));
  const slider = element("input", { type: "range", min: 0, max: LAST, step: 1, "aria-label": "Turns played" });
  slider.addEventListener("input", () => go(Number(slider.value)));
  const count = span("count");
  const speed = element("select", { title: "Speed of playing", "aria-label": "Speed of playing" },
    ...[["2000", "½×"], ["1000", "1×"], ["500", "2×"], ["200", "5×"]].map(([value, label]) => element("option", { value }, label)));
  speed.value = "1000";
  speed.addEventListener("change", () => timer && play());
  bar.append(speed, slider, count);
  picture.append(bar);

  const caption = element("p", { class: "caption", role: "status" });
  picture.append(caption);

  const board = element("div", { class: "board" });
  const rows = deal.hands.map((hand, seat) => {
    const parts = {
      row: element("section", { class: "seat", "aria-label": name(seat) }),
      mark: span("mark"),
      left: span("left"),
      hand: element("div", { class: "hand" }),
      lane: element("div", { class: "lane" }),
    };
    const label = element("div", { class: "name", title: name(seat) }, `seat ${seat}`);
    if (deal.names[seat]) label.append(element("b", { dir: "auto" }, deal.names[seat]));
    parts.row.append(element("div", { class: "who" }, label, element("div", { class: "facts" }, parts.left, parts.mark)), parts.hand, parts.lane);
    board.append(parts.row);
    return parts;
  });
  picture.append(board);

  const note = element("div", { class: "note" });
  if (deal.turns.some((turn) => turn.note)) picture.append(note);

  const listed = []; // the button of each turn in the table of tricks
  const tricks = element("div", { class: "tricks", tabindex: 0, role: "region", "aria-label": "The tricks in order" });
  if (LAST) picture.append(tricks);
  (function listTricks() {
    const head = element("tr", {}, element("th", { scope: "col" }, "trick"));
    for (let seat = 0; seat < SEATS; seat++) {
      head.append(element("th", { scope: "col", title: name(seat) }, 
        ...(deal.names[seat] ? [`${seat} `, element("bdi", {}, deal.names[seat])] : [`seat ${seat}`])));
    }
    const body = element("tbody");
    let cells = [];
    deal.turns.forEach((turn, i) => {
      const before = deal.turns[i - 1];
      const begins = !before || before.trick !== turn.trick;
      if (begins || turn.seat <= before.seat) {
        cells = deal.hands.map(() => element("td"));
        body.append(element("tr", begins ? { class: "begins" } : {}, element("th", { scope: "row" }, begins ? String(turn.trick) : ""), ...cells));
      }
      const what = turn.cards.length ? turn.cards.map(small) : [span("pass", "pass")];
      const made = element("button", { type: "button", tabindex: -1, title: `turn ${i}`,
        "aria-label": `turn ${i}, ${name(turn.seat)}: ${turn.cards.length ? `${allInWords(turn.cards)} (${turn.kind})` : "pass"}` }, ...what);
      if (turn.note) made.append(element("span", { class: "has-note", role: "img", "aria-label": "with a note" }));
      made.addEventListener("click", () => go(i + 1));
      cells[turn.seat].append(made);
      listed.push(made);
    });
    let winning = null;
    deal.turns.forEach((turn, i) => {
      if (turn.cards.length) winning = i;
      const after = deal.turns[i + 1];
      if (after ? after.trick !== turn.trick : deal.closed) listed[winning].classList.add("takes");
    });
    tricks.append(element("table", {}, element("thead", {}, head), body));
  })();

  const help = element("p", { class: "help" }, "Shaded: takes the trick. ← → step, Home and End jump, space plays.");
  picture.append(help);

  // --- drawing a step ---
  function drawSeat(seat, state) {
    const parts = rows[seat];
    const hand = state.hands[seat];
    const cards = hand ? [...hand] : [];
    const hidden = `${plural(state.left[seat], "card")}, face down`;
    parts.hand.replaceWith(parts.hand = row("hand", hand ? allInWords(cards) || "no cards" : hidden,
      hand ? cards.map(face) : Array.from({ length: state.left[seat] }, back)));
    parts.left.textContent = `${state.left[seat]} left`;
    parts.left.classList.toggle("few", state.left[seat] > 0 && state.left[seat] < 3);

    const over = step === LAST && deal.points;
    const leads = step === 0 ? deal.first === seat : state.closed && state.next === seat;
    const points = over ? `${deal.points[seat] < 0 ? "−" : "+"}${plural(Math.abs(deal.points[seat]), "point")}` : "";
    parts.mark.textContent = over ? points : leads ? "leads" : state.next === seat ? "next" : "";
    parts.row.classList.toggle("next", !over && state.next === seat);
    parts.row.classList.toggle("won", Boolean(over) && state.left[seat] === 0);

    const turn = state.laid[seat];
    parts.lane.replaceChildren();
    if (turn && turn.cards.length) {
      parts.lane.append(row("laid", `laid: ${allInWords(turn.cards)}`, turn.cards.map(face)), span("kind", turn.kind));
    } else if (turn) {
      parts.lane.append(span("pass", "pass"));
    }
    parts.lane.classList.toggle("fresh", Boolean(turn) && turn === state.last);
    parts.lane.classList.toggle("beaten", Boolean(turn) && turn.cards.length > 0 && turn !== state.table);
    parts.lane.classList.toggle("best", Boolean(turn) && turn === state.table);
  }

  function drawCaption(state) {
    caption.replaceChildren();
    if (!step) {
      caption.append("The hands as dealt; ", player(deal.first), " leads.");
      return;
    }
    const turn = state.last;
    caption.append(span("where", `Trick ${turn.trick}, turn ${step - 1}`), " ", player(turn.seat));
    if (turn.cards.length) {
      caption.append(" lays ", element("span", { class: "cards", role: "img", "aria-label": allInWords(turn.cards) }, ...turn.cards.map(small)),
        ` (${turn.kind}), ${turn.left ? `${turn.left} left` : "and wins the deal"}.`);
    } else {
      caption.append(" passes.");
      if (state.closed) caption.append(" ", player(state.next), " takes the trick and leads.");
    }
  }

  /** Texts with tabs are tables, all others paragraphs. */
  function drawNote(text) {
    note.replaceChildren();
    note.hidden = !text;
    let table = null;
    for (const line of text.split("\n")) {
      if (line.includes("\t")) {
        if (!table) note.append(table = element("table"));
        table.append(element("tr", {}, ...line.split("\t").map((cell) => element("td", { dir: "auto" }, cell))));
      } else {
        table = null;
        note.append(element("p", { dir: "auto" }, line));
      }
    }
  }

  let step = -1;
  function draw(to) {
    step = to;
    const state = stateAt(step);
    for (let seat = 0; seat < SEATS; seat++) drawSeat(seat, state);
    drawCaption(state);
    drawNote(step ? state.last.note : "");
    listed.forEach((made, i) => {
      made.classList.toggle("current", i === step - 1);
      made.classList.toggle("coming", i >= step);
      made.hidden = deal.open !== null && i >= step; // whoever looks through one seat's eyes does not know it yet
      if (i === step - 1) made.setAttribute("aria-current", "step");
      else made.removeAttribute("aria-current");
    });
    for (const line of tricks.querySelectorAll("tbody tr")) line.hidden = !line.querySelector("button:not([hidden])");
    const current = listed[step - 1];
    if (!current) tricks.scrollTop = 0;
    else tricks.scrollTop = current.closest("tr").offsetTop - tricks.clientHeight / 2; // the page itself stays put
    slider.value = step;
    slider.setAttribute("aria-valuetext", caption.textContent);
    count.textContent = `${step} of ${plural(LAST, "turn")}`;
    for (const [icon, at] of [["first", 0], ["previous", 0], ["next", LAST], ["last", LAST]]) {
      buttons[icon].setAttribute("aria-disabled", step === at); // a button that is disabled would lose the focus
    }
    host.dataset.step = step;
  }

  // --- moving ---
  let timer = 0;
  function showTimer() {
    const label = timer ? "Pause" : "Play";
    buttons.play.setAttribute("aria-label", label);
    buttons.play.title = label;
    buttons.play.querySelector("path").setAttribute("d", ICONS[timer ? "pause" : "play"]);
    caption.setAttribute("aria-live", timer ? "off" : "polite");
  }
  function pause() {
    clearInterval(timer);
    timer = 0;
    showTimer();
  }
  function play() {
    clearInterval(timer);
    if (step === LAST) draw(0);
    timer = setInterval(() => {
      if (!host.isConnected || step === LAST) return pause();
      draw(step + 1);
      if (step === LAST) pause();
    }, Number(speed.value));
    showTimer();
  }
  function go(to) {
    if (timer) pause();
    to = Math.max(0, Math.min(LAST, to));
    if (to !== step) draw(to);
  }

  const KEYS = { ArrowLeft: () => step - 1, ArrowRight: () => step + 1, Home: () => 0, End: () => LAST };
  picture.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.stopPropagation(); // a notebook has keys of its own
    if (event.target === speed) return;
    if (event.key in KEYS) {
      event.preventDefault();
      go(KEYS[event.key]());
    } else if (event.key === " " && event.target.tagName !== "BUTTON") {
      event.preventDefault();
      buttons.play.click();
    }
  });

  // --- light or dark: as the text around it is, which every notebook sets, whatever the system prefers ---
  function adapt() {
    const colour = getComputedStyle(host).color;
    const [first, second, third] = colour.match(/[\d.]+/g).map(Number);
    const mean = 0.299 * first + 0.587 * second + 0.114 * third;
    const lightness = /^rgb/.test(colour) ? mean / 255 : /^ok/.test(colour) ? first : /^l/.test(colour) ? first / 100 : mean;
    picture.classList.toggle("dark", lightness > 0.5);
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", adapt);
  const themes = new MutationObserver(adapt);
  for (const place of [document.documentElement, document.body]) themes.observe(place, { attributes: true });
  adapt();

  showTimer();
  draw(deal.start);
}

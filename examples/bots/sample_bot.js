#!/usr/bin/env node
// A Big Two bot in JavaScript that needs nothing but Node.js; docs/bots.md tells what the messages hold.
//
//     bigtwo check-bot examples/bots/sample_bot.js
//     bigtwo tournament sample=exec:examples/bots/sample_bot.js greedy heuristic --deals 1000

"use strict";

const readline = require("node:readline");

// The play to lay, one of turn.legal_plays; null: pass.
function choose(turn) {
  const plays = turn.legal_plays; // weakest first
  if (turn.table === null) {
    const weakestCard = turn.hand[0];
    const withIt = plays.filter((play) => play.cards.includes(weakestCard));
    const choice = withIt.length ? withIt : plays;
    return choice.reduce((best, play) => (play.cards.length > best.cards.length ? play : best));
  }
  const others = turn.left.filter((_, seat) => seat !== turn.seat);
  const spendsTwos = Math.min(...others) <= 3 || turn.hand.length <= 5;
  const cheap = plays.find((play) => spendsTwos || !play.cards.some((card) => card[0] === "2"));
  return cheap || (turn.may_pass ? null : plays[0]);
}

function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

// When the engine closes the pipe there are no more lines, and Node.js ends by itself.
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    say({ type: "hello", protocol: 1, name: "sample_bot.js" });
  } else if (message.type === "turn") {
    const play = choose(message);
    say(play ? { type: "play", cards: play.cards } : { type: "pass" });
  }
  // new_deal and result need no answer, and this bot does not look at them
});

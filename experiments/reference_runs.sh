#!/usr/bin/env bash
# Measures the figures of this folder anew, one file a figure; each file holds the command's output as JSON.
# Usage: experiments/reference_runs.sh [NAME...] (bench, agents, worlds, presets; without a name all, about an hour)
set -euo pipefail
cd "$(dirname "$0")"
bigtwo=${BIGTWO:-bigtwo}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# play FILE DEALS AGENT...: a tournament on decks that no tuning saw (seed 2026)
play() {
  local file=$1 deals=$2
  shift 2
  "$bigtwo" tournament "$@" --deals "$deals" --seed 2026 --out "$scratch/$file" --json >"$file.json"
}

for part in ${*:-bench agents worlds presets}; do
  case $part in
    bench) "$bigtwo" bench --json >bench.json ;;
    agents)
      play greedy-among-random 40000 greedy random random random
      play heuristic-among-random 40000 heuristic random random random
      play heuristic-among-greedy 40000 heuristic greedy greedy greedy
      play strong-among-heuristic 8000 strong heuristic heuristic heuristic
      play strong-among-greedy 8000 strong greedy greedy greedy
      play heuristic-among-strong 8000 heuristic strong strong strong
      ;;
    worlds)
      for worlds in 10 30 100; do
        play "worlds-$worlds" 8000 "strong:worlds=$worlds" heuristic heuristic heuristic
      done
      play worlds-1000 4000 strong:worlds=1000 heuristic heuristic heuristic
      ;;
    presets)
      for rules in singapore pagat hong_kong taiwan charlesworth; do
        play "rules-$rules" 8000 strong:worlds=100 heuristic heuristic heuristic --rules "$rules"
      done
      play rules-charlesworth-greedy 8000 strong greedy greedy greedy --rules charlesworth
      ;;
    *) echo "unknown: $part" >&2 && exit 2 ;;
  esac
done

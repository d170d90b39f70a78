#!/usr/bin/env bash
# bash tests/peers/redraw.sh
# README's picture and table of the engines, from results/reference/peers.tsv. Look at them before committing.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
/usr/bin/python3 tests/peers/draw.py picture results/reference/peers.tsv results/reference/peers.png
/usr/bin/python3 tests/peers/draw.py readme results/reference/peers.tsv README.md
/usr/bin/python3 tests/pictures.py update

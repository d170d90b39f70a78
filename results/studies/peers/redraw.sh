#!/usr/bin/env bash
# bash results/studies/peers/redraw.sh
# README's picture of the engines, and the table beside this file, from results/reference/peers.tsv. Look at them before committing.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
/usr/bin/python3 results/studies/peers/draw.py picture results/reference/peers.tsv results/reference/peers.png
/usr/bin/python3 results/studies/peers/draw.py readme results/reference/peers.tsv results/studies/peers/README.md
/usr/bin/python3 tests/pictures.py update

#!/usr/bin/env bash
# bash results/studies/peers/overlap.sh [OPTIONS OF compare.py]
# Measures the overlap of 500 falling boxes against ms a step, for time steps from 1 to 33 ms, of ncpbench and engines (results/reference/overlap.tsv;
# eight minutes, nothing beside it), and draws it beside that. Look at the picture before committing both.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
table=results/reference/overlap
/usr/bin/python3 results/studies/peers/compare.py --scenes falling --engines ncpbench,mujoco,bullet,drake --time-steps 0.001,0.002,0.004,0.0083,0.0165,0.033 --limit 20 \
    --settings "auto to 1e-4 m/s;auto to 1e-4 m/s, not verified;default;stiff;rigid, 10 substeps;hydroelastic" "$@" -o $table.tsv
/usr/bin/python3 results/studies/peers/draw.py overlap $table.tsv $table.png

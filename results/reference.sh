#!/usr/bin/env bash
# bash results/reference.sh
# Draws anew whatever README shows of results/reference, and writes the numbers behind it to results/reference/numbers.tsv,
# which tests/pictures.py holds against the numerics: for every change of these. Look at the pictures before committing them.
source "$(dirname "${BASH_SOURCE[0]}")/../tests/prepare.sh"

install_packages
build release
pictures=(solver-errors macklin-fig11 true-error) # as in tests/pictures.py
folder=$(mktemp -d)
trap 'rm -rf "$folder" "$log"' EXIT
build/release/ncpbench reproduce "$(IFS=,; echo "${pictures[*]}")" --format png -o "$folder" || [ $? -eq 1 ] # a step that does not converge
for name in "${pictures[@]}"; do
    mv "$folder/$name.png" results/reference/
done
# from results/reference/peers.tsv, which `python3 results/studies/peers/compare.py -o results/reference/peers.tsv` measures (ten minutes, nothing beside it)
bash results/studies/peers/redraw.sh
/usr/bin/python3 tests/pictures.py write "$folder/reproduce.h5" # Debian's own, which has h5py
say "Drawn: ${pictures[*]/#/results/reference/} results/reference/peers. Look at them."

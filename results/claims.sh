#!/usr/bin/env bash
# bash results/claims.sh [PAPER...]
# Judges the claims of all papers, or of these: an hour on an idle machine. Writes results/claims/PAPER.md, and its counts in
# results/claims/README.md. Records stay in build/claims/PAPER. What a busy machine left open is judged again, before another
# call of this, by `build/release/ncpbench reproduce --claims ID --force -o build/claims/PAPER`.
source "$(dirname "${BASH_SOURCE[0]}")/../tests/prepare.sh"

[ $# -gt 0 ] || set -- macklin tasora anitescu lecleach larionov
install_packages build figures claims
build release
cd "$root"
for paper; do
    rm -f "results/claims/$paper.md"
    build/release/ncpbench reproduce --claims "$paper" --write "results/claims/$paper.md" -o "build/claims/$paper"
    counts=$(grep -m1 -E '^\| [^|]+( \| [0-9]+){7} \|$' "results/claims/$paper.md" | cut -d'|' -f3-)
    sed -i -E "s#^(\| \[[^]]+\]\($paper\.md\) \|).*#\1$counts#" results/claims/README.md
done

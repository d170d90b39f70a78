#!/usr/bin/env bash
# The solver that the README shows compiles as it stands, in both precisions, without a warning.
# readme.sh COMPILER
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# shellcheck disable=SC2016 # the backquotes are Markdown
source=$(sed -n '/^```c$/,/^```$/{/^```/!p}' "$root/README.md")
[ -n "$source" ] || { echo "README.md shows no solver" && exit 1; }
for bits in 32 64; do
    "$1" -std=gnu17 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -DNB_REAL_BITS=$bits \
        -I"$root/core" -x c - <<<"$source"
done

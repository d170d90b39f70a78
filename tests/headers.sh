#!/usr/bin/env bash
# bash tests/headers.sh [--alone] [FOLDER...]
# Every header of core, solvers, scenarios and the record, as C++ sees it, inside extern "C": all of them in one source, in both
# precisions; with --alone (daily.sh) each in a source of its own. The folders are those of other libraries' headers. Skips (77) where there is no C++ compiler; nothing else of the project needs one.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
alone=
if [ "${1:-}" = --alone ]; then
    alone=yes
    shift
fi
for compiler in "${CXX:-}" c++ g++ clang++; do
    command -v "$compiler" >/dev/null && break
done
command -v "$compiler" >/dev/null || { echo "SKIPPED: there is no C++ compiler"; exit 77; }
options=(-x c++ -std=c++17 -fsyntax-only -Wall -Werror -DNB_PRECISIONS_READ=3 -I. -Icore -Isolvers -Iscenarios -Iresults)
for folder in "$@"; do options+=(-isystem "$folder"); done

# what stands before a header that is a template: it is included more than once, or over types that the includer chooses
declare -A before=(
    [core/base/csr_of_precision.h]=$'#include <stdint.h>\n#include "base/status.h"\n#define NB_CSR matrix\n#define NB_CSR_NUMBER double\n#define NB_CSR_NAME(name) name##_mine'
    [core/operator/contact_formulas.h]=$'#include "base/real.h"\n#define NB_LANE real'
    [core/contact/polyhedra_formulas.h]=$'#define NB_KEEP_CONTACT nb_encounter_add'
    [core/contact/narrow_phase_formulas.h]=$'#define NB_KEEP_CONTACT nb_encounter_add'
    [core/constraint/joint_formulas.h]=$'#include "base/real.h"\n#define NB_LANE real'
    [core/element/stretch_formulas.h]=$'#include "element/scalar_lane.h"'
    [core/element/tetrahedron_formulas.h]=$'#include "element/scalar_lane.h"'
    [core/element/lanes/lane_functions.h]=$'#define NB_BODY_WIDTH 2'
    [core/element/lanes/rows_of_four.h]=$'#define NB_BODY_WIDTH 2\n#pragma GCC diagnostic ignored "-Wpsabi"' # as the kernels are compiled
    [solvers/method/interior_point/lanes/contact_lanes.h]=$'#define NB_WIDTH 4\n#pragma GCC diagnostic ignored "-Wpsabi"'
    [core/operator/lanes/lanes.h]=$'#define NB_WIDTH 2\n#define NB_BODY_WIDTH 2'
)
mapfile -t headers < <(find core solvers scenarios results -name '*.h' ! -path solvers/petsc/ranks.h | sort) # its library's are C and optional
for header in "${!before[@]}"; do
    [ -f "$header" ] || { echo "$header: is named in tests/headers.sh, but there is no such file"; exit 1; }
done

# included HEADER: the lines by which a source includes it
included() {
    printf '%s\n#include "%s"\n' "${before[$1]:-}" "$1"
}
# compile WHAT BITS: the source from standard input
compile() {
    { echo 'extern "C" {' && cat && echo '}'; } | "$compiler" "${options[@]}" -DNB_REAL_BITS="$2" - >"$log" 2>&1 && return
    echo "$1: no C++ where real has $2 bits"
    head -20 "$log"
    breaches=$((breaches + 1))
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
breaches=0
plain=() # those that a source may include beside others
for header in "${headers[@]}"; do
    template=${before[$header]:-}
    [ -n "$template" ] || plain+=("$header")
    [ -z "$template$alone" ] || compile "$header" 64 < <(included "$header")
    [ -z "$template" ] || compile "$header" 32 < <(included "$header")
done
for bits in 32 64; do
    compile "all headers in one source" $bits < <(for header in "${plain[@]}"; do included "$header"; done)
done
echo "${#headers[@]} headers, $breaches breaches"
[ "$breaches" -eq 0 ] && [ "${#headers[@]}" -gt 0 ]

#!/usr/bin/env bash
# What a machine can see of the source tree's rules: what stands in the root, who includes whom, sizes, format.
# Every breach is one line; the status tells whether there was any. Skips (77) outside a git checkout.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || exit 77

# what is committed, and what is new in the folders; what runs left in the root is the user's
mapfile -t files < <({
    git ls-files --cached
    git ls-files --others --exclude-standard core solvers cuda scenarios analysis results tests
} | while read -r file; do [ -f "$file" ] && echo "$file"; done)
mapfile -t sources < <(printf '%s\n' "${files[@]}" | grep -E '\.([ch]|cuh?)$')
breaches=0
# breach RULE: each line of the input is a place that breaks it
breach() {
    local line
    while read -r line; do
        echo "$line: $1"
        breaches=$((breaches + 1))
    done
}

# the root holds the folders of the pipeline, the task pages, and what tools look for there
breach "does not belong in the root" < <(printf '%s\n' "${files[@]}" | cut -d/ -f1 | sort -u | grep -vxE \
    'core|solvers|cuda|scenarios|analysis|results|tests|docs|(CMakeLists.txt|README.md|CMakePresets.json|pyproject.toml|LICENSE|CITATION.cff|CHANGELOG.md|\..*)')

breach "is larger than 1 MiB" < <(find "${files[@]}" -size +1024k)

breach "has more than 1,000 lines" < <(wc -l "${sources[@]}" | awk '$1 > 1000 && $2 != "total" { print $2 }')
# lines of C and CUDA of each folder, and of Python and scripts of tests: raise a budget in the change that needs it, with a reason
budget() {
    local folder=$1 most=$2 lines
    lines=$(printf '%s\n' "${@:3}" | grep "^$folder/" | xargs cat | wc -l)
    [ "$lines" -le "$most" ] || echo "$folder, $lines lines, budget $most"
}
while read -r folder most; do
    breach "is over its budget of lines" < <(budget "$folder" "$most" "${sources[@]}")
done <<'END'
core 34200
solvers 42460
cuda 9260
scenarios 14150
results 7200
analysis 40500
tests 58900
END
mapfile -t scripts < <(printf '%s\n' "${files[@]}" | grep -E '\.(py|sh)$')
breach "is over its budget of lines of Python and scripts" < <(budget tests 18400 "${scripts[@]}")
mapfile -t scripts < <(printf '%s\n' "${files[@]}" | grep '\.gp$')
breach "is over its budget of lines of gnuplot" < <(budget analysis 3980 "${scripts[@]}")
breach "is a function of more than 80 lines" < <(printf '%s\n' "${sources[@]}" | grep -v '^tests/' | xargs awk '
    FNR == 1 { begun = 0 } /^[a-z_].*[(,]$/ || /^[a-z_].*\) \{$/ { begun = FNR }
    /^}/ { if (begun && FNR - begun >= 80) print FILENAME ":" begun; begun = 0 }')

# assembled from halves, so that this file does not find itself
unfinished="TO""DO|FIX""ME|XX""X|HA""CK"
breach "admits something unfinished" < <(grep -nIE "\b($unfinished)\b" "${files[@]}" | cut -d: -f1,2)

# conditional compilation: include guards, the precision, and how wide registers are; the rest belongs into one feature
# header, cuda/ or solvers/petsc/, whose library says what it was built with
breach "compiles conditionally outside cuda/, *.cu and core/base/features.h" < <(
    printf '%s\n' "${sources[@]}" | grep -vE '^cuda/|\.cu$|^core/(base/features|ncpbench/plugin)\.h$|^solvers/petsc/' |
        xargs grep -nE '^[[:space:]]*#[[:space:]]*(if|ifdef|ifndef|elif)\b' |
        grep -vE '#ifndef NB_[A-Z0-9_]+_H$|NB_(REAL|STORAGE)_BITS|NB_BODY_WIDTH' | cut -d: -f1,2)

# what CMake reads (core/base/real.h): the line as it stands in no other form, and once a file
breach "says its precisions in a form that CMake does not read" < <(
    printf '%s\n' "${sources[@]}" | grep -v '^core/base/real\.h$' | xargs grep -HE '\bNB_PRECISIONS\b' |
        grep -vE ':NB_PRECISIONS\((f32|f64|mixed)(, (f32|f64|mixed)){0,2}\);$' | cut -d: -f1)
breach "says its precisions twice" < <(
    printf '%s\n' "${sources[@]}" | grep -v '^core/base/real\.h$' | xargs grep -cE '^NB_PRECISIONS\(' | grep -v ':[01]$' | cut -d: -f1)

# laws, packs and masses have no table that a test could walk: the contract tests list them
breach "is in none of tests/test_*_contract.c" < <(
    printf '%s\n' "${sources[@]}" | grep -E '^(core|solvers)/' |
        xargs sed -nE 's/^const nb_(law|pack|mass)_class (nb_[a-z0-9_]+)_class = .*/\2/p' |
        while read -r name; do grep -qw "${name}\(_class\|_create\)\?" tests/test_*_contract.c || echo "$name"; done)

# strangers FOLDER FOLDER...: sources of the first folder that include a header which none of these folders has
strangers() {
    local file header folder
    printf '%s\n' "${sources[@]}" | grep "^$1/" | xargs -r grep -HoE '^#include "[^"]+"' |
        sed 's/#include "\(.*\)"/\1/' | while IFS=: read -r file header; do
        for folder in "${file%/*}" "$@"; do [ ! -f "$folder/$header" ] || continue 2; done
        echo "$file, \"$header\""
    done
}
breach "core includes nothing of its siblings" < <(strangers core)
breach "solvers include core alone" < <(strangers solvers core)
breach "cuda includes core and solvers alone" < <(strangers cuda core solvers | grep -v ', "cuda_runtime.h"$')
breach "scenarios include core alone" < <(strangers scenarios core)
breach "the record includes core alone" < <(strangers results core | grep -v '^results/studies/')
breach "studies include all but tests" < <(strangers results/studies core solvers scenarios results cuda analysis)
breach "analysis includes all but tests" < <(strangers analysis core solvers scenarios results cuda)

# edges FOLDER: "A B" for every source A of the folder that includes its header B; X.c and X.h are one, X
edges() {
    local file header folder
    printf '%s\n' "${sources[@]}" | grep "^$1/" | xargs -r grep -HoE '^#include "[^"]+"' |
        sed -E 's/\.[a-z]+:#include "/ /; s/\.[a-z]+"$//' | while read -r file header; do
        for folder in "${file%/*}" "$1"; do
            [ ! -f "$folder/$header.h" ] || { echo "$file $folder/$header" && break; }
        done
    done | awk '$1 != $2' | sort -u
}
# climbs ORDER: the edges from a room to one that does not stand before it; rooms joined by + stand side by side. A room
# is a folder within the first one (lanes belong to theirs), and . that one itself
climbs() {
    awk -v order="$1" 'BEGIN { for (n = split(order, rooms, " "); n; n--) for (i = split(rooms[n], side, "+"); i; i--) place[side[i]] = n }
        function room(path) {
            sub("^[^/]*/", "", path)
            if (!sub("(/lanes)?/[^/]*$", "", path)) path = "."
            return path
        }
        { a = room($1); b = room($2) }
        a != b && (!(a in place) || !(b in place) || place[a] <= place[b]) { print $1 ", " $2 }'
}
for folder in core solvers results analysis scenarios cuda; do
    breach "is in a circle of files that include each other" < <(edges "$folder" | tsort 2>&1 >/dev/null | grep -v ' loop:$')
done
breach "a room of analysis uses those before it alone" < <(edges analysis | climbs "text run table statistics figure+plugin+bench claims report program")
breach "figures and statistics see runs through the table alone" < <(
    printf '%s\n' "${sources[@]}" | grep -E '^analysis/(figure|statistics)/' | xargs grep -nE '#include "run/' | cut -d: -f1,3)
breach "a room of solvers uses those before it alone" < <(edges solvers | climbs ". linear+step+method/projected plugin+precond+method/gradient+method/lemke \
method/interior_point+method/single_level+method/smoothed+method method/newton+method/fbf")
breach "cones use base alone" < <(edges core | grep "^core/cone/" | climbs "base cone")
breach "the readers of files use nothing of the scenes" < <(edges scenarios | climbs "file .")

# what stands in a name goes to a terminal escaped; core, which cannot see nb_print, prints no names
breach "prints without nb_print (analysis/text/plain.h)" < <(
    printf '%s\n' "${sources[@]}" | grep -E '^(solvers|scenarios|results|analysis)/.*\.c$' | grep -v '^results/studies/' |
        xargs grep -nE '\b(v?printf|puts|perror)\(|\bv?fprintf\((stdout|stderr)\b' | cut -d: -f1,2)

# versions of clang-format differ in what they make of the same style: Debian 12 has 14
if clang-format --version 2>/dev/null | grep -q 'version 14'; then
    breach "is not as clang-format has it (clang-format -i)" < <(clang-format --dry-run -Werror "${sources[@]}" 2>&1 |
        sed -nE 's/^([^: ]+):[0-9]+:[0-9]+: error: .*/\1/p' | sort -u)
else
    echo "clang-format 14 is not installed: the format was not looked at"
fi

echo "${#files[@]} files, $breaches breaches"
[ "$breaches" -eq 0 ]

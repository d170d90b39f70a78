#!/usr/bin/env bash
# bash tests/fuzz/run.sh [--seconds N] [--build FOLDER] [TARGET...]
# Builds the fuzz targets with clang and runs each for N seconds [10] on its corpus and on what earlier runs found
# (FOLDER/found), and says what it took. What crashes is kept in FOLDER/crashes/TARGET and sorted: README.md. Status 1
# where this project is at fault or a target did not run, 3 where the build fails, 77 where clang or its libFuzzer is
# missing.
set -uo pipefail
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$folder/../.." && pwd)
seconds=10 build=$root/build/fuzz
while [ $# -gt 0 ]; do
    case $1 in
    --seconds) seconds=${2:?"--seconds takes a number"} && shift 2 ;;
    --build) build=${2:?"--build takes a folder"} && shift 2 ;;
    *) break ;;
    esac
done
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(record_bytes record_edits problem_bytes problem_edits matrix_market scene siconos_text command_line)

if ! echo 'int LLVMFuzzerTestOneInput(const char *b, long n) { return b && n < 0; }' |
    clang -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null; then
    echo "clang with libFuzzer (clang, libclang-rt-dev) is not installed"
    exit 77
fi
mkdir -p "$build" && build=$(cd "$build" && pwd) || exit 3
if ! {
    cmake -S "$root" -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Release \
        "-DCMAKE_C_FLAGS_RELEASE=-O1 -g" -DNCPBENCH_FUZZ=ON -DNCPBENCH_TESTS=OFF -DNCPBENCH_CUDA=OFF &&
        cmake --build "$build" --target "${targets[@]/#/fuzz_}"
} >"$build/build.log" 2>&1; then
    tail -n 40 "$build/build.log"
    exit 3
fi

TIMEFORMAT="%U + %S s"
TMPDIR=$(mktemp -d /dev/shm/ncpbench-fuzz-XXXXXX 2>/dev/null || mktemp -d)
export TMPDIR ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
trap 'rm -rf "$TMPDIR"' EXIT

# fault_of TARGET FILE: whose frame is the innermost of the crash that the file makes
fault_of() {
    timeout 60 "$build/fuzz/fuzz_$1" -timeout=20 "$2" 2>&1 </dev/null |
        awk -v root="$root/" '/^ *#[0-9]+ 0x/ && !seen {
                if (/libhdf5/) { print "HDF5"; seen = 1 }
                else if (index($0, root) && / in nb_| in fuzz_/) { print "ncpbench"; seen = 1 }
                else if (index($0, root "core") || index($0, root "results") || index($0, root "scenarios") ||
                         index($0, root "analysis") || index($0, root "tests")) { print "ncpbench"; seen = 1 }
            }
            /LeakSanitizer/ && !seen { print "ncpbench"; seen = 1 }
            END { if (!seen) print "nobody any more" }'
}

# fuzz TARGET: status 1 where this project is at fault or it did not run
fuzz() {
    local target=$1 bad=0 found=$build/found/$1 crashes=$build/crashes/$1 options spent rc runs file fault
    mkdir -p "$found" "$crashes"
    options=(-max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -print_final_stats=1 "-artifact_prefix=$crashes/")
    case $target in
    *_bytes) options+=(-detect_leaks=0 -fork=1 -ignore_crashes=1 -ignore_ooms=1 -ignore_timeouts=1) ;; # HDF5's own
    *_edits) options+=(-max_len=512) ;;
    command_line) options+=("-dict=$folder/command_line.dict") ;;
    esac
    touch "$crashes.begin"
    spent=$({ time "$build/fuzz/fuzz_$target" "${options[@]}" "$found" "$folder/corpus/$target" >"$crashes.log" 2>&1 \
        </dev/null; } 2>&1)
    rc=$?
    runs=$(awk '/^stat::number_of_executed_units/ { n = $2 } /^#[0-9]+/ && n == "" { m = substr($1, 2); sub(":", "", m) }
                END { print n != "" ? n : m + 0 }' "$crashes.log")
    echo "$target: $runs executions in $spent of processor time, $(find "$found" -type f | wc -l) inputs kept, status $rc"
    find "$crashes" -type f -newer "$crashes.begin" >"$crashes.new" # what earlier runs found was sorted then
    while read -r file; do
        fault=$(fault_of "$target" "$file")
        echo "  $file: $fault"
        [ "$fault" != ncpbench ] || bad=1
    done <"$crashes.new"
    # in fork mode the status is that of the last child, which HDF5 may have ended; a target that ran nothing is no run
    [ "$rc" -eq 0 ] || [[ $target == *_bytes ]] || bad=1
    [ "$runs" -gt 0 ] || { echo "  $target did not run: $(tail -n 1 "$crashes.log")" && bad=1; }
    return $bad
}

# as many targets at a time as there are processors
bad=0 running=0
for target in "${targets[@]}"; do
    [ "$running" -lt "$(nproc)" ] || { wait -n || bad=1; running=$((running - 1)); }
    fuzz "$target" &
    running=$((running + 1))
done
while [ "$running" -gt 0 ]; do
    wait -n || bad=1
    running=$((running - 1))
done
exit $bad

#!/usr/bin/env bash
# bash tests/checks.sh [CHECK...]
# Looks at the code with tools beyond the compiler and the tests; all of these unless some are named:
#   cppcheck     every source once, in double precision where it has that
#   clang-tidy   every source once, in double precision where it has that, with what .clang-tidy lists; with NB_SINCE=REVISION
#                those alone that changed since that revision, or that include a header that did
#   arm          every source compiled for 64-bit Arm
#   races        loops on two threads under the thread sanitizer
#   memory       the tests named below under valgrind
#   fuzz         ten seconds of each fuzz target
# Takes build/release for the first three and for valgrind. Ends at the first finding, with a status other than 0: 77 where a
# tool is missing.
source "$(dirname "${BASH_SOURCE[0]}")/prepare.sh"

cores=$(nproc)
memory_tests=("f64 test_"{stream,json,delassus_matrix,mapped_array,options,matrix_market,kernels,linear_methods,stages} "f32 test_"{kernels,linear_methods})
checks=$root/tests/checks

# needs TOOL PACKAGE: ends with 77 where it is not there
needs() {
    command -v "$1" >/dev/null || {
        say "SKIPPED: $1 (package $2) is not installed"
        exit 77
    }
}

check_cppcheck() {
    needs cppcheck cppcheck
    cd "$root"
    python3 "$checks/once.py" build/release build/cppcheck >"$log"
    cppcheck --project=build/cppcheck/compile_commands.json -j "$cores" \
        --cppcheck-build-dir="$root/build/cppcheck" --enable=warning,performance,portability --quiet \
        --suppressions-list=<(grep -v '^#' "$checks/cppcheck.txt") --error-exitcode=1 \
        --template='{file}:{line}: {severity}: {message} [{id}]'
}

check_clang-tidy() {
    needs clang-tidy clang-tidy
    cd "$root"
    python3 "$checks/once.py" build/release build/clang-tidy ${NB_SINCE:+"$NB_SINCE"} |
        xargs -r -P "$cores" -n 4 bash -c 'known=() # status.c defines what the header redefines
            for file; do
                [ "$file" = core/base/status.c ] && known=() || known=(--extra-arg=-include --extra-arg='"$checks"'/known_status.h)
                clang-tidy --quiet -p build/clang-tidy "${known[@]}" "$file" 2>/dev/null || bad=1
            done
            exit ${bad:-0}' tidy
}

check_arm() {
    needs aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
    python3 "$checks/arm.py" "$root/build/release"
}

# clang with its own OpenMP, which tells the sanitizer what its threads wait for (archer); gcc's does not
check_races() {
    needs clang clang
    local build=$root/build/races
    quietly cmake -S "$root" -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Release -DNCPBENCH_CUDA=OFF \
        "-DCMAKE_C_FLAGS_RELEASE=-O1 -g" -DNCPBENCH_SANITIZE=thread "-DNCPBENCH_C_TESTS=test_(kernels|linear_methods|subdomains)"
    quietly cmake --build "$build" --target ncpbench tests_f32 tests_f64
    export OMP_TOOL_LIBRARIES=libarcher.so
    local plain=() # addresses as they come: some kernels spread them wider than clang 14's sanitizer can follow
    setarch "$(uname -m)" -R true 2>/dev/null && plain=(setarch "$(uname -m)" -R)
    export TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=66 halt_on_error=1"
    "${plain[@]}" ctest --test-dir "$build" --output-on-failure -R '^(threads|test_(kernels|linear_methods)_f(32|64)|test_subdomains_f64)$' </dev/null
}

# lost for certain: what a pool of threads holds until the end counts as "possibly"
check_memory() {
    needs valgrind valgrind
    local test
    for test in "${memory_tests[@]}"; do
        say "$test"
        # shellcheck disable=SC2086 # precision and name
        set -- $test
        quietly env NB_SOURCE_DIR="$root" OPENBLAS_NUM_THREADS=1 valgrind --quiet --leak-check=full \
            --errors-for-leak-kinds=definite --error-exitcode=1 "$root/build/release/tests/tests_$1" "$2"
    done
}

check_fuzz() {
    bash "$root/tests/fuzz/run.sh" --seconds 10
}

[ $# -gt 0 ] || set -- cppcheck clang-tidy arm races memory fuzz
for check; do
    declare -F "check_$check" >/dev/null || { say "no check '$check'" && exit 64; }
    SECONDS=0
    say "Checking: $check ..."
    "check_$check"
    say "  $check: nothing found, $SECONDS s"
done

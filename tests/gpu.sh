#!/usr/bin/env bash
# bash tests/gpu.sh [FOLDER]
# All that takes a GPU, in about ten minutes, on a machine that may have nothing but CUDA, CMake and gcc's libraries: builds,
# says where it runs, holds the kernels against this processor and against compute-sanitizer, and measures. What it finds goes
# to FOLDER (build/gpu unless told otherwise) as text. Ends with 77 and one line where there is no GPU or no nvcc, with 1 where
# a check fails. NB_GPU_REHEARSAL=BUILD rehearses it on the emulated device with the programs of that build folder.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
device=cuda
build=$root/build/gpu-build
out=${1:-$root/build/gpu}
counts=(100 1000 10000)
tests=(gpu_solvers_f32 gpu_solvers_f64 gpu_solvers_mixed gpu_island_f32 gpu_island_f64)

skip() {
    echo "SKIPPED: $1"
    exit 77
}

mkdir -p "$out"
if [ -n "${NB_GPU_REHEARSAL:-}" ]; then
    device=emulated
    build=$NB_GPU_REHEARSAL
    counts=(100)
    tests=(test_phases_f32 test_phases_f64 test_phases_mixed)
    echo "A rehearsal on the emulated device: its times mean nothing"
else
    command -v nvidia-smi >/dev/null || [ -e /dev/nvidiactl ] || skip "no NVIDIA driver is installed here"
    command -v cmake >/dev/null || skip "cmake is not installed"
    {
        cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DNCPBENCH_CUDA=AUTO &&
            cmake --build "$build" --parallel "$(nproc)" --target ncpbench "${tests[@]}"
    } >"$out/build.txt" 2>&1 || { tail -n 30 "$out/build.txt"; echo "FAILED: build"; exit 1; }
    missing=$("$build/ncpbench" list devices | sed -n 's/^  cuda .*; //p')
    [ -z "$missing" ] || skip "$missing"
fi

failures=0
# check NAME COMMAND...: its output goes to NAME.txt
check() {
    local name=$1
    shift
    if timeout 300 "$@" >"$out/$name.txt" 2>&1; then
        echo "ok      $name"
    else
        echo "FAILED  $name (status $?), see $out/$name.txt"
        failures=$((failures + 1))
    fi
}

# sanitize TOOL NAME OPTIONS...: two small scenes under compute-sanitizer
sanitize() {
    local tool=$1 name=$2
    shift 2
    check "$tool-$name" compute-sanitizer --tool "$tool" --error-exitcode 1 "$build/ncpbench" run heavy-stack,arch \
        --device "$device" --steps 1 --newton-iterations 2 --linear-iterations 5 --repeat 0 "$@" -o "$out/$tool-$name.h5"
}

"$build/ncpbench" info >"$out/info.txt"
nvidia-smi -q -d CLOCK,PERFORMANCE,POWER >"$out/clocks-before.txt" 2>&1
bash "$root/tests/registers.sh" "$build/cuda" >"$out/registers.txt"
for test in "${tests[@]}"; do
    check "$test" "$build/tests/$test"
done
if command -v compute-sanitizer >/dev/null; then
    # passes, watched after every iteration; sweeps in colour order; PCR by the device itself, from a graph; the island kernel
    for tool in memcheck racecheck initcheck synccheck; do
        sanitize "$tool" watched-f64 --precision f64 --linear-solver pcr,pcg,jacobi,gauss-seidel --preconditioner jacobi,block-jacobi,ssor
        sanitize "$tool" cholesky-f64 --precision f64 --linear-solver cholesky
        sanitize "$tool" sweeps-f32 --precision f32 --linear-history off --linear-solver gauss-seidel,pcg --preconditioner ssor
        sanitize "$tool" alone-f32 --precision f32 --linear-history off --linear-solver pcr --preconditioner none,jacobi
        sanitize "$tool" alone-mixed --precision mixed --linear-history off --linear-solver pcr --preconditioner jacobi
        for precision in f32 f64; do
            sanitize "$tool" "island-$precision" --precision "$precision" --whole-steps on --linear-history off \
                --linear-solver pcr,pcg --preconditioner jacobi
        done
    done
else
    echo "absent  compute-sanitizer"
fi
# Whole runs, processor and GPU interleaved; times of work and of transfers are in the records.
for precision in f32 f64; do
    for count in "${counts[@]}"; do
        check "pile-$count-$precision" "$build/ncpbench" run piling --set "count=$count" --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.5 --steps 1 \
            --newton-iterations 5 --linear-iterations 200 --linear-history off --linear-solver pcr --precision "$precision" \
            --device "cpu,$device" --repeat 10 -o "$out/pile-$count-$precision.h5"
    done
done
nvidia-smi -q -d CLOCK,PERFORMANCE,POWER >"$out/clocks-after.txt" 2>&1
echo "$failures failures; text in $out"
[ "$failures" -eq 0 ]

#!/usr/bin/env bash
# bash tests/gpu.sh [FOLDER [PART...]]
# All that takes a GPU, within NB_GPU_SECONDS (560: some ten minutes of a machine that is shared), the most
# important first. A machine with nothing but a driver takes what tests/gpu_carry.sh packed elsewhere; to build here takes CMake and
# the packages of tests/packages.txt. Parts, in this order:
#
#     build      unpacks build/gpu-carry.tar.gz, where that is; or builds the program and its tests
#     check      the kernels against this processor, outputs poisoned (20 s on an H200 with 16 cores)
#     latency    launches, barriers, graphs, copies (gpu_latency.cu; 7 s)
#     kernels    bench: PCR from 10^3 to 10^6 contacts, beside this processor with one thread and with all; sweeps; operator (170 s)
#     scenes     bench: the island kernel on small scenes, and batches of 1 to 16384 of them (32 s)
#     passes     bench: PCR from 10^3 to 10^6 contacts on the GPU alone, which the part kernels has beside the processor
#     accuracy   bench: solves to an accuracy with several preconditioners, on the GPU from 10^4 to 10^6 contacts, here to 10^5
#     sanitize   compute-sanitizer's memcheck and racecheck on tiny scenes, then initcheck and synccheck (43 s)
#     profile    ncu on the named kernels, where it is installed (42 s)
#     tolerances whole steps of boxes to a tolerance of the true residual, with the preconditioners that devices have
#     inverses   the same with fsai, and deflated, beside this processor: times, and as many iterations
#     tables     tables that stand on each other
#     runs       whole runs
#     trajectories  runs of arches and humanoids that stay on the GPU, beside whole steps and this processor, with the share of solved steps
#     large      bench: 10^7 contacts
#
# In two calls of a machine, the archive being carried along to each:
#
#     bash tests/gpu.sh "$OUT" build check latency kernels scenes
#     bash tests/gpu.sh "$OUT" build sanitize tolerances tables accuracy profile runs large
#
# And what preconditioners are compared by, in one call of 400 s:
#
#     NB_GPU_SECONDS=390 bash tests/gpu.sh "$OUT" build check passes sanitize tolerances tables accuracy
#
# fsai and deflation in one call:
#
#     NB_GPU_SECONDS=300 bash tests/gpu.sh "$OUT" build check inverses sanitize
#
# FOLDER (build/gpu unless told otherwise) gets summary.txt (a line a step), latency.tsv, about.txt (hardware, clocks
# before and after, registers), and, packed anew after each part, logs-PARTS.tar.gz and records-PARTS.tar.gz (a record a call of bench
# or run; `ncpbench figure devices --from pcr.h5,accuracy.h5,accuracy-here.h5`): few and small files, as a machine that is
# shared may give no others back. Another call with other parts adds to them. A step that fails or runs out of time costs no other. Ends with 77
# and one line where there is no GPU or no nvcc, with 1 where a step failed.
#
# NB_GPU_REHEARSAL=BUILD rehearses it on the emulated device with the programs of that build folder.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
device=cuda
carried=$root/build/gpu-carry.tar.gz
build=$root/build/gpu-build
out=${1:-$root/build/gpu}
shift || true
parts=${*:-build check latency kernels scenes accuracy sanitize tolerances inverses tables profile trajectories runs large}
end=$(($(date +%s) + ${NB_GPU_SECONDS:-560}))
small=60,100,250,400 many=1000,10000,100000,1000000 fewer=1000,10000,100000 largest=10000000
batches=120,1920,30720,491520,1966080 # 1, 16, 256, 4096, 16384 scenes of 120 contacts
accurate=10000,100000 accurate_largest=1000000 preconditioners=jacobi,block-jacobi,chebyshev,chebyshev=12
counts=100,1000,10000 inverted=1000 copies=1,16,256,1024 trajectories=1024,4096 trajectory_steps=200 bars=8,32 profiled=1000000
tools="memcheck racecheck initcheck synccheck"
threads=1,$(nproc)
boxes=(--set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.5) # which stand on each other from the start
tests=(gpu_runtime_f64 gpu_solvers_f32 gpu_solvers_f64 gpu_solvers_mixed gpu_island_f32 gpu_island_f64 gpu_trajectory_f32 gpu_trajectory_f64)

for folder in /usr/local/cuda/bin /usr/local/nvidia/bin /opt/nvidia/nsight-compute/*; do
    [ -d "$folder" ] && PATH=$PATH:$folder
done
mkdir -p "$out"
out=$(cd "$out" && pwd)
logs=$(mktemp -d)
packed=all
[ $# -eq 0 ] || packed=$(IFS=-; echo "$*")
# what is there so far: whatever ends the script, it costs no more than one part
pack() {
    tar -C "$logs" --exclude='*.h5' -czf "$out/logs-$packed.tar.gz" .
    [ -z "$(ls "$logs"/*.h5 2>/dev/null)" ] || (cd "$logs" && tar -czf "$out/records-$packed.tar.gz" -- *.h5)
}
trap 'pack; rm -rf "$logs"' EXIT
say() {
    echo "$*" | tee -a "$out/summary.txt"
}
skip() {
    say "SKIPPED: $1"
    exit 77
}
has() {
    command -v "$1" >/dev/null
}

failures=0
# step NAME SECONDS COMMAND...: its output goes to logs/NAME.txt; no longer than SECONDS, nor than is left
step() {
    local name=$1 most=$2 begun=$(date +%s)
    local left=$((end - begun))
    shift 2
    [ "$left" -lt "$most" ] && most=$left
    if [ "$most" -lt 3 ]; then
        say "LEFT OUT  $name: no time left"
        failures=$((failures + 1))
        return 1
    fi
    timeout -k 10 "$most" "$@" >"$logs/$name.txt" 2>&1
    local status=$?
    local took=$(($(date +%s) - begun))
    case $status in
    0) say "ok        $name (${took} s)" ;;
    77) say "skipped   $name: $(tail -n 1 "$logs/$name.txt")" ;;
    124 | 137) say "CUT       $name after ${took} s; what it found is kept" && failures=$((failures + 1)) ;;
    *) say "FAILED    $name (status $status): $(tail -n 1 "$logs/$name.txt" | cut -c1-200)" && failures=$((failures + 1)) ;;
    esac
    return $status
}

# bench NAME SECONDS OPTIONS...: timings; those that were made before they are cut short are in its log and its record
bench() {
    local name=$1 most=$2
    shift 2
    step "$name" "$most" "$build/ncpbench" bench "$@" -o "$logs/$name.h5"
}

# sanitize TOOL NAME OPTIONS...: a small scene ($scene, or heavy-stack) under compute-sanitizer
sanitize() {
    local tool=$1 name=$2
    shift 2
    local work=("$build/ncpbench" run "${scene:-heavy-stack}" --device "$device" --steps "${steps:-1}" --newton-iterations "${iterations:-2}" --linear-iterations 5
        --repeat 0 "$@" -o "$logs/$tool-$name.h5")
    # with the core type the program does not start itself again, which tools may not follow
    step "$tool-$name" 60 env OPENBLAS_CORETYPE="$core" compute-sanitizer --tool "$tool" --error-exitcode 1 "${work[@]}"
}

clocks() {
    has nvidia-smi && nvidia-smi -q -d CLOCK,PERFORMANCE,POWER,TEMPERATURE 2>&1
}

# ---- the parts ----

do_build() {
    if [ -s "$carried" ]; then
        mkdir -p "$build"
        step unpack 60 tar -C "$build" -xzf "$carried" || exit 1
        return
    fi
    has cmake || skip "cmake is not installed"
    step configure 60 cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DNCPBENCH_CUDA=AUTO || exit 1
    step build 280 cmake --build "$build" --parallel "$(nproc)" --target ncpbench || exit 1
    step build-tests 120 cmake --build "$build" --parallel "$(nproc)" --target "${tests[@]}"
}

do_check() {
    for test in "${tests[@]}"; do
        [ -x "$build/tests/$test" ] && step "$test" 60 "$build/tests/$test"
    done
}

do_kernels() {
    bench pcr 150 pcr --contacts "$many" --device "$device,cpu" --threads "$threads" --precision f32,f64
    bench sweeps 40 gauss-seidel --contacts "$fewer" --device "$device,cpu" --threads "$threads" --precision f32,f64
    bench operator 60 operator --contacts "$many" --device "$device,cpu" --threads "$threads" --precision f32,f64
}

do_scenes() {
    bench islands 30 island --contacts "$small" --device "$device" --precision f32,f64
    bench batches 80 batch --contacts "$batches" --device "$device" --precision f32,f64 --threads "$threads"
}

# of the processor with all its threads, and what it is compared with: one thread would take minutes
do_accuracy() {
    bench accuracy 100 accuracy --contacts "$accurate" --device "$device" --precision f32,f64 --preconditioner "$preconditioners"
    for precision in f32 f64; do
        bench "accuracy-largest-$precision" 70 accuracy --contacts "$accurate_largest" --device "$device" --precision "$precision" \
            --preconditioner "$preconditioners"
    done
    bench accuracy-here 60 accuracy --contacts "$accurate" --device cpu --threads "${threads#*,}" --precision f32,f64
}

do_passes() {
    bench passes 70 pcr --contacts "$many" --device "$device" --precision f32,f64
}

# as a user asks for it: the device's residual is verified, and looked at after every iteration
do_tolerances() {
    step tolerances 60 "$build/ncpbench" run piling --set "count=${counts#*,}" "${boxes[@]}" --steps 1 --newton-iterations 3 \
        --linear-iterations 2000 --linear-tolerance 1e-4 --linear-history off --linear-solver pcr \
        --preconditioner jacobi,block-jacobi,chebyshev --precision f32 --device "$device" --repeat 2 -o "$logs/tolerances.h5"
}

# of a table of runs, the mean iterations on the device against those on the processor. Sums are in another order, and Newton
# iterations and bases add up what that changes: a twentieth, or one.
same_counts='
    $1 == "scenario" { for (i = 1; i <= NF; i++) { if ($i == "device") d = i; if ($i == "steps") s = i; if ($i == "linear") l = i } next }
    l && $1 == "piling" { key = ""; for (i = 1; i < s; i++) if (i != d) key = key " " $i; if ($d == "cpu") here[key] = $l; else there[key] = $l }
    END {
        for (key in here) {
            off = key in there ? there[key] - here[key] : 1e9
            if (off < 0) off = -off
            wrong += off > 1 && off > here[key] / 20
            pairs++
            printf "%s: %s iterations here, %s on the device; ", key, here[key], there[key]
        }
        print ""
        exit wrong > 0 || pairs == 0
    }'

do_inverses() {
    local run=("$build/ncpbench" run piling --set "count=$inverted" "${boxes[@]}" --steps 1 --newton-iterations 3 --linear-iterations 2000
        --linear-tolerance 1e-4 --linear-history off --linear-solver pcr --device "cpu,$device" --repeat 1)
    for precision in f32 f64; do
        step "fsai-$precision" 60 "${run[@]}" --precision "$precision" --preconditioner fsai -o "$logs/fsai-$precision.h5" &&
            step "fsai-$precision-iterations" 5 awk "$same_counts" "$logs/fsai-$precision.txt"
        step "deflated-$precision" 60 "${run[@]}" --precision "$precision" --preconditioner jacobi,chebyshev --recycle 20 \
            -o "$logs/deflated-$precision.h5" &&
            step "deflated-$precision-iterations" 5 awk "$same_counts" "$logs/deflated-$precision.txt"
    done
}

# 54 tables that stand on each other, some 1000 contacts
do_tables() {
    for precision in f32 f64; do
        step "tables-$precision" 30 "$build/ncpbench" run piling --set spacing=0 --set tilt=0 --set yaw=0 --steps 5 --newton-iterations 5 \
            --linear-iterations 20 --linear-history off --linear-solver pcr --precision "$precision" --device "cpu,$device" --repeat 5 \
            -o "$logs/tables-$precision.h5"
    done
}

# passes, watched after every iteration; PCR by the device itself, from a graph; the island kernel
do_sanitize() {
    if ! has compute-sanitizer; then
        say "absent    compute-sanitizer"
        return
    fi
    for tool in $tools; do
        sanitize "$tool" watched-f64 --precision f64 --linear-solver pcr,pcg,jacobi --preconditioner jacobi,block-jacobi,chebyshev,fsai
        if grep -q 'Device not supported' "$logs/$tool-watched-f64.txt"; then
            say "absent    compute-sanitizer does not take this machine's GPU"
            return
        fi
        sanitize "$tool" alone-f32 --precision f32 --linear-history off --linear-solver pcr --preconditioner none,jacobi
        scene=sheet sanitize "$tool" soft-f64 --precision f64 --linear-solver pcr,pcg --preconditioner jacobi,block-jacobi,chebyshev,fsai
        sanitize "$tool" deflated-f32 --precision f32 --linear-history off --linear-solver pcr --preconditioner jacobi,fsai --recycle 4
        scene=bar sanitize "$tool" soft-alone-f32 --precision f32 --linear-history off --linear-solver pcr --preconditioner jacobi
        sanitize "$tool" alone-mixed --precision mixed --linear-history off --linear-solver pcr --preconditioner jacobi
        for precision in f32 f64; do
            sanitize "$tool" "island-$precision" --precision "$precision" --whole-steps on --linear-history off --linear-solver pcr,pcg,gauss-seidel
        done
        for precision in f32 f64; do
            steps=3 sanitize "$tool" "trajectory-$precision" --precision "$precision" --whole-steps trajectory --linear-history off \
                --linear-solver pcr --batch 3 --batch-contacts 128
        done
        scene=hinged-boxes steps=3 sanitize "$tool" trajectory-joints --precision f32 --whole-steps trajectory --linear-solver pcr --batch 3 --batch-contacts 32
        steps=3 iterations=60 sanitize "$tool" trajectory-exact --method interior-point --warm-start on --whole-steps trajectory --batch 3 --batch-contacts 128
        sanitize "$tool" batch-f32 --precision f32 --whole-steps on --linear-history off --batch 3
        sanitize "$tool" colours-f64 --precision f64 --linear-history off --linear-solver gauss-seidel,pcg --preconditioner ssor
        sanitize "$tool" cholesky-f64 --precision f64 --linear-history off --linear-solver cholesky,pcr
    done
}

do_latency() {
    local nvcc
    nvcc=$(command -v nvcc) || { say "absent    nvcc: no latencies"; return; }
    # the libraries that were carried are not for the machine's own programs
    step latency-build 60 env -u LD_LIBRARY_PATH "$nvcc" -O3 -std=c++17 -arch=native "$root/results/studies/gpu_latency.cu" -o "$build/gpu_latency" || return
    step latency 30 "$build/gpu_latency" && cp "$logs/latency.txt" "$out/latency.tsv"
}

do_large() {
    for precision in f32 f64; do
        bench "large-$precision" 150 pcr --contacts "$largest" --device "$device" --threads "${threads#*,}" --precision "$precision"
    done
    bench large-here 150 pcr --contacts "$largest" --device cpu --threads "${threads#*,}" --precision f32,f64
}

# processor and GPU interleaved; times of work and of transfers are in the records
do_runs() {
    for precision in f32 f64; do
        step "piles-$precision" 60 "$build/ncpbench" run piling --set "count=$counts" "${boxes[@]}" --steps 1 --newton-iterations 5 --linear-iterations 200 --linear-history off --linear-solver pcr \
            --precision "$precision" --device "cpu,$device" --repeat 5 -o "$logs/piles-$precision.h5"
        step "bars-$precision" 60 "$build/ncpbench" run bar --set "cells=$bars" --steps 1 --newton-iterations 3 --linear-iterations 200 \
            --linear-history off --linear-solver pcr --precision "$precision" --device "cpu,$device" --repeat 3 -o "$logs/bars-$precision.h5"
        step "copies-$precision" 60 "$build/ncpbench" run arch --steps 20 --batch "$copies" --threads "${threads#*,}" --precision "$precision" \
            --device "$device" --whole-steps on --repeat 3 -o "$logs/copies-$precision.h5"
        step "copies-here-$precision" 60 "$build/ncpbench" run arch --steps 20 --batch "$copies" --threads "${threads#*,}" --precision "$precision" \
            --repeat 3 -o "$logs/copies-here-$precision.h5"
    done
}

# The table of each run has steps a second and the share of steps at 1e-4 and 1e-6 m/s.
do_trajectories() {
    local arch=("$build/ncpbench" run arch --batch "$trajectories" --threads "${threads#*,}" --linear-history off --linear-solver pcr --repeat 1)
    for precision in f32 f64; do
        step "trajectories-$precision" 90 "${arch[@]}" --steps "$trajectory_steps" --newton-iterations 5 --linear-iterations 20 --precision "$precision" \
            --device "$device" --whole-steps trajectory --batch-contacts 160 -o "$logs/trajectories-$precision.h5"
        step "trajectories-by-steps-$precision" 60 "${arch[@]}" --steps 10 --newton-iterations 5 --linear-iterations 20 --precision "$precision" \
            --device "$device" --whole-steps on -o "$logs/trajectories-by-steps-$precision.h5"
    done
    step trajectories-exact 90 "$build/ncpbench" run arch --batch "$trajectories" --threads "${threads#*,}" --repeat 1 --steps "$trajectory_steps" \
        --method interior-point --warm-start off,on --device "$device" --whole-steps trajectory --batch-contacts 160 -o "$logs/trajectories-exact.h5"
    step trajectories-here 60 "${arch[@]}" --steps 10 --newton-iterations 5 --linear-iterations 20 --precision f32 -o "$logs/trajectories-here.h5"
    local humanoid=(run humanoids --set count=1 --batch "$trajectories" --threads "${threads#*,}" --linear-history off --linear-solver pcr --precision f32 --repeat 1)
    step trajectories-joints 90 "$build/ncpbench" "${humanoid[@]}" --steps "$trajectory_steps" --device "$device" --whole-steps trajectory \
        --batch-contacts 64 -o "$logs/trajectories-joints.h5"
    step trajectories-joints-here 60 "$build/ncpbench" "${humanoid[@]}" --steps 10 -o "$logs/trajectories-joints-here.h5"
    say "$(grep -h 'steps/s\|^arch\|^humanoids' "$logs"/trajectories*.txt)"
}

# profile NAME KERNELS COUNT OPTIONS...: the first COUNT launches of these kernels
profile() {
    local name=$1 kernels=$2 count=$3
    shift 3
    step "ncu-$name" 60 env OPENBLAS_CORETYPE="$core" ncu --clock-control none --set basic --launch-count "$count" \
        --kernel-name "regex:$kernels" "$build/ncpbench" bench "$@" --device "$device" --threads "${threads#*,}"
}

do_profile() {
    if ! has ncu; then
        say "absent    ncu"
        return
    fi
    for precision in f32 f64; do
        profile "pcr-$precision" 'nb_kernel_own_(pcr|update|body)' 9 pcr --contacts "$profiled" --precision "$precision"
        profile "island-$precision" nb_island_kernel 3 island --contacts "${small%%,*}" --precision "$precision"
    done
    profile sweeps-f32 'nb_kernel_relax' 9 gauss-seidel --contacts "${fewer##*,}" --precision f32
}

# ---- where, and all of it ----

if [ -n "${NB_GPU_REHEARSAL:-}" ]; then
    device=emulated
    build=$NB_GPU_REHEARSAL
    small=60 many=100 fewer=100 largest=200 batches=120,360 accurate=100 accurate_largest=200 counts=5,10 inverted=10 copies=1,3 trajectories=2,3 trajectory_steps=4 bars=4,8 threads=1,2 profiled=100
    tests=(test_detection_f32) tools=memcheck
    say "A rehearsal on the emulated device: its times mean nothing"
    do_build() {
        step program 5 test -x "$build/ncpbench"
    }
    do_latency() {
        say "left out  latency, of which there is no emulation"
    }
    # tools that start the program, and do nothing else
    stand_ins=$(mktemp -d)
    trap 'pack; rm -rf "$logs" "$stand_ins"' EXIT
    for tool in compute-sanitizer ncu; do
        printf '#!/bin/sh\nuntil [ "${1##*/}" = ncpbench ]; do shift; done\nexec "$@"\n' >"$stand_ins/$tool"
        chmod +x "$stand_ins/$tool"
    done
    PATH=$stand_ins:$PATH
elif [ ! -s "$carried" ]; then
    has nvidia-smi || [ -e /dev/nvidiactl ] || skip "no NVIDIA driver is installed here" # before all is built for nothing
fi
for part in $parts; do
    declare -F "do_$part" >/dev/null || { echo "gpu.sh: there is no part '$part'"; exit 64; }
done
[[ " $parts " == *" build "* ]] && do_build
[ -d "$build/lib" ] && export LD_LIBRARY_PATH=$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
[ -x "$build/ncpbench" ] || skip "$build/ncpbench is missing: the part 'build' makes it"
step start 60 "$build/ncpbench" list devices || exit 1 # a library is missing, or too old
missing=$(sed -n "s/^  $device .*; //p" "$logs/start.txt")
[ -z "$missing" ] || skip "$missing"
step info 60 "$build/ncpbench" info || exit 1
core=$(sed -n 's/.*core type \([A-Za-z0-9]*\).*/\1/p' "$logs/info.txt")
{
    date -u +%FT%TZ
    cat "$logs/info.txt"
    clocks
    bash "$root/tests/registers.sh" "$build/cuda"
} >>"$out/about.txt" 2>&1
for part in $parts; do
    [ "$part" = build ] && continue
    "do_$part"
    pack
done
clocks >>"$out/about.txt"
say "$failures steps failed, were cut or left out; $((end - $(date +%s))) s left; all in $out"
[ "$failures" -eq 0 ]

#!/usr/bin/env bash
# bash tests/registers.sh FOLDER
# What ptxas said of the GPU's kernels as they were compiled (*.ptxas in the folder): every kernel and architecture on one line
# with its registers, shared memory and stack; a kernel that spills, has a stack frame (of arrays that did not become
# registers), or takes more registers than its budget, is a breach. Needs no
# GPU. Skips (77) where the program was built without CUDA.
set -uo pipefail
shopt -s nullglob
logs=("${1:?the folder of the build that holds the .ptxas files}"/*.ptxas)
if [ ${#logs[@]} -eq 0 ]; then
    echo "SKIPPED: built without CUDA"
    exit 77
fi

# Registers a thread, and bytes that it may spill. Passes: what leaves 256 threads a block enough blocks on a multiprocessor of
# 65536 registers (four of them at 64) to hide the latency of memory; two of those that hold the two bodies of a group, or a
# tetrahedron. Islands: one block of 512 threads in f32, of 256 in f64; where there are many in f64, two of 256, which is faster
# although they spill. Trajectories: the same block, with the narrow phase's polygons on the stack (13 kB); exact
# steps keep 50 numbers of a contact, more than there are registers. The first pattern that fits counts.
budgets='
nb_island_kernel_f32 128 16
nb_island_kernel_f64ILi[01]ELi1 255 0
nb_island_kernel_f64 128 1024
nb_trajectory_kernel_f64ILi1 128 5600
nb_trajectory_kernel_ 128 2700
nb_kernel_body_f32 48 0
nb_kernel_packs_ 128 0
nb_kernel_own_.*_f32 64 0
nb_kernel_own_ 80 0
nb_kernel_update_f32 64 0
nb_kernel_update_ 80 0
nb_kernel_step_f32 48 0
nb_kernel_step_ 80 0
nb_kernel_(relax|triangle)_ 128 0
nb_kernel_pivots_f32 64 0
nb_kernel_pivots_ 96 0
nb_kernel_(pairs|rows)_f32 64 0
nb_kernel_.*_f32 40 0
nb_kernel_ 64 0
. 64 0
'
awk -v budgets="$budgets" '
    BEGIN {
        count = split(budgets, words)
        for (i = 1; i < count; i += 3) { pattern[++patterns] = words[i]; most[patterns] = words[i + 1]; spills[patterns] = words[i + 2] }
    }
    /Compiling entry function/ { kernel = $0; sub(/.*entry function \047/, "", kernel); architecture = kernel
        sub(/\047.*/, "", kernel); sub(/.*for \047/, "", architecture); sub(/\047.*/, "", architecture) }
    /bytes stack frame/ { stack = $1; stores = $5; loads = $9 }
    /Used [0-9]+ registers/ {
        registers = $0; sub(/.*Used /, "", registers); registers += 0
        shared = 0; if (match($0, /[0-9]+ bytes smem/)) shared = substr($0, RSTART) + 0
        for (i = 1; kernel !~ pattern[i]; i++) continue
        kernels++
        verdict = ""
        if (stores + loads > spills[i]) verdict = verdict " SPILLS"
        if (stack > 0 && spills[i] == 0) verdict = verdict " STACK OF " stack " B"
        if (registers > most[i]) verdict = verdict " OVER ITS BUDGET OF " most[i]
        if (verdict != "") breaches++
        printf "%-28s %s %3d registers %5d B shared %d B stack %d+%d B spilled%s\n", kernel, architecture, registers, shared, stack, stores, loads, verdict
    }
    END {
        printf "%d kernels, %d breaches\n", kernels, breaches
        exit breaches > 0 || kernels == 0
    }' "${logs[@]}"

#!/usr/bin/env bash
# bash tests/cuda_runtime/barriers.sh ROOT FOLDER
# Each barrier of the kernels is taken away, one at a time, and the tests in FOLDER, which run on the stand-in, have to notice. A
# barrier that nobody misses is a breach: it is not needed, or no test comes to it.
set -uo pipefail
root=${1:?the root of the source tree} folder=${2:?the folder of the stand_in_gpu_* tests}
unseen='nb_island_drop_solution' # where x is not finite: no scene of these tests has that
breaches=0 barriers=0
for file in island.cu island/threads.cuh island/program.h trajectory.cu trajectory/steps.h trajectory/exact_steps.h passes.cu tiles.cu; do
    program=stand_in_gpu_solvers_f64
    [[ $file != island* ]] || program=stand_in_gpu_island_f64
    [[ $file != trajectory* ]] || program=stand_in_gpu_trajectory_f64
    while IFS=: read -r line text; do
        barriers=$((barriers + 1))
        if NB_WITHOUT_BARRIER=${file##*/}:$line NB_THREAD_ORDER=random CMOCKA_TEST_ABORT=1 timeout 60 "$folder/$program" >/dev/null 2>&1; then
            echo "cuda/$file:$line: nobody misses this barrier: $text"
            breaches=$((breaches + 1))
        fi
    done < <(grep -nE '^[^*#]*(__syncthreads\(\);|NB_EACH\()[^\\]*$' "$root/cuda/$file" | grep -v "$unseen")
done 2>/dev/null
echo "$barriers barriers, $breaches breaches"
[ "$breaches" -eq 0 ] && [ "$barriers" -gt 15 ]

#!/usr/bin/env bash
# bash tests/cuda_runtime/races.sh ROOT FOLDER
# Islands on the stand-in with the thread sanitizer, to which each thread of a block is a thread (stand_in_races_* in FOLDER). It
# must find no race, and must find one where a barrier is taken away.
set -uo pipefail
root=${1:?the root of the source tree} folder=${2:?the folder of stand_in_races_f64}
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
export TSAN_OPTIONS="suppressions=$root/tests/cuda_runtime/races.supp exitcode=66 halt_on_error=1"
for precision in f32 f64; do
    timeout 900 setarch -R "$folder/stand_in_races_$precision" || exit 1
done
line=$(grep -nm1 -E '^[^*#]*__syncthreads\(\);[^\\]*$' "$root/cuda/island.cu")
NB_WITHOUT_BARRIER=island.cu:${line%%:*} timeout 900 setarch -R "$folder/stand_in_races_f64" >/dev/null 2>&1
[ $? -eq 66 ] || { echo "without the barrier of island.cu:${line%%:*} no race was found" && exit 1; }

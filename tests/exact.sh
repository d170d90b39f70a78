#!/usr/bin/env bash
# bash tests/exact.sh NVCC ROOT FLAG
# What CI cannot build as a whole, compiled to the virtual machine's code: the kernels of option NCPBENCH_CUDA_EXACT, in which
# FLAG leaves no multiplication fused with an addition (so that their bits are those of the emulation, but for the atan2 of
# CUDA's library, which fuses its own), and the micro-benchmarks of tests/gpu.sh. Skips (77) without nvcc.
set -uo pipefail
nvcc=${1:-} root=${2:?the root of the source tree} flag=${3:--fmad=false}
[ -n "$nvcc" ] || { echo "SKIPPED: built without CUDA"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$nvcc" -std=c++17 -O3 "$flag" -I"$root/cuda" -I"$root/core" -I"$root/solvers" -DNB_REAL_BITS=32 -DNB_PRECISIONS_READ=3 -DNB_CUDA_OLDEST=80 \
    '-DNB_CUDA_ARCHITECTURES="80, 90"' -arch=compute_90 -lineinfo -ptx "$root/cuda/island.cu" -o "$folder/exact.ptx" || exit 1
# the source line of each fused operation, but those of calls of atan2
fused=$(awk '$1 == ".file" { gsub("\"", "", $3); name[$2] = $3 }
    $1 == ".loc" { at = $2 " " $3 }
    /fma\.rn/ { count[at]++ }
    END { for (at in count) { split(at, part, " "); print count[at], part[2], name[part[1]] } }' "$folder/exact.ptx" |
    while read -r count line file; do
        sed -n "${line}p" "$file" | grep -qi 'atan2(' || printf '%d fused at %s:%d\n' "$count" "$file" "$line"
    done)
products=$(grep -c 'mul\.\(rn\.\)\?f32' "$folder/exact.ptx")
echo "$flag: $products products, ${fused:-none fused}"
[ -z "$fused" ] && [ "$products" -gt 100 ] || exit 1
for architecture in 80 86 89 90 100; do
    "$nvcc" --list-gpu-code | grep -qx "sm_$architecture" || continue # not of this CUDA
    "$nvcc" -std=c++17 -O3 -Werror=all-warnings -Xcompiler=-Wall,-Wextra,-Werror -arch="sm_$architecture" -cubin \
        "$root/results/studies/gpu_latency.cu" -o "$folder/latency.cubin" || exit 1
done

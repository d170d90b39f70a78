#!/usr/bin/env bash
# bash tests/gpu_carry.sh BUILD [FILE]
# Packs what tests/gpu.sh needs of a build folder, with the libraries that its programs load (HDF5, ...), into FILE (build/gpu-carry.tar.gz
# unless told otherwise), for a machine with a GPU that has none of our libraries and no network: there tests/gpu.sh unpacks it in
# place of building. libc, libgcc_s and libz stay behind;
# the other machine's have to be as new as this one's.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${1:?the build folder}" && pwd)
file=${2:-$root/build/gpu-carry.tar.gz}
if "$build/ncpbench" list devices | grep -q 'built without CUDA'; then
    echo "gpu_carry.sh: $build was built without CUDA, and would be carried for nothing"
    exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/tests" "$folder/lib" "$folder/cuda"
programs=("$build/ncpbench")
for name in gpu_runtime_f64 gpu_solvers_f32 gpu_solvers_f64 gpu_solvers_mixed gpu_island_f32 gpu_island_f64 gpu_trajectory_f32 gpu_trajectory_f64; do
    [ -x "$build/tests/$name" ] && programs+=("$build/tests/$name")
done
cp "$build/ncpbench" "$folder/"
[ ${#programs[@]} -gt 1 ] && cp "${programs[@]:1}" "$folder/tests/"
cp "$build"/cuda/*.ptxas "$folder/cuda/"
ldd "${programs[@]}" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | sort -u |
    grep -v -E '/(libc|libm|libdl|librt|libpthread|libresolv|libgcc_s|libz)\.so\.' | xargs -I{} cp -L {} "$folder/lib/"
mkdir -p "$(dirname "$file")"
tar -C "$folder" -czf "$file" .
glibc=$(objdump -T "${programs[@]}" "$folder"/lib/* | grep -o 'GLIBC_2\.[0-9]*' | sort -uV | tail -n 1)
echo "$file: $(du -h "$file" | cut -f1), takes ${glibc/_/ } or later, $("$build/ncpbench" info | sed -n 's/^commit *//p')"

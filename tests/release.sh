#!/usr/bin/env bash
# bash tests/release.sh [FOLDER]
# Makes the Debian package and tries it where nothing else is: lintian finds no errors; on a bare Debian 12 (tests/bare.sh, in FOLDER,
# build/installed unless told otherwise) it installs with what it depends on, runs, draws, and leaves nothing when it is removed.
# Takes root, debootstrap and the network; lintian where it is installed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${1:-$root/build/installed}
build=$root/build/package
mkdir -p "$root/build"

cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DNCPBENCH_TESTS=OFF >"$root/build/package.log"
cmake --build "$build" >>"$root/build/package.log"
rm -f "$build"/*.deb
(cd "$build" && cpack) >>"$root/build/package.log"
packages=("$build"/*.deb)
echo "package: ${packages[0]##*/}, $(du -h "${packages[0]}" | cut -f1)"
if command -v lintian >/dev/null; then
    # the maintainer's mail is the packager's (DEBEMAIL)
    lintian --allow-root --fail-on error --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog "${packages[0]}"
    echo "lintian: no errors"
fi

bash "$root/tests/bare.sh" "$folder" true
mkdir -p "$folder/trial"
cp "${packages[0]}" "$folder/trial/ncpbench.deb"
bash "$root/tests/bare.sh" "$folder" bash -euc '
    export DEBIAN_FRONTEND=noninteractive
    cd /trial
    apt-get -qq update
    apt-get -qq install --no-install-recommends ./ncpbench.deb gnuplot-nox >install.log 2>&1
    ncpbench run arch --steps 3 -o a.h5
    ncpbench figure convergence --from a.h5 -o a.png
    test -s a.png
    dpkg -L ncpbench >files.txt
    apt-get -qq purge ncpbench >>install.log 2>&1
    left=0
    while read -r file; do
        [ -d "$file" ] || [ ! -e "$file" ] || { echo "left behind: $file"; left=1; }
    done <files.txt
    rm -f a.h5 a.png
    exit $left'
echo "bare Debian: installed, ran, drew, removed"

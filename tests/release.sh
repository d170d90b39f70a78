#!/usr/bin/env bash
# bash tests/release.sh [FOLDER]
# Makes the Debian package and tries it where nothing else is: lintian finds no errors; on a bare Debian 12 (tests/bare.sh, in FOLDER,
# build/installed unless told otherwise) it installs with what it depends on, runs, draws, and leaves nothing when it is removed.
# Makes the wheel and the source archive of the Python package, and tries each in an environment of Python's that has nothing else.
# Takes root, debootstrap, python3-venv and the network; lintian where it is installed.
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

python=$build/python
rm -rf "$python"
mkdir -p "$python/source"
git -C "$root" archive HEAD CMakeLists.txt analysis/python | tar -x -C "$python/source"
# environment NAME PACKAGE...: a new one with these
environment() {
    python3 -m venv "$python/$1"
    "$python/$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}"
}
export PIP_CONSTRAINT=$python/constraints.txt # also of what `build` fetches for itself
printf '%s\n' build==1.6.1 setuptools==84.2.1 mujoco==4.0.0 numpy==1.24.2 >"$PIP_CONSTRAINT"
environment maker build
"$python/maker/bin/python" -m build "$python/source/analysis/python" --outdir "$python/packages" >>"$root/build/package.log"
packages=("$python/packages"/*.whl "$python/packages"/*.tar.gz)
cat >"$python/ball.xml" <<'MODEL'
<mujoco><worldbody><geom type="plane" size="1 1 .1"/>
<body pos="0 0 .3"><freejoint/><geom type="sphere" size=".1" density="1000"/></body></worldbody></mujoco>
MODEL
for package in "${packages[@]}"; do
    place=${package##*.}
    environment "$place" "$package" mujoco
    (cd "$python" && "$place/bin/python" -m ncpbench.scene ball.xml -o "$place.json" && "$build/ncpbench" run "$place.json" --steps 5 -o "$place.h5" --force)
    echo "${package##*/}: installed, converted a model, ran it"
done

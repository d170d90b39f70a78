#!/usr/bin/env bash
# A sweep in N processes of this machine: results/cluster/parallel.sh N RUN-OPTIONS...
#
# RUN-OPTIONS are those of `ncpbench run` without -o. Process I writes sweep-I.h5; the same command goes on where it stopped.
# The parts are merged into sweep.h5. Exit status: the largest of the parts.
set -uo pipefail
program=${NCPBENCH:-ncpbench} count=$1
shift
status=0
for ((i = 1; i <= count; i++)); do
    "$program" run "$@" --shard "$i/$count" -o "sweep-$i.h5" >"sweep-$i.out" 2>&1 &
done
for job in $(jobs -p); do
    wait "$job" || { last=$?; [ "$last" -le "$status" ] || status=$last; }
done
"$program" merge sweep-*.h5 -o sweep.h5 || exit
exit "$status"

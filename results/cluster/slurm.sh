#!/usr/bin/env bash
# A sweep as an array of Slurm jobs: sbatch --array=1-8 --requeue results/cluster/slurm.sh RUN-OPTIONS...
#
# RUN-OPTIONS are those of `ncpbench run` without -o. Job I writes sweep-I.h5; a job that is requeued goes on where it stopped.
# Then: ncpbench merge sweep-*.h5 -o sweep.h5
#SBATCH --cpus-per-task=1
set -euo pipefail
read -ra program <<<"${NCPBENCH:-ncpbench}" # several words with a container
exec "${program[@]}" run "$@" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" -o "sweep-$SLURM_ARRAY_TASK_ID.h5"

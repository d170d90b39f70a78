/* Shards: parts of the runs of a sweep that commands make apart, for `ncpbench merge`. */
#ifndef NB_PROGRAM_SHARD_H
#define NB_PROGRAM_SHARD_H

#include "command.h"
#include "run_output.h"

enum {
    NB_SHARD_KEY = 830
};

#define NB_SHARD_OPTION(in_group)                                                                                   \
    {                                                                                                               \
        .name = "shard", .key = NB_SHARD_KEY, .arg = "I/N",                                                         \
        .doc = "make part I of N of the runs, for ncpbench merge; the same command again goes on where it stopped", \
        .group = (in_group)                                                                                         \
    }

/* "2/8" */
nb_status nb_shard_parse(const char *text, int32_t *shard, int32_t *shards);

/* The command line of the whole sweep: without the shard and where its record goes; owned by the caller. */
nb_status nb_shard_sweep(int argc, char **argv, char **line);

/* The same command line once more: sets output->resume where it goes on in the record output->path that stopped; and
 * *whole, which is said on standard error, where that one is complete. */
nb_status nb_shard_resume(const char *command, const char *line, int32_t shard, int32_t shards, nb_output *output,
                          int *whole);

#endif

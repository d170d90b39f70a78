#include "shard.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "record/record.h"
#include "run/checkpoint.h"

nb_status nb_shard_parse(const char *text, int32_t *shard, int32_t *shards) {
    int used = 0;
    if (sscanf(text, "%5d/%5d%n", shard, shards, &used) == 2 && !text[used] && *shard >= 1 && *shard <= *shards &&
        strspn(text, "0123456789/") == strlen(text))
        return NB_OK;
    return nb_fail(NB_ERROR_USAGE, "--shard takes I/N, such as 2/8: I from 1 to N (got '%.40s')", text);
}

/* how many of the words from `word` on say which shard it is or where its record goes: 0, 1 or 2 */
static int words_of_shard(const char *word) {
    if (strcmp(word, "--shard") == 0 || strcmp(word, "-o") == 0 || strcmp(word, "--output") == 0) return 2;
    return strncmp(word, "--shard=", 8) == 0 || strncmp(word, "--output=", 9) == 0 || strncmp(word, "-o", 2) == 0;
}

nb_status nb_shard_sweep(int argc, char **argv, char **line) {
    char **words = NULL;
    int count = 0;
    nb_status status = NB_ALLOCATE(argc + 1, &words);
    if (status != NB_OK) return status;
    for (int i = 0; i < argc;) {
        const int skipped = words_of_shard(argv[i]);
        if (!skipped) words[count++] = argv[i++];
        i += skipped;
    }
    status = nb_command_line(count, words, line);
    nb_free(words);
    return status;
}

nb_status nb_shard_resume(const char *command, const char *line, int32_t shard, int32_t shards, nb_output *output,
                          int *whole) {
    nb_status status = NB_OK;
    char path[4200];
    char *sweep_command = NULL;
    nb_sweep sweep;
    nb_checkpoint *checkpoint = NULL;
    nb_record_reader *reader = NULL;
    snprintf(path, sizeof path, "%s.checkpoint", output->path);
    if (access(path, F_OK) == 0) {
        NB_TRY(nb_checkpoint_read(output->path, &checkpoint));
        output->resume = strcmp(checkpoint->command, line) == 0;
    } else if (access(output->path, F_OK) == 0 && nb_record_open(output->path, &reader) == NB_OK &&
               strcmp(nb_record_attribute(reader, "command"), line) == 0) {
        NB_TRY(nb_record_read_sweep(reader, &sweep, &sweep_command));
        /* without its checkpoint, an interrupted one is made anew */
        if (nb_record_run_count(reader) == (sweep.runs + shards - shard) / shards)
            NB_TRY(nb_resume_is_whole(output->path, command, whole));
    }
out:
    nb_free(sweep_command);
    nb_record_reader_close(reader);
    nb_checkpoint_destroy(checkpoint);
    return status;
}

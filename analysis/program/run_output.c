#include "run_output.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "environment.h"
#include "file_readers.h"
#include "interrupt.h"
#include "overwrite.h"
#include "record/record.h"
#include "text/plain.h"

/* Making an interrupted command whole: its command line, and those of its runs that were finished. */

/* ---- the command ---- */

/* takes the next word off *line into *out, without its quotes; 0 at the end */
static int next_word(const char **line, char **out) {
    const char *in = *line + strspn(*line, " ");
    char *to = *out;
    int quoted = 0;
    if (!*in) return 0;
    for (; *in && (quoted || *in != ' '); in++) {
        if (*in == '\'')
            quoted = !quoted;
        else if (*in == '\\' && !quoted && in[1])
            *to++ = *++in;
        else
            *to++ = *in;
    }
    *to++ = '\0';
    *line = in;
    *out = to;
    return 1;
}

nb_status nb_resume_words(const char *line, const char *name, int *count, char ***words) {
    int64_t most = 2 + (int64_t)strlen(line); /* words, and the NULL behind them */
    nb_status status = nb_allocate(most * (int64_t)sizeof(char *) + most, 1, words);
    if (status != NB_OK) return status;
    char *out = (char *)(*words + most), *program = out;
    const char *whole = line;
    *count = 0;
    if (!next_word(&line, &out)) program = NULL;
    for (char *word = out; program && next_word(&line, &out); word = out) (*words)[(*count)++] = word;
    if (*count > 0 && strcmp((*words)[0], name) == 0) return NB_OK;
    nb_free(*words);
    *words = NULL;
    return nb_fail(NB_ERROR_INPUT, "the checkpoint is of no 'ncpbench %s'; it is of: %.300s", name, whole);
}

nb_status nb_resume_is_whole(const char *record, const char *name, int *whole) {
    nb_status status;
    nb_record_reader *reader = NULL;
    char path[4200], start[64];
    *whole = 0;
    snprintf(path, sizeof path, "%s.checkpoint", record);
    if (access(path, F_OK) == 0 || access(record, F_OK) != 0) return NB_OK; /* there is something, or nothing at all */
    NB_TRY(nb_safe_read(record, nb_read_record));
    NB_TRY(nb_record_open(record, &reader));
    snprintf(start, sizeof start, "ncpbench %s ", name);
    *whole = strncmp(nb_record_attribute(reader, "command"), start, strlen(start)) == 0;
    if (*whole)
        nb_print(stderr, "nothing to resume: %s is complete (%d run%s)\n", record, nb_record_run_count(reader),
                 nb_record_run_count(reader) == 1 ? "" : "s");
    else
        status = nb_fail(NB_ERROR_INPUT, "nothing to resume: '%.200s' is of another command (%.200s)", record,
                         nb_record_attribute(reader, "command"));
out:
    nb_record_reader_close(reader);
    return status;
}

/* ---- its recorded runs ---- */

int nb_resume_is_run_of(const nb_request *request, const nb_run_info *info) {
    for (int i = 0; i < nb_run_info_members.count; i++) {
        const nb_member *f = &nb_run_info_members.items[i];
        const char *a = (const char *)&request->info + f->offset, *b = (const char *)info + f->offset;
        if (nb_run_info_is_found(f->name)) continue;
        if (f->kind == NB_MEMBER_TEXT ? strcmp(a, b) != 0 : memcmp(a, b, f->kind == NB_MEMBER_INT32 ? 4 : 8) != 0)
            return 0;
    }
    return strcmp(request->info.parameters, info->parameters) == 0;
}

/* whether the record was begun by the command itself, and is not one that it was to replace */
static int is_of_command(const nb_record_reader *reader, const nb_checkpoint *checkpoint) {
    char started[32];
    struct tm utc;
    time_t seconds = (time_t)checkpoint->started;
    if (checkpoint->before > 0) return nb_record_run_count(reader) >= checkpoint->before;
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
    return strcmp(nb_record_attribute(reader, "created"), started) >= 0 &&
           strcmp(nb_record_attribute(reader, "command"), checkpoint->command) == 0;
}

/* a command's recorded runs being shown */
typedef struct showing {
    const nb_checkpoint *checkpoint;
    nb_resume_visitor *visit;
    void *context;
    int64_t *count;
} showing;

static nb_status show_run(const showing *s, nb_record_reader *reader, int k) {
    nb_run *run = NULL;
    int own = 0;
    nb_status status = nb_record_read_run(reader, k, &run);
    if (status == NB_OK) status = s->visit(s->context, run, &own);
    *s->count += own;
    nb_run_destroy(run);
    return status;
}

/* looks for runs in one file; *found: it is the command's own */
static nb_status look_for_runs(const showing *s, const char *path, int *found) {
    nb_status status;
    nb_record_reader *reader = NULL;
    *found = 0;
    if (access(path, F_OK) != 0 || nb_safe_read(path, nb_read_whole_record) != NB_OK) return NB_OK;
    NB_TRY(nb_record_open(path, &reader));
    if (!is_of_command(reader, s->checkpoint)) goto out;
    for (int k = s->checkpoint->before; k < nb_record_run_count(reader); k++) NB_TRY(show_run(s, reader, k));
    *found = 1;
out:
    nb_record_reader_close(reader);
    return status;
}

/* Shows `visit` the runs that the command recorded of which the checkpoint is. They are in the record's own file after
 * Ctrl-C, and in the one beside it that was being written when the program was killed: *source (owned by the caller;
 * NULL: there are none). *count: how many runs are its own. */
static nb_status find_finished(const nb_checkpoint *checkpoint, const char *record, nb_resume_visitor *visit,
                               void *context, char **source, int64_t *count) {
    const showing s = {checkpoint, visit, context, count};
    nb_status status;
    char partial[4200];
    int found;
    *source = NULL;
    snprintf(partial, sizeof partial, "%s.partial-%lld", record, (long long)checkpoint->process);
    NB_TRY(look_for_runs(&s, partial, &found));
    if (found) return nb_copy_text(partial, source);
    NB_TRY(look_for_runs(&s, record, &found));
    if (found) return nb_copy_text(record, source);
out:
    return status;
}

/* ---- the record and its checkpoints ---- */

/* A new record; or one that has the runs of the file `source`, which is it or another. */
static nb_status open_record(nb_run_output *l, const char *source) {
    const nb_output *output = l->output;
    nb_provenance provenance;
    nb_environment(l->info->threads, l->info->seed, &provenance);
    if (source) return nb_record_continue(output->path, source, output->command, &provenance, &l->record);
    nb_status status =
        nb_record_create(output->path, output->title ? output->title : "", output->command, &provenance, &l->record);
    return status == NB_OK && l->sweep ? nb_record_write_sweep(l->record, l->sweep, output->sweep) : status;
}

/* what decides on the numbers of the runs that are to be made */
static nb_status gather_inputs(const nb_run_output *l, nb_inputs *all) {
    nb_status status = nb_inputs_add_kernels(all);
    return status == NB_OK ? nb_inputs_add_all(all, l->inputs) : status;
}

/* The finished runs of an interrupted command, and where it goes on. */
static nb_status open_interrupted(nb_run_output *l, nb_resume_visitor *visit, void *context) {
    nb_status status;
    const char *path = l->output->path;
    nb_inputs now = {0};
    NB_TRY(gather_inputs(l, &now));
    NB_TRY(nb_checkpoint_read(path, &l->checkpoint));
    NB_TRY(nb_inputs_compare(&l->checkpoint->inputs, &now, path));
    NB_TRY(find_finished(l->checkpoint, path, visit, context, &l->source, &l->written));
    NB_TRY(open_record(l, l->source));
    nb_overwrite_tidy(path, l->source);
    if (!(l->source && strcmp(l->source, path) == 0))
        l->keeps = nb_overwrite_keeps(path, l->output->command, l->count, l->output->force);
    nb_progress_note(l->bar, "%lld of %lld runs were finished", (long long)l->written, (long long)l->count);
out:
    nb_inputs_clear(&now);
    return status;
}

/* A record that is begun, or added to where there is one. Nobody else writes it when it is looked at for what an
 * interrupted command left. */
static nb_status open_fresh(nb_run_output *l) {
    const nb_output *output = l->output;
    nb_status status;
    int append = output->append && access(output->path, F_OK) == 0;
    if (append) NB_TRY(nb_safe_read(output->path, nb_read_whole_record));
    NB_TRY(nb_overwrite_check(output->path, NB_WRITTEN_RECORD, output->force));
    /* before the record, which shall not look older than it */
    if (output->resumable) {
        NB_TRY(nb_checkpoint_create(output->path, output->command, &l->checkpoint));
        NB_TRY(gather_inputs(l, &l->checkpoint->inputs));
    }
    NB_TRY(open_record(l, append ? output->path : NULL));
    NB_TRY(nb_overwrite_check_interrupted(output->path, output->force));
    l->keeps = !append && nb_overwrite_keeps(output->path, output->command, l->count, output->force);
out:
    if (status != NB_OK && l->record) {
        nb_record_close(l->record, 0);
        l->record = NULL;
    }
    return status;
}

/* From here on the command can be made whole. */
static void begin_checkpoints(nb_run_output *l) {
    if (!l->checkpoint) return;
    l->checkpoint->interval = l->output->interval;
    if (l->output->resume) return;
    l->checkpoint->before = nb_record_count(l->record);
    nb_checkpoint_write(l->checkpoint, -1, NULL, NULL);
}

nb_status nb_run_output_open(nb_run_output *l, nb_resume_visitor *visit, void *context) {
    nb_status status;
    if (!l->output->path) return NB_OK;
    status = l->output->resume ? open_interrupted(l, visit, context) : open_fresh(l);
    if (status == NB_OK) begin_checkpoints(l);
    if (status != NB_OK) { /* nothing was begun, so an earlier command's checkpoint stays */
        nb_checkpoint_destroy(l->checkpoint);
        l->checkpoint = NULL;
    }
    return status;
}

/* Once the checkpoint names this process, what a killed one left is no longer needed. */
static void drop_source(const nb_run_output *l) {
    if (!l->source || !l->checkpoint || l->checkpoint->process != getpid() || l->checkpoint->failed) return;
    if (strcmp(l->source, l->output->path) != 0) unlink(l->source);
}

nb_status nb_run_output_write(nb_run_output *l, const nb_run *run) {
    nb_status status = l->record ? nb_record_write_run(l->record, run) : NB_OK;
    if (status != NB_OK) return status;
    l->written++;
    if (!l->checkpoint) return NB_OK;
    nb_checkpoint_write(l->checkpoint, -1, NULL, NULL);
    drop_source(l);
    return NB_OK;
}

/* The checkpoint stays where there is more to do: after an interrupt, and after a fault that may pass. */
static void end_checkpoints(nb_run_output *l, nb_status status) {
    if (!l->checkpoint) return;
    const int has_begun = l->written > 0 || l->checkpoint->run >= 0; /* else the command may be refused later on */
    int more = (nb_interrupted && has_begun) || status == NB_ERROR_IO || status == NB_ERROR_MEMORY;
    if (!more || l->written == l->count) {
        if (!l->output->continued) nb_checkpoint_remove(l->checkpoint);
        l->checkpoint->process = getpid();
    } else if (nb_interrupted && l->output->again) {
        nb_progress_note(l->bar, "resume with: %s", l->output->again);
    } else if (nb_interrupted) {
        nb_progress_note(l->bar, "resume with: ncpbench %s --resume %s", l->command, l->output->path);
    }
    if (l->checkpoint->failed)
        nb_progress_note(l->bar, "%s could not be written; an interrupted run would have restarted",
                         l->checkpoint->path);
    drop_source(l);
}

/* A record that replaces an earlier one must not cost that: not where it is incomplete itself, and not where the
 * earlier one is of another command. */
static int replaces_one_to_keep(const nb_run_output *l) {
    if (l->output->append || (l->source && strcmp(l->source, l->output->path) == 0)) return 0; /* it has those runs */
    return l->keeps || l->written < l->count;
}

static nb_status place_record(nb_run_output *l) {
    nb_status status = nb_overwrite_close(l->record, l->output->path, replaces_one_to_keep(l));
    if (status == NB_OK && l->written < l->count)
        nb_progress_note(l->bar, "%s holds the %lld of %lld runs that were finished", l->output->path,
                         (long long)l->written, (long long)l->count);
    return status;
}

static nb_status close_record(nb_run_output *l) {
    if (!l->record) return NB_OK;
    if (l->written > 0) return place_record(l);
    nb_progress_note(l->bar, "no run was finished; %s %s", l->output->path, nb_overwrite_left(l->output->path));
    nb_record_close(l->record, 0);
    return NB_OK;
}

nb_status nb_run_output_close(nb_run_output *l, nb_status status) {
    if (status == NB_ERROR_INTERRUPTED) status = NB_OK; /* the exit status says so */
    nb_status closed = close_record(l);
    if (status == NB_OK) status = closed;
    end_checkpoints(l, status);
    nb_free(l->source);
    nb_checkpoint_destroy(l->checkpoint);
    *l = (nb_run_output){0};
    return status;
}

#include "run_output.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "environment.h"
#include "file_readers.h"
#include "interrupt.h"
#include "overwrite.h"

/* A new record; or one that has the runs of the file `source`, which is it or another. */
static nb_status open_record(nb_run_output *l, const char *source) {
    const nb_output *output = l->output;
    nb_provenance provenance;
    nb_environment(l->info->threads, l->info->seed, &provenance);
    if (source) return nb_record_continue(output->path, source, output->command, &provenance, &l->record);
    return nb_record_create(output->path, output->title ? output->title : "", output->command, &provenance, &l->record);
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
    NB_TRY(nb_resume_find(l->checkpoint, path, visit, context, &l->source, &l->written));
    NB_TRY(open_record(l, l->source));
    nb_resume_tidy(path, l->source);
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

/* Whether there is something to go on from. Where there is not, a command may be one that is refused later on. */
static int has_begun(const nb_run_output *l) {
    return l->written > 0 || l->checkpoint->run >= 0;
}

/* The checkpoint stays where there is more to do: after an interrupt, and after a fault that may pass. */
static void end_checkpoints(nb_run_output *l, nb_status status) {
    if (!l->checkpoint) return;
    int more = (nb_interrupted && has_begun(l)) || status == NB_ERROR_IO || status == NB_ERROR_MEMORY;
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

#include "isolate.h"

#include <stdio.h>
#include <unistd.h>

#include "base/child.h"
#include "base/options.h"
#include "interrupt.h"
#include "plugin/plugin.h"
#include "record/transfer.h"

NB_PRECISIONS(f64);

enum {
    HANDED_ON = 40 /* the child's exit status where it wrote its answer; anything else is a death */
};

/* What the child does. Its answer is an nb_status, its message, and the run (and contact problem) where it is NB_OK. */
typedef struct job {
    const nb_request *request;
    nb_progress *progress;
    void *progress_context;
    nb_run *repeated;       /* the run to repeat, or NULL: a new one */
    double limit_s;         /* 0: none */
    const char *limit_name; /* the option that gave it */
} job;

static double limit_s;

nb_status nb_isolated_limit(const char *text) {
    static const nb_option limit = {"--plugin-limit", "s", 0, 1e-3, 1e9, 0, NULL, ""};
    return nb_options_set(&limit, 1, "command line", limit.name, text, &limit_s);
}

/* who is to blame for a run, for messages: the class that a plugin brought of those that it uses */
static const char *culprit(const nb_request *request) {
    const nb_plugin_class *type = nb_plugin_find(NB_PLUGIN_METHOD, request->info.method);
    if (!type) type = nb_plugin_find(NB_PLUGIN_LINEAR_SOLVER, request->info.linear_solver);
    if (!type) type = nb_plugin_find(NB_PLUGIN_PRECONDITIONER, request->info.preconditioner);
    return type ? type->title : nb_plugins_loaded() ? "no plugin" : "ncpbench alone";
}

/* the stricter of the limits on a pass */
static void set_limit(job *j) {
    double of_run = j->request->info.time_limit;
    int own = of_run > 0 && !(limit_s > 0 && limit_s < of_run);
    j->limit_s = own ? of_run : limit_s;
    j->limit_name = own ? "--time-limit" : "--plugin-limit";
}

/* ---- in the child ---- */

static nb_status make_run(const job *j, nb_run **run) {
    *run = j->repeated;
    if (j->repeated) return nb_simulate_repeat(j->request, j->repeated);
    return nb_simulate(j->request, j->progress, j->progress_context, run);
}

static int be_child(const void *context, FILE *answer) {
    const job *j = context;
    nb_run *run = NULL;
    char message[512];
    nb_status status = make_run(j, &run);
    snprintf(message, sizeof message, "%s", nb_error_message());
    /* what else was written there, a plugin wrote that tried descriptors */
    if (ftruncate(fileno(answer), 0) != 0) return 0;
    rewind(answer);
    int written = fwrite(&status, sizeof status, 1, answer) == 1 && fwrite(message, sizeof message, 1, answer) == 1;
    if (written && status == NB_OK) written = nb_run_send(answer, run) == NB_OK;
    if (written && status == NB_OK && j->request->contact_problem)
        written = nb_contact_problem_send(answer, j->request->contact_problem) == NB_OK;
    return written ? HANDED_ON : 0;
}

/* ---- in the parent ---- */

/* Who is to blame for the end of a child that left no answer. */
static nb_status explain_end(const job *j, const nb_child *child) {
    nb_plugin_place place = *nb_plugin_now;
    const char *call = nb_plugin_call_name(place.call);
    char end[64];
    nb_child_end(child, end);
    if (child->late && !place.type)
        return nb_fail(NB_ERROR_INPUT, "the run takes more than %g s (%s)", j->limit_s, j->limit_name);
    if (child->late)
        return nb_fail(NB_ERROR_INPUT, "%s: the run takes more than %g s (%s) and is in %s", place.type->title,
                       j->limit_s, j->limit_name, call);
    if (!place.type)
        return nb_fail(NB_ERROR_INPUT,
                       "a run with %s ended the program outside its functions %s: perhaps it overwrote memory",
                       culprit(j->request), end);
    return nb_fail(NB_ERROR_INPUT, "%s: %s %s %s", place.type->title, call,
                   child->signal ? "crashes" : "ends the program", end);
}

/* the child's fault as its own, or its run; memory that the child had not enough of may be there now */
static nb_status read_answer(const job *j, FILE *answer, nb_run **run) {
    nb_status status;
    char message[512];
    if (fread(&status, sizeof status, 1, answer) != 1 || fread(message, sizeof message, 1, answer) != 1)
        return nb_fail(NB_ERROR_INPUT, "a run with %s leaves no result", culprit(j->request));
    if (status == NB_OK) {
        status = nb_run_receive(answer, run);
        if (status != NB_OK || !j->request->contact_problem) return status;
        return nb_contact_problem_receive(answer, j->request->contact_problem);
    }
    int own = status == NB_ERROR_MEMORY || status == NB_ERROR_IO;
    return nb_fail(own ? NB_ERROR_INPUT : status, "%.*s", (int)sizeof message - 1, message);
}

/* Makes the run of the job in a child; *run stays NULL unless it ends well. */
static nb_status isolate(job *j, nb_run **run, nb_ending *ending) {
    nb_status status;
    nb_child child = {0};
    *run = NULL;
    *ending = NB_ENDED_REFUSED;
    set_limit(j);
    NB_TRY(nb_plugin_place_share());
    *nb_plugin_now = (nb_plugin_place){NULL, NB_PLUGIN_OUTSIDE};
    NB_TRY(nb_child_start("run a plugin in", be_child, j, NB_CHILD_BOUND, &child));
    nb_child_await(&child, j->limit_s, &nb_interrupted);
    if (child.exit_status == HANDED_ON) {
        status = read_answer(j, child.answer, run);
        if (status == NB_OK) *ending = NB_ENDED_WELL;
    } else if (nb_interrupted) {
        *ending = NB_ENDED_INTERRUPTED;
    } else {
        *ending = child.late ? NB_ENDED_LATE : NB_ENDED_DEAD;
        status = explain_end(j, &child);
    }
out:
    nb_child_clear(&child);
    return status;
}

nb_status nb_isolated_pass(const nb_request *request, nb_run **run, nb_ending *ending) {
    job j = {.request = request, .repeated = *run};
    nb_run *made = NULL;
    nb_status status = isolate(&j, &made, ending);
    if (!made) return status;
    nb_run_destroy(*run);
    *run = made;
    return status;
}

nb_status nb_isolated_simulate(const nb_request *request, nb_progress *progress, void *progress_context,
                               nb_checkpoint *checkpoint, int32_t index, nb_run **run) {
    job j = {.request = request, .progress = progress, .progress_context = progress_context};
    nb_ending ending;
    if (!nb_plugins_loaded()) return nb_simulate_resumable(request, progress, progress_context, checkpoint, index, run);
    nb_status status = isolate(&j, run, &ending);
    if (status == NB_OK && !*run) status = nb_run_create(run); /* interrupted */
    return status;
}

nb_status nb_isolated_repeat(const nb_request *request, nb_run **run) {
    nb_ending ending;
    if (!nb_plugins_loaded()) return nb_simulate_repeat(request, *run);
    nb_status status = nb_isolated_pass(request, run, &ending);
    return status == NB_OK && ending == NB_ENDED_INTERRUPTED ? nb_interrupt_check() : status;
}

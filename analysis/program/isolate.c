#include "isolate.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "command.h"
#include "interrupt.h"
#include "plugin/plugin.h"
#include "record/transfer.h"

NB_PRECISIONS(f64);

enum {
    HANDED_ON = 40 /* the child's exit status where it wrote its answer; anything else is a death */
};

static double limit_s;

nb_status nb_isolated_limit(const char *text) {
    return nb_command_number("--plugin-limit", text, "s", 1e-3, 1e9, &limit_s);
}

/* who is to blame for a run, for messages: the class that a plugin brought of those that it uses */
static const char *culprit(const nb_request *request) {
    const nb_plugin_class *type = nb_plugin_find(NB_PLUGIN_METHOD, request->info.method);
    if (!type) type = nb_plugin_find(NB_PLUGIN_LINEAR_SOLVER, request->info.linear_solver);
    if (!type) type = nb_plugin_find(NB_PLUGIN_PRECONDITIONER, request->info.preconditioner);
    return type ? type->title : nb_plugins_loaded() ? "no plugin" : "ncpbench alone";
}

static const double grace = 1.25; /* a run on a problem file ends by itself at its limit, with its history */

/* the stricter of the limits on a pass */
static void set_limit(nb_isolated *pass) {
    double of_run = pass->request->info.time_limit;
    int own = of_run > 0 && !(limit_s > 0 && limit_s < of_run);
    pass->limit_s = own ? of_run : limit_s;
    pass->limit_name = own ? "--time-limit" : "--plugin-limit";
    const double most = pass->limit_s * (own && pass->request->problem_path ? grace : 1);
    pass->deadline = pass->limit_s > 0 ? nb_clock_seconds() + most : INFINITY;
}

/* ---- in the child ---- */

static nb_status make_run(const nb_isolated *pass, nb_run **run) {
    *run = pass->repeated;
    if (pass->repeated) return nb_simulate_repeat(pass->request, pass->repeated);
    return nb_simulate(pass->request, pass->progress, pass->progress_context, run);
}

/* Its answer is an nb_status, its message, and the run (and contact problem) where it is NB_OK. */
static int be_child(const void *context, FILE *answer) {
    const nb_isolated *pass = context;
    nb_run *run = NULL;
    char message[512];
    nb_plugin_now = pass->place;
    nb_status status = make_run(pass, &run);
    snprintf(message, sizeof message, "%s", nb_error_message());
    /* what else was written there, a plugin wrote that tried descriptors */
    if (ftruncate(fileno(answer), 0) != 0) return 0;
    rewind(answer);
    int written = fwrite(&status, sizeof status, 1, answer) == 1 && fwrite(message, sizeof message, 1, answer) == 1;
    if (written && status == NB_OK) written = nb_run_send(answer, run) == NB_OK;
    if (written && status == NB_OK && pass->request->contact_problem)
        written = nb_contact_problem_send(answer, pass->request->contact_problem) == NB_OK;
    return written ? HANDED_ON : 0;
}

/* ---- in the parent ---- */

/* Who is to blame for the end of a child that left no answer. */
static nb_status explain_end(const nb_isolated *pass) {
    nb_plugin_place place = *pass->place;
    const char *call = nb_plugin_call_name(place.call);
    char end[64];
    nb_child_end(&pass->child, end);
    if (pass->child.late && !place.type)
        return nb_fail(NB_ERROR_INPUT, "the run takes more than %g s (%s)", pass->limit_s, pass->limit_name);
    if (pass->child.late)
        return nb_fail(NB_ERROR_INPUT, "%s: the run takes more than %g s (%s) and is in %s", place.type->title,
                       pass->limit_s, pass->limit_name, call);
    if (!place.type)
        return nb_fail(NB_ERROR_INPUT,
                       "a run with %s ended the program outside its functions %s: perhaps it overwrote memory",
                       culprit(pass->request), end);
    return nb_fail(NB_ERROR_INPUT, "%s: %s %s %s", place.type->title, call,
                   pass->child.signal ? "crashes" : "ends the program", end);
}

/* the child's fault as its own, or its run; memory that the child had not enough of may be there now */
static nb_status read_answer(const nb_isolated *pass, nb_run **run) {
    nb_status status;
    char message[512];
    FILE *answer = pass->child.answer;
    if (fread(&status, sizeof status, 1, answer) != 1 || fread(message, sizeof message, 1, answer) != 1)
        return nb_fail(NB_ERROR_INPUT, "a run with %s leaves no result", culprit(pass->request));
    if (status == NB_OK) {
        status = nb_run_receive(answer, run);
        if (status != NB_OK || !pass->request->contact_problem) return status;
        return nb_contact_problem_receive(answer, pass->request->contact_problem);
    }
    int own = status == NB_ERROR_MEMORY || status == NB_ERROR_IO;
    return nb_fail(own ? NB_ERROR_INPUT : status, "%.*s", (int)sizeof message - 1, message);
}

nb_status nb_isolated_start(const nb_request *request, nb_progress *progress, void *progress_context, nb_run *repeated,
                            nb_isolated *pass) {
    nb_status status;
    *pass = (nb_isolated){
        .request = request, .progress = progress, .progress_context = progress_context, .repeated = repeated};
    set_limit(pass);
    NB_TRY(nb_plugin_place_share(&pass->place));
    NB_TRY(nb_child_start("make a run in", be_child, pass, NB_CHILD_BOUND, &pass->child));
out:
    if (status != NB_OK) nb_isolated_clear(pass);
    return status;
}

nb_status nb_isolated_end(nb_isolated *pass, nb_run **run, nb_ending *ending) {
    nb_status status = NB_OK;
    const double left = isfinite(pass->deadline) ? fmax(pass->deadline - nb_clock_seconds(), 1e-6) : 0;
    *run = NULL;
    *ending = NB_ENDED_REFUSED;
    nb_child_await(&pass->child, left, &nb_interrupted);
    if (pass->child.exit_status == HANDED_ON) {
        status = read_answer(pass, run);
        if (status == NB_OK) *ending = NB_ENDED_WELL;
    } else if (nb_interrupted) {
        *ending = NB_ENDED_INTERRUPTED;
    } else {
        *ending = pass->child.late ? NB_ENDED_LATE : NB_ENDED_DEAD;
        status = explain_end(pass);
    }
    nb_isolated_clear(pass);
    return status;
}

void nb_isolated_clear(nb_isolated *pass) {
    nb_child_clear(&pass->child);
    nb_plugin_place_release(pass->place);
    *pass = (nb_isolated){.child = {0}};
}

nb_status nb_isolated_simulate(const nb_request *request, nb_run **run) {
    nb_isolated pass;
    nb_ending ending;
    if (!nb_plugins_loaded()) return nb_simulate(request, NULL, NULL, run);
    nb_status status = nb_isolated_start(request, NULL, NULL, NULL, &pass);
    if (status == NB_OK) status = nb_isolated_end(&pass, run, &ending);
    if (status == NB_OK && !*run) status = nb_run_create(run); /* interrupted */
    return status;
}

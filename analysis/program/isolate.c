#include "isolate.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/options.h"
#include "channel.h"
#include "interrupt.h"
#include "plugin.h"
#include "record/transfer.h"

NB_PRECISIONS(f64);

enum {
    HANDED_ON = 40, /* the child's exit status where it wrote its answer; anything else is a death */
    ATTENTION_MS = 100
};

/* what the child does, and what it leaves in a file that both have open */
typedef struct job {
    const nb_request *request;
    nb_progress *progress;
    void *progress_context;
    nb_run *repeated;       /* the run to repeat, or NULL: a new one */
    double limit_s;         /* 0: none */
    const char *limit_name; /* the option that gave it */
    FILE *answer;           /* an nb_status, its message, and the run (and contact problem) where it is NB_OK */
    pid_t child;
    int alive[2]; /* a pipe that closes when the child ends */
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
    double of_run = j->request->time_limit;
    int own = of_run > 0 && !(limit_s > 0 && limit_s < of_run);
    j->limit_s = own ? of_run : limit_s;
    j->limit_name = own ? "--time-limit" : "--plugin-limit";
}

/* ---- in the child ---- */

static nb_status make_run(const job *j, nb_run **run) {
    *run = j->repeated;
    if (j->repeated) return nb_simulate_repeat(j->request, j->repeated);
    return nb_simulate(j->request, j->progress, j->progress_context, NULL, run);
}

/* A plugin that calls exit must not reach the exit handlers of the HDF5 library, which would close the parent's record
 * with what the child knows of it. The latest handler is called first. */
static void leave_at_once(int exit_status, void *context) {
    (void)context;
    _exit(exit_status);
}

/* Does the job. The parent decides what an interrupt means, and its death is the child's. Standard output is for data
 * that the parent prints; a plugin's own words go to standard error. */
static void be_child(const job *j, pid_t parent) {
    nb_run *run = NULL;
    char message[512];
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    on_exit(leave_at_once, NULL);
    nb_status status = make_run(j, &run);
    snprintf(message, sizeof message, "%s", nb_error_message());
    fflush(stdout);
    int written =
        fwrite(&status, sizeof status, 1, j->answer) == 1 && fwrite(message, sizeof message, 1, j->answer) == 1;
    if (written && status == NB_OK) written = nb_run_send(j->answer, run) == NB_OK;
    if (written && status == NB_OK && j->request->contact_problem)
        written = nb_contact_problem_send(j->answer, j->request->contact_problem) == NB_OK;
    _exit(written && fflush(j->answer) == 0 ? HANDED_ON : 0);
}

/* ---- in the parent ---- */

static void close_channels(job *j) {
    if (j->answer) fclose(j->answer);
    if (j->alive[0] >= 0) close(j->alive[0]);
    if (j->alive[1] >= 0) close(j->alive[1]);
}

static nb_status begin_child(job *j) {
    pid_t parent = getpid();
    *nb_plugin_now = (nb_plugin_place){NULL, NB_PLUGIN_OUTSIDE};
    fflush(NULL); /* else the child would print it again */
    j->child = fork();
    if (j->child == 0) {
        close(j->alive[0]);
        be_child(j, parent);
    }
    close(j->alive[1]);
    j->alive[1] = -1;
    return j->child > 0 ? NB_OK : nb_fail(NB_ERROR_IO, "no process to run a plugin in: %s", strerror(errno));
}

/* Waits until the child is over, or an interrupt or the limit of time ends it. */
static int await_child(const job *j, int *late) {
    double start = nb_clock_seconds();
    struct pollfd alive = {.fd = j->alive[0]};
    int how = 0;
    *late = 0;
    while (poll(&alive, 1, ATTENTION_MS) <= 0) { /* it is ready when the child's end is closed */
        *late = j->limit_s > 0 && nb_clock_seconds() - start > j->limit_s;
        if (!*late && !nb_interrupted) continue;
        kill(j->child, SIGKILL);
        break;
    }
    while (waitpid(j->child, &how, 0) < 0 && errno == EINTR) continue;
    return how;
}

/* "(Segmentation fault)", "(exit status 3)" */
static void describe_end(int how, char text[64]) {
    if (WIFSIGNALED(how))
        snprintf(text, 64, "(%s)", strsignal(WTERMSIG(how)));
    else
        snprintf(text, 64, "(exit status %d)", WEXITSTATUS(how));
}

/* Who is to blame for the end of a child that left no answer. */
static nb_status explain_end(const job *j, int how, int late) {
    nb_plugin_place place = *nb_plugin_now;
    const char *call = nb_plugin_call_name(place.call);
    char end[64];
    describe_end(how, end);
    if (late && !place.type)
        return nb_fail(NB_ERROR_INPUT, "the run takes more than %g s (%s)", j->limit_s, j->limit_name);
    if (late)
        return nb_fail(NB_ERROR_INPUT, "%s: the run takes more than %g s (%s) and is in %s", place.type->title,
                       j->limit_s, j->limit_name, call);
    if (!place.type)
        return nb_fail(NB_ERROR_INPUT,
                       "a run with %s ended the program outside its functions %s: perhaps it overwrote memory",
                       culprit(j->request), end);
    return nb_fail(NB_ERROR_INPUT, "%s: %s %s %s", place.type->title, call,
                   WIFSIGNALED(how) ? "crashes" : "ends the program", end);
}

/* the child's fault as its own, or its run; memory that the child had not enough of may be there now */
static nb_status read_answer(const job *j, nb_run **run) {
    nb_status status;
    char message[512];
    rewind(j->answer);
    if (fread(&status, sizeof status, 1, j->answer) != 1 || fread(message, sizeof message, 1, j->answer) != 1)
        return nb_fail(NB_ERROR_INPUT, "a run with %s leaves no result", culprit(j->request));
    if (status == NB_OK) {
        status = nb_run_receive(j->answer, run);
        if (status != NB_OK || !j->request->contact_problem) return status;
        return nb_contact_problem_receive(j->answer, j->request->contact_problem);
    }
    int own = status == NB_ERROR_MEMORY || status == NB_ERROR_IO;
    return nb_fail(own ? NB_ERROR_INPUT : status, "%.*s", (int)sizeof message - 1, message);
}

/* Makes the run of the job in a child; *run stays NULL unless it ends well. */
static nb_status isolate(job *j, nb_run **run, nb_ending *ending) {
    nb_status status;
    int how, late;
    j->alive[0] = j->alive[1] = -1;
    *run = NULL;
    *ending = NB_ENDED_REFUSED;
    set_limit(j);
    NB_TRY(nb_plugin_place_share());
    NB_TRY(nb_channel_open("a plugin", &j->answer, j->alive));
    NB_TRY(begin_child(j));
    how = await_child(j, &late);
    if (WIFEXITED(how) && WEXITSTATUS(how) == HANDED_ON) {
        status = read_answer(j, run);
        if (status == NB_OK) *ending = NB_ENDED_WELL;
    } else if (nb_interrupted) {
        *ending = NB_ENDED_INTERRUPTED;
    } else {
        *ending = late ? NB_ENDED_LATE : NB_ENDED_DEAD;
        status = explain_end(j, how, late);
    }
out:
    close_channels(j);
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
    if (!nb_plugins_loaded())
        return nb_simulate_resumable(request, progress, progress_context, &nb_interrupted, checkpoint, index, run);
    nb_status status = isolate(&j, run, &ending);
    if (status == NB_OK && !*run) status = nb_run_create(run); /* interrupted */
    return status;
}

nb_status nb_isolated_repeat(const nb_request *request, nb_run **run) {
    nb_ending ending;
    return nb_plugins_loaded() ? nb_isolated_pass(request, run, &ending) : nb_simulate_repeat(request, *run);
}

#include "progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "text/plain.h"

/* seconds between updates: of the bar, of plain lines */
static const double bar_interval = 0.1, line_interval = 10;

nb_status nb_progress_begin(nb_progress_bar *bar, const nb_plan *plan, const char *done, int32_t jobs) {
    double now = nb_clock_seconds();
    *bar = (nb_progress_bar){
        .plan = plan, .at = -1, .terminal = isatty(STDERR_FILENO), .jobs = jobs, .begun = now, .shown = now};
    nb_status status = NB_ALLOCATE(plan->count, &bar->each);
    for (int64_t i = 0; i < plan->count && status == NB_OK; i++) {
        const nb_run_info *info = &plan->requests[i]->info;
        bar->each[i].kind = nb_plan_kind(plan, i);
        bar->each[i].passes = done[i] ? 0 : 1 + info->warmup;
        bar->each[i].repeats = done[i] ? 0 : info->repeats;
        bar->passes += bar->each[i].passes + bar->each[i].repeats;
        bar->runs_done += done[i];
    }
    return status;
}

void nb_progress_end(nb_progress_bar *bar) {
    nb_free(bar->each);
    bar->each = NULL;
}

static void wipe(const nb_progress_bar *bar) {
    if (bar->terminal) fputs("\r\033[K", stderr);
}

/* "1:05" or "2:03:04" */
static void format_time(double seconds, char text[24]) {
    long s = seconds < 1e8 ? (long)(seconds + 0.5) : 99999999;
    if (s >= 3600)
        snprintf(text, 24, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(text, 24, "%ld:%02ld", s / 60, s % 60);
}

/* [s] until all is made, or NaN. The steps of a pass tell it where they are all of it, from the second one on: before
 * the first the scene is built and settled. */
static double time_left(const nb_progress_bar *bar, double now) {
    double rest = NAN;
    if (bar->at >= 0) {
        const nb_request *request = bar->plan->requests[bar->at];
        int all = request->info.batch <= 1 && !request->info.reference && !request->limits;
        int steps = bar->step - bar->first_step;
        if (all && steps > 0) rest = (now - bar->stepped) / steps * (bar->steps - bar->step);
    }
    return nb_time_left(bar->each, bar->plan->count, bar->at, bar->repeat, now - bar->pass_begun, rest) / bar->jobs;
}

/* "; 1:05 so far, 3:20 left", once there is something to judge by; the time left only where that is known */
static void format_times(const nb_progress_bar *bar, double now, char text[80]) {
    char so_far[24], left[24];
    double seconds = time_left(bar, now);
    *text = '\0';
    if (now - bar->begun < 0.5) return;
    format_time(now - bar->begun, so_far);
    int length = snprintf(text, 80, "; %s so far", so_far);
    if (isnan(seconds)) return;
    format_time(seconds, left);
    snprintf(text + length, 80 - (size_t)length, ", %s left", left);
}

/* counted from 1; repetitions come after the last run */
static int64_t current_run(const nb_progress_bar *bar) {
    return bar->runs_done < bar->plan->count ? bar->runs_done + 1 : bar->plan->count;
}

/* Prints the line no wider than the terminal, in whole characters of UTF-8. */
static void put_line(const char *line) {
    struct winsize window = {0};
    int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
    int bytes = 0;
    for (int columns = 0; line[bytes] && columns < width - 1; columns++)
        for (bytes++; ((unsigned char)line[bytes] & 0xc0) == 0x80;) bytes++;
    nb_print(stderr, "\r\033[K%.*s", bytes, line);
    fflush(stderr);
}

/* how much of it is filled is how many of the passes are made; `what` is under way */
static void draw_bar(const nb_progress_bar *bar, const char *times, const char *what) {
    enum {
        LENGTH = 16
    };
    double part = bar->steps > 0 ? (double)bar->step / bar->steps : 0;
    double done = ((double)bar->passes_done + part) / (double)bar->passes;
    char line[512], filled[LENGTH + 1];
    for (int i = 0; i < LENGTH; i++) filled[i] = i < (int)(done * LENGTH) ? '#' : '.';
    filled[LENGTH] = '\0';
    snprintf(line, sizeof line, "[%s] %3.0f%%%s, run %lld/%lld, %s", filled, 100 * done, times,
             (long long)current_run(bar), (long long)bar->plan->count, what);
    put_line(line);
}

/* whether it is time for an update */
static int is_due(nb_progress_bar *bar, double now) {
    if (now - bar->shown < (bar->terminal ? bar_interval : line_interval)) return 0;
    bar->shown = now;
    return 1;
}

/* an update on the pass at hand, where it is time for one */
static void show(nb_progress_bar *bar) {
    double now = nb_clock_seconds();
    char times[80], what[240];
    if (bar->jobs > 1 || !is_due(bar, now)) return;
    format_times(bar, now, times);
    snprintf(what, sizeof what, "step %d/%d: %s", bar->step, bar->steps, bar->label);
    if (bar->terminal)
        draw_bar(bar, times, what);
    else
        nb_print(stderr, "[%lld/%lld] %s: step %d of %d%s\n", (long long)current_run(bar), (long long)bar->plan->count,
                 bar->label, bar->step, bar->steps, times);
}

void nb_progress_wait(nb_progress_bar *bar, int32_t busy) {
    double now = nb_clock_seconds();
    char times[80], what[40];
    if (!is_due(bar, now)) return;
    format_times(bar, now, times);
    snprintf(what, sizeof what, "%d at a time", (int)busy);
    if (bar->terminal)
        draw_bar(bar, times, what);
    else
        nb_print(stderr, "[%lld/%lld] %s%s\n", (long long)current_run(bar), (long long)bar->plan->count, what, times);
}

void nb_progress_pass(nb_progress_bar *bar, int64_t run, int repeat, const char *label) {
    nb_text_plain(label, bar->label, sizeof bar->label);
    bar->pass_begun = nb_clock_seconds();
    bar->at = run;
    bar->repeat = repeat;
    bar->first_step = bar->step = 0;
    bar->stepped = 0;
    bar->steps = bar->plan->requests[run]->info.steps;
    *(repeat ? &bar->each[run].repeats : &bar->each[run].passes) -= 1;
    show(bar);
}

void nb_progress_step(void *context, int32_t step, int32_t steps) {
    nb_progress_bar *bar = context;
    bar->step = step;
    bar->steps = steps;
    if (bar->stepped == 0) {
        bar->stepped = nb_clock_seconds();
        bar->first_step = step;
    }
    show(bar);
}

void nb_progress_pass_done(nb_progress_bar *bar, int whole) {
    nb_timed_run *kind = &bar->each[bar->each[bar->at].kind];
    int resumed = bar->first_step > 1; /* its first steps were made before the command was interrupted */
    if (whole && !resumed) *(bar->repeat ? &kind->repeat_s : &kind->pass_s) = nb_clock_seconds() - bar->pass_begun;
    bar->passes_done++;
    bar->at = -1;
    wipe(bar);
}

/* no more passes are made of the run */
static void drop(nb_progress_bar *bar, int64_t run) {
    bar->passes -= bar->each[run].passes + bar->each[run].repeats;
    bar->each[run].passes = bar->each[run].repeats = 0;
}

void nb_progress_run_done(nb_progress_bar *bar, int64_t run, const char *trouble) {
    char times[80];
    double now = nb_clock_seconds();
    if (trouble) drop(bar, run);
    bar->runs_done++;
    if (bar->terminal) return;
    format_times(bar, now, times);
    nb_print(stderr, "[%lld/%lld] %s: %s%s%.2f s%s\n", (long long)bar->runs_done, (long long)bar->plan->count,
             bar->label, trouble ? trouble : "", trouble ? " after " : "", now - bar->pass_begun,
             bar->runs_done < bar->plan->count && !trouble ? times : "");
    bar->shown = now;
}

void nb_progress_run_dropped(nb_progress_bar *bar, int64_t run) {
    bar->runs_done += !bar->repeat; /* else it was counted when it was recorded */
    drop(bar, run);
}

void nb_progress_note(nb_progress_bar *bar, const char *format, ...) {
    va_list arguments;
    wipe(bar);
    va_start(arguments, format);
    nb_vprint(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

/* How long a command will still take, where the runs that are done tell: no run is judged by one that differs from it
 * in more than its seed. Else nothing is known: the sizes of scenes and the limits of iterations say too little. Plain
 * arithmetic; nothing is measured here. */

/* what takes so many times as long as those of its kind is like none of them */
static const double slack = 1.2;

/* [s] of so many passes of `each` seconds */
static double times(int64_t passes, double each) {
    if (passes == 0) return 0;
    return each > 0 ? (double)passes * each : NAN;
}

double nb_time_left(const nb_timed_run *runs, int64_t count, int64_t at, int repeat, double elapsed, double rest) {
    double left = 0;
    if (at >= 0 && isnan(rest)) {
        const nb_timed_run *kind = &runs[runs[at].kind];
        double whole = repeat && kind->repeat_s > 0 ? kind->repeat_s : kind->pass_s;
        rest = elapsed < slack * whole ? fmax(whole - elapsed, 0) : NAN;
    }
    if (at >= 0) left += rest;
    for (int64_t i = 0; i < count; i++) {
        const nb_timed_run *run = &runs[i], *kind = &runs[run->kind];
        double pass = kind->pass_s, repetition;
        if (pass <= 0 && at >= 0 && !repeat && runs[at].kind == run->kind) pass = elapsed + rest;
        repetition = kind->repeat_s > 0 ? kind->repeat_s : pass; /* which records besides */
        left += times(run->passes, pass) + times(run->repeats, repetition);
    }
    return left;
}

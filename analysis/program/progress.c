#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"

/* a sign of life this often [s]: the bar, plain lines */
static const double bar_interval = 0.1, line_interval = 10;

void nb_progress_begin(nb_progress_bar *bar, int64_t runs, int64_t steps) {
    double now = nb_clock_seconds();
    *bar =
        (nb_progress_bar){.runs = runs, .steps = steps, .terminal = isatty(STDERR_FILENO), .begun = now, .shown = now};
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

/* "3:20 left", once there is something to judge by */
static void format_left(const nb_progress_bar *bar, double done, char text[32]) {
    char time[24];
    double elapsed = nb_clock_seconds() - bar->begun;
    *text = '\0';
    if (done <= 0 || elapsed < 0.5) return;
    format_time(elapsed * (1 - done) / done, time);
    snprintf(text, 32, ", %s left", time);
}

/* counted from 1; repetitions come after the last run */
static int64_t current_run(const nb_progress_bar *bar) {
    return bar->runs_done < bar->runs ? bar->runs_done + 1 : bar->runs;
}

static void draw_bar(const nb_progress_bar *bar, double done, int32_t step, int32_t steps) {
    enum {
        LENGTH = 16
    };
    struct winsize window = {0};
    int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 20 ? window.ws_col : 80;
    char line[512], left[32], filled[LENGTH + 1];
    for (int i = 0; i < LENGTH; i++) filled[i] = i < (int)(done * LENGTH) ? '#' : '.';
    filled[LENGTH] = '\0';
    format_left(bar, done, left);
    snprintf(line, sizeof line, "[%s] %3.0f%%%s, run %lld/%lld, step %d/%d: %s", filled, 100 * done, left,
             (long long)current_run(bar), (long long)bar->runs, step, steps, bar->label);
    fprintf(stderr, "\r\033[K%.*s", width - 1, line);
    fflush(stderr);
}

void nb_progress_pass(nb_progress_bar *bar, const char *label) {
    snprintf(bar->label, sizeof bar->label, "%s", label);
    bar->pass_begun = nb_clock_seconds();
}

void nb_progress_step(void *context, int32_t step, int32_t steps) {
    nb_progress_bar *bar = context;
    double now = nb_clock_seconds(), done = bar->steps > 0 ? (double)(bar->steps_done + step) / (double)bar->steps : 0;
    if (now - bar->shown < (bar->terminal ? bar_interval : line_interval)) return;
    bar->shown = now;
    if (bar->terminal) {
        draw_bar(bar, done, step, steps);
        return;
    }
    char left[32];
    format_left(bar, done, left);
    fprintf(stderr, "[%lld/%lld] %s: step %d of %d%s\n", (long long)current_run(bar), (long long)bar->runs, bar->label,
            step, steps, left);
}

void nb_progress_pass_done(nb_progress_bar *bar, int32_t steps) {
    bar->steps_done += steps;
    wipe(bar);
}

void nb_progress_run_done(nb_progress_bar *bar, const char *trouble) {
    bar->runs_done++;
    if (bar->terminal) return;
    double now = nb_clock_seconds();
    char left[32];
    format_left(bar, bar->steps > 0 ? (double)bar->steps_done / (double)bar->steps : 0, left);
    fprintf(stderr, "[%lld/%lld] %s: %s%s%.2f s%s\n", (long long)bar->runs_done, (long long)bar->runs, bar->label,
            trouble ? trouble : "", trouble ? " after " : "", now - bar->pass_begun,
            bar->runs_done < bar->runs && !trouble ? left : "");
    bar->shown = now;
}

void nb_progress_note(nb_progress_bar *bar, const char *format, ...) {
    va_list arguments;
    wipe(bar);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

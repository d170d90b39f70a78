#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "text/plain.h"

/* seconds between updates: of the bar, of plain lines */
static const double bar_interval = 0.1, line_interval = 10;

void nb_progress_begin(nb_progress_bar *bar, nb_forecast *forecast, const nb_forecast_work *works) {
    double now = nb_clock_seconds();
    *bar = (nb_progress_bar){.runs = forecast->count,
                             .forecast = *forecast,
                             .works = works,
                             .terminal = isatty(STDERR_FILENO),
                             .begun = now,
                             .shown = now};
    *forecast = (nb_forecast){0};
}

void nb_progress_end(nb_progress_bar *bar) {
    nb_forecast_clear(&bar->forecast);
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

/* ", 3:20 left", once there is something to judge by */
static void format_left(const nb_progress_bar *bar, double left, char text[32]) {
    char time[24];
    *text = '\0';
    if (nb_clock_seconds() - bar->begun < 0.5) return;
    format_time(left, time);
    snprintf(text, 32, ", %s left", time);
}

/* counted from 1; repetitions come after the last run */
static int64_t current_run(const nb_progress_bar *bar) {
    return bar->runs_done < bar->runs ? bar->runs_done + 1 : bar->runs;
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

static void draw_bar(const nb_progress_bar *bar, double seconds_left, int32_t step, int32_t steps) {
    enum {
        LENGTH = 16
    };
    double elapsed = nb_clock_seconds() - bar->begun, done = elapsed / (elapsed + seconds_left);
    char line[512], left[32], filled[LENGTH + 1];
    for (int i = 0; i < LENGTH; i++) filled[i] = i < (int)(done * LENGTH) ? '#' : '.';
    filled[LENGTH] = '\0';
    format_left(bar, seconds_left, left);
    snprintf(line, sizeof line, "[%s] %3.0f%%%s, run %lld/%lld, step %d/%d: %s", filled, 100 * done, left,
             (long long)current_run(bar), (long long)bar->runs, step, steps, bar->label);
    put_line(line);
}

/* an update, where it is time for one */
static void show(nb_progress_bar *bar, int32_t step, int32_t steps) {
    double now = nb_clock_seconds();
    if (now - bar->shown < (bar->terminal ? bar_interval : line_interval)) return;
    bar->shown = now;
    bar->forecast.elapsed = now - bar->pass_begun;
    double seconds = nb_forecast_left(&bar->forecast);
    if (bar->terminal) {
        draw_bar(bar, seconds, step, steps);
        return;
    }
    char left[32];
    format_left(bar, seconds, left);
    nb_print(stderr, "[%lld/%lld] %s: step %d of %d%s\n", (long long)current_run(bar), (long long)bar->runs, bar->label,
             step, steps, left);
}

void nb_progress_pass(nb_progress_bar *bar, int64_t run, int repeat, const char *label) {
    nb_text_plain(label, bar->label, sizeof bar->label);
    bar->pass_begun = nb_clock_seconds();
    bar->forecast.at = run;
    bar->forecast.repeat = repeat;
    bar->forecast.fraction = bar->forecast.elapsed = 0;
    show(bar, 0, (int32_t)bar->works[run].steps);
}

void nb_progress_step(void *context, int32_t step, int32_t steps) {
    nb_progress_bar *bar = context;
    bar->forecast.fraction = nb_forecast_share(&bar->works[bar->forecast.at], step);
    show(bar, step, steps);
}

void nb_progress_pass_done(nb_progress_bar *bar) {
    nb_forecast_run *run = &bar->forecast.runs[bar->forecast.at];
    double took = nb_clock_seconds() - bar->pass_begun;
    *(bar->forecast.repeat ? &run->repeats_done : &run->passes_done) += 1;
    *(bar->forecast.repeat ? &run->repeats_s : &run->passes_s) += took;
    bar->forecast.fraction = bar->forecast.elapsed = 0;
    bar->forecast.at = -1;
    wipe(bar);
}

void nb_progress_run_done(nb_progress_bar *bar, int64_t run, const char *trouble) {
    nb_forecast_run *r = &bar->forecast.runs[run];
    if (trouble) r->passes = r->passes_done, r->repeats = r->repeats_done;
    bar->runs_done++;
    if (bar->terminal) return;
    double now = nb_clock_seconds();
    char left[32];
    format_left(bar, nb_forecast_left(&bar->forecast), left);
    nb_print(stderr, "[%lld/%lld] %s: %s%s%.2f s%s\n", (long long)bar->runs_done, (long long)bar->runs, bar->label,
             trouble ? trouble : "", trouble ? " after " : "", now - bar->pass_begun,
             bar->runs_done < bar->runs && !trouble ? left : "");
    bar->shown = now;
}

void nb_progress_run_dropped(nb_progress_bar *bar, int64_t run) {
    nb_forecast_run *r = &bar->forecast.runs[run];
    bar->runs_done += !bar->forecast.repeat; /* else it was counted when it was recorded */
    *r = (nb_forecast_run){.prior = r->prior, .repeat_prior = r->repeat_prior};
}

void nb_progress_note(nb_progress_bar *bar, const char *format, ...) {
    va_list arguments;
    wipe(bar);
    va_start(arguments, format);
    nb_vprint(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

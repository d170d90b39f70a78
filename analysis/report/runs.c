#include "report/runs.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "statistics/check_reason.h"
#include "table/recheck.h"
#include "text/html.h"

/* ---- settings ---- */

static const char *setting(const nb_report_runs *runs, int run, int64_t index) {
    return nb_setting_table_text(&runs->settings, run, index);
}

/* The scenario and the linear solver are shown always: they name a run. */
static nb_status compare_settings(nb_report_runs *runs) {
    const nb_status status = NB_ALLOCATE(runs->settings.count, &runs->differs);
    for (int64_t i = 0; status == NB_OK && i < runs->settings.count; i++) {
        const char *first = NULL, *name = runs->settings.name[i];
        runs->differs[i] =
            strcmp(name, "scenario") == 0 || strcmp(name, "linear_solver") == 0 || strcmp(name, "method") == 0;
        for (int r = 0; r < runs->run_count; r++) {
            const char *value = setting(runs, r, i);
            if (!first) first = value;
            if (value && strcmp(value, first) != 0) runs->differs[i] = 1;
        }
    }
    return status;
}

/* ---- reading ---- */

static nb_status read_checks(const nb_run *run, nb_report_run *row) {
    nb_status status = nb_run_recheck(run, &row->checks, &row->recomputed);
    int failed = 0;
    if (status == NB_ERROR_MEMORY) return status;
    if (status != NB_OK) {
        row->checks.count = 0;
        return nb_copy_text(nb_error_message(), &row->check_fault);
    }
    for (int i = 0; i < row->checks.count; i++) failed += !row->checks.items[i].passed;
    if (failed == 0) return NB_OK;
    char reason[512];
    nb_check_reason(run, reason, sizeof reason);
    return nb_copy_text(reason, &row->check_reason);
}

static nb_status read_run(nb_record_reader *reader, int i, nb_report_runs *runs) {
    static const char *const outcome[] = {"steps", NULL}; /* which have a column of their own */
    nb_report_run *row = &runs->runs[i];
    nb_run *run = NULL;
    nb_status status;
    NB_TRY(nb_record_read_run(reader, i, &run));
    snprintf(row->scenario, sizeof row->scenario, "%s", run->info.scenario);
    snprintf(row->linear_solver, sizeof row->linear_solver, "%s", run->info.linear_solver);
    row->steps = run->step_count;
    row->steps_asked = run->info.steps;
    row->bodies = run->info.bodies;
    row->states = row->bodies > 0 ? run->frame_count : 0;
    row->contacts = nb_run_last(run, NB_STEP_CONTACTS);
    row->newton_iterations = nb_run_newton_iterations(run);
    row->linear_iterations = nb_run_linear_iterations(run);
    row->of_system = nb_run_is_system(run);
    row->error = row->of_system ? nb_run_system_residual(run) : nb_run_last(run, NB_STEP_NATURAL_MAP_ERROR);
    row->reason = nb_run_reason_words(run);
    row->finished = run->finished || *run->fault; /* a failed run's reason says so itself */
    row->usage = run->usage;
    row->provenance = run->provenance;
    row->repeats = run->repeat_count;
    NB_TRY(NB_ALLOCATE(runs->column_count, &row->columns));
    for (int c = 0; c < runs->column_count; c++) nb_setting_text(&run->info, runs->columns[c], row->columns[c]);
    NB_TRY(nb_run_step_time(run, &row->step_time));
    NB_TRY(nb_setting_table_add(&runs->settings, &run->info, 9, outcome));
    NB_TRY(read_checks(run, row));
out:
    nb_run_destroy(run);
    return status;
}

nb_status nb_report_runs_read(nb_record_reader *reader, nb_report_runs *runs) {
    nb_status status;
    int count = nb_record_run_count(reader);
    NB_TRY(nb_differing_read(reader, &runs->differing));
    runs->column_count = nb_differing_columns(runs->differing, runs->columns);
    NB_TRY(NB_ALLOCATE(count, &runs->runs));
    for (; runs->run_count < count; runs->run_count++) {
        status = read_run(reader, runs->run_count, runs);
        if (status == NB_OK) continue;
        runs->run_count++; /* what it holds by now is cleared, too */
        goto out;
    }
    status = compare_settings(runs);
out:
    return status;
}

void nb_report_runs_clear(nb_report_runs *runs) {
    for (int r = 0; r < runs->run_count; r++) {
        nb_report_run *run = &runs->runs[r];
        nb_free(run->columns);
        nb_free(run->check_reason);
        nb_free(run->check_fault);
    }
    nb_setting_table_clear(&runs->settings);
    nb_differing_destroy(runs->differing);
    nb_free(runs->differs);
    nb_free(runs->runs);
    memset(runs, 0, sizeof *runs);
}

/* ---- writing ---- */

static void write_heading(const char *name, const char *units, int number, FILE *page) {
    fprintf(page, "<th scope=\"col\"%s>", number ? " class=\"number\"" : "");
    while (*name) { /* a record's names have underscores for spaces; long ones may break after points */
        const size_t length = strcspn(name, "_.");
        const char sign = name[length];
        nb_html_format(page, "%.*s", (int)length, name);
        if (sign) fputs(sign == '_' ? " " : ".<wbr>", page);
        name += length + (sign != 0);
    }
    if (*units) fprintf(page, " <small>[%s]</small>", units);
    fputs("</th>", page);
}

/* NaN sorts last, and stands as a dash */
static void write_number(const char *format, double x, double factor, FILE *page) {
    if (isnan(x)) {
        fputs("<td class=\"number\">–</td>", page);
        return;
    }
    if (isinf(x))
        fprintf(page, "<td class=\"number\" data-value=\"%sInfinity\">", x < 0 ? "-" : "");
    else
        fprintf(page, "<td class=\"number\" data-value=\"%.17g\">", x);
    fprintf(page, format, factor * x);
    fputs("</td>", page);
}

static void write_text(const char *text, FILE *page) {
    fputs("<td>", page);
    nb_html_text(page, text ? text : "–");
    fputs("</td>", page);
}

/* What names a run stands before its outcome, the method first; the other settings in which runs differ come after. */
static const char *const naming[] = {"method", "scenario", "linear_solver", "preconditioner"};
enum {
    NAMING = sizeof naming / sizeof *naming
};

/* setting `k` of those that name runs, or -1 where it says nothing: a linear solver that no run has, or a
 * preconditioner in which none differ */
static int64_t naming_setting(const nb_report_runs *runs, int k) {
    for (int64_t s = 0; s < runs->settings.count; s++) {
        if (strcmp(runs->settings.name[s], naming[k]) != 0) continue;
        for (int r = 0; r < runs->run_count; r++) {
            const char *value = setting(runs, r, s);
            if (k == 3 ? runs->differs[s] : k < 2 || (value && *value)) return s;
        }
    }
    return -1;
}

static int names_run(const nb_report_runs *runs, int64_t s) {
    for (int k = 0; k < NAMING; k++)
        if (naming_setting(runs, k) == s) return 1;
    return 0;
}

static int is_shown_after(const nb_report_runs *runs, int64_t s) {
    return runs->differs[s] && !names_run(runs, s);
}

/* whether runs were repeated, so that their step times spread */
static int have_spread(const nb_report_runs *runs) {
    for (int r = 0; r < runs->run_count; r++)
        if (isfinite(runs->runs[r].step_time.least)) return 1;
    return 0;
}

/* repetitions by their least and most; a pass made once says so */
static void write_spread(const nb_report_run *run, FILE *page) {
    if (isfinite(run->step_time.least))
        fprintf(page, "<td class=\"interval\" data-value=\"%.17g\">%.3g – %.3g</td>", run->step_time.least,
                1e3 * run->step_time.least, 1e3 * run->step_time.most);
    else
        write_text(run->repeats > 0 ? NULL : "cold pass", page);
}

static void write_run(const nb_report_runs *runs, int i, FILE *page) {
    const nb_report_run *run = &runs->runs[i];
    fprintf(page, "<tr><th scope=\"row\">%04d</th>", i);
    for (int k = 0; k < NAMING; k++)
        if (naming_setting(runs, k) >= 0) write_text(setting(runs, i, naming_setting(runs, k)), page);
    write_number("%.2e", run->error, 1, page);
    fprintf(page, "<td>%s%s</td>", run->reason, run->finished ? "" : ", interrupted");
    write_number("%.1f", run->newton_iterations, 1, page);
    write_number("%.1f", run->linear_iterations, 1, page);
    write_number("%.3g", run->step_time.median, 1e3, page);
    if (have_spread(runs)) write_spread(run, page);
    fprintf(page, "<td class=\"number\" data-value=\"%d\">%d", (int)run->steps, (int)run->steps);
    if (run->steps != run->steps_asked) fprintf(page, " of %d", (int)run->steps_asked);
    fputs("</td>", page);
    write_number("%.0f", run->contacts, 1, page);
    write_number("%.3g", run->usage.peak_bytes, 0x1p-20, page);
    write_number("%.3g", run->usage.record_s, 1e3, page);
    for (int64_t s = 0; s < runs->settings.count; s++)
        if (is_shown_after(runs, s)) write_text(setting(runs, i, s), page);
    fputs("</tr>\n", page);
}

void nb_report_settings_write(const nb_report_runs *runs, FILE *page) {
    fputs("<details><summary>Settings that all runs share</summary>\n<dl>\n", page);
    for (int64_t s = 0; s < runs->settings.count; s++) {
        const char *value = NULL;
        for (int r = 0; r < runs->run_count && !value; r++) value = setting(runs, r, s);
        if (runs->differs[s]) continue;
        fputs("<div><dt>", page);
        nb_html_text(page, runs->settings.name[s]);
        fputs("</dt><dd>", page);
        nb_html_text(page, value && *value ? value : "–");
        fputs("</dd></div>\n", page);
    }
    fputs("</dl></details>\n", page);
}

static int of_systems(const nb_report_runs *runs) {
    for (int i = 0; i < runs->run_count; i++)
        if (!runs->runs[i].of_system) return 0;
    return 1;
}

void nb_report_runs_write(const nb_report_runs *runs, FILE *page) {
    fputs("<div class=\"wide\"><table class=\"sortable\" id=\"table-of-runs\">\n<thead><tr>", page);
    write_heading("run", "", 0, page);
    for (int k = 0; k < NAMING; k++)
        if (naming_setting(runs, k) >= 0) write_heading(naming[k], "", 0, page);
    write_heading(of_systems(runs) ? "‖b − A x‖/‖b‖" : "natural map", of_systems(runs) ? "" : "m/s", 1, page);
    write_heading("reason", "", 0, page);
    write_heading("Newton", "", 1, page);
    write_heading("linear", "", 1, page);
    write_heading("step", "ms", 1, page);
    if (have_spread(runs)) write_heading("least – most", "ms", 0, page);
    write_heading("steps", "", 1, page);
    write_heading("contacts", "", 1, page);
    write_heading("peak", "MiB", 1, page);
    write_heading("recording", "ms", 1, page);
    int others = 0;
    for (int64_t s = 0; s < runs->settings.count; s++) {
        if (!is_shown_after(runs, s)) continue;
        write_heading(runs->settings.name[s], "", 0, page);
        others++;
    }
    fputs("</tr></thead>\n<tbody>\n", page);
    for (int r = 0; r < runs->run_count; r++) write_run(runs, r, page);
    fputs("</tbody></table></div>\n"
          "<p class=\"note\">Contacts, natural map and reason are those of the final step. Newton: mean number of "
          "Newton iterations of a step; linear: of linear iterations of a Newton iteration. Step: the median time of "
          "a step; of the repetitions their median, with the least and the most, else that of the recorded pass, which "
          "is cold. Peak: the program's own memory at most; recording: the time of keeping and writing down what was "
          "measured.",
          page);
    fputs(others ? " Last come the other settings in which runs differ.</p>\n" : "</p>\n", page);
}

static void write_check(const nb_report_runs *runs, int number, const nb_check *check, FILE *page) {
    const nb_report_run *run = &runs->runs[number];
    const char *row = !check->passed ? " class=\"failed\"" : *check->premise ? " class=\"left-out\"" : "";
    fprintf(page, "<tr%s><th scope=\"row\">%04d</th>", row, number);
    write_text(run->scenario, page);
    write_text(run->linear_solver, page);
    for (int c = 0; c < runs->column_count; c++) write_text(run->columns[c], page);
    write_text(check->name, page);
    write_number("%.9g", check->actual, 1, page);
    write_number("%.9g", check->expected, 1, page);
    write_number("%.3g", check->tolerance, 1, page);
    write_text(strcmp(check->units, "1") == 0 ? NULL : check->units, page); /* a 1 would seem to count the outcome */
    fputs("<td class=\"outcome\">", page);
    if (*check->premise)
        nb_html_format(page, "does not apply: presupposes that %s", check->premise);
    else
        fputs(check->passed ? "passed" : "FAILED", page);
    fputs("</td></tr>\n", page);
}

/* how many characters of a reason stand before its colon: what the reasons of several runs may share */
static int head_of(const char *reason) {
    return (int)strcspn(reason, ":");
}

static int is_alike(const char *a, const char *b) {
    return head_of(a) == head_of(b) && strncmp(a, b, (size_t)head_of(a)) == 0;
}

/* the runs from `first` on whose reasons begin as its own, under one line */
static void write_alike(const nb_report_runs *runs, int first, FILE *page) {
    enum {
        MOST = 20
    };
    const char *reason = runs->runs[first].check_reason;
    int count = 0;
    fputs("<p class=\"reasons\">", page);
    nb_html_format(page, "%c%.*s:", toupper(*reason), head_of(reason) - 1, reason + 1);
    fputs("</p>\n<ul class=\"reasons\">\n", page);
    for (int r = first; r < runs->run_count; r++) {
        const nb_report_run *run = &runs->runs[r];
        if (!run->check_reason || !is_alike(run->check_reason, reason) || count++ >= MOST) continue;
        fputs("<li>", page);
        nb_html_format(page, "Run %04d (%s, %s)%s.", r, run->scenario, run->linear_solver,
                       run->check_reason + head_of(reason));
        fputs("</li>\n", page);
    }
    if (count > MOST) fprintf(page, "<li>and %d more runs</li>\n", count - MOST);
    fputs("</ul>\n", page);
}

/* why checks of runs may fail */
static void write_reasons(const nb_report_runs *runs, FILE *page) {
    for (int r = 0; r < runs->run_count; r++) {
        const char *reason = runs->runs[r].check_reason;
        int told = 0; /* with an earlier run */
        for (int k = 0; reason && k < r && !told; k++)
            told = runs->runs[k].check_reason && is_alike(runs->runs[k].check_reason, reason);
        if (reason && !told) write_alike(runs, r, page);
    }
}

static void write_unchecked(const nb_report_run *run, int number, FILE *page) {
    fprintf(page, "<p class=\"note\">Run %04d (", number);
    nb_html_text(page, run->scenario);
    fputs(run->check_fault ? ") cannot be checked: " : "): no reference values; not checked", page);
    nb_html_text(page, run->check_fault ? run->check_fault : "");
    fputs(".</p>\n", page);
}

void nb_report_checks_write(const nb_report_runs *runs, FILE *page) {
    static const char *const titles[] = {"run",      "scenario",  "linear solver", "check",  "actual",
                                         "expected", "tolerance", "unit",          "outcome"};
    int checks = 0;
    for (int r = 0; r < runs->run_count; r++) checks += runs->runs[r].checks.count;
    write_reasons(runs, page);
    if (checks > 0) {
        fputs("<div class=\"wide\"><table class=\"sortable\" id=\"table-of-checks\">\n<thead><tr>", page);
        for (int i = 0; i < 9; i++) {
            for (int c = 0; i == 3 && c < runs->column_count; c++) write_heading(runs->columns[c], "", 0, page);
            write_heading(titles[i], "", i >= 4 && i <= 6, page);
        }
        fputs("</tr></thead>\n<tbody>\n", page);
        for (int r = 0; r < runs->run_count; r++)
            for (int i = 0; i < runs->runs[r].checks.count; i++)
                write_check(runs, r, &runs->runs[r].checks.items[i], page);
        fputs("</tbody></table></div>\n", page);
    }
    for (int r = 0; r < runs->run_count; r++)
        if (runs->runs[r].checks.count == 0) write_unchecked(&runs->runs[r], r, page);
}

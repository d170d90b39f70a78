#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/partial.h"
#include "record/provenance.h"
#include "report/figures.h"
#include "report/replay.h"
#include "report/runs.h"
#include "report/style.h"
#include "text/html.h"

/* ---- head ---- */

static void write_lines(const char *const *lines, FILE *page) {
    for (; *lines; lines++) fputs(*lines, page);
}

/* The policy has the browser itself see to it that nothing is fetched but `images`. */
static void write_head(const char *title, const char *images, FILE *page) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "script-src 'unsafe-inline'; img-src ",
          page);
    fprintf(page, "%s\">\n<title>", images);
    nb_html_text(page, title);
    fputs("</title>\n<style>\n", page);
    write_lines(nb_report_style, page);
    fputs("</style>\n</head>\n<body>\n", page);
}

static void write_tile(int number, const char *singular, const char *plural, const char *target, int failed,
                       FILE *page) {
    fprintf(page, "<a href=\"#%s\"%s><b>%d</b> %s</a>\n", target, failed ? " class=\"failed\"" : "", number,
            number == 1 ? singular : plural);
}

static void write_header(nb_record_reader *reader, const char *name, const char *title,
                         const nb_report_contents *contents, FILE *page) {
    const char *created = nb_record_attribute(reader, "created");
    fputs("<header>\n<p class=\"kind\">ncpbench record</p>\n<h1>", page);
    nb_html_text(page, title);
    fputs("</h1>\n<p class=\"source\">", page);
    nb_html_text(page, name);
    if (*created) fputs(" · ", page);
    nb_html_text(page, created);
    fputs("</p>\n<nav>\n", page);
    write_tile(contents->runs, "run", "runs", "runs", 0, page);
    write_tile(contents->checks - contents->failed - contents->left_out, "check passed", "checks passed", "checks", 0,
               page);
    if (contents->failed > 0) write_tile(contents->failed, "check failed", "checks failed", "checks", 1, page);
    if (contents->left_out > 0)
        write_tile(contents->left_out, "check does not apply", "checks do not apply", "checks", 0, page);
    write_tile(contents->figures, "figure", "figures", "figures", 0, page);
    fputs("</nav>\n</header>\n<main>\n", page);
}

/* ---- provenance ---- */

static void write_row(const char *name, const char *text, FILE *page) {
    if (!*text) return;
    fputs("<tr><th scope=\"row\">", page);
    nb_html_text(page, name);
    fputs("</th><td>", page);
    nb_html_text(page, text);
    fputs("</td></tr>\n", page);
}

/* the warnings are one text with "; " between them */
static void write_warnings(const char *warnings, FILE *page) {
    if (!*warnings) {
        fputs("<p class=\"note\">Nothing speaks against publishing these timings.</p>\n", page);
        return;
    }
    fputs("<div class=\"warnings\"><p>Warnings for whoever publishes these timings:</p>\n<ul>\n", page);
    while (*warnings) {
        const char *end = strstr(warnings, "; ");
        int length = end ? (int)(end - warnings) : (int)strlen(warnings);
        fputs("<li>", page);
        nb_html_format(page, "%.*s", length, warnings);
        fputs("</li>\n", page);
        warnings += length + (end ? 2 : 0);
    }
    fputs("</ul></div>\n", page);
}

/* one of them: of a record that was added to, as a section of its own with the runs that have it */
static void write_made_with(const nb_record_reader *reader, const nb_report_runs *runs, int place, FILE *page) {
    const nb_provenance *provenance = nb_record_provenance_at(reader, place);
    if (nb_record_provenance_count(reader) > 1) {
        fputs("<h3>Runs", page);
        for (int r = 0; r < runs->run_count; r++)
            if (runs->runs[r].provenance == place) fprintf(page, " %d", r);
        fputs("</h3>\n", page);
    }
    write_warnings(provenance->warnings, page);
    fputs("<div class=\"wide\"><table class=\"pairs\">\n<tbody>\n", page);
    write_row("command", nb_record_command_at(reader, place), page);
    for (int i = 0; i < nb_provenance_members.count; i++) {
        const nb_member *field = &nb_provenance_members.items[i];
        char text[sizeof provenance->warnings];
        if (strcmp(field->name, "warnings") == 0) continue;
        nb_member_text(field, provenance, 9, text, sizeof text);
        write_row(field->name, text, page);
    }
    fputs("</tbody></table></div>\n", page);
}

static void write_provenance(const nb_record_reader *reader, const nb_report_runs *runs, FILE *page) {
    fputs("<section id=\"provenance\">\n<h2>Provenance</h2>\n", page);
    for (int k = 0; k < nb_record_provenance_count(reader); k++) write_made_with(reader, runs, k, page);
    fputs("</section>\n", page);
}

/* ---- the page ---- */

static void count_checks(const nb_report_runs *runs, nb_report_contents *contents) {
    contents->runs = runs->run_count;
    for (int r = 0; r < runs->run_count; r++) {
        const nb_checks *checks = &runs->runs[r].checks;
        contents->checks += checks->count;
        for (int i = 0; i < checks->count; i++) {
            contents->failed += !checks->items[i].passed;
            contents->left_out += *checks->items[i].premise != '\0';
        }
    }
}

static void write_page(nb_record_reader *reader, const char *name, const nb_report_runs *runs, const char *figures,
                       const char *player, const nb_report_contents *contents, FILE *page) {
    const char *title = nb_record_attribute(reader, "title");
    if (!*title) title = name;
    write_head(title, "data:", page);
    write_header(reader, name, title, contents, page);
    fputs("<section id=\"runs\">\n<h2>Runs</h2>\n", page);
    nb_report_runs_write(runs, page);
    fprintf(page, "</section>\n%s<section id=\"figures\">\n<h2>Figures</h2>\n", player ? player : "");
    fputs(*figures ? figures : "<p class=\"note\">The record has the runs of no figure.</p>\n", page);
    fputs("</section>\n<section id=\"checks\">\n<h2>Checks</h2>\n"
          "<p class=\"note\">Recomputed from each run's final state; of a stored problem, those of the record.</p>\n",
          page);
    nb_report_checks_write(runs, page);
    fputs("</section>\n<section id=\"settings\">\n<h2>Settings</h2>\n", page);
    nb_report_settings_write(runs, page);
    fputs("</section>\n", page);
    write_provenance(reader, runs, page);
    fprintf(page, "</main>\n<footer>Written by ncpbench %s.</footer>\n<script>\n", nb_version());
    write_lines(nb_report_script, page);
    if (player) write_lines(nb_report_replay, page);
    fputs("</script>\n</body>\n</html>\n", page);
}

/* what the page is made of */
typedef struct page_parts {
    nb_record_reader *reader;
    const char *name;
    const nb_report_runs *runs;
    const char *figures, *player;
    const nb_report_contents *contents;
} page_parts;

static nb_status write_parts(const void *context, FILE *page) {
    const page_parts *p = context;
    write_page(p->reader, p->name, p->runs, p->figures, p->player, p->contents, page);
    return NB_OK;
}

/* ---- the page of a folder ---- */

typedef struct index_parts {
    const char *title, *ending;
    const nb_figure_class *const *figures;
    int count;
} index_parts;

static nb_status write_index(const void *context, FILE *page) {
    const index_parts *p = context;
    const int shown = strcmp(p->ending, "svg") == 0 || strcmp(p->ending, "png") == 0; /* by browsers */
    write_head(p->title, "'self' file:", page);
    fputs("<header>\n<h1>", page);
    nb_html_text(page, p->title);
    fputs("</h1>\n<p class=\"source\">", page);
    for (int i = 0; i < p->count; i++)
        fprintf(page, "<a href=\"#%s\">%s</a>\n", p->figures[i]->name, p->figures[i]->name);
    fputs("</p>\n</header>\n<main>\n<section>\n", page);
    for (int i = 0; i < p->count; i++) {
        const char *name = p->figures[i]->name;
        fprintf(page, "<figure id=\"%s\">\n<figcaption>%s</figcaption>\n<a href=\"%s.%s\">", name, name, name,
                p->ending); /* drawings have their titles */
        if (shown) fprintf(page, "<img loading=\"lazy\" src=\"%s.%s\" alt=\"\"><br>", name, p->ending);
        fprintf(page, "%s.%s</a> · <a href=\"%s.txt\">what came out, and the settings</a>\n</figure>\n", name,
                p->ending, name);
    }
    fprintf(page, "</section>\n</main>\n<footer>Written by ncpbench %s.</footer>\n</body>\n</html>\n", nb_version());
    return NB_OK;
}

nb_status nb_report_write_index(const char *path, const char *title, const nb_figure_class *const *figures, int count,
                                const char *ending) {
    return nb_partial_write(path, write_index, &(index_parts){title, ending, figures, count});
}

/* ---- the page of a record ---- */

static nb_status open_memory(char **text, size_t *size, FILE **stream) {
    *stream = open_memstream(text, size);
    return *stream ? NB_OK : nb_fail(NB_ERROR_MEMORY, "out of memory for a report");
}

static nb_status close_memory(FILE **stream) {
    const int failed = fclose(*stream) != 0;
    *stream = NULL;
    return failed ? nb_fail(NB_ERROR_MEMORY, "out of memory for a report") : NB_OK;
}

nb_status nb_report_write(nb_record_reader *reader, const char *name, const char *path, int replay,
                          const volatile sig_atomic_t *stop, nb_report_contents *contents) {
    nb_status status;
    nb_report_runs runs = {0};
    nb_report_figures figures = {0};
    char *drawings = NULL, *player = NULL;
    size_t size = 0;
    FILE *stream = NULL;
    memset(contents, 0, sizeof *contents);
    NB_TRY(nb_record_expect_runs(reader, name));
    NB_TRY(nb_report_figures_begin(reader, &figures));
    NB_TRY(nb_report_runs_read(reader, &runs));
    count_checks(&runs, contents);
    NB_TRY(open_memory(&drawings, &size, &stream)); /* the head of the page tells how many they are */
    NB_TRY(nb_report_figures_write(reader, stop, &figures, stream));
    contents->figures = figures.drawn;
    contents->undrawn = figures.undrawn;
    NB_TRY(close_memory(&stream));
    if (replay) {
        NB_TRY(open_memory(&player, &size, &stream));
        NB_TRY(nb_report_replay_write(reader, name, &runs, stream));
        NB_TRY(close_memory(&stream));
    }
    NB_TRY(nb_partial_write(path, write_parts, &(page_parts){reader, name, &runs, drawings, player, contents}));
out:
    if (stream) fclose(stream);
    free(drawings); /* the C library's own */
    free(player);
    nb_report_figures_clear(&figures);
    nb_report_runs_clear(&runs);
    return status;
}

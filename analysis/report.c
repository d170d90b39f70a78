#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "fields.h"
#include "figure.h"
#include "html.h"
#include "partial.h"
#include "provenance.h"
#include "report_runs.h"
#include "report_style.h"

/* ---- head ---- */

static void write_lines(const char *const *lines, FILE *page) {
    for (; *lines; lines++) fputs(*lines, page);
}

/* The policy has the browser itself see to it that nothing is fetched. */
static void write_head(const char *title, FILE *page) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "script-src 'unsafe-inline'; img-src data:\">\n<title>",
          page);
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
    write_tile(contents->checks - contents->failed, "check passed", "checks passed", "checks", 0, page);
    if (contents->failed > 0) write_tile(contents->failed, "check failed", "checks failed", "checks", 1, page);
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

static void write_provenance(nb_record_reader *reader, FILE *page) {
    const nb_provenance *provenance = nb_record_provenance(reader);
    fputs("<section id=\"provenance\">\n<h2>Provenance</h2>\n", page);
    write_warnings(provenance->warnings, page);
    fputs("<div class=\"wide\"><table class=\"pairs\">\n<tbody>\n", page);
    write_row("command", nb_record_attribute(reader, "command"), page);
    for (int i = 0; i < nb_provenance_field_count; i++) {
        const nb_field *field = &nb_provenance_fields[i];
        char text[sizeof provenance->warnings];
        if (strcmp(field->name, "warnings") == 0) continue;
        nb_field_text(field, provenance, 9, text, sizeof text);
        write_row(field->name, text, page);
    }
    fputs("</tbody></table></div>\n</section>\n", page);
}

/* ---- figures ---- */

/* the text that stands beside a drawing: its title, then what came out and all settings; the file is used up */
static nb_status read_text(const char *path, char *title, size_t size, char **rest) {
    char line[1024], *text = NULL;
    size_t length;
    FILE *from = fopen(path, "r"), *to = open_memstream(&text, &length);
    nb_status status = from && to ? NB_OK : nb_fail(NB_ERROR_IO, "cannot read '%.300s': %s", path, strerror(errno));
    for (int i = 0; status == NB_OK && fgets(line, sizeof line, from); i++) {
        if (i == 2) snprintf(title, size, "%.*s", (int)strcspn(line, "\n"), line);
        if (i > 3) fputs(line, to);
    }
    if (from) fclose(from);
    if (to && fclose(to) != 0 && status == NB_OK)
        status = nb_fail(NB_ERROR_MEMORY, "out of memory for a figure's text");
    if (status == NB_OK) status = nb_copy_text(text, rest);
    free(text); /* the C library's own */
    unlink(path);
    return status;
}

/* Draws into the file `drawing`, "....svg", and copies that into the page, with its text. A figure whose runs are not
 * in the record is left out; a drawing that fails costs its figure, not the page. */
static nb_status write_figure(const nb_figure_class *figure, nb_record_reader *reader, const char *drawing, FILE *page,
                              nb_report_contents *contents) {
    char prefix[64], beside[320], title[256], *text = NULL;
    if (!figure->runs || !nb_figure_has_runs(figure, reader)) return NB_OK;
    snprintf(prefix, sizeof prefix, "%s-", figure->name);
    snprintf(title, sizeof title, "%s", figure->summary);
    snprintf(beside, sizeof beside, "%.*s.txt", (int)strlen(drawing) - 4, drawing);
    nb_status status = nb_figure_draw(figure, reader, drawing);
    if (status == NB_OK) status = read_text(beside, title, sizeof title, &text);
    fprintf(page, "<figure id=\"%s\">\n<figcaption>", figure->name);
    nb_html_text(page, title);
    fputs("</figcaption>\n", page);
    if (status == NB_OK) status = nb_html_drawing(page, drawing, prefix);
    contents->figures += status == NB_OK;
    contents->undrawn += status != NB_OK;
    if (status == NB_OK) {
        fputs("<details><summary>What came out, and the settings</summary>\n<pre>", page);
        nb_html_text(page, text);
        fputs("</pre></details>", page);
    } else {
        fputs("<p class=\"failed\">Not drawn: ", page);
        nb_html_text(page, nb_error_message());
        fputs(".</p>", page);
    }
    fputs("\n</figure>\n", page);
    nb_free(text);
    return status == NB_ERROR_MEMORY ? status : NB_OK;
}

/* all figures, into a stream of their own: the head of the page tells how many they are */
static nb_status write_figures(nb_record_reader *reader, FILE *page, const volatile sig_atomic_t *stop,
                               nb_report_contents *contents) {
    nb_status status = NB_OK;
    const char *temporary = getenv("TMPDIR");
    char folder[256], drawing[300];
    snprintf(folder, sizeof folder, "%.200s/ncpbench-report-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return nb_fail(NB_ERROR_IO, "cannot make the temporary folder '%s' (TMPDIR): %s", folder, strerror(errno));
    snprintf(drawing, sizeof drawing, "%s/figure.svg", folder);
    for (int i = 0; nb_figures[i] && status == NB_OK; i++)
        status = stop && *stop ? nb_fail(NB_ERROR_IO, "interrupted")
                               : write_figure(nb_figures[i], reader, drawing, page, contents);
    if (status == NB_OK && stop && *stop) status = nb_fail(NB_ERROR_IO, "interrupted"); /* gnuplot was, too */
    unlink(drawing);
    rmdir(folder);
    return status;
}

/* ---- the page ---- */

static void count_checks(const nb_report_runs *runs, nb_report_contents *contents) {
    contents->runs = runs->run_count;
    for (int r = 0; r < runs->run_count; r++) {
        const nb_checks *checks = &runs->runs[r].checks;
        contents->checks += checks->count;
        for (int i = 0; i < checks->count; i++) contents->failed += !checks->items[i].passed;
    }
}

static void write_page(nb_record_reader *reader, const char *name, const nb_report_runs *runs, const char *figures,
                       const nb_report_contents *contents, FILE *page) {
    const char *title = nb_record_attribute(reader, "title");
    if (!*title) title = name;
    write_head(title, page);
    write_header(reader, name, title, contents, page);
    fputs("<section id=\"runs\">\n<h2>Runs</h2>\n", page);
    nb_report_runs_write(runs, page);
    fputs("</section>\n<section id=\"figures\">\n<h2>Figures</h2>\n", page);
    fputs(*figures ? figures : "<p class=\"note\">The record has the runs of no figure.</p>\n", page);
    fputs(
        "</section>\n<section id=\"checks\">\n<h2>Checks</h2>\n"
        "<p class=\"note\">Computed anew from each run's final state; of a stored problem, those of the record.</p>\n",
        page);
    nb_report_checks_write(runs, page);
    fputs("</section>\n", page);
    write_provenance(reader, page);
    fprintf(page, "</main>\n<footer>Written by ncpbench %s.</footer>\n<script>\n", nb_version());
    write_lines(nb_report_script, page);
    fputs("</script>\n</body>\n</html>\n", page);
}

/* what stands in the stream, written beside the page's place and renamed */
static nb_status put_in_place(nb_record_reader *reader, const char *name, const nb_report_runs *runs,
                              const char *figures, const nb_report_contents *contents, const char *path) {
    char *partial = NULL;
    nb_status status = nb_partial_begin(path, &partial);
    if (status != NB_OK) return status;
    FILE *page = fopen(partial, "w");
    if (page) write_page(reader, name, runs, figures, contents, page);
    int failed = !page || ferror(page);
    if ((page && fclose(page) != 0) || failed)
        status = nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(errno));
    status = nb_partial_end(status, partial, path);
    nb_free(partial);
    return status;
}

nb_status nb_report_write(nb_record_reader *reader, const char *name, const char *path,
                          const volatile sig_atomic_t *stop, nb_report_contents *contents) {
    nb_status status;
    nb_report_runs runs = {0};
    char *figures = NULL;
    size_t size = 0;
    FILE *stream = NULL;
    memset(contents, 0, sizeof *contents);
    NB_TRY(nb_record_expect_runs(reader, name));
    NB_TRY(nb_report_runs_read(reader, &runs));
    count_checks(&runs, contents);
    stream = open_memstream(&figures, &size);
    if (!stream) NB_TRY(nb_fail(NB_ERROR_MEMORY, "out of memory for the figures of a report"));
    NB_TRY(write_figures(reader, stream, stop, contents));
    int failed = fclose(stream) != 0;
    stream = NULL;
    if (failed) NB_TRY(nb_fail(NB_ERROR_MEMORY, "out of memory for the figures of a report"));
    NB_TRY(put_in_place(reader, name, &runs, figures, contents, path));
out:
    if (stream) fclose(stream);
    free(figures); /* the C library's own */
    nb_report_runs_clear(&runs);
    return status;
}

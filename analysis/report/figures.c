#include "report/figures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "figure/data.h"
#include "text/html.h"

static void name_file(const nb_report_figures *f, int i, const char *ending, char path[360]) {
    snprintf(path, 360, "%s/%s.%s", f->folder, f->figure[i]->name, ending);
}

/* ---- drawing ---- */

typedef struct drawing {
    nb_record_reader *reader;
    const nb_report_figures *f;
    int i;
} drawing;

/* draws figure `i`, and leaves the message of a fault beside its place */
static int draw(const void *context, FILE *answer) {
    const drawing *d = context;
    char path[360];
    (void)answer;
    name_file(d->f, d->i, "svg", path);
    const nb_figure_style style = {.no_title = 1}; /* the page has it */
    const nb_figure_source source = {.readers = &d->reader, .count = 1, .style = &style};
    nb_status status = nb_figure_draw_from(d->f->figure[d->i], &source, path);
    if (status == NB_OK) return 0;
    name_file(d->f, d->i, "fault", path);
    FILE *file = fopen(path, "w");
    if (!file) return (int)status;
    fputs(nb_error_message(), file);
    fclose(file);
    return (int)status;
}

static void begin_one(nb_record_reader *reader, nb_report_figures *f) {
    const drawing d = {reader, f, f->begun++};
    if (nb_child_start("draw in", draw, &d, 0, &f->child[d.i]) == NB_OK) return;
    f->exit_status[d.i] = draw(&d, NULL); /* here, then */
    f->ended++;
}

/* waits for one of the children, the earliest that has not ended */
static void end_one(nb_report_figures *f) {
    int i = 0;
    while (i < f->begun && !f->child[i].process) i++;
    if (i == f->begun) return;
    nb_child_await(&f->child[i], 0, NULL);
    f->exit_status[i] = f->child[i].exit_status < 0 ? (int)NB_ERROR_IO : f->child[i].exit_status;
    nb_child_clear(&f->child[i]);
    f->ended++;
}

static int has_scenes(nb_record_reader *reader) {
    const nb_run_head *head;
    for (int i = 0; i < nb_record_run_count(reader); i++)
        if (nb_record_read_head(reader, i, &head) == NB_OK && head->finished && head->info.bodies > 0) return 1;
    return 0;
}

nb_status nb_report_figures_begin(nb_record_reader *reader, nb_report_figures *f) {
    const char *temporary = getenv("TMPDIR");
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const nb_figure_class *figure;
    for (int i = 0; (figure = nb_figure_at(i)) != NULL; i++)
        if (strcmp(figure->name, "scenes") == 0 && has_scenes(reader)) f->figure[f->count++] = figure; /* the first */
    for (int i = 0; (figure = nb_figure_at(i)) != NULL && f->count < NB_REPORT_MOST_FIGURES; i++)
        if (figure->runs && nb_figure_has_runs(figure, reader)) f->figure[f->count++] = figure;
    snprintf(f->folder, sizeof f->folder, "%.200s/ncpbench-report-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(f->folder)) {
        nb_status status =
            nb_fail(NB_ERROR_IO, "cannot make the temporary folder '%s' (TMPDIR): %s", f->folder, strerror(errno));
        *f->folder = '\0';
        return status;
    }
    while (f->begun < f->count && f->begun < processors) begin_one(reader, f);
    return NB_OK;
}

/* ---- writing ---- */

/* the title that the drawing's text has, in its third line; the figure's summary where there is none */
static void read_title(const nb_report_figures *f, int i, char line[4096]) {
    char path[360];
    *line = '\0';
    name_file(f, i, "txt", path);
    FILE *text = fopen(path, "r");
    for (int k = 0; text && k < 3; k++)
        if (!fgets(line, 4096, text)) *line = '\0';
    if (text) fclose(text);
    line[strcspn(line, "\n")] = '\0';
    if (!*line) snprintf(line, 4096, "%s", f->figure[i]->summary);
}

/* what came out, the first line after the title where it is a sentence, and folded away the whole text */
static void write_text(const nb_report_figures *f, int i, FILE *page) {
    char path[360], line[4096];
    name_file(f, i, "txt", path);
    FILE *text = fopen(path, "r");
    if (!text) return;
    int lines = 0;
    for (; fgets(line, sizeof line, text); lines++) {
        const size_t end = strcspn(line, "\n");
        if (lines == 4 && end > 0 && line[end - 1] != ':') {
            fputs("<p class=\"note\">", page);
            nb_html_text(page, line);
            fputs("</p>", page);
        }
        if (lines == 4) fputs("<details><summary>What came out, and the settings</summary>\n<pre>", page);
        if (lines >= 4) nb_html_text(page, line);
    }
    if (lines > 4) fputs("</pre></details>", page);
    fclose(text);
}

static void write_fault(const nb_report_figures *f, int i, const char *message, FILE *page) {
    char path[360], line[512] = "it was cut short";
    name_file(f, i, "fault", path);
    FILE *file = message ? NULL : fopen(path, "r");
    if (file && !fgets(line, sizeof line, file)) snprintf(line, sizeof line, "it was cut short");
    if (file) fclose(file);
    fputs("<p class=\"failed\">Not drawn: ", page);
    nb_html_text(page, message ? message : line);
    fputs(".</p>", page);
}

static nb_status write_figure(nb_report_figures *f, int i, FILE *page) {
    const nb_figure_class *figure = f->figure[i];
    char title[4096], path[360];
    nb_status status = (nb_status)f->exit_status[i];
    int drawn = status == NB_OK;
    read_title(f, i, title);
    fprintf(page, "<figure id=\"%s\">\n<figcaption>", figure->name);
    nb_html_text(page, title);
    fputs("</figcaption>\n", page);
    name_file(f, i, "svg", path);
    if (drawn) status = nb_html_drawing(page, path, title);
    f->drawn += status == NB_OK;
    /* a record need not have what its scenes are built of */
    f->undrawn += status != NB_OK && strcmp(figure->name, "scenes") != 0;
    if (status == NB_OK)
        write_text(f, i, page);
    else
        write_fault(f, i, drawn ? nb_error_message() : NULL, page);
    fputs("\n</figure>\n", page);
    return status == NB_ERROR_MEMORY ? nb_fail(status, "out of memory for the figures of a report") : NB_OK;
}

nb_status nb_report_figures_write(nb_record_reader *reader, const volatile sig_atomic_t *stop, nb_report_figures *f,
                                  FILE *page) {
    nb_status status = NB_OK;
    while (f->ended < f->count && !(stop && *stop)) {
        end_one(f);
        if (f->begun < f->count) begin_one(reader, f);
    }
    if (stop && *stop) return nb_fail(NB_ERROR_IO, "interrupted"); /* gnuplot was, too */
    for (int i = 0; i < f->count && status == NB_OK; i++) status = write_figure(f, i, page);
    return status;
}

void nb_report_figures_clear(nb_report_figures *f) {
    static const char *const endings[] = {"svg", "txt", "fault"};
    while (f->ended < f->begun) end_one(f);
    if (!*f->folder) return;
    for (int i = 0; i < f->count; i++)
        for (size_t e = 0; e < sizeof endings / sizeof *endings; e++) {
            char path[360];
            name_file(f, i, endings[e], path);
            unlink(path);
        }
    rmdir(f->folder);
    *f->folder = '\0';
}

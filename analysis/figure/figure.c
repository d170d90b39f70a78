#include "figure/figure.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "figure/csv.h"
#include "figure/description.h"
#include "figure/numbers.h"
#include "figure/page.h"
#include "figure/paper.h"
#include "figure/places.h"
#include "figure/quantity.h"
#include "figure/script.h"
#include "figure/tables.h"
#include "record/run.h"
#include "statistics/unsolved.h"
#include "table/outcome.h"
#include "text/plain.h"

/* For panel P and series S, both from 1, of a run or NULL: reference_P_S, the error of the reference itself [m/s],
 * below which true errors say nothing; or of a reference that was not found, unsolved_P_S, how far the search for it
 * came [m/s]; or of two solutions, apart_P_S, their distance [m/s], and solution_P_S, which the run came to (the number
 * of an nb_solution_taken). */
static void write_reference(int panel, int series, const nb_run *run, FILE *file) {
    if (!run) return;
    if (!run->reference.solution.q) {
        if (isfinite(run->usage.reference_error))
            fprintf(file, "unsolved_%d_%d = %.9g\n", panel, series, run->usage.reference_error);
        return;
    }
    if (nb_reference_solution_apart(&run->reference) > 0) {
        fprintf(file, "apart_%d_%d = %.9g\n", panel, series, nb_reference_solution_apart(&run->reference));
        fprintf(file, "solution_%d_%d = %d\n", panel, series, (int)nb_run_solution(run, NULL));
        return;
    }
    double error = nb_reference_solution_error(&run->reference);
    fprintf(file, isfinite(error) ? "reference_%d_%d = %.9g\n" : "reference_%d_%d = NaN\n", panel, series, error);
}

/* a figure being drawn */
typedef struct drawing {
    const nb_figure_script *script;
    const nb_figure_source *source;
    nb_figure_style style;
    nb_record_table table;
    nb_convergence_axis axis; /* of a figure whose head has `y` */
    nb_figure_runs *runs;
    const char *path;  /* where the figure goes */
    char folder[256];  /* of the tables and the script */
    char picture[300]; /* what gnuplot writes, in the folder */
    char title[256];   /* as the figure shows it */
    nb_figure_origin origin;
    char terminal[512]; /* what it is told to write */
} drawing;

/* ---- what the scripts are told ---- */

/* A gnuplot string in single quotes, the only ones in which nothing is interpreted (in double quotes `...` runs a
 * command); what stands in a record must not become part of the script. Line ends are joined in; other control
 * characters, and bytes that are no UTF-8, are question marks, which every terminal of gnuplot can draw. Braces, and a
 * bracket at the start, are parentheses: gnuplot's LaTeX terminal takes them for commands. */
static void write_string(FILE *file, const char *text) {
    const char *start = text;
    fputc('\'', file);
    while (*text) {
        uint32_t code;
        int length = nb_text_character(text, &code);
        if (*text == '\n')
            fputs("'.\"\\n\".'", file);
        else if (*text == '\'')
            fputs("''", file);
        else if (strchr("{}", *text) || (*text == '[' && text == start))
            fputc(*text == '}' ? ')' : '(', file);
        else if (length > 0 && nb_text_printable(code))
            fwrite(text, 1, (size_t)length, file);
        else
            fputc('?', file);
        text += length ? length : 1;
    }
    fputc('\'', file);
}

/* names as one string, a space between; a space inside a name would make two of it */
static void write_names(FILE *file, const char *variable, char names[][NB_NAME_LENGTH], int count) {
    char list[NB_FIGURE_SERIES * NB_NAME_LENGTH] = "";
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0) list[used++] = ' ';
        for (const char *c = names[i]; *c; c++)
            list[used++] = strchr(" '\"\n", *c) ? '_' : *c; /* what word() would split at or drop */
        if (*names[i] == '[') list[used - strlen(names[i])] = '(';
    }
    list[used] = 0;
    fprintf(file, "%s = ", variable);
    write_string(file, list);
    fputc('\n', file);
}

/* whether the figure shows times of runs */
static int shows_times(const drawing *d) {
    return d->script->times || (d->script->y && d->axis == NB_CONVERGENCE_TIME);
}

static void write_variable(FILE *file, const char *name, const char *text) {
    fprintf(file, "%s = ", name);
    write_string(file, text);
    fputc('\n', file);
}

static void write_source(const nb_figure_runs *runs, const nb_figure_source *source, FILE *file) {
    char text[1024] = "";
    if (runs->panel_count > 0) nb_figure_describe_source(runs, source, text, sizeof text);
    write_variable(file, "source", text);
}

/* at_NAME, where a column's name is one that gnuplot takes */
static void write_places(const nb_record_table *table, FILE *file) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    for (int c = 0; c < table->count; c++)
        if (!table->columns[c].name[strspn(table->columns[c].name, letters)])
            fprintf(file, "at_%s = %d\n", table->columns[c].name, c + 1);
}

/* open_steps_PANEL_SERIES: how many steps of the run are unsolved */
static void write_unsolved(int panel, int series, const nb_run *run, FILE *file) {
    nb_unsolved sum = {0};
    if (!run) return;
    nb_unsolved_add(run, &sum);
    fprintf(file, "open_steps_%d_%d = %lld\n", panel, series, (long long)sum.steps);
}

static void write_variables(const nb_record_table *table, nb_figure_runs *runs, FILE *file) {
    fprintf(file, "panels = %d\ntimed = %d\naccuracy = %.9g\n", runs->panel_count, runs->timed, runs->accuracy);
    write_names(file, "panel_names", runs->panel_name, runs->panel_count);
    for (int p = 0; p < runs->panel_count; p++) {
        char variable[32];
        snprintf(variable, sizeof variable, "labels_%d", p + 1);
        fprintf(file, "series_%d = %d\n", p + 1, runs->series_count[p]);
        write_names(file, variable, runs->series_name[p], runs->series_count[p]);
    }
    for (int p = 0; p < runs->panel_count; p++)
        for (int s = 0; s < runs->series_count[p]; s++) {
            write_reference(p + 1, s + 1, runs->run[p][s], file);
            write_unsolved(p + 1, s + 1, runs->run[p][s], file);
        }
    write_places(table, file);
    fprintf(file, "scene_width = %d\nscene_height = %d\n", NB_SCENE_WIDTH, NB_SCENE_HEIGHT);
    fprintf(file, "iteration = %d # of errors of contacts; -1: the state that a step ends with\n",
            (int)runs->iteration);
}

/* ---- the script ---- */

/* what is stated beside the figure, of runs that say nothing themselves */
static void describe_settings(const drawing *d, char *text, size_t size) {
    nb_figure_describe_runs(d->runs, d->source, text, size);
    if (shows_times(d)) nb_figure_describe_times(d->runs, d->source->readers[0], text, size);
}

/* A paper's number, "(Macklin et al. 2019, fig. 11)", is named where the runs are that paper's. */
static void choose_title(drawing *d) {
    const char *title = d->script->type.summary, *paper = nb_figure_paper_in(title);
    int length = paper && d->origin != NB_ORIGIN_PAPER ? (int)(paper - title) : (int)strlen(title);
    if (d->script->y) {
        snprintf(d->title, sizeof d->title, "%s against %s", nb_figure_y_column(&d->table, d->runs)->name,
                 nb_convergence_axes[d->axis]);
        for (char *t = strchr(d->title, '_'); t; t = strchr(t, '_')) *t = ' ';
        if (*d->title >= 'a' && *d->title <= 'z') *d->title = (char)(*d->title - 'a' + 'A');
        return;
    }
    if (*d->runs->title) {
        snprintf(d->title, sizeof d->title, "%s", d->runs->title);
        return;
    }
    snprintf(d->title, sizeof d->title, "%.*s%s", length, title,
             d->origin == NB_ORIGIN_QUICK ? ", smaller runs (--quick)" : "");
}

/* what a figure whose head has `y` draws, in words */
static void write_y(const drawing *d, FILE *file) {
    char text[512];
    const nb_column *c = nb_figure_y_column(&d->table, d->runs);
    nb_figure_y_name(&d->table, d->runs, text, sizeof text);
    write_variable(file, "y_name", text);
    nb_figure_y_about(&d->table, d->runs, d->axis, text, sizeof text);
    write_variable(file, "y_about", text);
    write_variable(file, "y_legend", c->legend);
    fprintf(file, "axis = %d\nlinear = %d\n", (int)d->axis, d->table.rows == NB_ROWS_LINEAR);
}

static nb_status write_script(const drawing *d) {
    char path[320];
    nb_status status;
    snprintf(path, sizeof path, "%s/figure.gp", d->folder);
    FILE *file = fopen(path, "w");
    if (!file) return nb_fail(NB_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
    write_variable(file, "figure_terminal", d->terminal);
    write_variable(file, "figure_output", strrchr(d->picture, '/') + 1); /* gnuplot runs in the folder */
    write_variable(file, "figure_title", d->style.no_title ? "" : d->title);
    if (d->script->y) write_y(d, file);
    fprintf(file, "page_width = %d\nfont_size = %.9g\ncaption_shown = %d\npapers = %d\nlatex = %d\n",
            nb_page_points(&d->style), d->style.font_size, d->style.caption == NB_CAPTION_BELOW,
            d->origin != NB_ORIGIN_OTHER, strcmp(strrchr(d->path, '.'), ".tex") == 0);
    write_variables(&d->table, d->runs, file);
    status = nb_figure_write_numbers(d->script, &d->table, d->runs, d->folder, file);
    if (d->runs->panel_count > 0 && !*d->runs->caption) {
        char text[4096];
        describe_settings(d, text, sizeof text); /* which leaves a note */
    }
    write_source(d->runs, d->source, file);
    write_variable(file, "note", d->runs->note);
    write_variable(file, "claims", d->source->claims ? d->source->claims : "");
    for (int i = 0; nb_figure_common[i]; i++) fputs(nb_figure_common[i], file);
    for (int i = 0; d->script->source->text[i]; i++) fputs(d->script->source->text[i], file);
    fputs("unset multiplot\n", file); /* which @begin sets */
    int failed = ferror(file);
    if (fclose(file) != 0 || failed) return nb_fail(NB_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
    return status;
}

/* ---- the text beside a figure ---- */

/* "ncpbench figure NAME": how every such text starts, by which it is known again */
static void name_text(const drawing *d, char *text, size_t size) {
    snprintf(text, size, "ncpbench figure %s\n", d->script->type.name);
}

/* What the script says of what came out, then all settings and where the runs are from. */
static nb_status take_text(const drawing *d, nb_figure_files *files) {
    char *text = NULL, start[96], path[4700], line[4096], settings[4096] = "";
    size_t size;
    nb_status status = NB_OK;
    snprintf(path, sizeof path, "%s/text", d->folder);
    FILE *said = fopen(path, "r"), *file = open_memstream(&text, &size);
    if (!said || !file) NB_TRY(nb_fail(NB_ERROR_IO, "cannot write the text of '%.300s': %s", d->path, strerror(errno)));
    name_text(d, start, sizeof start);
    fprintf(file, "%s\n%s\n\n", start, d->title);
    while (fgets(line, sizeof line, said)) fputs(line, file);
    if (d->source->claims && *d->source->claims) nb_print(file, "\n%s\n", d->source->claims);
    if (d->runs->panel_count > 0) {
        if (*d->runs->caption)
            snprintf(settings, sizeof settings, "%s", d->runs->caption);
        else
            describe_settings(d, settings, sizeof settings);
        fputs("\nSettings:\n", file);
        for (const char *part = settings; part;) {
            size_t length = strcspn(part, "\n");
            nb_print(file, "%.*s\n", (int)length, part);
            part = part[length] ? part + length + 1 : NULL;
        }
        fputc('\n', file);
        if (d->source->record) nb_print(file, "Record: %s\n", d->source->record);
        nb_print(file, "Made by: %s\n", nb_record_attribute(d->source->readers[0], "command"));
    }
    int failed = ferror(file);
    if (fclose(file) != 0 || failed) status = nb_fail(NB_ERROR_MEMORY, "out of memory for the text of a figure");
    file = NULL;
    if (status == NB_OK) status = nb_figure_files_text_path(d->path, path, sizeof path);
    if (status == NB_OK) status = nb_figure_files_add_text(files, path, text);
out:
    if (said) fclose(said);
    if (file) fclose(file);
    free(text); /* the C library's own */
    return status;
}

/* ---- running gnuplot ---- */

/* what execlp has no program for; anything else is gnuplot's own */
enum {
    NO_PROGRAM = 127
};

/* Its complaints are the answer. */
static int be_gnuplot(const void *folder, FILE *answer) {
    int nothing = open("/dev/null", O_RDONLY);
    if (chdir(folder) != 0 || nothing < 0) return 126;
    dup2(nothing, STDIN_FILENO);
    dup2(fileno(answer), STDERR_FILENO);
    execlp("gnuplot", "gnuplot", "--default-settings", "figure.gp", (char *)NULL); /* nobody's ~/.gnuplot */
    return NO_PROGRAM;
}

/* the last line that names a place in the script */
static void read_complaint(FILE *said, char *text, size_t size) {
    char line[256];
    *text = 0;
    while (fgets(line, sizeof line, said))
        if (strstr(line, "line ")) snprintf(text, size, "%.199s", line);
    text[strcspn(text, "\n")] = 0;
}

static nb_status fail_without_gnuplot(void) {
    return nb_fail(NB_ERROR_IO, "gnuplot is not installed (Debian: gnuplot-nox); figures are drawn with it");
}

nb_status nb_figure_ready(void) {
    const char *folders = getenv("PATH");
    if (!folders) return NB_OK; /* the C library has folders of its own then */
    for (const char *p = folders;; p++) {
        char path[4096];
        size_t length = strcspn(p, ":");
        snprintf(path, sizeof path, "%.*s/gnuplot", length ? (int)length : 1, length ? p : ".");
        if (access(path, X_OK) == 0) return NB_OK;
        p += length;
        if (!*p) return fail_without_gnuplot();
    }
}

static nb_status run_gnuplot(const char *figure, const drawing *d) {
    char complaint[200];
    nb_child child;
    nb_status status = nb_child_start("run gnuplot in", be_gnuplot, d->folder, NB_CHILD_SILENT, &child);
    if (status != NB_OK) return status;
    nb_child_await(&child, 0, NULL);
    read_complaint(child.answer, complaint, sizeof complaint);
    if (child.exit_status == NO_PROGRAM)
        status = fail_without_gnuplot();
    else if (child.exit_status != 0)
        status = nb_fail(NB_ERROR_IO, "gnuplot failed on figure %s: %s", figure, complaint);
    nb_child_clear(&child);
    return status;
}

static void remove_folder(const char *folder, const nb_figure_runs *runs) {
    static const char *const names[] = {"figure.gp", "text",      "drawn.svg",  "drawn.pdf",
                                        "drawn.png", "drawn.tex", "panel_1.tsv"};
    char path[600];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    for (int p = 0; p < runs->panel_count; p++)
        for (int s = 0; s <= runs->series_count[p]; s++) {
            snprintf(path, sizeof path, s ? "%s/panel_%d_%d.rgb" : "%s/panel_%d.tsv", folder, p + 1, s);
            unlink(path);
        }
    rmdir(folder);
}

/* finds out at once whether the figure can be put into its place, and that its text has its own */
static nb_status try_place(const drawing *d) {
    char path[4700];
    nb_status status = nb_figure_files_check_place(d->path);
    if (status == NB_OK && d->source->csv) status = nb_figure_files_check_place(d->source->csv);
    if (status != NB_OK || d->style.caption == NB_CAPTION_OFF) return status;
    status = nb_figure_files_text_path(d->path, path, sizeof path);
    return status == NB_OK ? nb_figure_files_check_text(path, "ncpbench figure ") : status;
}

nb_status nb_figure_draw(const nb_figure_class *figure, nb_record_reader *reader, const char *path) {
    const nb_figure_source source = {.readers = &reader, .count = reader != NULL};
    return nb_figure_draw_from(figure, &source, path);
}

static nb_status make_folder(drawing *d) {
    const char *temporary = getenv("TMPDIR");
    snprintf(d->folder, sizeof d->folder, "%.200s/ncpbench-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(d->folder)) {
        nb_status status =
            nb_fail(NB_ERROR_IO, "cannot make the temporary folder '%s' (TMPDIR): %s", d->folder, strerror(errno));
        d->folder[0] = 0;
        return status;
    }
    snprintf(d->picture, sizeof d->picture, "%s/drawn%s", d->folder, strrchr(d->path, '.'));
    return NB_OK;
}

nb_status nb_figure_draw_from(const nb_figure_class *figure, const nb_figure_source *source, const char *path) {
    nb_status status;
    nb_figure_runs runs = {0};
    nb_figure_files files = {0};
    char *table = NULL;
    drawing d = {.script = (const nb_figure_script *)figure, .source = source, .runs = &runs, .path = path};
    nb_figure_script again; /* for what is wrong with its head */
    nb_figure_choice choice;
    nb_figure_choice_standard(&choice);
    NB_TRY(nb_script_read(d.script->source, &again));
    if (source->choice) choice = *source->choice;
    if (d.script->y && !choice.quantity && source->count > 0)
        NB_TRY(nb_figure_choice_default(source->where, source->readers[0], &choice.quantity));
    NB_TRY(nb_script_make_table(d.script, &choice, &d.table));
    d.axis = choice.axis;
    d.style = nb_page_style(source->style);
    NB_TRY(nb_page_terminal(path, &d.style, d.terminal, sizeof d.terminal));
    if (figure->runs && source->count == 0)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "figure %s is drawn from a record: --from FILE.h5", figure->name));
    if (figure->runs) NB_TRY(nb_figure_collect(d.script, &d.table, source, &runs));
    runs.step = choice.step;
    runs.iteration = choice.newton;
    if (d.script->y) NB_TRY(nb_figure_y_check(&d.table, &runs));
    NB_TRY(make_folder(&d));
    NB_TRY(try_place(&d));
    NB_TRY(nb_figure_write_tables(&d.table, source, &runs, d.folder));
    d.origin = source->origin;
    if (d.origin == NB_ORIGIN_UNKNOWN) NB_TRY(nb_figure_find_origin(figure, &runs, &d.origin));
    choose_title(&d);
    NB_TRY(write_script(&d));
    NB_TRY(run_gnuplot(figure->name, &d));
    NB_TRY(nb_page_take_drawing(&files, d.picture, path, &d.style));
    if (d.style.caption != NB_CAPTION_OFF) NB_TRY(take_text(&d, &files));
    if (source->csv) {
        NB_TRY(nb_figure_csv(figure->name, &d.table, &runs, d.folder, &table));
        NB_TRY(nb_figure_files_add_text(&files, source->csv, table));
    }
    NB_TRY(nb_figure_files_put(&files));
    if (source->places && d.script->y) NB_TRY(nb_figure_print_places(&d.table, &runs, source->places));
out:
    free(table); /* the C library's own */
    nb_figure_files_clear(&files);
    if (*d.folder) remove_folder(d.folder, &runs);
    nb_figure_runs_clear(&runs);
    return status;
}

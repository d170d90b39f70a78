#include "figure.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fields.h"
#include "figure_data.h"
#include "figure_devices.h"
#include "figure_profile.h"
#include "figure_script.h"
#include "figure_timings.h"

enum {
    LIST_LENGTH = 160 /* of the values that an attribute takes over the runs, as text */
};

/* ---- what the scripts are told ---- */

/* A gnuplot string in single quotes, the only ones in which nothing is interpreted (in double quotes `...` runs a
 * command); what stands in a record must not become part of the script. Line ends are joined in, other control
 * characters are spaces. */
static void write_string(FILE *file, const char *text) {
    fputc('\'', file);
    for (; *text; text++) {
        if (*text == '\n')
            fputs("'.\"\\n\".'", file);
        else if (*text == '\'')
            fputs("''", file);
        else
            fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
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
            list[used++] = strchr(" '\"", *c) ? '_' : *c; /* what word() would split at or drop */
    }
    list[used] = 0;
    fprintf(file, "%s = ", variable);
    write_string(file, list);
    fputc('\n', file);
}

/* ', ' and the value after those of the list, where it is not among them; "..." where there are too many */
static void add_value(char *list, size_t size, const char *value) {
    size_t used = strlen(list), length = strlen(value);
    for (const char *item = list; *item; item += strspn(item, ", ")) {
        size_t n = strcspn(item, ",");
        if (n == length && strncmp(item, value, n) == 0) return;
        item += n;
    }
    if (used + length + 8 < size)
        snprintf(list + used, size - used, "%s%s", used ? ", " : "", value);
    else if (strcmp(list + used - 3, "...") != 0)
        snprintf(list + used, size - used, ", ...");
}

/* the distinct values of an attribute over the runs, as "0.0083, 0.01" */
static void values_of(const nb_figure_runs *runs, const char *attribute, char list[LIST_LENGTH]) {
    const nb_field *field = nb_info_fields;
    while (strcmp(field->name, attribute) != 0) field++;
    *list = 0;
    for (int p = 0; p < runs->panel_count; p++)
        for (int s = 0; s < runs->series_count[p]; s++) {
            char value[NB_NAME_LENGTH];
            if (!runs->run[p][s]) continue;
            nb_field_text(field, &runs->run[p][s]->info, 6, value, sizeof value);
            add_value(list, LIST_LENGTH, *value ? value : "none");
        }
}

/* what every figure states about its runs: steps, iterations, settings, hardware, and how many are not drawn */
static void describe_runs(const nb_figure_runs *runs, const nb_provenance *where, char *text, size_t size) {
    enum {
        TIME_STEP,
        STEPS,
        SETTLE,
        NEWTON,
        LINEAR,
        PRECISION,
        DAMPING,
        REGULARIZATION,
        KIND,
        WARM,
        SEED,
        PRECONDITIONER,
        SCALING,
        NCP,
        METHOD,
        THREADS,
        VALUES
    };
    static const char *const attributes[VALUES] = {[TIME_STEP] = "time_step",
                                                   [STEPS] = "steps",
                                                   [SETTLE] = "settle",
                                                   [NEWTON] = "newton_iterations",
                                                   [LINEAR] = "linear_iterations",
                                                   [PRECISION] = "precision",
                                                   [DAMPING] = "damping",
                                                   [REGULARIZATION] = "regularization",
                                                   [KIND] = "regularization_kind",
                                                   [WARM] = "warm_start",
                                                   [SEED] = "seed",
                                                   [PRECONDITIONER] = "preconditioner",
                                                   [SCALING] = "scaling",
                                                   [NCP] = "ncp",
                                                   [METHOD] = "method",
                                                   [THREADS] = "threads"};
    char of[VALUES][LIST_LENGTH];
    for (int i = 0; i < VALUES; i++) values_of(runs, attributes[i], of[i]);
    const char *start = strcmp(of[WARM], "0") == 0   ? "zero"
                        : strcmp(of[WARM], "1") == 0 ? "warm"
                        : strcmp(of[WARM], "2") == 0 ? "unconstrained"
                                                     : "more than one";
    int newton = strstr(of[METHOD], "newton") != NULL; /* other methods have no such functions */
    size_t used = (size_t)snprintf(
        text, size,
        "h = %s s, %s step(s) after %s to settle, %s Newton x %s linear iterations, %s, damping %s, regularisation %s "
        "(%s), %s start, seed %s\nPreconditioner %s%s%s%s%s\n%s, %d cores, %s thread(s), %s build, ncpbench %s %.10s",
        of[TIME_STEP], of[STEPS], of[SETTLE], of[NEWTON], of[LINEAR], of[PRECISION], of[DAMPING], of[REGULARIZATION],
        of[KIND], start, of[SEED], of[PRECONDITIONER], newton ? ", scaling " : "", newton ? of[SCALING] : "",
        newton ? ", " : "", newton ? of[NCP] : "", where->cpu_model, (int)where->cores, of[THREADS], where->build_type,
        where->ncpbench_version, where->git_commit);
    if (runs->left_out > 0 && used < size)
        snprintf(text + used, size - used,
                 "\nNot drawn: %d more run(s) of the record, which differ from these in other settings alone, or were "
                 "too many.",
                 runs->left_out);
}

static void write_caption(const nb_figure_runs *runs, nb_record_reader *reader, FILE *file) {
    char caption[4096];
    if (reader && !*runs->caption)
        describe_runs(runs, nb_record_provenance(reader), caption, sizeof caption);
    else
        snprintf(caption, sizeof caption, "%s", runs->caption);
    fprintf(file, "caption = ");
    write_string(file, caption);
    fputc('\n', file);
}

/* the error of the run's reference itself, below which true errors say nothing */
static void write_reference(int panel, int series, const nb_run *run, FILE *file) {
    if (!run || !run->reference.solution.q) return;
    double error = nb_reference_error(&run->reference);
    fprintf(file, isfinite(error) ? "reference_%d_%d = %.9g\n" : "reference_%d_%d = NaN\n", panel, series, error);
}

static void write_variables(nb_figure_runs *runs, FILE *file) {
    fprintf(file, "panels = %d\ntimed = %d\n", runs->panel_count, runs->timed);
    write_names(file, "panel_names", runs->panel_name, runs->panel_count);
    for (int p = 0; p < runs->panel_count; p++) {
        char variable[32];
        snprintf(variable, sizeof variable, "labels_%d", p + 1);
        fprintf(file, "series_%d = %d\n", p + 1, runs->series_count[p]);
        write_names(file, variable, runs->series_name[p], runs->series_count[p]);
    }
    for (int p = 0; p < runs->panel_count; p++)
        for (int s = 0; s < runs->series_count[p]; s++) write_reference(p + 1, s + 1, runs->run[p][s], file);
    for (int c = 0; c < NB_NEWTON_COLUMNS; c++) fprintf(file, "at_%s = %d\n", nb_newton_columns[c].name, c + 2);
    fprintf(file, "scene_width = %d\nscene_height = %d\n", NB_SCENE_WIDTH, NB_SCENE_HEIGHT);
}

/* one row of a table as variables NAME_PANEL_SERIES_COLUMN; what is no number becomes NaN */
static void write_row(const char *name, int panel, int series, char *row, FILE *file) {
    int column = 1;
    for (char *cell = strtok(row, "\t\n"); cell; cell = strtok(NULL, "\t\n"), column++) {
        char *end;
        double x = strtod(cell, &end);
        fprintf(file, "%s_%d_%d_%d = ", name, panel, series, column);
        fprintf(file, *end == 0 && isfinite(x) ? "%.9g\n" : "NaN\n", x);
    }
}

/* For the sentences under a figure: the last row of every series, and the row of iteration 20. */
static void write_values(const nb_figure_runs *runs, const char *folder, FILE *file) {
    for (int p = 1; p <= runs->panel_count; p++) {
        char path[320], line[2048], last[2048] = "";
        snprintf(path, sizeof path, "%s/panel_%d.tsv", folder, p);
        FILE *table = fopen(path, "r");
        if (!table) return; /* pictures have no table */
        for (int series = 1; fgets(line, sizeof line, table);) {
            if (line[0] != '\n') {
                snprintf(last, sizeof last, "%s", line);
                if (strncmp(line, "20\t", 3) == 0) write_row("at20", p, series, line, file);
            } else if (*last) { /* the first of the two blank lines after a series */
                write_row("last", p, series++, last, file);
                *last = 0;
            }
        }
        fclose(table);
    }
}

/* ---- running gnuplot ---- */

typedef struct drawing {
    char folder[256];   /* of the tables and the script */
    char picture[4600]; /* what gnuplot writes */
} drawing;

static nb_status terminal_of(const char *path, const char **terminal) {
    static const char *const endings[][2] = {
        {".svg", "svg size 900,FIGURE_HEIGHT dynamic font 'DejaVu Sans,12' background '#ffffff'"},
        {".pdf", "pdfcairo size 9in,(FIGURE_HEIGHT/100.0)in font 'DejaVu Sans,11' dashlength 2"},
        {".png",
         "pngcairo size 1500,(FIGURE_HEIGHT*1500/900) font 'DejaVu Sans,18' fontscale 1.05 linewidth 1.6 dashlength 2 "
         "pointscale 1.5"},
    };
    size_t length = strlen(path);
    for (int i = 0; i < 3; i++)
        if (length > 4 && strcmp(path + length - 4, endings[i][0]) == 0) {
            *terminal = endings[i][1];
            return NB_OK;
        }
    return nb_fail(NB_ERROR_USAGE, "cannot draw '%.200s': its name must end in .svg, .pdf or .png", path);
}

static nb_status write_script(const nb_figure_script *script, nb_figure_runs *runs, nb_record_reader *reader,
                              const char *terminal, const drawing *d) {
    char path[320];
    snprintf(path, sizeof path, "%s/figure.gp", d->folder);
    FILE *file = fopen(path, "w");
    if (!file) return nb_fail(NB_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
    fprintf(file, "figure_terminal = ");
    write_string(file, terminal);
    fprintf(file, "\nfigure_output = ");
    write_string(file, d->picture);
    fprintf(file, "\nfigure_title = ");
    write_string(file, script->class.summary);
    fputc('\n', file);
    write_variables(runs, file);
    write_values(runs, d->folder, file);
    write_caption(runs, reader, file);
    for (int i = 0; nb_figure_common[i]; i++) fputs(nb_figure_common[i], file);
    fputs(script->text, file);
    int failed = ferror(file);
    if (fclose(file) != 0 || failed) return nb_fail(NB_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
    return NB_OK;
}

/* the first line that gnuplot complained with, for our message */
static void read_complaint(const char *folder, char *text, size_t size) {
    char path[320], line[256];
    snprintf(path, sizeof path, "%s/errors", folder);
    FILE *file = fopen(path, "r");
    *text = 0;
    while (file && fgets(line, sizeof line, file))
        if (strstr(line, "line ")) snprintf(text, size, "%.199s", line);
    if (file) fclose(file);
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
    int outcome;
    char complaint[200];
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return nb_fail(NB_ERROR_IO, "cannot start gnuplot: %s", strerror(errno));
    if (child == 0) {
        if (chdir(d->folder) != 0) _exit(126);
        int errors = open("errors", O_WRONLY | O_CREAT, 0600), nothing = open("/dev/null", O_RDWR);
        dup2(nothing, 0);
        dup2(nothing, 1);
        dup2(errors, 2);
        execlp("gnuplot", "gnuplot", "--default-settings", "figure.gp", (char *)NULL); /* nobody's ~/.gnuplot */
        _exit(127);
    }
    while (waitpid(child, &outcome, 0) < 0 && errno == EINTR) continue;
    if (WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0) return NB_OK;
    if (WIFEXITED(outcome) && WEXITSTATUS(outcome) == 127) return fail_without_gnuplot();
    read_complaint(d->folder, complaint, sizeof complaint);
    return nb_fail(NB_ERROR_IO, "gnuplot failed on figure %s: %s", figure, complaint);
}

static void remove_folder(const char *folder, const nb_figure_runs *runs) {
    static const char *const names[] = {"figure.gp", "errors", "panel_1.tsv"};
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

/* finds out at once, and in our own words, whether a file can be written where gnuplot will */
static nb_status try_place(const char *path, const drawing *d) {
    FILE *file = fopen(d->picture, "w");
    if (!file) return nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(errno));
    fclose(file);
    unlink(d->picture);
    return NB_OK;
}

/* gnuplot writes beside the figure's place; the rename is whole or not at all */
static nb_status put_in_place(const char *path, const drawing *d) {
    if (rename(d->picture, path) == 0) return NB_OK;
    nb_status status = nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(errno));
    unlink(d->picture);
    return status;
}

static nb_status collect(const nb_figure_script *script, const nb_figure_source *source, nb_figure_runs *runs) {
    nb_record_reader *reader = source->readers[0];
    if (strcmp(script->data, "profile") == 0) return nb_figure_collect_profile(source, runs);
    if (strcmp(script->data, "devices") == 0) return nb_figure_collect_devices(script, source, runs);
    if (strcmp(script->data, "cost") == 0 && nb_record_run_count(reader) == 0)
        return nb_figure_collect_timings(script, reader, runs);
    return nb_figure_collect(script, reader, runs);
}

nb_status nb_figure_draw(const nb_figure_class *figure, nb_record_reader *reader, const char *path) {
    const nb_figure_source source = {&reader, reader != NULL, 0};
    return nb_figure_draw_from(figure, &source, path);
}

nb_status nb_figure_draw_from(const nb_figure_class *figure, const nb_figure_source *source, const char *path) {
    nb_status status;
    nb_record_reader *reader = source->count > 0 ? source->readers[0] : NULL;
    const nb_figure_script *script = (const nb_figure_script *)figure;
    const char *terminal = NULL, *temporary = getenv("TMPDIR");
    nb_figure_runs runs = {0};
    drawing d = {0};
    NB_TRY(terminal_of(path, &terminal));
    if (figure->runs && !reader)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "figure %s is drawn from a record: --from FILE.h5", figure->name));
    if (figure->runs) NB_TRY(collect(script, source, &runs));
    snprintf(d.folder, sizeof d.folder, "%.200s/ncpbench-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(d.folder)) {
        status = nb_fail(NB_ERROR_IO, "cannot make the temporary folder '%s' (TMPDIR): %s", d.folder, strerror(errno));
        d.folder[0] = 0;
        goto out;
    }
    char absolute[4096];
    if (path[0] == '/' || !getcwd(absolute, sizeof absolute)) absolute[0] = 0;
    size_t needed = strlen(absolute) + strlen(path) + 24;
    if (needed > sizeof d.picture) NB_TRY(nb_fail(NB_ERROR_USAGE, "the path '%.100s...' is too long", path));
    snprintf(d.picture, sizeof d.picture, "%s%s%s.partial%s", absolute, *absolute ? "/" : "", path,
             path + strlen(path) - 4);
    NB_TRY(try_place(path, &d));
    NB_TRY(nb_figure_write_data(script, &runs, d.folder));
    NB_TRY(write_script(script, &runs, figure->runs ? reader : NULL, terminal, &d));
    status = run_gnuplot(figure->name, &d);
    if (status == NB_OK && access(d.picture, F_OK) != 0) status = nb_fail(NB_ERROR_IO, "cannot write '%.300s'", path);
    if (status == NB_OK) status = put_in_place(path, &d);
    if (status != NB_OK) unlink(d.picture);
out:
    if (*d.folder) remove_folder(d.folder, &runs);
    nb_figure_runs_clear(&runs);
    return status;
}

/* figure: draw from a record. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "command.h"
#include "drawing.h"
#include "guard.h"
#include "interrupt.h"
#include "overwrite.h"
#include "record.h"

enum {
    KEY_FROM = 500,
    KEY_TO,
    KEY_FORMAT,
    MOST_RECORDS = 16
};

static const struct argp_option options[] = {
    {.name = "from",
     .key = KEY_FROM,
     .arg = "FILE.h5[,FILE.h5...]",
     .doc = "the record that holds the runs; several for profile"},
    {.name = "to",
     .key = KEY_TO,
     .arg = "X",
     .doc = "profile: the natural-map error to reach, in m/s, of problem files relative to ||q|| [the first run's "
            "tolerance of ||q||, or 1e-4 m/s]; devices: the residual that solves reach [1e-4]"},
    {.name = "output",
     .key = 'o',
     .arg = "FILE|DIR",
     .doc = "where to draw: a .svg, .pdf or .png file, or a folder, which is made where missing"},
    {.name = "format", .key = KEY_FORMAT, .arg = "svg|pdf|png", .doc = "in a folder: a comma list of endings [svg]"},
    NB_FORCE_OPTION(0),
    {0},
};

typedef struct figure_arguments {
    const char *names, *from, *output;
    double accuracy;         /* 0: not given */
    int formats[NB_FORMATS]; /* 1: draw it, in a folder */
    int format_given;
    int force;
} figure_arguments;

static nb_status set(void *context, int key, const char *text) {
    static const nb_option to = {
        .name = "--to", .units = "m/s", .minimum = 1e-300, .maximum = 1e300, .summary = "natural-map error"};
    figure_arguments *a = context;
    if (key == KEY_TO) return nb_options_set(&to, 1, "figure", "--to", text, &a->accuracy);
    if (key == ARGP_KEY_ARG) return nb_command_take(&nb_command_figure, text, &a->names);
    if (key == KEY_FORMAT) {
        a->format_given = 1;
        return nb_formats_parse(text, a->formats);
    }
    if (key == KEY_FROM)
        a->from = text;
    else if (key == NB_FORCE_KEY)
        a->force = 1;
    else
        a->output = text;
    return NB_OK;
}

static nb_status check_arguments(const figure_arguments *a, nb_figure_list *list) {
    nb_status status;
    if (!a->names)
        return nb_fail(NB_ERROR_USAGE, "figure: the name of a figure is missing; see 'ncpbench list figures'");
    NB_TRY(nb_figures_parse(a->names, list));
    if (!a->output)
        return nb_fail(NB_ERROR_USAGE, "figure: the output is missing: -o FILE.svg, FILE.pdf, FILE.png or a folder");
    for (int i = 0; i < list->count; i++) {
        if (list->figures[i]->runs && list->figures[i]->runs[0] && a->from && strchr(a->from, ',') &&
            access(a->from, F_OK) != 0)
            return nb_fail(NB_ERROR_USAGE,
                           "figure %s is drawn from one record, not from '%.200s'; profile takes several",
                           list->figures[i]->name, a->from);
        if (list->figures[i]->runs && !a->from)
            return nb_fail(NB_ERROR_USAGE,
                           "figure %s is drawn from a record: --from FILE.h5 ('ncpbench reproduce %s' makes one)",
                           list->figures[i]->name, list->figures[i]->name);
    }
    if (nb_path_is_folder(a->output)) return NB_OK;
    if (!nb_path_is_drawing(a->output)) {
        if (list->count > 1 || a->format_given || a->output[strlen(a->output) - 1] == '/') return NB_OK;
        return nb_fail(NB_ERROR_USAGE,
                       "figure: output '%.200s' is neither a folder nor does it end in .svg, .pdf or .png", a->output);
    }
    if (list->count > 1)
        return nb_fail(NB_ERROR_USAGE, "figure: %d figures do not go into the one file '%.200s'; name a folder",
                       list->count, a->output);
    if (a->format_given)
        return nb_fail(NB_ERROR_USAGE, "figure: --format is for a folder; '%.200s' tells its format itself", a->output);
out:
    return status;
}

/* opens the records of the comma list; a file whose own name has a comma is one record */
static nb_status open_records(const char *names, nb_record_reader **readers, int *count) {
    nb_status status = NB_OK;
    for (const char *item = names;; item++) {
        char path[4096];
        size_t length = access(names, F_OK) == 0 ? strlen(names) : strcspn(item, ",");
        if (length == 0 || length >= sizeof path)
            return nb_fail(NB_ERROR_USAGE, "figure: --from '%.200s': a path is %s", names,
                           length ? "too long" : "missing");
        if (*count == MOST_RECORDS)
            return nb_fail(NB_ERROR_USAGE, "figure: --from names more than %d records", (int)MOST_RECORDS);
        snprintf(path, sizeof path, "%.*s", (int)length, item);
        NB_TRY(nb_guard(path, nb_read_record));
        NB_TRY(nb_record_open(path, &readers[*count]));
        ++*count;
        item += length;
        if (!*item) break;
    }
out:
    return status;
}

/* of all figures, those that the record has the runs of */
static void leave_out(nb_figure_list *list, nb_record_reader *record) {
    int count = 0, left_out = 0;
    for (int i = 0; i < list->count; i++) {
        const nb_figure_class *f = list->figures[i];
        if (!f->runs || nb_figure_has_runs(f, record))
            list->figures[count++] = f;
        else
            fprintf(stderr, "%s %s", left_out++ ? "," : "left out, as the record has none of their runs:", f->name);
    }
    if (left_out) fputc('\n', stderr);
    list->count = count;
}

/* draws into the file, or without a source only finds out whether it may be written */
static nb_status draw_file(const nb_figure_class *f, const nb_figure_source *source, const char *path, int force) {
    nb_status status = nb_drawing_check(path, force);
    if (status != NB_OK || !source) return status;
    status = nb_figure_draw_from(f, source, path);
    if (status == NB_OK) printf("%s\n", path);
    return status;
}

static nb_status draw(const nb_figure_class *f, const nb_figure_source *source, const figure_arguments *a) {
    nb_status status = NB_OK;
    if (!nb_path_is_folder(a->output)) return draw_file(f, source, a->output, a->force);
    for (int i = 0; i < NB_FORMATS; i++) {
        char path[4096];
        if (!a->formats[i]) continue;
        NB_TRY(nb_drawing_path(a->output, f->name, nb_formats[i], path, sizeof path));
        NB_TRY(draw_file(f, source, path, a->force));
    }
out:
    return status;
}

static nb_status figure(int argc, char **argv, int *exit_status) {
    figure_arguments a = {.formats = {1, 0, 0}};
    nb_figure_list list = {0};
    nb_record_reader *readers[MOST_RECORDS] = {0};
    nb_figure_source source = {.readers = readers};
    nb_status status;
    NB_TRY(nb_command_parse(&nb_command_figure, argc, argv, set, &a));
    NB_TRY(check_arguments(&a, &list));
    source.accuracy = a.accuracy;
    if (a.from) NB_TRY(open_records(a.from, readers, &source.count));
    if (strcmp(a.names, "all") == 0) leave_out(&list, readers[0]);
    if (!nb_path_is_drawing(a.output)) NB_TRY(nb_folder_make(a.output));
    for (int i = 0; i < list.count; i++) NB_TRY(draw(list.figures[i], NULL, &a));
    nb_interrupt_catch();
    for (int i = 0; i < list.count && status == NB_OK && !nb_interrupted; i++)
        status = draw(list.figures[i], &source, &a);
    if (nb_interrupted) { /* perhaps it was gnuplot that the interrupt ended */
        status = NB_OK;
        *exit_status = NB_EXIT_INTERRUPTED;
    }
out:
    for (int i = 0; i < source.count; i++) nb_record_reader_close(readers[i]);
    return status;
}

const nb_command nb_command_figure = {
    .name = "figure",
    .arguments = "NAME[,NAME...] -o FILE|DIR",
    .summary = "draw figures from a record",
    .details =
        "'ncpbench list figures' shows the names; 'all' stands for every one but profile and devices that the record "
        "has the runs of. In a folder each figure becomes NAME.svg.\n\n"
        "A figure draws whatever scenes of the record it finds its runs of. The commands that make them are shown "
        "by\n\n  ncpbench reproduce NAME --show-runs",
    .options = options,
    .run = figure,
};

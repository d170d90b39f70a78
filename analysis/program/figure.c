/* figure: draw from a record. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "command.h"
#include "drawing.h"
#include "figure/data.h"
#include "file_readers.h"
#include "interrupt.h"
#include "made.h"
#include "overwrite.h"
#include "record/record.h"
#include "text/plain.h"

enum {
    KEY_FROM = 500,
    KEY_TO,
    KEY_FORMAT,
    KEY_WHERE,
    KEY_X,
    KEY_Y,
    KEY_AT,
    KEY_SHOW,
    KEY_WIDTH,
    KEY_FONT,
    KEY_NO_TITLE,
    KEY_CAPTION,
    KEY_CSV,
    KEY_LATEX,
    MOST_RECORDS = 16
};

static const struct argp_option options[] = {
    {.name = "from",
     .key = KEY_FROM,
     .arg = "FILE.h5[,FILE.h5...]",
     .doc = "the record that holds the runs; several for profile"},
    {.name = "to",
     .key = KEY_TO,
     .arg = "X|energy:X|residual:X",
     .doc = "profile: the natural-map error to reach, in m/s, of problem files relative to ||q|| [the first run's "
            "tolerance of ||q||, or 1e-4 m/s]; of Matrix Market systems the relative residual [the first run's "
            "tolerance, or 1e-8]; energy:X, residual:X: the energy error of all linear solves, relative to "
            "the solution, or their true residual, relative to the first; devices: "
            "the residual that solves reach [1e-4]"},
    {.name = "output",
     .key = 'o',
     .arg = "FILE|DIR",
     .doc = "where to draw: a .svg, .pdf, .png or .tex file, or a folder, which is made where missing"},
    {.name = "format",
     .key = KEY_FORMAT,
     .arg = "svg|pdf|png|tex",
     .doc = "in a folder: a comma list of endings [svg]"},
    {.name = "latex",
     .key = KEY_LATEX,
     .doc = "in a folder: the same as --format tex, for \\input into a document; lines and areas are in a .pdf next to "
            "it"},
    {.doc = "What is drawn:"},
    {.name = "where",
     .key = KEY_WHERE,
     .arg = "NAME=VALUE[,...]",
     .doc = "only runs with one of these values, of an option of 'run' or a parameter of the scenario, as in "
            "--where linear-solver=pcr,pcg; given several times, all must hold"},
    {.name = "y",
     .key = KEY_Y,
     .arg = "COLUMN",
     .doc = "convergence: a column of newton/ in the record, or of linear/, as linear/residual_l2, or "
            "relative_residual, of a linear solve [natural_map_error; of Matrix Market systems relative_residual]"},
    {.name = "x",
     .key = KEY_X,
     .arg = "iteration|work|time",
     .doc = "convergence: against what; work: products with A [iteration]"},
    {.name = "at",
     .key = KEY_AT,
     .arg = "STEP[:NEWTON]",
     .doc = "convergence: which step, and for columns of linear/ which Newton iteration, from 0; prints where each "
            "iteration has its largest error [the final step, its first]; contact-errors and scenes with --show: "
            "STEP, of which --store-states stored the state after it; for errors also an iteration that "
            "--store-iterates kept"},
    {.name = "show",
     .key = KEY_SHOW,
     .arg = "forces|errors|modes",
     .doc = "scenes: the contacts on pale bodies, a picture for each run; as figure scenes-forces, scenes-errors or "
            "scenes-modes"},
    {.name = "csv",
     .key = KEY_CSV,
     .arg = "FILE",
     .doc =
         "write the drawn numbers there as well: a line of names, then figure, panel, curve and values of each point"},
    {.doc = "How it is set:"},
    {.name = "width",
     .key = KEY_WIDTH,
     .arg = "LENGTH",
     .doc = "of the figure on paper, as 85mm, 8.5cm or 3.35in [178mm]"},
    {.name = "font",
     .key = KEY_FONT,
     .arg = "NAME[,SIZE]",
     .doc = "of all text, with the size of labels in points [DejaVu Sans,8]"},
    {.name = "no-title", .key = KEY_NO_TITLE, .doc = "leave the title out"},
    {.name = "caption",
     .key = KEY_CAPTION,
     .arg = "below|file|off",
     .doc = "two lines below the figure, and all settings in a .txt next to it; only the .txt; or neither [below]"},
    NB_FORCE_OPTION(0),
    {0},
};

typedef struct figure_arguments {
    const char *names, *from, *output, *show;
    double accuracy;         /* 0: not given */
    nb_cost_error error;     /* that it is of */
    int formats[NB_FORMATS]; /* 1: draw it, in a folder */
    int format_given;
    int force;
    nb_figure_choice choice;
    nb_conditions where;
    nb_figure_style style;
    const char *csv;
} figure_arguments;

static nb_status wrong(const char *option, const char *text, const char *accepted) {
    return nb_fail(NB_ERROR_USAGE, "figure: %s '%.80s': it takes %s", option, text, accepted);
}

static nb_status set_width(const char *text, nb_figure_style *style) {
    static const struct {
        const char *name;
        double mm;
    } units[] = {{"mm", 1}, {"cm", 10}, {"in", 25.4}};
    char *end;
    double length = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units && end != text; i++)
        if (strcmp(end, units[i].name) == 0) style->width_mm = length * units[i].mm;
    if (style->width_mm >= 40 && style->width_mm <= 1000) return NB_OK;
    return wrong("--width", text, "a length from 40mm to 1000mm with its unit, as 85mm, 8.5cm or 3.35in");
}

static nb_status set_font(const char *text, nb_figure_style *style) {
    size_t length = strcspn(text, ",");
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -";
    char *end = NULL;
    if (length >= sizeof style->font || strspn(text, letters) < length)
        return wrong("--font", text, "the name of a font, of letters, digits, spaces and -, as in Helvetica,9");
    snprintf(style->font, sizeof style->font, "%.*s", (int)length, text);
    if (!text[length]) return NB_OK;
    style->font_size = strtod(text + length + 1, &end);
    if (end != text + length + 1 && !*end && style->font_size >= 4 && style->font_size <= 40) return NB_OK;
    return wrong("--font", text, "after the comma a size from 4 to 40 points");
}

static nb_status set_caption(const char *text, nb_figure_style *style) {
    static const char *const names[] = {
        [NB_CAPTION_BELOW] = "below", [NB_CAPTION_FILE] = "file", [NB_CAPTION_OFF] = "off"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            style->caption = (nb_figure_caption)i;
            return NB_OK;
        }
    return wrong("--caption", text, "below, file or off");
}

static nb_status set_axis(const char *text, nb_figure_choice *choice) {
    for (int i = 0; i < NB_CONVERGENCE_AXES; i++)
        if (strcmp(text, nb_convergence_axes[i]) == 0) {
            choice->axis = (nb_convergence_axis)i;
            return NB_OK;
        }
    return wrong("--x", text, "iteration, work or time");
}

static nb_status set_place(const char *text, nb_figure_choice *choice) {
    char *end;
    long step = strtol(text, &end, 10), newton = -1;
    int given = end != text;
    if (given && *end == ':') {
        const char *start = end + 1;
        newton = strtol(start, &end, 10);
        given = end != start && newton >= 0;
    }
    if (!given || *end || step < 0 || step > INT32_MAX || newton > INT32_MAX)
        return wrong("--at", text, "STEP or STEP:NEWTON, both from 0");
    choice->step = (int32_t)step;
    choice->newton = (int32_t)newton;
    return NB_OK;
}

static nb_status set(void *context, int key, const char *text) {
    figure_arguments *a = context;
    if (key == KEY_TO) return nb_command_accuracy("figure", text, &a->accuracy, &a->error);
    if (key == ARGP_KEY_ARG) return nb_command_take(&nb_command_figure, text, &a->names);
    if (key == KEY_FORMAT) {
        a->format_given = 1;
        return nb_formats_parse(text, a->formats);
    }
    switch (key) {
    case KEY_FROM: a->from = text; return NB_OK;
    case KEY_WHERE: return nb_conditions_add(&a->where, text);
    case KEY_X: return set_axis(text, &a->choice);
    case KEY_Y: a->choice.quantity = text; return NB_OK;
    case KEY_SHOW: a->show = text; return NB_OK;
    case KEY_AT: return set_place(text, &a->choice);
    case KEY_WIDTH: return set_width(text, &a->style);
    case KEY_FONT: return set_font(text, &a->style);
    case KEY_NO_TITLE: a->style.no_title = 1; return NB_OK;
    case KEY_CAPTION: return set_caption(text, &a->style);
    case KEY_CSV: a->csv = text; return NB_OK;
    case KEY_LATEX: a->format_given = 1; return nb_formats_parse("tex", a->formats);
    case NB_FORCE_KEY: a->force = 1; return NB_OK;
    default: a->output = text; return NB_OK;
    }
}

/* of figure scenes the one that shows it */
static nb_status find_shown(const figure_arguments *a, nb_figure_list *list) {
    char name[64];
    if (strcmp(a->names, "scenes") != 0)
        return nb_fail(NB_ERROR_USAGE, "figure: --show is of figure scenes, not of '%.80s'", a->names);
    snprintf(name, sizeof name, "scenes-%.40s", a->show);
    if (nb_figures_parse(name, 1, list) != NB_OK) return wrong("--show", a->show, "forces, errors or modes");
    return NB_OK;
}

static nb_status check_arguments(const figure_arguments *a, nb_figure_list *list) {
    nb_status status;
    if (!a->names)
        return nb_fail(NB_ERROR_USAGE, "figure: the name of a figure is missing; see 'ncpbench list figures'");
    NB_TRY(nb_figures_parse(a->names, 1, list));
    if (a->show) NB_TRY(find_shown(a, list));
    if (a->csv && list->count > 1)
        return nb_fail(NB_ERROR_USAGE, "figure: --csv is of one figure, and %d are asked for", list->count);
    if (!a->output)
        return nb_fail(NB_ERROR_USAGE,
                       "figure: the output is missing: -o FILE.svg, FILE.pdf, FILE.png, FILE.tex or a folder");
    for (int i = 0; i < list->count; i++) {
        if (list->figures[i]->runs && list->figures[i]->runs[0] && a->from && strchr(a->from, ',') &&
            access(a->from, F_OK) != 0)
            return nb_fail(NB_ERROR_USAGE,
                           "figure %s is drawn from one record, not from '%.200s'; profile and devices take several",
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
                       "figure: output '%.200s' is neither a folder nor does it end in .svg, .pdf, .png or .tex",
                       a->output);
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
        NB_TRY(nb_safe_read(path, nb_read_record));
        NB_TRY(nb_record_open(path, &readers[*count]));
        ++*count;
        item += length;
        if (!*item) break;
    }
out:
    return status;
}

/* FOLDER/NAME of the files of other commands, which lie beside the first record */
static void name_made(const nb_figure_class *f, const char *record, char made[4096]) {
    const int folder = record ? (int)(nb_path_name(record) - record) : 0;
    snprintf(made, 4096, "%.*s%s", folder, record ? record : "", f->name);
}

static int lacks_files(const nb_figure_class *f, const char *record) {
    char made[4096], path[4200];
    name_made(f, record, made);
    snprintf(path, sizeof path, "%s-1.h5", made);
    return f->makes && access(path, F_OK) != 0;
}

/* of all figures, those that the record has the runs of, and whose other files are there */
static void leave_out(nb_figure_list *list, nb_record_reader *record, const char *path) {
    int count = 0, left_out = 0;
    for (int i = 0; i < list->count; i++) {
        const nb_figure_class *f = list->figures[i];
        if (!f->runs || (nb_figure_has_runs(f, record) && !lacks_files(f, path)))
            list->figures[count++] = f;
        else
            nb_print(stderr, "%s %s", left_out++ ? "," : "left out, as the record has none of their runs:", f->name);
    }
    if (left_out) fputc('\n', stderr);
    list->count = count;
}

/* draws into the file, or without a source only finds out whether it may be written */
static nb_status draw_file(const nb_figure_class *f, const nb_figure_source *source, const char *path, int force) {
    nb_status status = nb_drawing_check(path, force);
    if (status != NB_OK || !source) return status;
    status = nb_figure_draw_from(f, source, path);
    if (status == NB_OK) nb_print(stdout, "%s\n", path);
    return status;
}

/* Draws in all formats. */
static nb_status draw(const nb_figure_class *f, const nb_figure_source *from, const figure_arguments *a) {
    nb_status status = NB_OK;
    char path[4096], made[4096], *study = NULL;
    nb_figure_source of = {.count = 0}, *source = NULL;
    if (from) {
        NB_TRY(nb_made_study(f, &study));
        name_made(f, a->from, made);
        of = *from;
        of.study = study;
        of.made = made;
        source = &of;
    }
    if (!nb_path_is_folder(a->output)) NB_TRY(draw_file(f, source, a->output, a->force));
    for (int i = 0; i < NB_FORMATS && nb_path_is_folder(a->output); i++) {
        if (!a->formats[i]) continue;
        NB_TRY(nb_drawing_path(a->output, f->name, nb_formats[i], path, sizeof path));
        NB_TRY(draw_file(f, source, path, a->force));
    }
out:
    free(study); /* the C library's own */
    return status;
}

static nb_status figure(int argc, char **argv, int *exit_status) {
    figure_arguments a = {.formats = {1}};
    nb_figure_choice_standard(&a.choice);
    nb_figure_list list = {0};
    nb_record_reader *readers[MOST_RECORDS] = {0};
    nb_figure_source source = {.readers = readers};
    nb_status status;
    NB_TRY(nb_command_parse(&nb_command_figure, argc, argv, set, &a));
    NB_TRY(check_arguments(&a, &list));
    source.accuracy = a.accuracy;
    source.error = a.error;
    source.choice = &a.choice;
    source.where = &a.where;
    source.style = &a.style;
    source.csv = a.csv;
    source.places = a.choice.step >= 0 ? stdout : NULL;
    source.record = a.from ? nb_path_name(a.from) : NULL;
    if (a.from) NB_TRY(open_records(a.from, readers, &source.count));
    if (a.from && strcmp(a.names, "all") == 0) leave_out(&list, readers[0], a.from);
    if (!nb_path_is_drawing(a.output)) NB_TRY(nb_folder_make(a.output));
    for (int i = 0; i < list.count; i++) NB_TRY(draw(list.figures[i], NULL, &a));
    if (a.csv) NB_TRY(nb_overwrite_check(a.csv, NB_WRITTEN_NUMBERS, a.force));
    nb_interrupt_catch();
    for (int i = 0; i < list.count && status == NB_OK && !nb_interrupted; i++) {
        status = draw(list.figures[i], &source, &a);
        if (status == NB_OK || nb_interrupted || strcmp(a.names, "all") != 0) continue;
        nb_command_report(list.figures[i]->name); /* and the others are drawn */
        *exit_status = nb_status_exit_code(status);
        status = NB_OK;
    }
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
        "'ncpbench list figures' shows the names; 'all' stands for every one but profile, devices, scenes and contacts "
        "that the record has the runs of. In a folder each figure becomes NAME.svg.\n\n"
        "A figure draws whatever scenes of the record it finds its runs of. The commands that make them are shown "
        "by\n\n  ncpbench reproduce NAME --show-runs",
    .examples = "  # the natural map against time, of the runs of one scenario\n"
                "  ncpbench figure convergence --from a.h5 --x time --where mu=0.5 -o a.svg\n",
    .options = options,
    .run = figure,
};

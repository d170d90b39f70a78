/* bench: how fast the kernels are that runs are made of. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/threads.h"
#include "bench/bench.h"
#include "command.h"
#include "environment.h"
#include "interrupt.h"
#include "overwrite.h"
#include "record/provenance.h"
#include "record/record.h"
#include "run/blas.h"
#include "run/devices.h"
#include "text/plain.h"

enum {
    KEY_CONTACTS = 256,
    KEY_PRECISION,
    KEY_THREADS,
    KEY_ORDER,
    KEY_DEVICE,
    KEY_PRECONDITIONER,
    KEY_TITLE,
    MOST_ITEMS = 16,
    MOST_TEXT = 512
};

static const struct argp_option options[] = {
    {.name = "contacts",
     .key = KEY_CONTACTS,
     .arg = "N,...",
     .doc = "contacts of the piles, or tetrahedra, about [1000,10000,100000]"},
    {.name = "precision", .key = KEY_PRECISION, .arg = "f32,mixed,f64", .doc = "precisions [f32,f64]"},
    {.name = "threads", .key = KEY_THREADS, .arg = "N,...", .doc = "threads [1]"},
    {.name = "device",
     .key = KEY_DEVICE,
     .arg = "NAME,...",
     .doc = "where; see ncpbench list devices. Rows of emulated say nothing of a GPU's speed [cpu]"},
    {.name = "preconditioner",
     .key = KEY_PRECONDITIONER,
     .arg = "NAME,...",
     .doc = "of accuracy; NAME=VALUE sets its first option, such as chebyshev=8 the degree [jacobi]"},
    {.name = "order",
     .key = KEY_ORDER,
     .arg = "built|shuffled",
     .doc = "how the world lists the pile's bodies [built]"},
    {.name = "output", .key = 'o', .arg = "FILE.h5", .doc = "write a record of the timings, every sample kept"},
    NB_FORCE_OPTION(0),
    {.name = "title", .key = KEY_TITLE, .arg = "TEXT", .doc = "title of the record"},
    {0},
};

typedef struct bench_arguments {
    const char *kernels, *contacts, *precisions, *threads, *order, *devices, *preconditioners, *path, *title;
    int force;
} bench_arguments;

static nb_status set(void *context, int key, const char *text) {
    bench_arguments *a = context;
    switch (key) {
    case KEY_CONTACTS: a->contacts = text; break;
    case KEY_PRECISION: a->precisions = text; break;
    case KEY_THREADS: a->threads = text; break;
    case KEY_ORDER: a->order = text; break;
    case KEY_DEVICE: a->devices = text; break;
    case KEY_PRECONDITIONER: a->preconditioners = text; break;
    case KEY_TITLE: a->title = text; break;
    case 'o': a->path = text; break;
    case NB_FORCE_KEY: a->force = 1; break;
    default: return nb_command_take(&nb_command_bench, text, &a->kernels);
    }
    return NB_OK;
}

/* a comma list, cut into words of `text` */
typedef struct words {
    char text[MOST_TEXT];
    const char *items[MOST_ITEMS];
    int count;
} words;

static nb_status cut(const char *option, const char *list, words *w) {
    if (strlen(list) >= sizeof w->text) return nb_fail(NB_ERROR_USAGE, "bench: %s: the list is too long", option);
    snprintf(w->text, sizeof w->text, "%s", list);
    char *rest = NULL;
    w->count = 0;
    for (char *word = strtok_r(w->text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (w->count == MOST_ITEMS)
            return nb_fail(NB_ERROR_USAGE, "bench: %s takes at most %d items", option, MOST_ITEMS);
        w->items[w->count++] = word;
    }
    return w->count ? NB_OK : nb_fail(NB_ERROR_USAGE, "bench: %s: the list is empty", option);
}

/* the item of `list` that `text` names */
static nb_status find(const char *what, const char *text, const char *const *list, const char **name) {
    int count = 0, i;
    while (list[count]) count++;
    nb_status status = nb_name_choose(what, text, list, count, &i);
    if (status == NB_OK) *name = list[i];
    return status;
}

static const char *const precisions[] = {"f32", "mixed", "f64", NULL};
static const char *const orders[] = {"built", "shuffled", NULL};

/* everything is looked up before the first measurement */
typedef struct plan {
    words kernels, contacts, precisions, threads, devices, preconditioners;
    const char *kernel[MOST_ITEMS], *precision[MOST_ITEMS], *device[MOST_ITEMS], *order;
    const char *preconditioner[MOST_ITEMS + 1]; /* NULL-terminated */
    int32_t contact_counts[MOST_ITEMS], thread_counts[MOST_ITEMS];
} plan;

/* their names as the table has them; one that cannot be used is a fault */
static nb_status read_devices(const char *list, plan *p) {
    nb_status status;
    const nb_device *device;
    NB_TRY(cut("--device", list, &p->devices));
    for (int i = 0; i < p->devices.count; i++) {
        NB_TRY(nb_device_find(p->devices.items[i], &device));
        p->device[i] = device ? device->name : "cpu";
        if (strcmp(p->device[i], "emulated") == 0)
            nb_print(stderr, "ncpbench: bench: device emulated runs a GPU's kernels on this processor: its times say "
                             "nothing of a GPU\n");
    }
out:
    return status;
}

static nb_status read_preconditioners(const char *list, plan *p) {
    nb_status status;
    NB_TRY(cut("--preconditioner", list, &p->preconditioners));
    for (int i = 0; i < p->preconditioners.count; i++) {
        p->preconditioner[i] = p->preconditioners.items[i];
        NB_TRY(nb_bench_check_preconditioner(p->preconditioner[i]));
    }
    p->preconditioner[p->preconditioners.count] = NULL;
out:
    return status;
}

static nb_status check_offers(const plan *p) {
    for (int k = 0; k < p->kernels.count; k++)
        for (int d = 0; d < p->devices.count; d++)
            if (nb_bench_offers(p->kernel[k], p->device[d])) return NB_OK;
    return nb_fail(NB_ERROR_USAGE, "bench: none of these kernels is on these devices (island and batch are on cuda and "
                                   "emulated, assembly, psor, elements, pairs, gradient, friction, smoothed "
                                   "and preconditioners are on cpu)");
}

static nb_status read_plan(const bench_arguments *a, plan *p) {
    nb_status status;
    if (a->path && !*a->path) NB_TRY(nb_fail(NB_ERROR_USAGE, "option --output takes the name of a file, not ''"));
    if (a->title && !a->path) NB_TRY(nb_fail(NB_ERROR_USAGE, "option --title needs a record: -o FILE.h5"));
    NB_TRY(cut("KERNEL", a->kernels ? a->kernels : "operator,pcr,assembly,newton", &p->kernels));
    NB_TRY(cut("--contacts", a->contacts ? a->contacts : "1000,10000,100000", &p->contacts));
    NB_TRY(cut("--precision", a->precisions ? a->precisions : "f32,f64", &p->precisions));
    NB_TRY(cut("--threads", a->threads ? a->threads : "1", &p->threads));
    for (int i = 0; i < p->kernels.count; i++)
        NB_TRY(find("kernel", p->kernels.items[i], nb_bench_kernels, &p->kernel[i]));
    NB_TRY(read_devices(a->devices ? a->devices : "cpu", p));
    NB_TRY(check_offers(p));
    NB_TRY(read_preconditioners(a->preconditioners ? a->preconditioners : "jacobi", p));
    NB_TRY(find("order", a->order ? a->order : orders[0], orders, &p->order));
    for (int i = 0; i < p->precisions.count; i++)
        NB_TRY(find("precision", p->precisions.items[i], precisions, &p->precision[i]));
    for (int i = 0; i < p->contacts.count; i++)
        NB_TRY(nb_command_whole("--contacts", p->contacts.items[i], 1, 20000000, &p->contact_counts[i]));
    for (int i = 0; i < p->threads.count; i++)
        NB_TRY(nb_command_whole("--threads", p->threads.items[i], 1, 256, &p->thread_counts[i]));
out:
    return status;
}

/* ---- the table, printed as it grows and recorded at the end ---- */

typedef struct session {
    nb_record *record; /* NULL: none asked for */
    nb_timing *rows;   /* [count] */
    int64_t count, capacity;
    int whole;          /* 1: everything was measured */
    int keeps;          /* 1: a record of another command is in the place */
    nb_status left_out; /* the fault of the last item that a device does not take, or that gave no times */
    int refused;        /* 1: of the latter there is one */
} session;

static nb_status take_row(void *context, const nb_timing *t) {
    session *s = context;
    nb_print(stdout, "%s\t%d\t%s\t%d\t%.4g\t%.4g\t%.3f\t%.4g\t%.4g\t%.4g\t%s\t%d\n", t->kernel, (int)t->contacts,
             t->precision, (int)t->threads, t->median, t->triad, t->fraction, t->least, t->most, t->bytes, t->device,
             (int)t->scenes);
    fflush(stdout);
    if (isnan(t->triad))
        nb_print(stderr, "ncpbench: bench: %s, %d contacts, %s: no bandwidth; the machine is too busy to measure it\n",
                 t->kernel, (int)t->contacts, t->precision);
    nb_status status = NB_RESERVE(s->count + 1, &s->capacity, &s->rows);
    if (status == NB_OK) s->rows[s->count++] = *t;
    return status;
}

/* the place is taken before anything is measured */
static nb_status open_output(session *s, const bench_arguments *a, const plan *p, const char *line) {
    nb_status status;
    nb_provenance provenance;
    if (!a->path) return NB_OK;
    NB_TRY(nb_overwrite_check(a->path, NB_WRITTEN_RECORD, a->force));
    nb_environment(p->thread_counts[0], 0, &provenance);
    NB_TRY(nb_record_create(a->path, a->title ? a->title : "", line, &provenance, &s->record));
    NB_TRY(nb_overwrite_check_interrupted(a->path, a->force));
    s->keeps = nb_overwrite_keeps(a->path, line, 0, a->force);
out:
    return status;
}

/* As with runs: what was finished is kept after an interrupt, and does not cost an earlier record. */
static nb_status close_record(session *s, const char *path) {
    nb_status status = NB_OK;
    if (!s->record) return NB_OK;
    if (s->count > 0) status = nb_record_write_timings(s->record, s->rows, (int)s->count);
    int keep = status == NB_OK && s->count > 0;
    if (!keep) nb_print(stderr, "nothing was recorded; %s %s\n", path, nb_overwrite_left(path));
    nb_status closed =
        keep ? nb_overwrite_close(s->record, path, !s->whole || s->keeps) : nb_record_close(s->record, 0);
    return status == NB_OK ? closed : status;
}

/* one item; what the device does not take, or what gives times that cannot be, is left out with a line */
static nb_status measure_item(const nb_bench_item *item, session *s) {
    if (!nb_bench_offers(item->kernel, item->device)) return NB_OK;
    nb_blas_set_threads(item->threads);
    nb_threads_set(item->threads);
    nb_status status = nb_bench(item, take_row, s);
    if (status == NB_ERROR_INTERRUPTED) return NB_OK; /* the exit status says so */
    if (status != NB_ERROR_UNSUPPORTED && status != NB_ERROR_NUMERIC) return status;
    s->refused |= status == NB_ERROR_NUMERIC;
    char where[128];
    snprintf(where, sizeof where, "bench: %s, %d contacts, %s, %s left out", item->kernel, (int)item->contacts,
             item->precision, item->device);
    nb_command_report(where);
    s->left_out = status;
    return NB_OK;
}

static nb_status measure_at(const plan *p, nb_bench_item item, session *s) {
    nb_status status = NB_OK;
    for (int f = 0; f < p->precisions.count; f++)
        for (int d = 0; d < p->devices.count; d++)
            for (int t = 0; t < p->threads.count && !nb_interrupted; t++) {
                item.precision = p->precision[f];
                item.device = p->device[d];
                item.threads = p->thread_counts[t];
                if (t > 0 && strcmp(item.device, "cpu") != 0 && strcmp(item.kernel, "batch") != 0)
                    break; /* the host's threads do not matter there, but for what gathers scenes */
                NB_TRY(measure_item(&item, s));
            }
out:
    return status;
}

static nb_status measure(const plan *p, session *s) {
    nb_status status = NB_OK;
    for (int k = 0; k < p->kernels.count; k++)
        for (int n = 0; n < p->contacts.count; n++) {
            nb_bench_item item = {.kernel = p->kernel[k],
                                  .contacts = p->contact_counts[n],
                                  .preconditioners = p->preconditioner,
                                  .shuffled = p->order == orders[1]};
            NB_TRY(measure_at(p, item, s));
        }
    s->whole = !nb_interrupted;
    if (s->count == 0 && s->whole) return s->left_out; /* whose message is the last */
out:
    return status;
}

static nb_status bench(int argc, char **argv, int *exit_status) {
    nb_status status;
    bench_arguments arguments = {0};
    session s = {0};
    plan p;
    char *line = NULL;
    NB_TRY(nb_command_line(argc, argv, &line)); /* before argp sorts the words */
    NB_TRY(nb_command_parse(&nb_command_bench, argc, argv, set, &arguments));
    NB_TRY(read_plan(&arguments, &p));
    if (arguments.path) nb_interrupt_catch();
    NB_TRY(open_output(&s, &arguments, &p, line));
    nb_print(stdout, "kernel\tcontacts\tprecision\tthreads\tns_per_contact\ttriad_gb_s\tfraction_of_bandwidth\tleast_"
                     "ns\tmost_ns\tbytes_per_contact\tdevice\tscenes\n");
    status = measure(&p, &s);
    nb_status closed = close_record(&s, arguments.path);
    s.record = NULL;
    if (status == NB_OK) status = closed;
    if (s.refused) *exit_status = NB_EXIT_NOT_CONVERGED;
    if (nb_interrupted) *exit_status = NB_EXIT_INTERRUPTED;
out:
    if (s.record) nb_record_close(s.record, 0); /* refused before anything was measured */
    nb_free(s.rows);
    nb_free(line);
    return status;
}

const nb_command nb_command_bench = {
    .name = "bench",
    .arguments = "[KERNEL,...]",
    .summary = "time the kernels that runs are made of",
    .details =
        "KERNEL is operator (one product with A), pcr (one iteration with the Jacobi preconditioner), assembly (the "
        "values of a Newton iteration) or newton (a whole one with 20 iterations of PCR, and its shares: assemble, "
        "set-up, solve, update, record; and what is done once per step: detect, begin); without it these are timed. "
        "There are gauss-seidel (a sweep), psor (a sweep of the method), accuracy (a solve with PCR and each "
        "--preconditioner until the true residual is 1e-2, 1e-4 and 1e-6 of its start), pairs (an iteration of the "
        "method single-level on stacks of four blocks with that many pairs of convex sets, and its shares; times a "
        "pair; f64 alone), gradient (on the same stacks, or a block that slides where there is 1: a step from zero of "
        "newton, interior-point and single-level, and one column or one row of its derivatives, central path "
        "included; times a pair; f64 alone), friction (the laws of the method smoothed on contacts of particles in "
        "random order: forces, and forces with blocks; times a contact; f32 and f64), smoothed (the values of a "
        "Newton iteration of that method on the pile; f32 and f64), preconditioners (a product with A in the "
        "stiffness form, set-up and application of each, those that factorize A up to 3000 rows; times a number that "
        "it is stored in; f32 and f64) and elements (of a soft bar with that many tetrahedra: a product, the values "
        "of a Newton iteration, and set-up and solve of the formulations compliance, stiffness and condensed to "
        "1e-4; times a tetrahedron) as "
        "well, and of devices alone island (a Newton iteration of a scene in the kernel that makes whole steps) and "
        "batch (an iteration of many scenes of about 120 contacts, in one launch), both without and with (':wall') "
        "copies. The others work on a pile of boxes. Prints tab-separated rows: the median of 15 samples, and the "
        "bandwidth of a triad (a = b + s c) over as much memory, on a device that of a copy, measured in the same "
        "run. Times that no idle machine shows, such as negative ones, are left out; where too few are left, so is "
        "the row, and the exit status is 1. With -o they go into a record as well, with every sample and the "
        "provenance; 'figure cost' draws from the rows of newton, 'figure devices' from those of pcr and accuracy.",
    .options = options,
    .run = bench,
};

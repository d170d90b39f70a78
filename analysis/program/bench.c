/* bench: how fast the kernels are that runs are made of. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "base/threads.h"
#include "bench.h"
#include "blas.h"
#include "command.h"

enum {
    KEY_CONTACTS = 256,
    KEY_PRECISION,
    KEY_THREADS,
    KEY_ORDER,
    MOST_ITEMS = 16,
    MOST_TEXT = 512
};

static const struct argp_option options[] = {
    {.name = "contacts",
     .key = KEY_CONTACTS,
     .arg = "N,...",
     .doc = "contacts of the piles, about [1000,10000,100000]"},
    {.name = "precision", .key = KEY_PRECISION, .arg = "f32,mixed,f64", .doc = "precisions [f32,f64]"},
    {.name = "threads", .key = KEY_THREADS, .arg = "N,...", .doc = "threads [1]"},
    {.name = "order",
     .key = KEY_ORDER,
     .arg = "built|shuffled",
     .doc = "how the world lists the pile's bodies [built]"},
    {0},
};

typedef struct bench_arguments {
    const char *kernels, *contacts, *precisions, *threads, *order;
} bench_arguments;

static nb_status set(void *context, int key, const char *text) {
    bench_arguments *a = context;
    switch (key) {
    case KEY_CONTACTS: a->contacts = text; break;
    case KEY_PRECISION: a->precisions = text; break;
    case KEY_THREADS: a->threads = text; break;
    case KEY_ORDER: a->order = text; break;
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

static nb_status read_count(const char *option, const char *text, int32_t most, int32_t *count) {
    char *end;
    long value = strtol(text, &end, 10);
    if (*end || value < 1 || value > most)
        return nb_fail(NB_ERROR_USAGE, "bench: %s '%s' is not a whole number from 1 to %d", option, text, (int)most);
    *count = (int32_t)value;
    return NB_OK;
}

static const char *name_at(const void *list, int i) {
    return ((const char *const *)list)[i];
}

/* the item of `list` that `text` names */
static nb_status find(const char *what, const char *text, const char *const *list, const char **name) {
    int count = 0;
    while (list[count]) count++;
    int i = nb_name_find(text, count, name_at, list);
    if (i < 0) return nb_name_unknown(what, text, count, name_at, list);
    *name = list[i];
    return NB_OK;
}

static nb_status print_row(void *context, const nb_bench_result *r) {
    (void)context;
    printf("%s\t%d\t%s\t%d\t%.4g\t%.4g\t%.3f\t%.4g\t%.4g\t%.4g\n", r->kernel, (int)r->contacts, r->precision,
           (int)r->threads, r->ns, r->triad, r->bytes / r->ns / r->triad, r->least_ns, r->most_ns, r->bytes);
    fflush(stdout);
    return NB_OK;
}

static const char *const precisions[] = {"f32", "mixed", "f64", NULL};
static const char *const orders[] = {"built", "shuffled", NULL};

/* everything is looked up before the first measurement */
typedef struct plan {
    words kernels, contacts, precisions, threads;
    const char *kernel[MOST_ITEMS], *precision[MOST_ITEMS], *order;
    int32_t contact_counts[MOST_ITEMS], thread_counts[MOST_ITEMS];
} plan;

static nb_status read_plan(const bench_arguments *a, plan *p) {
    nb_status status;
    NB_TRY(cut("KERNEL", a->kernels ? a->kernels : "operator,pcr,assembly,newton", &p->kernels));
    NB_TRY(cut("--contacts", a->contacts ? a->contacts : "1000,10000,100000", &p->contacts));
    NB_TRY(cut("--precision", a->precisions ? a->precisions : "f32,f64", &p->precisions));
    NB_TRY(cut("--threads", a->threads ? a->threads : "1", &p->threads));
    for (int i = 0; i < p->kernels.count; i++)
        NB_TRY(find("kernel", p->kernels.items[i], nb_bench_kernels, &p->kernel[i]));
    NB_TRY(find("order", a->order ? a->order : orders[0], orders, &p->order));
    for (int i = 0; i < p->precisions.count; i++)
        NB_TRY(find("precision", p->precisions.items[i], precisions, &p->precision[i]));
    for (int i = 0; i < p->contacts.count; i++)
        NB_TRY(read_count("--contacts", p->contacts.items[i], 2000000, &p->contact_counts[i]));
    for (int i = 0; i < p->threads.count; i++)
        NB_TRY(read_count("--threads", p->threads.items[i], 256, &p->thread_counts[i]));
out:
    return status;
}

static nb_status bench(int argc, char **argv, int *exit_status) {
    (void)exit_status;
    nb_status status;
    bench_arguments arguments = {0};
    plan p;
    NB_TRY(nb_command_parse(&nb_command_bench, argc, argv, set, &arguments));
    NB_TRY(read_plan(&arguments, &p));
    printf(
        "kernel\tcontacts\tprecision\tthreads\tns_per_contact\ttriad_gb_s\tfraction_of_bandwidth\tleast_ns\tmost_ns\t"
        "bytes_per_contact\n");
    for (int k = 0; k < p.kernels.count; k++)
        for (int n = 0; n < p.contacts.count; n++)
            for (int f = 0; f < p.precisions.count; f++)
                for (int t = 0; t < p.threads.count; t++) {
                    nb_blas_set_threads(p.thread_counts[t]);
                    nb_threads_set(p.thread_counts[t]);
                    NB_TRY(nb_bench(p.kernel[k], p.contact_counts[n], p.precision[f], p.thread_counts[t],
                                    p.order == orders[1], print_row, NULL));
                }
out:
    return status;
}

const nb_command nb_command_bench = {
    .name = "bench",
    .arguments = "[KERNEL,...]",
    .summary = "time the kernels that runs are made of",
    .details = "KERNEL is operator (one product with A), pcr (one iteration with the Jacobi preconditioner), assembly "
               "(the values of a Newton iteration) or newton (a whole one with 20 iterations of PCR, and its shares); "
               "without it all are timed. Each works on a pile of boxes. Prints tab-separated rows: the median of 15 "
               "samples, beside the bandwidth of a triad (a = b + s c) over as much memory, measured in the same run.",
    .options = options,
    .run = bench,
};

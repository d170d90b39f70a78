/* Times an iteration of interior-point's island loop, and its parts, on a column of cubes with four contacts a pair:
 * the iterations to 1e-4 m/s from no impulses, a contact and iteration, and the parts that these are made of, a contact
 * and call.
 *
 *     island_parts [CONTACTS...]       (without: 2 10 60; at most 256)
 *
 * A line each: nanoseconds a contact, the median, least and most of 15 samples, and the share of the bandwidth of a
 * triad over as much memory where the bytes of a part are known. Nothing is asserted of times. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/random.h"
#include "bench/parts.h"
#include "method/interior_point/island_loop.h"

enum {
    STRIDE = NB_BODY_LU_STRIDE,
    PAIR_CONTACTS = 4,
    MOST_CONTACTS = PAIR_CONTACTS * NB_BODY_LU_MOST,
    MOST_ITERATIONS = 200,
    WARM_UP = 3 /* iterations before parts are timed */
};

static const double sample_s = 1e-3, tolerance = 1e-4, time_step = 0.01;

typedef struct column {
    nb_island island;
    nb_island_contact contact[MOST_CONTACTS];
    double *first; /* [bodies][STRIDE] velocities at first */
    nb_arena arena, blocks;
} column;

static void place(nb_arena *a, column *c) {
    nb_island *s = &c->island;
    const int64_t n = s->bodies;
    NB_PLACE(a, n, &s->mass);
    NB_PLACE(a, 6 * n, &s->inertia);
    NB_PLACE(a, STRIDE * n, &s->inverse);
    NB_PLACE(a, 6 * n, &s->free);
    NB_PLACE(a, STRIDE * n, &s->u);
    NB_PLACE(a, STRIDE * n, &s->du);
    NB_PLACE(a, STRIDE * n, &s->momentum);
    NB_PLACE(a, STRIDE * n, &c->first);
    NB_PLACE(a, s->contacts, &s->slot);
    NB_PLACE(a, nb_island_blocks(s->contacts), &s->block);
    NB_PLACE(a, n, &s->lu.order);
    NB_PLACE(a, n, &s->lu.later);
    NB_PLACE(a, n * n, &s->lu.place);
}

/* cubes of 1 kg and 1 m that fall on each other */
static void set_bodies(column *c, uint64_t *seed) {
    nb_island *s = &c->island;
    for (int32_t i = 0; i < s->bodies; i++) {
        double *inverse = s->inverse + STRIDE * (ptrdiff_t)i;
        s->mass[i] = inverse[0] = 1;
        for (int k = 0; k < 3; k++) {
            s->inertia[6 * (ptrdiff_t)i + k] = 1.0 / 6;
            inverse[1 + k] = 6;
        }
        inverse[7] = sqrt(1.0 / 6);
        for (int k = 0; k < 6; k++) {
            double *velocity = s->free + 6 * (ptrdiff_t)i + k;
            *velocity = nb_random_uniform(seed, -0.5, 0.5) - (k == 2 ? 1 : 0);
            c->first[STRIDE * (ptrdiff_t)i + k] = *velocity;
        }
    }
}

static void set_contacts(column *c, uint64_t *seed) {
    for (int32_t i = 0; i < c->island.contacts; i++) {
        const int32_t upper = i / PAIR_CONTACTS;
        const double x = i & 1 ? 0.5 : -0.5, y = i & 2 ? 0.5 : -0.5;
        c->contact[i] = (nb_island_contact){.body = {upper, upper - 1},
                                            .direction = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
                                            .start = {{x, y, -0.5}, {x, y, 0.5}},
                                            .rate = nb_random_uniform(seed, 0, 0.1),
                                            .mu = 0.5};
    }
    nb_island_set_contacts(&c->island, c->contact);
}

static nb_status create(int32_t contacts, column *c) {
    nb_status status;
    nb_island *s = &c->island;
    uint64_t seed = 1, neighbours[NB_BODY_LU_MOST] = {0};
    s->contacts = contacts;
    s->bodies = s->lu.bodies = (contacts + PAIR_CONTACTS - 1) / PAIR_CONTACTS;
    s->h = time_step;
    s->start_tau = s->ratio = 1;
    s->most = MOST_ITERATIONS;
    s->kernels = nb_island_kernels_get();
    s->lu_kernels = nb_body_lu_kernels_get();
    nb_arena_measure(&c->arena);
    place(&c->arena, c);
    NB_TRY(nb_arena_reserve(&c->arena));
    place(&c->arena, c);
    set_bodies(c, &seed);
    set_contacts(c, &seed);
    for (int32_t i = 1; i < s->bodies; i++) {
        neighbours[i] |= UINT64_C(1) << (i - 1);
        neighbours[i - 1] |= UINT64_C(1) << i;
    }
    nb_body_lu_analyse(&s->lu, neighbours);
    nb_arena_measure(&c->blocks);
    NB_PLACE(&c->blocks, (int64_t)s->lu.blocks * NB_BODY_LU_BLOCK, &s->lu.block);
    NB_TRY(nb_arena_reserve(&c->blocks));
    NB_PLACE(&c->blocks, (int64_t)s->lu.blocks * NB_BODY_LU_BLOCK, &s->lu.block);
out:
    return status;
}

static void destroy(column *c) {
    nb_arena_clear(&c->arena);
    nb_arena_clear(&c->blocks);
}

/* ---- parts ---- */

enum {
    VALUES,
    MEASURE,
    CONES,
    BLOCKS,
    FACTORISE,
    AIM,
    SOLVE,
    FOLLOW,
    STEP_LENGTH,
    PARTS
};

/* The names, and the numbers that a part has to read and write a contact; NAN: those of blocks of bodies. */
static const struct {
    const char *name;
    double numbers;
} parts[PARTS] = {[VALUES] = {"values", 19},  [MEASURE] = {"measure", 42},      [CONES] = {"cones", 54},
                  [BLOCKS] = {"blocks", NAN}, [FACTORISE] = {"blocks+lu", NAN}, [AIM] = {"aim", 57},
                  [SOLVE] = {"solve", NAN},   [FOLLOW] = {"follow", 44},        [STEP_LENGTH] = {"step-length", 16}};

static void add_blocks(nb_island *s) {
    s->lu_kernels->begin(&s->lu, s->mass, s->inertia);
    for (int32_t i = 0; i < nb_island_blocks(s->contacts); i++) {
        nb_island_block *b = &s->block[i];
        s->lu_kernels->add(&s->lu, (const int32_t(*)[NB_ISLAND_LANES])b->body, (const nb_lanes(*)[3])b->arm, b->k);
    }
}

/* what is factorised is added up before */
static void call(nb_island *s, int part) {
    switch (part) {
    case VALUES: s->kernels->evaluate(s); break;
    case MEASURE: s->kernels->measure(s); break;
    case CONES: s->kernels->scale(s); break;
    case BLOCKS: add_blocks(s); break;
    case FACTORISE:
        add_blocks(s);
        s->lu_kernels->factorise(&s->lu);
        break;
    case AIM: s->kernels->aim(s, 0.1 * s->tau, 1, 1); break;
    case SOLVE:
        memcpy(s->du, s->momentum, (size_t)s->bodies * STRIDE * sizeof *s->du);
        s->lu_kernels->solve(&s->lu, s->du);
        break;
    case FOLLOW: s->kernels->follow(s); break;
    default: s->far += s->kernels->longest_step(s) < 0; /* that it is used */
    }
}

static double seconds_of(nb_island *s, int part, int times) {
    const double start = nb_clock_seconds();
    for (int i = 0; i < times; i++) call(s, part);
    return (nb_clock_seconds() - start) / times;
}

static void begin(column *c, double least) {
    nb_island *s = &c->island;
    s->tolerance = least;
    memcpy(s->u, c->first, (size_t)s->bodies * STRIDE * sizeof *s->u);
    nb_island_begin(s);
}

/* of an iteration, in solves from the beginning */
static double seconds_of_iteration(column *c) {
    int64_t iterations = 0;
    const double start = nb_clock_seconds();
    double end;
    do {
        begin(c, tolerance);
        while (!c->island.ended) nb_island_iterate(&c->island);
        iterations += c->island.iterations;
        end = nb_clock_seconds();
    } while (end - start < sample_s);
    return (end - start) / (double)iterations;
}

static nb_status report_parts(column *c, nb_timing *row, nb_bench_report *report, void *context) {
    nb_status status = NB_OK;
    double samples[PARTS][NB_TIMING_SAMPLES];
    int times[PARTS];
    begin(c, 0);
    for (int i = 0; i < WARM_UP; i++) nb_island_iterate(&c->island);
    for (int part = 0; part < PARTS; part++)
        times[part] = (int)fmin(1e6, ceil(sample_s / fmax(seconds_of(&c->island, part, 3), 1e-9)));
    /* in an iteration's order, and all in each sample */
    for (int i = 0; i < NB_TIMING_SAMPLES; i++)
        for (int part = 0; part < PARTS; part++) samples[part][i] = seconds_of(&c->island, part, times[part]);
    for (int part = 0; part < PARTS; part++) {
        snprintf(row->kernel, sizeof row->kernel, "islands:%s", parts[part].name);
        row->bytes = sizeof(double) * parts[part].numbers;
        NB_TRY(nb_bench_row(row, samples[part], NB_TIMING_SAMPLES, report, context));
    }
out:
    return status;
}

static nb_status print_row(void *context, const nb_timing *row) {
    (void)context;
    printf("%s\t%d\t%.4g\t%.4g\t%.4g\t%.3g\n", row->kernel, (int)row->contacts, row->median, row->least, row->most,
           row->fraction);
    return NB_OK;
}

static nb_status time_island(int32_t contacts) {
    static column c;
    nb_status status;
    const nb_bench_item item = {
        .kernel = "islands", .precision = "f64", .device = "cpu", .contacts = contacts, .threads = 1};
    double samples[NB_TIMING_SAMPLES];
    memset(&c, 0, sizeof c);
    nb_timing row = nb_bench_begin_row(&item);
    NB_TRY(create(contacts, &c));
    NB_TRY(nb_bench_bandwidth(NULL, (double)sizeof(nb_island_block) / NB_ISLAND_LANES * contacts, 0, &row.triad));
    for (int i = 0; i < NB_TIMING_SAMPLES; i++) samples[i] = seconds_of_iteration(&c);
    NB_TRY(nb_bench_row(&row, samples, NB_TIMING_SAMPLES, print_row, NULL));
    NB_TRY(report_parts(&c, &row, print_row, NULL));
out:
    destroy(&c);
    return status;
}

int main(int count, char **given) {
    static char *standard[] = {"2", "10", "60"};
    char **contacts = count > 1 ? given + 1 : standard;
    const int sizes = count > 1 ? count - 1 : 3;
    nb_status status = NB_OK;
    printf("part\tcontacts\tmedian_ns\tleast_ns\tmost_ns\tof_triad\n");
    for (int i = 0; i < sizes && status == NB_OK; i++) {
        char *end;
        const long number = strtol(contacts[i], &end, 10);
        if (*end || number < 1 || number > MOST_CONTACTS) {
            fprintf(stderr, "island_parts: contacts must be 1 to %d (got '%s')\n", (int)MOST_CONTACTS, contacts[i]);
            return 64;
        }
        status = time_island((int32_t)number);
    }
    if (status != NB_OK) fprintf(stderr, "island_parts: %s\n", nb_error_message());
    return status == NB_OK ? 0 : 1;
}

#include "bench/kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "constraint/smoothed_friction.h"

NB_PRECISIONS(f32, f64);

#define nb_bench_friction NB_REAL_NAME(nb_bench_friction)

enum {
    LAW,
    FORCE,
    BLOCK,
    PARTS,
    CHUNK = 64 /* contacts that are gathered before the law is evaluated */
};

static const char *const part_names[PARTS] = {"law", "force", "block"};
static const double sample_s = 4e-3;
static const real step = R(0.01);
static const nb_smoothed_friction law = {.stiffness = R(1e4),
                                         .contact_tolerance = R(1e-3),
                                         .sliding_tolerance = R(1e-3),
                                         .static_mu = R(0.6),
                                         .stribeck_velocity = R(1e-2)};

/* all of them once; a contact's velocity is that of its first particle against the second */
typedef struct contacts {
    int32_t count, particles;
    int32_t *node;  /* [count][2] */
    real *normal;   /* [count][3] */
    real *d, *mu;   /* [count] */
    real *sliding;  /* [2][count] for the law alone */
    real *u;        /* [particles][3] velocities */
    real *f;        /* [particles][3] forces */
    real *diagonal; /* [particles][9] */
    real *between;  /* [count][9] */
} contacts;

/* CHUNK contacts in the order in which registers take them: by number, then by contact */
typedef struct chunk {
    real n[3][CHUNK], w[3][CHUNK], d[CHUNK], mu[CHUNK];
    real force[3][CHUNK], block[9][CHUNK];
} chunk;

static nb_status create(int32_t count, contacts *c) {
    nb_status status;
    uint64_t seed = 1;
    c->count = count;
    c->particles = count / 2 + 2;
    NB_TRY(NB_ALLOCATE(2 * (int64_t)count, &c->node));
    NB_TRY(NB_ALLOCATE(3 * (int64_t)count, &c->normal));
    NB_TRY(NB_ALLOCATE(9 * (int64_t)count, &c->between));
    NB_TRY(NB_ALLOCATE(count, &c->d));
    NB_TRY(NB_ALLOCATE(count, &c->mu));
    NB_TRY(NB_ALLOCATE(2 * (int64_t)count, &c->sliding));
    NB_TRY(NB_ALLOCATE(3 * (int64_t)c->particles, &c->u));
    NB_TRY(NB_ALLOCATE(3 * (int64_t)c->particles, &c->f));
    NB_TRY(NB_ALLOCATE(9 * (int64_t)c->particles, &c->diagonal));
    for (int64_t i = 0; i < 3 * (int64_t)c->particles; i++) c->u[i] = (real)nb_random_uniform(&seed, -2e-3, 2e-3);
    for (int64_t i = 0; i < count; i++) {
        double angle = nb_random_uniform(&seed, 0, 6);
        c->normal[3 * i] = (real)cos(angle);
        c->normal[3 * i + 1] = (real)sin(angle);
        /* neighbours in a list that is nearly in order, as particles of a mesh are */
        c->node[2 * i] = (int32_t)(i / 2);
        c->node[2 * i + 1] = (int32_t)(i / 2 + 1);
        c->d[i] = (real)nb_random_uniform(&seed, 0, 2e-3);
        c->mu[i] = R(0.4);
        for (int k = 0; k < 2; k++) c->sliding[k * count + i] = (real)nb_random_uniform(&seed, -2e-3, 2e-3);
    }
out:
    return status;
}

static void destroy(contacts *c) {
    nb_free(c->node);
    nb_free(c->normal);
    nb_free(c->between);
    nb_free(c->d);
    nb_free(c->mu);
    nb_free(c->sliding);
    nb_free(c->u);
    nb_free(c->f);
    nb_free(c->diagonal);
}

static void gather(const contacts *c, int32_t first, int32_t count, chunk *k) {
    for (int32_t i = 0; i < count; i++) {
        const int32_t *node = c->node + 2 * (first + i);
        const real *n = c->normal + 3 * (int64_t)(first + i), *ua = c->u + 3 * node[0], *ub = c->u + 3 * node[1];
        real speed = 0;
        for (int j = 0; j < 3; j++) {
            k->n[j][i] = n[j];
            k->w[j][i] = ua[j] - ub[j];
            speed += n[j] * k->w[j][i];
        }
        k->d[i] = c->d[first + i] + step * speed;
        k->mu[i] = c->mu[first + i];
    }
}

static void evaluate_forces(chunk *k) {
    for (int i = 0; i < CHUNK; i++) {
        real force[3], n[3] = {k->n[0][i], k->n[1][i], k->n[2][i]}, w[3] = {k->w[0][i], k->w[1][i], k->w[2][i]};
        nb_smoothed_world_force(&law, k->d[i], k->mu[i], R(-1), n, w, force);
        for (int j = 0; j < 3; j++) k->force[j][i] = force[j];
    }
}

static void evaluate_blocks(chunk *k) {
    for (int i = 0; i < CHUNK; i++) {
        real force[3], block[9];
        real n[3] = {k->n[0][i], k->n[1][i], k->n[2][i]}, w[3] = {k->w[0][i], k->w[1][i], k->w[2][i]};
        nb_smoothed_world_block(&law, k->d[i], k->mu[i], R(-1), step, n, w, force, block);
        for (int j = 0; j < 3; j++) k->force[j][i] = force[j];
        for (int j = 0; j < 9; j++) k->block[j][i] = block[j];
    }
}

static void scatter_forces(contacts *c, int32_t first, int32_t count, const chunk *k) {
    for (int32_t i = 0; i < count; i++) {
        const int32_t *node = c->node + 2 * (first + i);
        real *fa = c->f + 3 * node[0], *fb = c->f + 3 * node[1];
        for (int j = 0; j < 3; j++) {
            fa[j] += k->force[j][i];
            fb[j] -= k->force[j][i];
        }
    }
}

static void scatter_blocks(contacts *c, int32_t first, int32_t count, const chunk *k) {
    for (int32_t i = 0; i < count; i++) {
        const int32_t *node = c->node + 2 * (first + i);
        real *a = c->diagonal + 9 * node[0], *b = c->diagonal + 9 * node[1];
        real *between = c->between + 9 * (int64_t)(first + i);
        for (int j = 0; j < 9; j++) {
            a[j] += k->block[j][i];
            b[j] += k->block[j][i];
            between[j] = -k->block[j][i];
        }
    }
}

/* from arrays to an array, without gathering */
static void evaluate_law(contacts *c) {
    const real *v1 = c->sliding, *v2 = c->sliding + c->count, *d = c->d, *mu = c->mu;
    real *f = c->between; /* [3][count] */
    for (int32_t i = 0; i < c->count; i++) {
        real force[3];
        nb_sliding_contact at = {d[i], {v1[i], v2[i]}, mu[i], R(-1)};
        nb_smoothed_force(&law, &at, force);
        for (int j = 0; j < 3; j++) f[(int64_t)j * c->count + i] = force[j];
    }
}

static void go_through(contacts *c, int part) {
    chunk k = {{{0}}, {{0}}, {0}, {0}, {{0}}, {{0}}};
    if (part == LAW) {
        evaluate_law(c);
        return;
    }
    memset(c->f, 0, 3 * (size_t)c->particles * sizeof *c->f);
    if (part == BLOCK) memset(c->diagonal, 0, 9 * (size_t)c->particles * sizeof *c->diagonal);
    for (int32_t first = 0; first < c->count; first += CHUNK) {
        int32_t count = c->count - first < CHUNK ? c->count - first : CHUNK;
        gather(c, first, count, &k);
        if (part == BLOCK)
            evaluate_blocks(&k);
        else
            evaluate_forces(&k);
        scatter_forces(c, first, count, &k);
        if (part == BLOCK) scatter_blocks(c, first, count, &k);
    }
}

static double seconds_of(contacts *c, int part, int times) {
    double start = nb_clock_seconds();
    for (int i = 0; i < times; i++) go_through(c, part);
    return (nb_clock_seconds() - start) / times;
}

nb_status nb_bench_friction(const nb_bench_item *item, nb_bench_report *report, void *context) {
    nb_status status;
    contacts c = {0};
    double samples[NB_TIMING_SAMPLES];
    nb_timing row = nb_bench_begin_row(item);
    NB_TRY(create(item->contacts, &c));
    NB_TRY(nb_bench_bandwidth(NULL, 200.0 * item->contacts, 0, &row.triad));
    for (int part = 0; part < PARTS; part++) {
        int times = (int)fmin(1e6, ceil(sample_s / fmax(seconds_of(&c, part, 1), 1e-9)));
        for (int i = 0; i < NB_TIMING_SAMPLES; i++) samples[i] = seconds_of(&c, part, times);
        snprintf(row.kernel, sizeof row.kernel, "friction:%s", part_names[part]);
        NB_TRY(nb_bench_row(&row, samples, NB_TIMING_SAMPLES, report, context));
    }
out:
    destroy(&c);
    return status;
}

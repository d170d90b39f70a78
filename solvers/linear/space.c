#include "linear/space.h"

#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "base/threads.h"
#include "system/kernels.h"
#include "system/packed.h"

/* a thread's sums, on a cache line of its own */
typedef struct part_sums {
    double sums[8];
} part_sums;

/* what the parts of a product are to do */
typedef struct job {
    real a, b;
    const word *x;
    word *y, *out, *d, *ad;
    int sums;
} job;

struct nb_space {
    job job;              /* under way */
    part_sums *part_sums; /* [packed->parts] */
    int64_t part_capacity;
    nb_system *system;            /* borrowed */
    nb_packed *packed;            /* where `on_bodies` */
    const nb_kernel_set *kernels; /* likewise */
    int on_bodies, identity;
    const nb_preconditioner_class *preconditioner; /* NULL where its diagonal was taken in, or there is none */
    void *preconditioner_state;
    real *scratch[2]; /* [rows]: vectors in row order */
    int64_t capacity[2];
    real *root; /* [rows] square root of the diagonal that was taken in, over a stored matrix */
    int64_t root_capacity;
};

void nb_space_destroy(nb_space *space) {
    if (!space) return;
    nb_packed_destroy(space->packed);
    nb_free(space->part_sums);
    nb_free(space->scratch[0]);
    nb_free(space->scratch[1]);
    nb_free(space->root);
    nb_free(space);
}

nb_status nb_space_create(nb_space **space) {
    nb_status status;
    nb_space *s = NULL;
    NB_TRY(NB_ALLOCATE(1, &s));
    NB_TRY(nb_packed_create(&s->packed));
    s->kernels = nb_kernels();
out:
    if (status != NB_OK) {
        nb_space_destroy(s);
        s = NULL;
    }
    *space = s;
    return status;
}

nb_status nb_space_set_pattern(nb_space *space, nb_system *system) {
    nb_status status;
    space->system = system;
    space->on_bodies = nb_packed_fits(system->delassus) && !system->k; /* the fast kernels know no K */
    for (int i = 0; i < 2; i++) NB_TRY(NB_RESERVE(system->rows, &space->capacity[i], &space->scratch[i]));
    if (space->on_bodies) {
        NB_TRY(nb_packed_set_pattern(space->packed, system->delassus));
        NB_TRY(NB_RESERVE(space->packed->parts, &space->part_capacity, &space->part_sums));
    } else {
        NB_TRY(NB_RESERVE(system->rows, &space->root_capacity, &space->root));
    }
out:
    return status;
}

void nb_space_set_values(nb_space *space) {
    if (space->on_bodies) nb_packed_set_values(space->packed);
}

void nb_space_set_weights(nb_space *space, const nb_preconditioner_class *preconditioner, void *state) {
    const real *diagonal = NULL;
    space->identity = !preconditioner || preconditioner->diagonal;
    if (preconditioner && preconditioner->diagonal) diagonal = preconditioner->diagonal(state);
    space->preconditioner = space->identity ? NULL : preconditioner;
    space->preconditioner_state = state;
    if (space->on_bodies)
        nb_packed_set_weights(space->packed, space->system->s, space->system->c, diagonal);
    else
        for (int32_t i = 0; i < space->system->rows; i++) space->root[i] = diagonal ? sqrt(diagonal[i]) : 1;
}

int64_t nb_space_words(const nb_space *space) {
    return space->on_bodies ? space->packed->words : space->system->rows;
}

double nb_space_bytes(const nb_space *space, int pcr) {
    const nb_packed *p = space->packed;
    if (!space->on_bodies) return NAN;
    /* y and s in both passes, c, and the result; PCR: c in both, the update of y by ad, and x, d and ad read and
     * written */
    double vectors = pcr ? 14 : 6, body_words = 3 * NB_BODY_STRIDE + 8; /* force read and cleared, velocity, H^-1 */
    double words = 2 * (double)p->geometry_words + vectors * (double)p->words;
    return words * sizeof(word) + body_words * p->body_count * sizeof(real) +
           2.0 * 2 * NB_LANES * p->block_count * sizeof *p->block_bodies;
}

int nb_space_has_identity(const nb_space *space) {
    return space->identity;
}

void nb_space_take(nb_space *space, const real *rows, word *v) {
    if (space->on_bodies)
        nb_packed_take(space->packed, rows, v);
    else
        for (int32_t i = 0; i < space->system->rows; i++) v[i] = (word)(space->root[i] * rows[i]);
}

void nb_space_give(nb_space *space, const word *x, double a, const word *d, real *rows) {
    if (space->on_bodies)
        nb_packed_give(space->packed, x, (real)a, d, rows);
    else
        for (int32_t i = 0; i < space->system->rows; i++)
            rows[i] = space->root[i] * (d ? (real)x[i] + (real)a * (real)d[i] : (real)x[i]);
}

/* ---- products ---- */

static real *part_force(const nb_packed *p, int part) {
    return p->force + (ptrdiff_t)part * p->body_count * NB_BODY_STRIDE;
}

typedef void part_task(nb_space *space, int part, int32_t begin, int32_t end);

/* Runs a kernel on every part, each with the blocks begin .. end - 1. */
static void run_parts(nb_space *space, part_task *task) {
    const nb_packed *p = space->packed;
    if (p->parts == 1) { /* small systems are not to wait for OpenMP */
        task(space, 0, 0, p->block_count);
        return;
    }
#pragma omp parallel for num_threads(p->parts) schedule(static, 1)
    for (int i = 0; i < p->parts; i++)
        task(space, i, nb_part_begin(i, p->parts, p->block_count, 1),
             nb_part_begin(i + 1, p->parts, p->block_count, 1));
}

static double sum_parts(const nb_space *space, int which) {
    double sum = 0;
    for (int i = 0; i < space->packed->parts; i++) sum += space->part_sums[i].sums[which];
    return sum;
}

static void forces_part(nb_space *space, int part, int32_t begin, int32_t end) {
    const job *j = &space->job;
    double *sums = space->part_sums[part].sums;
    sums[0] = sums[1] = 0;
    space->kernels->forces(space->packed, begin, end, part_force(space->packed, part), j->a, j->x, j->b, j->y,
                           j->sums ? sums : NULL);
}

static void bodies_part(nb_space *space, int part, int32_t begin, int32_t end) {
    const nb_packed *p = space->packed;
    (void)begin;
    (void)end;
    space->part_sums[part].sums[1] +=
        space->kernels->bodies(p, nb_part_begin(part, p->parts, p->body_count, NB_LANES),
                               nb_part_begin(part + 1, p->parts, p->body_count, NB_LANES));
}

static void product_part(nb_space *space, int part, int32_t begin, int32_t end) {
    (void)part;
    space->kernels->product(space->packed, begin, end, space->job.y, space->job.out);
}

static void pcr_part(nb_space *space, int part, int32_t begin, int32_t end) {
    const job *j = &space->job;
    space->part_sums[part].sums[0] =
        space->kernels->pcr(space->packed, begin, end, j->y, j->a, j->b, j->out, j->d, j->ad);
}

static void pcg_part(nb_space *space, int part, int32_t begin, int32_t end) {
    const job *j = &space->job;
    space->part_sums[part].sums[0] = space->kernels->pcg(space->packed, begin, end, j->y, j->a, j->out, j->ad);
}

static void begin_on_bodies(nb_space *space, real a, const word *x, real b, word *y, double sums[2]) {
    nb_system_count_product(space->system);
    space->job = (job){.a = a, .b = b, .x = x, .y = y, .sums = sums != NULL};
    run_parts(space, forces_part);
    run_parts(space, bodies_part);
    for (int k = 0; sums && k < 2; k++) sums[k] = sum_parts(space, k);
}

/* the whole product by the system itself, into scratch[1] */
static void begin_on_matrix(nb_space *space, real a, const word *x, real b, word *y, double sums[2]) {
    int32_t n = space->system->rows;
    real *scaled = space->scratch[0], *ay = space->scratch[1];
    if (x)
        for (int32_t i = 0; i < n; i++) y[i] = (word)(a * (real)x[i] + b * (real)y[i]);
    for (int32_t i = 0; i < n; i++) scaled[i] = space->root[i] * (real)y[i];
    nb_system_apply(space->system, scaled, ay);
    for (int32_t i = 0; i < n; i++) ay[i] *= space->root[i];
    for (int32_t i = 0; sums && i < n; i++) {
        sums[0] += (double)y[i] * (double)y[i];
        sums[1] += (double)y[i] * (double)ay[i];
    }
}

void nb_space_begin_product(nb_space *space, double a, const word *x, double b, word *y, double sums[2]) {
    if (sums) sums[0] = sums[1] = 0;
    if (space->on_bodies)
        begin_on_bodies(space, (real)a, x, (real)b, y, sums);
    else
        begin_on_matrix(space, (real)a, x, (real)b, y, sums);
}

void nb_space_finish_product(nb_space *space, const word *y, word *out) {
    if (!space->on_bodies) {
        for (int32_t i = 0; i < space->system->rows; i++) out[i] = (word)space->scratch[1][i];
        return;
    }
    space->job = (job){.y = (word *)(uintptr_t)y, .out = out};
    run_parts(space, product_part);
}

double nb_space_finish_pcr(nb_space *space, const word *y, double alpha, double beta, word *x, word *d, word *ad) {
    const real *ay = space->scratch[1];
    double sum = 0;
    if (space->on_bodies) {
        space->job = (job){.a = (real)alpha, .b = (real)beta, .y = (word *)(uintptr_t)y, .out = x, .d = d, .ad = ad};
        run_parts(space, pcr_part);
        return sum_parts(space, 0);
    }
    for (int32_t i = 0; i < space->system->rows; i++) {
        x[i] = (word)((real)x[i] + (real)alpha * (real)d[i]);
        d[i] = (word)((real)y[i] + (real)beta * (real)d[i]);
        ad[i] = (word)(ay[i] + (real)beta * (real)ad[i]);
        sum += (double)ad[i] * (double)ad[i];
    }
    return sum;
}

double nb_space_finish_pcg(nb_space *space, const word *y, double alpha, word *x, word *r) {
    const real *ay = space->scratch[1];
    double sum = 0;
    if (space->on_bodies) {
        space->job = (job){.a = (real)alpha, .y = (word *)(uintptr_t)y, .out = x, .ad = r};
        run_parts(space, pcg_part);
        return sum_parts(space, 0);
    }
    for (int32_t i = 0; i < space->system->rows; i++) {
        x[i] = (word)((real)x[i] + (real)alpha * (real)y[i]);
        r[i] = (word)((real)r[i] - (real)alpha * ay[i]);
        sum += (double)r[i] * (double)r[i];
    }
    return sum;
}

/* ---- vectors ---- */

void nb_space_precondition(nb_space *space, const word *r, word *z) {
    if (space->identity) {
        memcpy(z, r, (size_t)nb_space_words(space) * sizeof *z);
    } else {
        nb_space_give(space, r, 0, NULL, space->scratch[0]);
        space->preconditioner->apply(space->preconditioner_state, space->scratch[0], space->scratch[1]);
        nb_space_take(space, space->scratch[1], z);
    }
}

double nb_space_dot(nb_space *space, const word *x, const word *y) {
    int64_t n = nb_space_words(space), i = 0;
    double sum[4] = {0}; /* four chains, so that the additions do not wait for each other */
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += (double)x[i + k] * (double)y[i + k];
    for (; i < n; i++) sum[0] += (double)x[i] * (double)y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void nb_space_clear(nb_space *space, word *x) {
    memset(x, 0, (size_t)nb_space_words(space) * sizeof *x);
}

void nb_space_axpy(nb_space *space, double a, const word *x, word *y) {
    for (int64_t i = 0, n = nb_space_words(space); i < n; i++) y[i] = (word)((real)y[i] + (real)a * (real)x[i]);
}

void nb_space_combine(nb_space *space, double a, const word *x, double b, word *y) {
    for (int64_t i = 0, n = nb_space_words(space); i < n; i++)
        y[i] = (word)((real)a * (real)x[i] + (real)b * (real)y[i]);
}

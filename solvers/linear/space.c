#include "linear/space.h"

#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "system/kernels.h"
#include "system/packed.h"

struct nb_space {
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
    space->on_bodies = nb_packed_fits(system->delassus);
    for (int i = 0; i < 2; i++) NB_TRY(NB_RESERVE(system->rows, &space->capacity[i], &space->scratch[i]));
    if (space->on_bodies)
        NB_TRY(nb_packed_set_pattern(space->packed, system->delassus));
    else
        NB_TRY(NB_RESERVE(system->rows, &space->root_capacity, &space->root));
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
    double words = 2 * (double)p->geometry_words + vectors * (double)p->words + body_words * p->body_count;
    return words * sizeof(real) + 2.0 * 2 * NB_LANES * p->block_count * sizeof *p->block_bodies;
}

int nb_space_has_identity(const nb_space *space) {
    return space->identity;
}

void nb_space_take(nb_space *space, const real *rows, real *v) {
    if (space->on_bodies)
        nb_packed_take(space->packed, rows, v);
    else
        for (int32_t i = 0; i < space->system->rows; i++) v[i] = space->root[i] * rows[i];
}

void nb_space_give(nb_space *space, const real *x, double a, const real *d, real *rows) {
    if (space->on_bodies)
        nb_packed_give(space->packed, x, (real)a, d, rows);
    else
        for (int32_t i = 0; i < space->system->rows; i++) rows[i] = space->root[i] * (d ? x[i] + (real)a * d[i] : x[i]);
}

/* ---- products ---- */

static void begin_on_bodies(nb_space *space, real a, const real *x, real b, real *y, double sums[2]) {
    nb_packed *p = space->packed;
    space->kernels->forces(p, 0, p->block_count, p->force, a, x, b, y, sums);
    double energy = space->kernels->bodies(p, 0, p->body_count, 1, (real *const[]){p->force});
    if (sums) sums[1] += energy;
}

/* the whole product over a stored matrix, into scratch[1] */
static void begin_on_matrix(nb_space *space, real a, const real *x, real b, real *y, double sums[2]) {
    int32_t n = space->system->rows;
    real *scaled = space->scratch[0], *ay = space->scratch[1];
    if (x)
        for (int32_t i = 0; i < n; i++) y[i] = a * x[i] + b * y[i];
    for (int32_t i = 0; i < n; i++) scaled[i] = space->root[i] * y[i];
    nb_system_apply(space->system, scaled, ay);
    for (int32_t i = 0; i < n; i++) ay[i] *= space->root[i];
    for (int32_t i = 0; sums && i < n; i++) {
        sums[0] += (double)y[i] * (double)y[i];
        sums[1] += (double)y[i] * (double)ay[i];
    }
}

void nb_space_begin_product(nb_space *space, double a, const real *x, double b, real *y, double sums[2]) {
    if (sums) sums[0] = sums[1] = 0;
    if (space->on_bodies)
        begin_on_bodies(space, (real)a, x, (real)b, y, sums);
    else
        begin_on_matrix(space, (real)a, x, (real)b, y, sums);
}

void nb_space_finish_product(nb_space *space, const real *y, real *out) {
    nb_packed *p = space->packed;
    if (space->on_bodies)
        space->kernels->product(p, 0, p->block_count, y, out);
    else
        memcpy(out, space->scratch[1], (size_t)space->system->rows * sizeof *out);
}

double nb_space_finish_pcr(nb_space *space, const real *y, double alpha, double beta, real *x, real *d, real *ad) {
    nb_packed *p = space->packed;
    if (space->on_bodies) return space->kernels->pcr(p, 0, p->block_count, y, (real)alpha, (real)beta, x, d, ad);
    const real *ay = space->scratch[1];
    double sum = 0;
    for (int32_t i = 0; i < space->system->rows; i++) {
        x[i] += (real)alpha * d[i];
        d[i] = y[i] + (real)beta * d[i];
        ad[i] = ay[i] + (real)beta * ad[i];
        sum += (double)ad[i] * (double)ad[i];
    }
    return sum;
}

double nb_space_finish_pcg(nb_space *space, const real *y, double alpha, real *x, real *r) {
    nb_packed *p = space->packed;
    if (space->on_bodies) return space->kernels->pcg(p, 0, p->block_count, y, (real)alpha, x, r);
    const real *ay = space->scratch[1];
    double sum = 0;
    for (int32_t i = 0; i < space->system->rows; i++) {
        x[i] += (real)alpha * y[i];
        r[i] -= (real)alpha * ay[i];
        sum += (double)r[i] * (double)r[i];
    }
    return sum;
}

/* ---- vectors ---- */

void nb_space_precondition(nb_space *space, const real *r, real *z) {
    if (space->identity) {
        memcpy(z, r, (size_t)nb_space_words(space) * sizeof *z);
    } else if (space->on_bodies) {
        nb_packed_give(space->packed, r, 0, NULL, space->scratch[0]);
        space->preconditioner->apply(space->preconditioner_state, space->scratch[0], space->scratch[1]);
        nb_packed_take(space->packed, space->scratch[1], z);
    } else {
        space->preconditioner->apply(space->preconditioner_state, r, z);
    }
}

double nb_space_dot(nb_space *space, const real *x, const real *y) {
    int64_t n = nb_space_words(space), i = 0;
    double sum[4] = {0}; /* four chains, so that the additions do not wait for each other */
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += (double)x[i + k] * (double)y[i + k];
    for (; i < n; i++) sum[0] += (double)x[i] * (double)y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void nb_space_clear(nb_space *space, real *x) {
    memset(x, 0, (size_t)nb_space_words(space) * sizeof *x);
}

void nb_space_axpy(nb_space *space, double a, const real *x, real *y) {
    for (int64_t i = 0, n = nb_space_words(space); i < n; i++) y[i] += (real)a * x[i];
}

void nb_space_combine(nb_space *space, double a, const real *x, double b, real *y) {
    for (int64_t i = 0, n = nb_space_words(space); i < n; i++) y[i] = (real)a * x[i] + (real)b * y[i];
}

/* The backend over bodies: products by the fast kernels, in packed order (operator/packed.h), on all threads. */
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "base/threads.h"
#include "linear/vector_backend_class.h"
#include "linear/vector_backend_vectors.h"
#include "operator/kernels.h"
#include "operator/packed.h"

NB_PRECISIONS(f32, f64, mixed);

/* a thread's sums, on a cache line of its own */
typedef struct part_sums {
    double sums[8];
} part_sums;

/* what the parts of a product are to do */
typedef struct job {
    real a, b;
    const storage *x;
    storage *y, *out, *d, *ad;
    int sums;
} job;

typedef struct backend {
    nb_vector_backend_vectors vectors; /* first */
    job job;                           /* under way */
    part_sums *part_sums;              /* [packed->parts] */
    int64_t part_capacity;
    nb_system *system; /* borrowed */
    nb_packed *packed;
    const nb_kernel_set *kernels;
} backend;

static void destroy(void *state) {
    backend *s = state;
    if (!s) return;
    nb_packed_destroy(s->packed);
    nb_free(s->part_sums);
    nb_free(s->vectors.scale);
    nb_free(s->vectors.memory);
    nb_free(s);
}

static nb_status create(void **state) {
    nb_status status;
    backend *s = NULL;
    NB_TRY(NB_ALLOCATE(1, &s));
    NB_TRY(nb_packed_create(&s->packed));
    s->kernels = nb_kernels();
out:
    if (status != NB_OK) {
        destroy(s);
        s = NULL;
    }
    *state = s;
    return status;
}

static nb_status set_pattern(void *state, nb_system *system) {
    backend *s = state;
    nb_status status;
    s->system = system;
    NB_TRY(nb_packed_set_pattern(s->packed, system->delassus));
    NB_TRY(NB_RESERVE(s->packed->parts, &s->part_capacity, &s->part_sums));
    s->vectors.length = s->packed->length;
    NB_TRY(NB_RESERVE(s->vectors.length, &s->vectors.scale_capacity, &s->vectors.scale));
out:
    return status;
}

static nb_status set_values(void *state) {
    nb_packed_set_values(((backend *)state)->packed);
    return NB_OK;
}

static nb_status set_weights(void *state, const real *diagonal) {
    backend *s = state;
    s->vectors.scaled = 0;
    nb_packed_set_weights(s->packed, s->system->s, s->system->c, diagonal);
    return NB_OK;
}

static int64_t length(const void *state) {
    return ((const backend *)state)->packed->length;
}

static double bytes(const void *state, int pcr) {
    const nb_packed *p = ((const backend *)state)->packed;
    /* y and s in both passes, c, and the result; PCR: c in both, the update of y by ad, and x, d and ad read and
     * written */
    double vectors = pcr ? 14 : 6, body_numbers = 3 * NB_BODY_STRIDE + 8; /* force read and cleared, velocity, H^-1 */
    double length = 2 * (double)p->geometry_length + vectors * (double)p->length;
    return length * sizeof(storage) + body_numbers * p->body_count * sizeof(real) +
           2.0 * 2 * NB_LANES * p->block_count * sizeof *p->block_bodies;
}

static void take(void *state, const real *rows, storage *v) {
    nb_packed_take(((backend *)state)->packed, rows, v);
}

static void give(void *state, const storage *x, double a, const storage *d, real *rows) {
    nb_packed_give(((backend *)state)->packed, x, (real)a, d, rows);
}

static real *part_force(const nb_packed *p, int part) {
    return p->force + (ptrdiff_t)part * p->body_count * NB_BODY_STRIDE;
}

typedef void part_task(backend *s, int part, int32_t begin, int32_t end);

/* Runs a kernel on every part, each with the blocks begin .. end - 1. */
static void run_parts(backend *s, part_task *task) {
    const nb_packed *p = s->packed;
    const int parts = p->parts;
    NB_EACH_PART(
        i, parts,
        task(s, i, nb_part_begin(i, parts, p->block_count, 1), nb_part_begin(i + 1, parts, p->block_count, 1)););
}

static double sum_parts(const backend *s, int which) {
    double sum = 0;
    for (int i = 0; i < s->packed->parts; i++) sum += s->part_sums[i].sums[which];
    return sum;
}

static void forces_part(backend *s, int part, int32_t begin, int32_t end) {
    const job *j = &s->job;
    double *sums = s->part_sums[part].sums;
    sums[0] = sums[1] = 0;
    s->kernels->forces(s->packed, begin, end, part_force(s->packed, part), j->a, j->x, j->b, j->y,
                       j->sums ? sums : NULL);
}

static void bodies_part(backend *s, int part, int32_t begin, int32_t end) {
    const nb_packed *p = s->packed;
    (void)begin;
    (void)end;
    s->part_sums[part].sums[1] += s->kernels->bodies(p, nb_part_begin(part, p->parts, p->body_count, NB_LANES),
                                                     nb_part_begin(part + 1, p->parts, p->body_count, NB_LANES));
}

static void product_part(backend *s, int part, int32_t begin, int32_t end) {
    (void)part;
    s->kernels->product(s->packed, begin, end, s->job.y, s->job.out);
}

static void pcr_part(backend *s, int part, int32_t begin, int32_t end) {
    const job *j = &s->job;
    s->part_sums[part].sums[0] = s->kernels->pcr(s->packed, begin, end, j->y, j->a, j->b, j->out, j->d, j->ad);
}

static void pcg_part(backend *s, int part, int32_t begin, int32_t end) {
    const job *j = &s->job;
    s->part_sums[part].sums[0] = s->kernels->pcg(s->packed, begin, end, j->y, j->a, j->out, j->ad);
}

static void begin_product(void *state, double a, const storage *x, double b, storage *y, double sums[2]) {
    backend *s = state;
    nb_system_count_product(s->system);
    s->job = (job){.a = (real)a, .b = (real)b, .x = x, .y = y, .sums = sums != NULL};
    run_parts(s, forces_part);
    run_parts(s, bodies_part);
    for (int k = 0; sums && k < 2; k++) sums[k] = sum_parts(s, k);
}

static void finish_product(void *state, const storage *y, storage *out) {
    backend *s = state;
    s->job = (job){.y = (storage *)(uintptr_t)y, .out = out};
    run_parts(s, product_part);
}

static double finish_pcr(void *state, const storage *y, double alpha, double beta, storage *x, storage *d, storage *ad,
                         int with_sum) {
    (void)with_sum;
    backend *s = state;
    s->job = (job){.a = (real)alpha, .b = (real)beta, .y = (storage *)(uintptr_t)y, .out = x, .d = d, .ad = ad};
    run_parts(s, pcr_part);
    return sum_parts(s, 0);
}

static double finish_pcg(void *state, const storage *y, double alpha, storage *x, storage *r, int with_sum) {
    (void)with_sum;
    backend *s = state;
    s->job = (job){.a = (real)alpha, .y = (storage *)(uintptr_t)y, .out = x, .ad = r};
    run_parts(s, pcg_part);
    return sum_parts(s, 0);
}

static double scaled_square(void *state, int inverse, const storage *v) {
    backend *s = state;
    const nb_packed *p = s->packed;
    real *scale = s->vectors.scale;
    if (nb_vector_backend_vectors_unscaled(&s->vectors, inverse))
        for (int32_t r = 0; r < p->rows; r++) scale[p->place[r]] = nb_vector_backend_vectors_scale(p->root[r], inverse);
    return nb_vector_backend_vectors_scaled_square(&s->vectors, v);
}

const nb_vector_backend_class nb_vector_backend_bodies = {
    .create = create,
    .destroy = destroy,
    .set_pattern = set_pattern,
    .set_values = set_values,
    .set_weights = set_weights,
    .length = length,
    .bytes = bytes,
    .take = take,
    .give = give,
    .begin_product = begin_product,
    .finish_product = finish_product,
    .finish_pcr = finish_pcr,
    .finish_pcg = finish_pcg,
    .scaled_square = scaled_square,
    NB_VECTOR_BACKEND_VECTORS,
};

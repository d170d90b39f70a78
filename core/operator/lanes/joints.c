/* The kernels of sweeps over joint rows of one instruction set (joint_kernels.h): a column of a group, and the
 * velocities of a body, are eight numbers, in as many registers as these take. */
#include "operator/joint_kernels.h"

#include <stddef.h>
#include <string.h>

NB_PRECISIONS(f32, f64);

#define INLINE inline __attribute__((always_inline))
#define KERNELS_OF(set) KERNELS_OF_(set)
#define KERNELS_OF_(set) NB_REAL_NAME(nb_joint_kernels_##set)

enum {
    PIECE = NB_BODY_WIDTH < 8 ? NB_BODY_WIDTH : 8,
    PIECES = 8 / PIECE
};

typedef real piece __attribute__((vector_size(PIECE * sizeof(real)), aligned(sizeof(real)), may_alias));

#if NB_REAL_BITS == 32
typedef int32_t mask __attribute__((vector_size(PIECE * sizeof(real)), may_alias));
#else
typedef int64_t mask __attribute__((vector_size(PIECE * sizeof(real)), may_alias));
#endif

typedef struct eight {
    piece of[PIECES];
} eight;

static INLINE eight load(const real *from) {
    eight x;
    for (int i = 0; i < PIECES; i++) x.of[i] = *(const piece *)(from + i * PIECE);
    return x;
}

static INLINE void store(real *to, eight x) {
    for (int i = 0; i < PIECES; i++) *(piece *)(to + i * PIECE) = x.of[i];
}

static INLINE eight add(eight x, eight y) {
    for (int i = 0; i < PIECES; i++) x.of[i] += y.of[i];
    return x;
}

/* x + a y */
static INLINE eight add_times(eight x, real a, const real *y) {
    for (int i = 0; i < PIECES; i++) x.of[i] += a * *(const piece *)(y + i * PIECE);
    return x;
}

static INLINE piece larger_of(piece x, piece y) {
    const mask first = (mask)(x > y);
    return (piece)(((mask)x & first) | ((mask)y & ~first));
}

/* max(x, size |y|) */
static INLINE eight larger(eight x, const real *size, eight y) {
    for (int i = 0; i < PIECES; i++) {
        const piece s = *(const piece *)(size + i * PIECE) * larger_of(y.of[i], -y.of[i]);
        x.of[i] = larger_of(s, x.of[i]);
    }
    return x;
}

static INLINE real largest_of(eight x) {
    real numbers[8], largest = 0;
    store(numbers, x);
    for (int i = 0; i < 8; i++) largest = numbers[i] > largest ? numbers[i] : largest;
    return largest;
}

/* ---- how groups answer ---- */

/* J's columns of one body, and what its velocity is for each row's impulse */
static INLINE void set_side(const nb_joint_pass *pass, int32_t body, int32_t k, const real *j,
                            real column[6][NB_JOINT_STRIDE], real *answer) {
    if (body < 0) return;
    for (int n = 0; n < 6; n++) column[n][k] = j[n];
    if (!pass->moves[body]) return;
    const nb_inverse_mass *inverse = &pass->inverse[body];
    for (int n = 0; n < 3; n++) answer[n] = inverse->mass * j[n];
    nb_symmetric_apply(inverse->inertia, j + 3, answer + 3);
}

/* N of row r with the rows that are swept behind it */
static INLINE void meet(const nb_joint_group *group, int32_t r, int backward, real behind[NB_JOINT_STRIDE]) {
    eight all = {0};
    for (int n = 0; n < 6; n++) {
        all = add_times(all, group->answer[r][n], group->of_a[n]);
        all = add_times(all, group->answer[r][NB_BODY_STRIDE + n], group->of_b[n]);
    }
    store(behind, all);
    for (int32_t k = 0; k < NB_JOINT_GROUP; k++)
        if (backward ? k >= r : k <= r) behind[k] = 0;
}

/* T: each column is what one row's right-hand side of 1 makes of all */
static INLINE void invert(const nb_joint_pass *pass, int backward, nb_joint_group *group) {
    const int32_t count = group->count;
    real behind[NB_JOINT_GROUP][NB_JOINT_STRIDE];
    for (int32_t r = 0; r < count; r++) meet(group, r, backward, behind[r]);
    for (int32_t r = 0; r < count; r++) {
        real *t = group->of_row[r];
        t[r] = 1;
        for (int32_t k = r; k >= 0 && k < count; k += backward ? -1 : 1) {
            t[k] *= pass->omega * pass->eta[group->first + k];
            store(t, add_times(load(t), -t[k], behind[k]));
        }
    }
}

/* column = T column */
static INLINE void take_through(const nb_joint_group *group, real column[NB_JOINT_STRIDE]) {
    eight product = {0};
    for (int32_t k = 0; k < group->count; k++) product = add_times(product, column[k], group->of_row[k]);
    store(column, product);
}

static void linearise(const nb_joint_pass *pass, int backward, nb_joint_group *group) {
    const int32_t count = group->count;
    memset(group, 0, offsetof(nb_joint_group, a));
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = group->first + k;
        const nb_jacobian_row *row = &pass->rows[i];
        set_side(pass, row->a, k, row->j, group->of_a, group->answer[k]);
        set_side(pass, row->b, k, row->j + 6, group->of_b, group->answer[k] + NB_BODY_STRIDE);
        group->start[k] = pass->q[i];
        group->size[k] = 1 / (pass->omega * pass->eta[i]);
    }
    invert(pass, backward, group);
    take_through(group, group->start);
    for (int n = 0; n < 6; n++) {
        take_through(group, group->of_a[n]);
        take_through(group, group->of_b[n]);
    }
}

/* ---- a sweep ---- */

static INLINE eight relax_group(const nb_joint_group *group, const real *c, real *z, real *velocity) {
    real *a = velocity + (ptrdiff_t)group->a * NB_BODY_STRIDE, *b = velocity + (ptrdiff_t)group->b * NB_BODY_STRIDE;
    const int32_t first = group->first, count = group->count;
    eight less = load(group->start), by_b = {0}, of_a = {0}, of_b = {0};
    real step[NB_JOINT_STRIDE];
    for (int32_t k = 0; c && k < count; k++) less = add_times(less, c[first + k] * z[first + k], group->of_row[k]);
    for (int n = 0; n < 6; n++) {
        less = add_times(less, a[n], group->of_a[n]);
        by_b = add_times(by_b, b[n], group->of_b[n]);
    }
    less = add(less, by_b);
    store(step, less);
    for (int32_t k = 0; k < count; k++) {
        z[first + k] -= step[k];
        of_a = add_times(of_a, -step[k], group->answer[k]);
        of_b = add_times(of_b, -step[k], group->answer[k] + NB_BODY_STRIDE);
    }
    store(a, add(load(a), of_a));
    store(b, add(load(b), of_b));
    return less;
}

static real relax(const nb_joint_group *groups, int32_t count, const real *c, real *z, real *velocity) {
    eight largest = {0};
    for (int32_t g = 0; g < count; g++)
        largest = larger(largest, groups[g].size, relax_group(&groups[g], c, z, velocity));
    return largest_of(largest);
}

const nb_joint_kernels KERNELS_OF(NB_INSTRUCTION_SET) = {.linearise = linearise, .relax = relax};

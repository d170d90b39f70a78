/* The kernels of penalty_kernels.h for one instruction set. Answers are loops without branches, that the compiler takes
 * several contacts at a time through. Matrices take a contact at a time, whose 3 x 3 blocks have a register a row. */
#include "method/smoothed/penalty_kernels.h"

NB_PRECISIONS(f32, f64);

#define INLINE inline __attribute__((always_inline))
#define KERNELS_OF(set) KERNELS_OF_(set)
#define KERNELS_OF_(set) NB_REAL_NAME(nb_penalty_kernels_##set)

/* ---- answers ---- */

/* a contact with friction of the gap's normal force (implicit), of a given one (lagged), or by a share of both */
enum {
    IMPLICIT,
    LAGGED,
    SHARED
};

static nb_smoothed_friction law_of(const nb_penalty_answers *a) {
    nb_smoothed_friction law = a->law;
    if (a->slippery) law.static_mu = law.viscous = 0;
    return law;
}

static INLINE nb_sliding_terms terms_of(const nb_smoothed_friction *law, int which, real share, real d, real mu,
                                        real lagged, real x) {
    const nb_sliding_terms own = nb_sliding_terms_at(law, d, mu, R(-1), x);
    if (which == IMPLICIT) return own;
    nb_sliding_terms at = nb_sliding_terms_at(law, d, mu, lagged, x);
    if (which == LAGGED) return at;
    at.k += share * (own.k - at.k); /* all are linear in the normal force of friction */
    at.across += share * (own.across - at.across);
    at.by_gap = share * own.by_gap;
    return at;
}

static INLINE void push_all(const nb_penalty_answers *a, int which, int32_t begin, int32_t end) {
    const nb_smoothed_friction law = law_of(a);
    const real *restrict value = a->value, *restrict mu = a->mu, *restrict lagged = a->lagged;
    const real h = a->h, time = a->time, share = a->share, rough = a->slippery ? R(0) : R(1);
    real *restrict z = a->z;
#pragma omp simd
    for (int32_t i = begin; i < end; i++) {
        const int32_t r = 3 * i;
        const real v1 = value[r + 1], v2 = value[r + 2], x = NB_SQRT(v1 * v1 + v2 * v2);
        const nb_sliding_terms at =
            terms_of(&law, which, share, h * value[r], rough * mu[i], which == IMPLICIT ? R(-1) : lagged[i], x);
        z[r] = time * at.lambda;
        z[r + 1] = -time * (at.k * v1);
        z[r + 2] = -time * (at.k * v2);
    }
}

enum {
    CHUNK = 32 /* contacts whose slopes wait in registers' order to be stored */
};

/* what differs from 0 in the block of nb_smoothed_block, of (normal, tangents) by their velocities: the gap's is h
 * times the normal's */
typedef struct slopes {
    real normal[CHUNK], by_gap[2][CHUNK], slip[3][CHUNK]; /* slip: 1 1, 1 2, 2 2 */
} slopes;

static INLINE void find_slopes(const nb_penalty_answers *a, int which, int32_t first, int32_t count, slopes *to) {
    const nb_smoothed_friction law = law_of(a);
    const real *restrict value = a->value + 3 * (ptrdiff_t)first, *restrict mu = a->mu + first,
                         *restrict lagged = which == IMPLICIT ? NULL : a->lagged + first;
    const real h = a->h, time = a->time, share = a->share, rough = a->slippery ? R(0) : R(1);
#pragma omp simd
    for (int32_t i = 0; i < count; i++) {
        const int32_t r = 3 * i;
        const real v1 = value[r + 1], v2 = value[r + 2], x = NB_SQRT(v1 * v1 + v2 * v2);
        const nb_sliding_terms at =
            terms_of(&law, which, share, h * value[r], rough * mu[i], which == IMPLICIT ? R(-1) : lagged[i], x);
        const real over = 1 / (x > NB_REAL_TINY ? x : NB_REAL_TINY), u1 = v1 * over, u2 = v2 * over;
        to->normal[i] = -time * h * at.slope;
        to->by_gap[0][i] = time * h * at.by_gap * v1;
        to->by_gap[1][i] = time * h * at.by_gap * v2;
        to->slip[0][i] = time * (at.k + at.across * u1 * u1);
        to->slip[1][i] = time * at.across * u1 * u2;
        to->slip[2][i] = time * (at.k + at.across * u2 * u2);
    }
}

static INLINE void slope_all(const nb_penalty_answers *a, int which, int32_t begin, int32_t end) {
    slopes s;
    double *t = a->t + 9 * (ptrdiff_t)begin;
    for (int32_t first = begin; first < end; first += CHUNK) {
        const int32_t count = end - first < CHUNK ? end - first : CHUNK;
        find_slopes(a, which, first, count, &s);
        for (int32_t i = 0; i < count; i++, t += 9) {
            t[0] = (double)s.normal[i];
            t[1] = t[2] = 0;
            t[3] = (double)s.by_gap[0][i];
            t[4] = (double)s.slip[0][i];
            t[5] = t[7] = (double)s.slip[1][i];
            t[6] = (double)s.by_gap[1][i];
            t[8] = (double)s.slip[2][i];
        }
    }
}

static void push(const nb_penalty_answers *a, int32_t begin, int32_t end) {
    if (!a->lagged)
        push_all(a, IMPLICIT, begin, end);
    else if (a->share == 0)
        push_all(a, LAGGED, begin, end);
    else
        push_all(a, SHARED, begin, end);
}

static void slope(const nb_penalty_answers *a, int32_t begin, int32_t end) {
    if (!a->lagged)
        slope_all(a, IMPLICIT, begin, end);
    else if (a->share == 0)
        slope_all(a, LAGGED, begin, end);
    else
        slope_all(a, SHARED, begin, end);
}

/* ---- the matrix ---- */

/* three numbers and a zero; as they lie in memory; two of them */
typedef double quad __attribute__((vector_size(4 * sizeof(double)), may_alias));
typedef double loose_quad __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef real loose_reals __attribute__((vector_size(4 * sizeof(real)), aligned(sizeof(real)), may_alias));
typedef double loose_pair __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));

/* A row of J has the force d, and on the bodies' turns r_a x d and r_b x d (but for b's sign): */
enum {
    FORCE,
    TURN_A,
    TURN_B,
    PARTS
};

/* J^T T J over the three parts, by rows; each row in a register a part */
typedef struct square {
    quad row[PARTS][3][PARTS];
} square;

/* three numbers, and one behind them that is not taken */
static INLINE quad load_three(const real *from) {
    const quad zero = {0, 0, 0, 0};
    const quad v = __builtin_convertvector(*(const loose_reals *)from, quad);
    return __builtin_shufflevector(v, zero, 0, 1, 2, 4);
}

/* (y, z, x) */
static INLINE quad turned(quad v) {
    return __builtin_shufflevector(v, v, 1, 2, 0, 3);
}

static INLINE quad cross(quad a, quad b) {
    return turned(a * turned(b) - turned(a) * b);
}

/* the number k of three, four times */
static INLINE quad spread(quad v, int k) {
    return k == 0   ? __builtin_shufflevector(v, v, 0, 0, 0, 0)
           : k == 1 ? __builtin_shufflevector(v, v, 1, 1, 1, 1)
                    : __builtin_shufflevector(v, v, 2, 2, 2, 2);
}

/* sum += J^T T J of a contact, over the parts whose bodies move */
static INLINE void add_contact(const nb_contact_rows *contact, const double *t, const int has[PARTS], square *sum) {
    const quad arm[PARTS] = {{0}, load_three(contact->arm_a), load_three(contact->arm_b)};
    quad j[3][PARTS], right[3][PARTS];
    for (int k = 0; k < 3; k++) {
        j[k][FORCE] = load_three(contact->direction[k]);
        for (int p = TURN_A; p < PARTS; p++)
            if (has[p]) j[k][p] = cross(arm[p], j[k][FORCE]);
    }
    for (int p = 0; p < PARTS; p++) {
        if (!has[p]) continue;
        for (int k = 0; k < 3; k++) right[k][p] = t[3 * k] * j[0][p] + t[3 * k + 1] * j[1][p] + t[3 * k + 2] * j[2][p];
    }
    for (int p = 0; p < PARTS; p++)
        for (int r = 0; has[p] && r < 3; r++) {
            const quad x = spread(j[0][p], r), y = spread(j[1][p], r), z = spread(j[2][p], r);
            for (int q = 0; q < PARTS; q++)
                if (has[q]) sum->row[p][r][q] += x * right[0][q] + y * right[1][q] + z * right[2][q];
        }
}

/* the block of two sides: to += or -= (FORCE and `p`) x (FORCE and `q`) */
static INLINE void add_block(const square *sum, int p, int q, double *to, int64_t stride) {
    for (int k = 0; k < 6; k++, to += stride) {
        const quad *row = sum->row[k < 3 ? FORCE : p][k % 3];
        const quad first = __builtin_shufflevector(row[FORCE], row[q], 0, 1, 2, 4);
        const loose_pair last = __builtin_shufflevector(row[q], row[q], 1, 2);
        if (p == q) {
            *(loose_quad *)to += first;
            *(loose_pair *)(to + 4) += last;
        } else {
            *(loose_quad *)to -= first;
            *(loose_pair *)(to + 4) -= last;
        }
    }
}

static INLINE void add_group(const nb_penalty_pairs *of, int32_t g, int a, int b) {
    const nb_node_pairs *pairs = of->pairs;
    const int has[PARTS] = {1, a, b};
    square sum;
    int closed = 0;
    for (int p = 0; p < PARTS; p++)
        for (int r = 0; r < 3; r++)
            for (int q = 0; q < PARTS; q++) sum.row[p][r][q] = (quad){0};
    for (int32_t i = of->group_start[g] - of->first; i < of->group_start[g + 1] - of->first; i++) {
        const double *t = of->t + 9 * (ptrdiff_t)i;
        if (t[0] == 0 && t[4] == 0 && t[8] == 0) continue; /* open */
        closed = 1;
        add_contact(&of->contacts[i], t, has, &sum);
    }
    if (!closed) return;
    const int32_t *slot = pairs->group_slot + pairs->group_node[g], *place = pairs->pair_place + pairs->group_pair[g];
    for (int p = TURN_A; p < PARTS; p++) {
        if (!has[p]) continue;
        for (int q = TURN_A; q < PARTS; q++)
            if (has[q]) add_block(&sum, p, q, of->value + pairs->entry[*slot] + *place++, pairs->length[*slot]);
        slot++;
    }
}

static void add_pairs(const nb_penalty_pairs *of, int32_t begin, int32_t end) {
    for (int32_t g = begin; g < end; g++) {
        const nb_contact_rows *contact = &of->contacts[of->group_start[g] - of->first];
        const int a = of->moves[contact->a], b = of->moves[contact->b];
        if (a && b)
            add_group(of, g, 1, 1);
        else if (a)
            add_group(of, g, 1, 0);
        else if (b)
            add_group(of, g, 0, 1);
    }
}

extern const nb_penalty_kernels KERNELS_OF(NB_INSTRUCTION_SET);
const nb_penalty_kernels KERNELS_OF(NB_INSTRUCTION_SET) = {push, slope, add_pairs};

/* The Newton step of a pair: its equations linearised, and all but the velocities of the bodies eliminated; compiled
 * for each instruction set.
 *
 * With u the changes of what the pair's dense matrix has as unknowns, and v those of the velocities,
 *
 *     [ A  B ] [u]   [b]
 *     [ C  D ] [v] = [0]       D - C A^-1 B is what is left, and -C A^-1 b its right-hand side
 *
 * Of all this the factors of A alone are kept: for thousands of pairs memory is what a step waits for. B and C follow
 * from the sets, x and the few vectors of an evaluation, as products with single vectors at least. */
#include <string.h>

#include "base/largest.h"
#include "contact_pair_parts.h"
#include "method/single_level/cone_block.h"

NB_PRECISIONS(f64);

enum {
    WHOLE = 8 /* rows are as many numbers as whole registers of all sets */
};

/* anywhere in memory */
typedef double lanes __attribute__((vector_size(NB_WIDTH * sizeof(double)), aligned(sizeof(double))));
typedef int64_t bits __attribute__((vector_size(NB_WIDTH * sizeof(double))));

typedef struct pivot_row {
    double *at, *lower; /* in the matrix and in L */
    double scale;       /* over its size */
} pivot_row;

/* the pair while its matrix is made: rows of `stride` numbers, of which the last `width` are right-hand sides: a
 * velocity each, then the residuals */
typedef struct work {
    nb_contact_pair *pair;
    const nb_pair_body *body[2];
    int32_t order, right, width, stride;
    int alone;
    double *matrix;         /* [order][stride] */
    double *gradient[2][3]; /* dg_i by unknowns and velocities; by residuals once b is made */
    double *slip[3];        /* dw */
    double *line[NB_CONVEX_CONE_ROWS];
    double *block;      /* [motion][width] */
    double *solution;   /* [order][width] */
    double *lower;      /* [order][order] L, and the inverse of U's diagonal, of the rows where they are */
    pivot_row *row;     /* [order] the rows of the matrix, in the order of their pivots as far as these are known */
    double *part, *sum; /* [4 + unknowns] of a row; [4 + unknowns][4 + unknowns] of those that are eliminated */
} work;

static int32_t round_up(int32_t count) {
    return (count + WHOLE - 1) / WHOLE * WHOLE;
}

static nb_vec3 unit(int k) {
    return nb_vec3_of(k == 0, k == 1, k == 2);
}

static double *row_of(const work *w, int32_t i) {
    return w->matrix + (int64_t)i * w->stride;
}

static lanes *lanes_of(double *x) {
    return (lanes *)(void *)x;
}

static const lanes *some_of(const double *x) {
    return (const lanes *)(const void *)x;
}

/* whole rows of the matrix, or of its shape */
static void add_row(const work *w, double factor, const double *from, double *to) {
    for (int32_t k = 0; k < w->stride; k += NB_WIDTH) *lanes_of(to + k) += factor * *some_of(from + k);
}

/* adds linear . way + angular . (small rotation) of body i to a row, by its velocities */
static void add_motion(const work *w, int i, nb_vec3 linear, nb_vec3 angular, double *row) {
    int32_t first = w->pair->first[i];
    if (first < 0) return;
    const nb_pair_body *body = w->body[i];
    const double(*t)[3] = body->by_spin.m;
    row += w->right + first;
    row[0] += body->h * linear.x;
    row[1] += body->h * linear.y;
    row[2] += body->h * linear.z;
    for (int k = 0; k < 3; k++) row[3 + k] += angular.x * t[0][k] + angular.y * t[1][k] + angular.z * t[2][k];
}

/* adds vector . q, q = dp - way - (small rotation) x y: how p goes along in body i */
static void add_place(const work *w, int i, nb_vec3 vector, double *row) {
    add_vector(vector, row);
    add_motion(w, i, nb_scale(-1, vector), nb_cross(vector, w->pair->arm[i]), row);
}

/* Which lambda stay unknowns: those of cones, and of half-lines with s <= lambda. Unknowns of a set are neighbours. */
static void choose_unknowns(work *w) {
    nb_contact_pair *pair = w->pair;
    const double *lambda = pair->x + pair->lambda, *s = pair->x + pair->s;
    int32_t next = 4 + pair->unknowns, row = 0;
    for (int i = 0; i < 2; i++)
        for (int32_t k = 0; k < pair->set[i]->rows; k++, row++)
            pair->place[row] = k < pair->set[i]->linear && s[row] > lambda[row] ? -1 : next++;
    w->order = pair->order = next + (w->alone ? 0 : pair->mu > 0 ? 5 : 1);
    pair->motion = 0;
    for (int i = 0; i < 2; i++) {
        pair->first[i] = w->body[i]->moves && !w->alone ? pair->motion : -1;
        if (pair->first[i] >= 0) pair->motion += 6;
    }
    w->right = round_up(w->order);
    w->width = w->alone ? 0 : round_up(pair->motion + 1);
    w->stride = w->right + w->width;
}

/* ---- the matrix ---- */

/* the row of the matrix, or of dg_i, that has part `k` of a set's (g_i, b.lambda, E^T lambda) */
static double *row_of_part(const work *w, int i, int32_t unknown, int32_t k) {
    return k < 3 ? w->gradient[i][k] : row_of(w, k == 3 ? 3 : unknown + k);
}

/* A row of a set as c = (a, -b, e): ds is -c . (q, dalpha, depsilon), and dlambda adds c to (g, -b.lambda, E^T lambda).
 */
static double part_of(const nb_pair_set *set, nb_vec3 a, int32_t row, int32_t k) {
    return k < 3 ? component(a, k) : k == 3 ? -set->b[row] : set->e[(int64_t)row * set->unknowns + k - 4];
}

/* adds -factor ds of a row of set i */
static void add_slack(const work *w, int i, int32_t k, nb_vec3 a, int32_t unknown, double factor, double *row) {
    const nb_pair_set *set = w->pair->set[i];
    add_place(w, i, nb_scale(factor, a), row);
    for (int32_t j = 3; j < 4 + set->unknowns; j++) row[j == 3 ? 3 : unknown + j] += factor * part_of(set, a, k, j);
}

/* adds dlambda of a row, which is the unknown `at` */
static void add_multiplier(const work *w, int i, int32_t k, nb_vec3 a, int32_t unknown, int32_t at) {
    const nb_pair_set *set = w->pair->set[i];
    for (int32_t j = 0; j < 4 + set->unknowns; j++) row_of_part(w, i, unknown, j)[at] += part_of(set, a, k, j);
}

/* The rows W^-1 du + W dv, from `at` on, of a cone: du are `factor`, 1, .. times the unknowns u_at, dv lines. */
static void add_scaled(const work *w, int32_t n, const double *u, const double *v, double factor, const int32_t *u_at,
                       double *const *dv, int32_t at) {
    double size, middle[NB_CONVEX_CONE_ROWS], column[NB_CONVEX_CONE_ROWS];
    nb_cone_block_scale(n, u, v, middle, &size);
    for (int32_t k = 0; k < n; k++) {
        double unit_k[NB_CONVEX_CONE_ROWS] = {0};
        unit_k[k] = 1;
        nb_cone_block_apply(n, middle, size, -1, unit_k, column);
        for (int32_t j = 0; j < n; j++) row_of(w, at + j)[u_at[k]] += (k == 0 ? factor : 1) * column[j];
        nb_cone_block_apply(n, middle, size, 1, unit_k, column);
        for (int32_t j = 0; j < n; j++) add_row(w, column[j], dv[k], row_of(w, at + j));
    }
}

/* the products of a cone whose first row is k; `at`: of its multipliers */
static void add_cone(const work *w, int i, int32_t k, int32_t count, int32_t first, int32_t unknown) {
    const nb_contact_pair *pair = w->pair;
    const double *lambda = pair->x + pair->lambda + first + k, *s = pair->x + pair->s + first + k;
    const int32_t at = pair->place[first + k];
    for (int32_t j = 0; j < count; j++) {
        const nb_vec3 a = nb_mat3_apply(&w->body[i]->frame, pair->set[i]->a[k + j]);
        memset(w->line[j], 0, (size_t)w->stride * sizeof *w->line[j]);
        add_slack(w, i, k + j, a, unknown, -1, w->line[j]);
        add_multiplier(w, i, k + j, a, unknown, at + j);
    }
    if (pair->scaled) {
        const int32_t own[] = {at, at + 1, at + 2, at + 3};
        add_scaled(w, count, lambda, s, 1, own, w->line, at);
        return;
    }
    for (int32_t j = 0; j < count; j++) {
        double *row = row_of(w, at + j);
        add_row(w, lambda[j], w->line[0], row);
        row[at] += s[j];
        if (j == 0) continue;
        add_row(w, lambda[j], w->line[j], row_of(w, at));
        row_of(w, at)[at + j] += s[j];
        add_row(w, lambda[0], w->line[j], row);
        row[at + j] += s[0];
    }
}

/* sum += factor c c^T */
static inline void add_square(int32_t parts, double factor, const double *restrict c, double *restrict sum) {
    for (int32_t i = 0; i < parts; i++)
        for (int32_t k = 0; k < parts; k++) sum[i * parts + k] += factor * c[i] * c[k];
}

/* The sum of lambda/s c c^T over the half-lines that are eliminated by hand. */
static void add_sum(const work *w, int i, int32_t unknown) {
    const int32_t parts = 4 + w->pair->set[i]->unknowns;
    for (int32_t k = 0; k < parts; k++) {
        double *row = row_of_part(w, i, unknown, k), *sum = w->sum + (int64_t)k * parts;
        add_place(w, i, read3(sum), row);
        row[3] += sum[3];
        for (int32_t j = 4; j < parts; j++) row[unknown + j] += sum[j];
    }
}

/* the rows of a set: its slacks, its multipliers and their products */
static void add_set(const work *w, int i, int32_t first, int32_t unknown) {
    const nb_contact_pair *pair = w->pair;
    const nb_pair_set *set = pair->set[i];
    const int32_t parts = 4 + set->unknowns;
    const double *lambda = pair->x + pair->lambda + first, *s = pair->x + pair->s + first;
    memset(w->sum, 0, (size_t)parts * (size_t)parts * sizeof *w->sum);
    for (int32_t k = 0; k < set->linear; k++) {
        const int32_t at = pair->place[first + k];
        const nb_vec3 a = nb_mat3_apply(&w->body[i]->frame, set->a[k]);
        if (at >= 0) {
            add_multiplier(w, i, k, a, unknown, at);
            add_slack(w, i, k, a, unknown, -lambda[k], row_of(w, at));
            row_of(w, at)[at] += s[k];
            continue;
        }
        for (int32_t r = 0; r < parts; r++) w->part[r] = part_of(set, a, k, r);
        if (parts == 4) /* a constant: loops unrolled */
            add_square(4, lambda[k] / s[k], w->part, w->sum);
        else
            add_square(parts, lambda[k] / s[k], w->part, w->sum);
    }
    add_sum(w, i, unknown);
    for (int32_t c = 0, k = set->linear; c < set->cone_count; k += set->cone_rows[c++])
        add_cone(w, i, k, set->cone_rows[c], first, unknown);
}

/* dg_i also turns with the body; then the three equations of p */
static void add_gradients(const work *w) {
    const nb_contact_pair *pair = w->pair;
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 2; i++) /* component c of theta x g */
            add_motion(w, i, nb_vec3_of(0, 0, 0), nb_cross(pair->g[i], unit(c)), w->gradient[i][c]);
        double *row = row_of(w, c);
        for (int32_t k = 0; k < w->stride; k += NB_WIDTH)
            *lanes_of(row + k) = *some_of(w->gradient[0][c] + k) + *some_of(w->gradient[1][c] + k);
    }
}

/* dw = sum of dg_i x V_i + g_i x dV_i, V_i = v_i + w_i x (p - x_i) */
static void add_slip(const work *w) {
    const nb_contact_pair *pair = w->pair;
    for (int c = 0; c < 3; c++) {
        const int next = (c + 1) % 3, last = (c + 2) % 3;
        const double ahead[2] = {component(pair->velocity[0], last), component(pair->velocity[1], last)},
                     behind[2] = {component(pair->velocity[0], next), component(pair->velocity[1], next)};
        double *row = w->slip[c];
        for (int32_t k = 0; k < w->stride; k += NB_WIDTH)
            *lanes_of(row + k) =
                ahead[0] * *some_of(w->gradient[0][next] + k) - behind[0] * *some_of(w->gradient[0][last] + k) +
                ahead[1] * *some_of(w->gradient[1][next] + k) - behind[1] * *some_of(w->gradient[1][last] + k);
        for (int i = 0; i < 2; i++) {
            nb_vec3 g = pair->g[i], y = pair->arm[i], spin = w->body[i]->w;
            nb_vec3 by_point = nb_sub(nb_scale(component(spin, c), g), nb_scale(nb_dot(g, spin), unit(c)));
            add_vector(by_point, row);
            add_motion(w, i, nb_scale(-1, by_point), nb_vec3_of(0, 0, 0), row);
            if (pair->first[i] < 0) continue;
            double *own = row + w->right + pair->first[i];
            add_vector(nb_cross(unit(c), g), own); /* component c of g x dv */
            add_vector(nb_sub(nb_scale(nb_dot(g, y), unit(c)), nb_scale(component(y, c), g)), own + 3);
        }
    }
}

/* gamma s_g, and (mu gamma, beta) o (psi, w) */
static void add_impulse(const work *w) {
    const nb_contact_pair *pair = w->pair;
    const double *x = pair->x, *beta = x + pair->psi + 1, *slip = x + pair->psi + 4;
    const int32_t gamma = place_of_impulse(pair), psi = gamma + 1;
    double *row = row_of(w, gamma), g = x[pair->gamma];
    row[gamma] += x[pair->gamma + 1];
    row[3] += g;
    if (!(pair->mu > 0)) return;
    row[psi] -= g * nb_contact_pair_parting(pair, w->body[0]->h);
    add_slip(w);
    if (pair->scaled) {
        const int32_t own[] = {gamma, psi + 1, psi + 2, psi + 3};
        double u[4], v[4], *dv[] = {w->line[0], w->slip[0], w->slip[1], w->slip[2]};
        nb_contact_pair_friction(pair, x, u, v);
        memset(w->line[0], 0, (size_t)w->stride * sizeof *w->line[0]);
        w->line[0][psi] = 1;
        add_scaled(w, 4, u, v, pair->mu, own, dv, psi);
        return;
    }
    row = row_of(w, psi);
    for (int c = 0; c < 3; c++) {
        add_row(w, beta[c], w->slip[c], row);
        double *own = row_of(w, psi + 1 + c);
        add_row(w, pair->mu * g, w->slip[c], own);
        own[gamma] += pair->mu * slip[c];
        own[psi] += beta[c];
        own[psi + 1 + c] += x[pair->psi];
    }
    add_vector(read3(slip), row + psi + 1);
    row[gamma] += pair->mu * x[pair->psi];
    row[psi] += pair->mu * g;
}

/* ---- elimination ---- */

/* of a row's unknowns; not a number where one is not. What stands between unknowns and right-hand sides is zero. */
static double size_of(const work *w, const double *row) {
    lanes sums = {0};
    double sum = 0;
    for (int32_t k = 0; k < w->right; k += NB_WIDTH) sums += (lanes)((bits)*some_of(row + k) & INT64_MAX); /* |..| */
    for (int k = 0; k < NB_WIDTH; k++) sum += sums[k];
    return sum;
}

/* of the rows that are no pivots yet, the one whose entry in column k is largest against the row's size */
static int32_t best_pivot(const work *w, int32_t k) {
    int32_t best = k;
    double most = -1;
    for (int32_t i = k; i < w->order; i++) {
        const double size = fabs(w->row[i].at[k]) * w->row[i].scale;
        best = size > most ? i : best;
        most = size > most ? size : most;
    }
    return best;
}

/* own -= factor top, of so many registers */
static inline void subtract(int32_t registers, double factor, const double *top, double *own) {
    for (int32_t k = 0; k < registers; k++) *lanes_of(own + k * NB_WIDTH) -= factor * *some_of(top + k * NB_WIDTH);
}

/* L, the inverse of the diagonal, and U over it, in the order of the pivots */
static void keep_factors(const work *w) {
    const int32_t n = w->order;
    double *to = w->pair->factors;
    for (int32_t i = 0; i < n; i++, to += n) {
        const double *lower = w->row[i].lower, *upper = w->row[i].at, inverse = lower[i];

        for (int32_t k = 0; k <= i; k++) to[k] = lower[k];
        for (int32_t k = i + 1; k < n; k++) to[k] = inverse * upper[k];
    }
}

/* Gauss elimination with pivots by rows, each row against its size. Rows stay where they are, and in the matrix what
 * stands left of a row's pivot is not looked at again. */
static int factorise(const work *w) {
    const int32_t n = w->order;
    pivot_row *row = w->row;
    int32_t *pivot = w->pair->pivot;
    for (int32_t i = 0; i < n; i++) {
        const double size = size_of(w, row_of(w, i));
        if (!(size > 0) || isinf(size)) return 0;
        row[i] = (pivot_row){row_of(w, i), w->lower + i * n, 1 / size};
        pivot[i] = i;
    }
    for (int32_t k = 0; k < n; k++) {
        const int32_t best = best_pivot(w, k), first = (k + 1) / NB_WIDTH * NB_WIDTH,
                      registers = (w->stride - first) / NB_WIDTH;
        const pivot_row top = row[best];
        const int32_t kept = pivot[best];
        row[best] = row[k];
        row[k] = top;
        pivot[best] = pivot[k];
        pivot[k] = kept;
        if (!(fabs(top.at[k]) > 0)) return 0;
        const double inverse = 1 / top.at[k];
        top.lower[k] = inverse;
        for (int32_t i = k + 1; i < n; i++) {
            double *own = row[i].at;
            const double factor = own[k] * inverse;
            row[i].lower[k] = factor;
            switch (registers) { /* constants: loops unrolled */
            case 3: subtract(3, factor, top.at + first, own + first); break;
            case 4: subtract(4, factor, top.at + first, own + first); break;
            default: subtract(registers, factor, top.at + first, own + first); break;
            }
        }
    }
    keep_factors(w);
    return 1;
}

/* the solutions for all right-hand sides, from what the elimination made of these */
static void substitute(const work *w) {
    enum {
        PARTS = WHOLE / NB_WIDTH
    };
    const int32_t n = w->order, width = w->width;
    for (int32_t column = 0; column < width; column += WHOLE)
        for (int32_t i = n - 1; i >= 0; i--) {
            const double *factors = w->pair->factors + (int64_t)i * n;
            const double *from = w->row[i].at + w->right + column;
            double *to = w->solution + (int64_t)i * width + column;
            lanes sum[PARTS];
            for (int p = 0; p < PARTS; p++) sum[p] = factors[i] * *some_of(from + p * NB_WIDTH);
            for (int32_t k = n - 1; k > i; k--)
                for (int p = 0; p < PARTS; p++)
                    sum[p] -= factors[k] * *some_of(w->solution + (int64_t)k * width + column + p * NB_WIDTH);
            for (int p = 0; p < PARTS; p++) *lanes_of(to + p * NB_WIDTH) = sum[p];
        }
}

static lanes solution_of(const work *w, int32_t k, int32_t column) {
    return *some_of(w->solution + (int64_t)k * w->width + column);
}

/* dg_i by velocities and residuals, of one register of them, the unknowns solved for; dg_2 is what the first three
 * equations leave of it */
static void total_gradients(const work *w, int32_t column, lanes total[2][3]) {
    const nb_contact_pair *pair = w->pair;
    const int32_t residuals = pair->motion - column;
    for (int c = 0; c < 3; c++) total[0][c] = *some_of(w->gradient[0][c] + w->right + column);
    for (int32_t k = 0; k < w->order; k++) {
        const lanes by = solution_of(w, k, column);
        for (int c = 0; c < 3; c++) total[0][c] -= w->gradient[0][c][k] * by;
    }
    for (int c = 0; c < 3; c++) {
        total[1][c] = -total[0][c];
        if (residuals >= 0 && residuals < NB_WIDTH && !is_solved(pair)) total[1][c][residuals] -= pair->r[c];
    }
}

/* Less dF_i and its torque, of one register of right-hand sides, into six rows. */
static void total_force(const work *w, int i, int32_t column, const lanes dg[3], double *block) {
    const nb_contact_pair *pair = w->pair;
    const int32_t gamma = place_of_impulse(pair);
    const nb_vec3 g = pair->g[i], y = pair->arm[i], f = pair->force[i], beta = beta_of(pair);
    lanes less[3];
    for (int c = 0; c < 3; c++) {
        const int next = (c + 1) % 3, last = (c + 2) % 3;
        less[c] = pair->x[pair->gamma] * dg[c] - component(g, c) * solution_of(w, gamma, column);
        if (!(pair->mu > 0)) continue;
        less[c] += component(beta, last) * dg[next] - component(beta, next) * dg[last];
        less[c] -= component(g, next) * solution_of(w, gamma + 2 + last, column) -
                   component(g, last) * solution_of(w, gamma + 2 + next, column);
    }
    for (int c = 0; c < 3; c++) {
        const int next = (c + 1) % 3, last = (c + 2) % 3;
        *lanes_of(block + c * w->width) = less[c];
        *lanes_of(block + (3 + c) * w->width) = component(f, last) * solution_of(w, next, column) -
                                                component(f, next) * solution_of(w, last, column) +
                                                component(y, next) * less[last] - component(y, last) * less[next];
    }
}

/* D - C A^-1 B; -C A^-1 b behind it */
static void make_block(const work *w, double *left) {
    const nb_contact_pair *pair = w->pair;
    for (int32_t k = 0; k < w->width; k += NB_WIDTH) {
        lanes gradient[2][3];
        total_gradients(w, k, gradient);
        for (int i = 0; i < 2; i++)
            if (pair->first[i] >= 0) total_force(w, i, k, gradient[i], w->block + pair->first[i] * w->width + k);
    }
    for (int i = 0; i < 2; i++)
        for (int c = 0; pair->first[i] >= 0 && c < 3; c++) { /* F x (dp - way) has a part of the body's own */
            const nb_vec3 by_way = nb_scale(-w->body[i]->h, nb_cross(unit(c), pair->force[i]));
            add_vector(by_way, w->block + (pair->first[i] + 3 + c) * w->width + pair->first[i]);
        }
    for (int32_t k = 0; k < pair->motion; k++) left[k] = -w->block[k * w->width + pair->motion];
}

/* the residuals as the last right-hand side, with the sign of the others */
static void add_side(const work *w) {
    const motion still = {0};
    const int32_t at = w->right + w->pair->motion;
    double *b = w->lower; /* which is not there yet */
    nb_vec3 gradient[2];
    nb_contact_pair_side(w->pair, w->body, &still, b, gradient);
    for (int32_t k = 0; k < w->order; k++) row_of(w, k)[at] = -b[k];
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 3; c++) w->gradient[i][c][at] = component(gradient[i], c);
}

/* where block and matrix begin in memory that is scratch */
static double *aligned(double *scratch) {
    const uintptr_t line = 64, at = (uintptr_t)scratch;
    return scratch + ((line - at % line) % line) / sizeof *scratch;
}

static int eliminate(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, int alone, double *scratch,
                     double left[NB_PAIR_MOTION]) {
    work w = {.pair = pair, .body = {a, b}, .alone = alone, .block = aligned(scratch)};
    pair->alone = alone;
    choose_unknowns(&w);
    double *next = w.block + NB_PAIR_MOTION * (NB_PAIR_MOTION + WHOLE);
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 3; c++, next += w.stride) w.gradient[i][c] = next;
    w.matrix = next;
    next += (int64_t)w.order * w.stride;
    memset(w.gradient[0][0], 0, (size_t)(next - w.gradient[0][0]) * sizeof *next);
    for (int c = 0; c < 3; c++, next += w.stride) w.slip[c] = next;
    for (int c = 0; c < NB_CONVEX_CONE_ROWS; c++, next += w.stride) w.line[c] = next;
    w.solution = next;
    w.lower = w.solution + w.order * w.width;
    w.row = (pivot_row *)(void *)(w.lower + w.order * w.order);
    w.part = w.lower + w.order * (w.order + 3);
    w.sum = w.part + 4 + pair->unknowns;
    add_set(&w, 0, 0, 0);
    add_set(&w, 1, pair->set[0]->rows, pair->set[0]->unknowns);
    add_gradients(&w);
    if (!alone) {
        add_impulse(&w);
        add_side(&w);
    }
    if (!factorise(&w)) return 0;
    if (alone) return 1;
    substitute(&w);
    make_block(&w, left);
    return 1;
}

static const double *block(const nb_contact_pair *pair, double *scratch, int32_t *stride) {
    *stride = round_up(pair->motion + 1);
    return aligned(scratch);
}

extern const nb_contact_pair_kernels NB_OF_SET(nb_contact_pair_kernels);
const nb_contact_pair_kernels NB_OF_SET(nb_contact_pair_kernels) = {eliminate, block, nb_contact_pair_reduced,
                                                                    nb_contact_pair_recovered};

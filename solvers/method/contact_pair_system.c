/* The Newton step of a pair: its equations linearised, and all but the velocities of the bodies eliminated. */
#include <string.h>

#include "base/largest.h"
#include "convex/cone_block.h"
#include "method/contact_pair.h"

/* the pair while its matrix is made: rows of `side` numbers */
typedef struct work {
    nb_contact_pair *pair;
    const nb_pair_body *body[2];
    int32_t side, order;
    int alone;
    double *matrix;         /* [side][side] */
    double *gradient[2][3]; /* dg_i by unknowns and velocities */
    double *slip[3];        /* dw */
    double *line[NB_CONVEX_CONE_ROWS];
} work;

static double component(nb_vec3 v, int k) {
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

static nb_vec3 unit(int k) {
    return nb_vec3_of(k == 0, k == 1, k == 2);
}

static double *row_of(const work *w, int32_t i) {
    return w->matrix + (int64_t)i * w->side;
}

static void add_row(int32_t count, double factor, const double *from, double *restrict to) {
#pragma omp simd
    for (int32_t k = 0; k < count; k++) to[k] += factor * from[k];
}

/* adds linear . way + angular . (small rotation) of body i to a row, by its velocities */
static void add_motion(const work *w, int i, nb_vec3 linear, nb_vec3 angular, double *row) {
    int32_t first = w->pair->first[i];
    if (first < 0 || w->alone) return;
    const nb_pair_body *body = w->body[i];
    const double(*t)[3] = body->by_spin.m;
    row += w->order + first;
    row[0] += body->h * linear.x;
    row[1] += body->h * linear.y;
    row[2] += body->h * linear.z;
    for (int k = 0; k < 3; k++) row[3 + k] += angular.x * t[0][k] + angular.y * t[1][k] + angular.z * t[2][k];
}

static void add_vector(nb_vec3 v, double *row) {
    row[0] += v.x;
    row[1] += v.y;
    row[2] += v.z;
}

/* which lambda stay unknowns: those of cones, and of half-lines with s <= lambda */
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
    w->side = w->order + pair->motion;
}

/* ds of row k of set i, `row` of all */
static void make_line(const work *w, int i, int32_t k, int32_t row, int32_t unknown, double *line) {
    const nb_contact_pair *pair = w->pair;
    const nb_pair_set *set = pair->set[i];
    nb_vec3 a = pair->row[row];
    memset(line, 0, (size_t)w->side * sizeof *line);
    line[0] = -a.x;
    line[1] = -a.y;
    line[2] = -a.z;
    line[3] = set->b[k];
    for (int32_t j = 0; j < set->unknowns; j++) line[4 + unknown + j] = -set->e[(int64_t)k * set->unknowns + j];
    add_motion(w, i, a, nb_cross(pair->arm[i], a), line);
}

/* adds dlambda of a row, as `factor` times a line or as an unknown of its own, to dg, b.lambda and E^T lambda */
static void add_multiplier(const work *w, int i, int32_t k, int32_t row, int32_t unknown, double factor,
                           const double *line) {
    const nb_contact_pair *pair = w->pair;
    const nb_pair_set *set = pair->set[i];
    int32_t at = pair->place[row];
    for (int c = 0; c < 5; c++) {
        if (c == 4 && set->unknowns == 0) break;
        for (int32_t j = 0; j < (c == 4 ? set->unknowns : 1); j++) {
            double weight = c < 3    ? component(pair->row[row], c)
                            : c == 3 ? -set->b[k]
                                     : set->e[(int64_t)k * set->unknowns + j];
            double *to = c < 3 ? w->gradient[i][c] : row_of(w, c == 3 ? 3 : 4 + unknown + j);
            if (weight == 0) continue;
            if (at >= 0)
                to[at] += weight;
            else
                add_row(w->side, weight * factor, line, to);
        }
    }
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
        for (int32_t j = 0; j < n; j++) add_row(w->side, column[j], dv[k], row_of(w, at + j));
    }
}

/* the rows of a set: its slacks, its multipliers and their products */
static void add_set(const work *w, int i, int32_t first, int32_t unknown) {
    const nb_contact_pair *pair = w->pair;
    const nb_pair_set *set = pair->set[i];
    const double *lambda = pair->x + pair->lambda + first, *s = pair->x + pair->s + first;
    for (int32_t k = 0; k < set->linear; k++) {
        int32_t at = pair->place[first + k];
        make_line(w, i, k, first + k, unknown, w->line[0]);
        add_multiplier(w, i, k, first + k, unknown, -lambda[k] / s[k], w->line[0]);
        if (at < 0) continue;
        double *row = row_of(w, at);
        add_row(w->side, lambda[k], w->line[0], row);
        row[at] += s[k];
    }
    for (int32_t c = 0, k = set->linear; c < set->cone_count; k += set->cone_rows[c++]) {
        int32_t count = set->cone_rows[c], at = pair->place[first + k];
        for (int32_t j = 0; j < count; j++) {
            make_line(w, i, k + j, first + k + j, unknown, w->line[j]);
            add_multiplier(w, i, k + j, first + k + j, unknown, 0, NULL);
        }
        if (pair->scaled) {
            const int32_t own[] = {at, at + 1, at + 2, at + 3};
            add_scaled(w, count, lambda + k, s + k, 1, own, w->line, at);
            continue;
        }
        for (int32_t j = 0; j < count; j++) {
            double *row = row_of(w, at + j);
            add_row(w->side, lambda[k + j], w->line[0], row);
            row[at] += s[k + j];
            if (j == 0) continue;
            add_row(w->side, lambda[k + j], w->line[j], row_of(w, at));
            row_of(w, at)[at + j] += s[k + j];
            add_row(w->side, lambda[k], w->line[j], row);
            row[at + j] += s[k];
        }
    }
}

/* dg_i also turns with the body; then the three equations of p */
static void add_gradients(const work *w) {
    const nb_contact_pair *pair = w->pair;
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 3; c++) {
            /* component c of theta x g */
            add_motion(w, i, nb_vec3_of(0, 0, 0), nb_cross(pair->g[i], unit(c)), w->gradient[i][c]);
            add_row(w->side, 1, w->gradient[i][c], row_of(w, c));
        }
}

/* dw = sum of dg_i x V_i + g_i x dV_i, V_i = v_i + w_i x (p - x_i) */
static void add_slip(const work *w) {
    const nb_contact_pair *pair = w->pair;
    for (int i = 0; i < 2; i++) {
        nb_vec3 v = pair->velocity[i], g = pair->g[i], y = pair->arm[i], spin = w->body[i]->w;
        for (int c = 0; c < 3; c++) {
            int next = (c + 1) % 3, last = (c + 2) % 3;
            double *row = w->slip[c];
            add_row(w->side, component(v, last), w->gradient[i][next], row);
            add_row(w->side, -component(v, next), w->gradient[i][last], row);
            nb_vec3 by_point = nb_sub(nb_scale(component(spin, c), g), nb_scale(nb_dot(g, spin), unit(c)));
            add_vector(by_point, row);
            add_motion(w, i, nb_scale(-1, by_point), nb_vec3_of(0, 0, 0), row);
            if (pair->first[i] < 0) continue;
            double *own = row + w->order + pair->first[i];
            add_vector(nb_cross(unit(c), g), own); /* component c of g x dv */
            add_vector(nb_sub(nb_scale(nb_dot(g, y), unit(c)), nb_scale(component(y, c), g)), own + 3);
        }
    }
}

/* gamma s_g, and (mu gamma, beta) o (psi, w) */
static void add_impulse(const work *w) {
    const nb_contact_pair *pair = w->pair;
    const double *x = pair->x, *beta = x + pair->psi + 1, *slip = x + pair->psi + 4;
    int32_t gamma = w->order - (pair->mu > 0 ? 5 : 1), psi = gamma + 1;
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
        memset(w->line[0], 0, (size_t)w->side * sizeof *w->line[0]);
        w->line[0][psi] = 1;
        add_scaled(w, 4, u, v, pair->mu, own, dv, psi);
        return;
    }
    row = row_of(w, psi);
    row[gamma] += pair->mu * x[pair->psi];
    row[psi] += pair->mu * g;
    for (int c = 0; c < 3; c++) {
        row[psi + 1 + c] += slip[c];
        add_row(w->side, beta[c], w->slip[c], row);
        double *own = row_of(w, psi + 1 + c);
        own[gamma] += pair->mu * slip[c];
        own[psi] += beta[c];
        own[psi + 1 + c] += x[pair->psi];
        add_row(w->side, pair->mu * g, w->slip[c], own);
    }
}

static nb_vec3 beta_of(const nb_contact_pair *pair) {
    const double *beta = pair->x + pair->psi + 1;
    return pair->mu > 0 ? nb_vec3_of(beta[0], beta[1], beta[2]) : nb_vec3_of(0, 0, 0);
}

/* less the impulse on body i, F = -gamma g - g x beta, and its torque y x F */
static void add_forces(const work *w, int i) {
    const nb_contact_pair *pair = w->pair;
    int32_t gamma = w->order - (pair->mu > 0 ? 5 : 1), beta_at = gamma + 2, first = w->order + pair->first[i];
    nb_vec3 g = pair->g[i], beta = beta_of(pair), y = pair->arm[i], f = pair->force[i];
    for (int c = 0; c < 3; c++) {
        int next = (c + 1) % 3, last = (c + 2) % 3;
        double *row = row_of(w, first + c);
        row[gamma] += component(g, c);
        /* gamma dg - beta x dg */
        add_row(w->side, pair->x[pair->gamma], w->gradient[i][c], row);
        add_row(w->side, -component(beta, next), w->gradient[i][last], row);
        add_row(w->side, component(beta, last), w->gradient[i][next], row);
        if (pair->mu > 0) add_vector(nb_cross(unit(c), g), row + beta_at);
    }
    for (int c = 0; c < 3; c++) {
        int next = (c + 1) % 3, last = (c + 2) % 3;
        double *row = row_of(w, first + 3 + c);
        add_row(w->side, component(y, next), row_of(w, first + last), row);
        add_row(w->side, -component(y, last), row_of(w, first + next), row);
        /* F x (dp - way) */
        nb_vec3 by_point = nb_cross(unit(c), f);
        add_vector(by_point, row);
        add_motion(w, i, nb_scale(-1, by_point), nb_vec3_of(0, 0, 0), row);
    }
}

/* Gauss elimination of the unknowns, with pivots by rows, each row against its largest entry; the rows of the
 * velocities are no pivots. */
static int factorise(const work *w, double *scale) {
    const int32_t n = w->order, side = w->side;
    double *a = w->matrix;
    for (int32_t i = 0; i < n; i++) {
        double largest = 0;
        for (int32_t k = 0; k < n; k++) nb_raise(&largest, fabs(a[(int64_t)i * side + k]));
        if (!(largest > 0) || isinf(largest)) return 0;
        scale[i] = 1 / largest;
    }
    for (int32_t k = 0; k < n; k++) {
        int32_t best = k;
        for (int32_t i = k + 1; i < n; i++)
            if (fabs(a[(int64_t)i * side + k]) * scale[i] > fabs(a[(int64_t)best * side + k]) * scale[best]) best = i;
        w->pair->pivot[k] = best;
        double *restrict top = a + (int64_t)k * side;
        if (best != k) {
            double *restrict other = a + (int64_t)best * side, of_best = scale[best];
            for (int32_t j = 0; j < side; j++) {
                double kept = top[j];
                top[j] = other[j];
                other[j] = kept;
            }
            scale[best] = scale[k];
            scale[k] = of_best;
        }
        if (!(fabs(top[k]) > 0)) return 0;
        double inverse = 1 / top[k];
        for (int32_t i = k + 1; i < side; i++) {
            double *restrict row = a + (int64_t)i * side;
            if (row[k] == 0) continue;
            row[k] *= inverse;
            add_row(side - k - 1, -row[k], top + k + 1, row + k + 1);
        }
    }
    return 1;
}

static void keep_factors(const work *w) {
    const int32_t n = w->order, side = w->side;
    double *upper = w->pair->upper, *lower = w->pair->lower;
    for (int32_t i = 0; i < n; i++) {
        memcpy(upper, row_of(w, i) + i, (size_t)(side - i) * sizeof *upper);
        upper += side - i;
    }
    for (int32_t i = 1; i < side; i++) {
        int32_t count = i < n ? i : n;
        memcpy(lower, row_of(w, i), (size_t)count * sizeof *lower);
        lower += count;
    }
}

/* numbers of scratch before the matrix, in rows */
enum {
    ROWS_BEFORE = 9 + NB_CONVEX_CONE_ROWS
};

int nb_contact_pair_eliminate(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, int alone,
                              double *scratch) {
    work w = {.pair = pair, .body = {a, b}, .alone = alone};
    pair->alone = alone;
    choose_unknowns(&w);
    double *next = scratch;
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 3; c++, next += w.side) w.gradient[i][c] = next;
    for (int c = 0; c < 3; c++, next += w.side) w.slip[c] = next;
    memset(scratch, 0, 9 * (size_t)w.side * sizeof *scratch);
    for (int c = 0; c < NB_CONVEX_CONE_ROWS; c++, next += w.side) w.line[c] = next;
    w.matrix = next;
    memset(w.matrix, 0, (size_t)w.side * (size_t)w.side * sizeof *w.matrix);
    add_set(&w, 0, 0, 0);
    add_set(&w, 1, pair->set[0]->rows, pair->set[0]->unknowns);
    add_gradients(&w);
    if (!alone) add_impulse(&w);
    for (int i = 0; i < 2; i++)
        if (pair->first[i] >= 0) add_forces(&w, i);
    if (!factorise(&w, scratch)) return 0;
    keep_factors(&w);
    return 1;
}

const double *nb_contact_pair_block(const nb_contact_pair *pair, const double *scratch, int32_t *stride) {
    *stride = pair->order + pair->motion;
    return scratch + (int64_t)(ROWS_BEFORE + pair->order) * *stride + pair->order;
}

/* ---- right-hand sides ---- */

/* whether the equations of collision hold as they are */
static int is_solved(const nb_contact_pair *pair) {
    return pair->apart && !pair->alone;
}

/* what dlambda of row k of all is where nothing else changes, of those that are eliminated by hand */
static double constant_of(const nb_contact_pair *pair, int32_t row) {
    const double *x = pair->x, *r = pair->r;
    return (x[pair->lambda + row] * r[pair->s + row] - r[pair->lambda + row]) / x[pair->s + row];
}

/* Right-hand sides of the scaled rows of a cone; `dv`: what dv is where nothing else changes; (du, dw): the step that
 * the products are corrected by. */
static void reduce_scaled(int32_t n, const double *u, const double *v, double target, double weight, const double *du,
                          const double *dw, const double *dv, double *b) {
    double size, w[NB_CONVEX_CONE_ROWS], lambda[NB_CONVEX_CONE_ROWS], d[NB_CONVEX_CONE_ROWS],
        first[NB_CONVEX_CONE_ROWS] = {0}, second[NB_CONVEX_CONE_ROWS] = {0};
    nb_cone_block_scale(n, u, v, w, &size);
    nb_cone_block_apply(n, w, size, 1, v, lambda);
    if (weight != 0) {
        nb_cone_block_apply(n, w, size, -1, du, first);
        nb_cone_block_apply(n, w, size, 1, dw, second);
        for (int32_t k = 0; k < n; k++) first[k] *= weight;
    }
    nb_cone_block_correct(n, lambda, first, second, target, d);
    nb_cone_block_apply(n, w, size, 1, dv, b);
    for (int32_t k = 0; k < n; k++) b[k] = -b[k] - d[k];
}

/* right-hand sides of the rows of set i; `gradient`: what dg_i is where nothing else changes */
static void reduce_set(nb_contact_pair *pair, int i, int32_t first, int32_t unknown, nb_vec3 *gradient) {
    const nb_pair_set *set = pair->set[i];
    const double *lambda = pair->x + pair->lambda + first, *of_lambda = pair->r + pair->lambda + first,
                 *of_s = pair->r + pair->s + first;
    double *b = pair->b;
    for (int32_t k = 0; k < set->linear; k++) {
        int32_t at = pair->place[first + k];
        if (at >= 0) {
            b[at] = lambda[k] * of_s[k] - of_lambda[k];
            continue;
        }
        double constant = constant_of(pair, first + k);
        *gradient = nb_add_scaled(*gradient, constant, pair->row[first + k]);
        b[3] += set->b[k] * constant;
        for (int32_t j = 0; j < set->unknowns; j++)
            b[4 + unknown + j] -= set->e[(int64_t)k * set->unknowns + j] * constant;
    }
    for (int32_t c = 0, k = set->linear; c < set->cone_count; k += set->cone_rows[c++]) {
        int32_t at = pair->place[first + k];
        if (pair->scaled) {
            double dv[NB_CONVEX_CONE_ROWS];
            const int32_t l = pair->lambda + first + k, s = pair->s + first + k;
            for (int32_t j = 0; j < set->cone_rows[c]; j++) dv[j] = -of_s[k + j];
            reduce_scaled(set->cone_rows[c], pair->x + l, pair->x + s, pair->target, pair->weight, pair->dx + l,
                          pair->dx + s, dv, b + at);
            continue;
        }
        b[at] = -of_lambda[k];
        for (int32_t j = 0; j < set->cone_rows[c]; j++) b[at] += lambda[k + j] * of_s[k + j];
        for (int32_t j = 1; j < set->cone_rows[c]; j++)
            b[at + j] = lambda[k] * of_s[k + j] + lambda[k + j] * of_s[k] - of_lambda[k + j];
    }
}

static void solve_forward(nb_contact_pair *pair) {
    const int32_t n = pair->order, side = n + pair->motion;
    double *b = pair->b;
    /* rows were exchanged with all that stood left of the pivot, so that all exchanges come first */
    for (int32_t k = 0; k < n; k++) {
        double kept = b[k];
        b[k] = b[pair->pivot[k]];
        b[pair->pivot[k]] = kept;
    }
    const double *row = pair->lower;
    for (int32_t i = 1; i < side; i++) {
        const int32_t count = i < n ? i : n;
        double sum = b[i];
        for (int32_t k = 0; k < count; k++) sum -= row[k] * b[k];
        b[i] = sum;
        row += count;
    }
}

/* right-hand sides of gamma, (psi, beta) and the forces */
static void reduce_impulse(nb_contact_pair *pair, const nb_vec3 gradient[2]) {
    const double *x = pair->x, *r = pair->r;
    double *b = pair->b + (pair->order - (pair->mu > 0 ? 5 : 1)), gamma = x[pair->gamma];
    nb_vec3 beta = beta_of(pair);
    b[0] = gamma * r[pair->gamma + 1] - r[pair->gamma];
    if (pair->mu > 0) {
        const double *of_slip = r + pair->psi + 4;
        nb_vec3 slip = nb_vec3_of(-of_slip[0], -of_slip[1], -of_slip[2]);
        for (int i = 0; i < 2; i++) slip = nb_add(slip, nb_cross(gradient[i], pair->velocity[i]));
        if (pair->scaled) {
            double u[4], v[4], du[4], dw[4];
            const double dv[] = {0, slip.x, slip.y, slip.z};
            nb_contact_pair_friction(pair, x, u, v);
            nb_contact_pair_friction(pair, pair->dx, du, dw);
            reduce_scaled(4, u, v, pair->part[1] * pair->target, pair->weight, du, dw, dv, b + 1);
        } else {
            b[1] = -r[pair->psi] - nb_dot(beta, slip);
            for (int c = 0; c < 3; c++) b[2 + c] = -r[pair->psi + 1 + c] - pair->mu * gamma * component(slip, c);
        }
    }
    for (int i = 0; i < 2; i++) {
        if (pair->first[i] < 0) continue;
        double *own = pair->b + pair->order + pair->first[i];
        nb_vec3 force = nb_sub(nb_cross(beta, gradient[i]), nb_scale(gamma, gradient[i]));
        add_vector(force, own);
        add_vector(nb_cross(pair->arm[i], force), own + 3);
    }
}

void nb_contact_pair_reduce(nb_contact_pair *pair) {
    double *b = pair->b;
    nb_vec3 none = {0}, gradient[2] = {none, none};
    memset(b, 0, (size_t)(pair->order + pair->motion) * sizeof *b);
    if (!is_solved(pair)) {
        for (int32_t k = 0; k < 4 + pair->unknowns; k++) b[k] = -pair->r[k];
        reduce_set(pair, 0, 0, 0, &gradient[0]);
        reduce_set(pair, 1, pair->set[0]->rows, pair->set[0]->unknowns, &gradient[1]);
        for (int i = 0; i < 2; i++) add_vector(nb_scale(-1, gradient[i]), b);
    }
    if (!pair->alone) reduce_impulse(pair, gradient);
    solve_forward(pair);
}

static void solve_backward(nb_contact_pair *pair, const double *const du[2]) {
    const int32_t n = pair->order, side = n + pair->motion;
    double *b = pair->b;
    const double *row = pair->upper + (int64_t)n * (n + 1) / 2 + (int64_t)n * pair->motion;
    for (int32_t i = n - 1; i >= 0; i--) {
        row -= side - i;
        double sum = b[i];
        for (int which = 0; which < 2; which++)
            for (int32_t k = 0; pair->first[which] >= 0 && k < 6; k++)
                sum -= row[n - i + pair->first[which] + k] * du[which][k];
        for (int32_t k = i + 1; k < n; k++) sum -= row[k - i] * b[k];
        b[i] = sum / row[0];
    }
}

/* how a body moves and turns by du */
static void motion_of(const nb_pair_body *body, const double *du, nb_vec3 *way, nb_vec3 *turn) {
    *way = nb_scale(body->h, nb_vec3_of(du[0], du[1], du[2]));
    *turn = nb_mat3_apply(&body->by_spin, nb_vec3_of(du[3], du[4], du[5]));
}

void nb_contact_pair_recover(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, const double *du_a,
                             const double *du_b) {
    static const double still[6] = {0};
    const int solved = is_solved(pair);
    const nb_pair_body *body[2] = {a, b};
    const double *x = pair->x, *r = pair->r, *q = pair->b;
    const double *du[2] = {pair->first[0] < 0 ? still : du_a, pair->first[1] < 0 ? still : du_b};
    double *dx = pair->dx;
    nb_vec3 dp, slip = {0};
    solve_backward(pair, du);
    memcpy(dx, q, (size_t)(4 + pair->unknowns) * sizeof *dx);
    dp = nb_vec3_of(dx[0], dx[1], dx[2]);
    for (int i = 0, row = 0, unknown = 4; i < 2; unknown += pair->set[i++]->unknowns) {
        const nb_pair_set *set = pair->set[i];
        nb_vec3 way, turn, gradient;
        motion_of(body[i], du[i], &way, &turn);
        gradient = nb_cross(turn, pair->g[i]);
        for (int32_t k = 0; k < set->rows; k++, row++) {
            nb_vec3 line = pair->row[row];
            int32_t l = pair->lambda + row, s = pair->s + row;
            double ds = set->b[k] * dx[3] - nb_dot(line, nb_sub(dp, way)) + nb_dot(nb_cross(pair->arm[i], line), turn);
            for (int32_t j = 0; j < set->unknowns; j++) ds -= set->e[(int64_t)k * set->unknowns + j] * dx[unknown + j];
            dx[s] = solved ? ds : ds - r[s];
            double products = solved ? 0 : r[l];
            dx[l] = pair->place[row] >= 0 ? q[pair->place[row]] : (-products - x[l] * dx[s]) / x[s];
            gradient = nb_add_scaled(gradient, dx[l], line);
        }
        nb_vec3 at = nb_add(nb_vec3_of(du[i][0], du[i][1], du[i][2]),
                            nb_cross(nb_vec3_of(du[i][3], du[i][4], du[i][5]), pair->arm[i]));
        at = nb_add(at, nb_cross(body[i]->w, nb_sub(dp, way)));
        slip = nb_add(slip, nb_add(nb_cross(gradient, pair->velocity[i]), nb_cross(pair->g[i], at)));
    }
    if (pair->alone) return; /* the step of the impulse is another system's, which a pair apart still goes along */
    memcpy(pair->kept, x, (size_t)pair->size * sizeof *x);
    const double *impulse = q + (pair->order - (pair->mu > 0 ? 5 : 1));
    dx[pair->gamma] = impulse[0];
    dx[pair->gamma + 1] = dx[3] - r[pair->gamma + 1];
    for (int c = 0; pair->mu > 0 && c < 4; c++) dx[pair->psi + c] = impulse[1 + c];
    if (pair->mu > 0) dx[pair->gamma + 1] -= nb_contact_pair_parting(pair, a->h) * dx[pair->psi];
    for (int c = 0; pair->mu > 0 && c < 3; c++) dx[pair->psi + 4 + c] = component(slip, c) - r[pair->psi + 4 + c];
}

/* Steps of a pair by its factors (contact_pair_system.c), which are all that is kept of its matrix: right-hand sides
 * for the unknowns, what these give the bodies, and the changes of all numbers of the pair by the bodies' motion. */
#include <string.h>

#include "contact_pair_parts.h"
#include "method/single_level/cone_block.h"

NB_PRECISIONS(f64);

/* ---- right-hand sides ---- */

static nb_vec3 turned_back(const nb_mat3 *frame, nb_vec3 v) {
    const double(*m)[3] = frame->m;
    return nb_vec3_of(m[0][0] * v.x + m[1][0] * v.y + m[2][0] * v.z, m[0][1] * v.x + m[1][1] * v.y + m[2][1] * v.z,
                      m[0][2] * v.x + m[1][2] * v.y + m[2][2] * v.z);
}

/* how the place of p in body i's frame changes, by dp */
static nb_vec3 place_change(const nb_contact_pair *pair, int i, const nb_pair_body *body, const motion *by,
                            nb_vec3 dp) {
    return turned_back(&body->frame, nb_sub(nb_sub(dp, by->way[i]), nb_cross(by->turn[i], pair->arm[i])));
}

/* Right-hand sides of the scaled rows of a cone; `dv`: what dv is where nothing else changes; (du, dw): the step that
 * the products are corrected by. */
static void side_scaled(const nb_contact_pair *pair, int32_t n, const double *u, const double *v, double target,
                        const double *du, const double *dw, const double *dv, double *b) {
    double size, w[NB_CONVEX_CONE_ROWS], lambda[NB_CONVEX_CONE_ROWS], d[NB_CONVEX_CONE_ROWS],
        first[NB_CONVEX_CONE_ROWS] = {0}, second[NB_CONVEX_CONE_ROWS] = {0};
    nb_cone_block_scale(n, u, v, w, &size);
    nb_cone_block_apply(n, w, size, 1, v, lambda);
    if (pair->weight != 0) {
        nb_cone_block_apply(n, w, size, -1, du, first);
        nb_cone_block_apply(n, w, size, 1, dw, second);
        for (int32_t k = 0; k < n; k++) first[k] *= pair->weight;
    }
    nb_cone_block_correct(n, lambda, first, second, target, d);
    nb_cone_block_apply(n, w, size, 1, dv, b);
    for (int32_t k = 0; k < n; k++) b[k] = -b[k] - d[k];
}

/* Right-hand sides of the rows of set i. `by`: how p goes along in the body's frame by the bodies' motion. Returns what
 * dg_i is where no unknown changes, but for what it turns by. */
static nb_vec3 side_of_set(const nb_contact_pair *pair, int i, const nb_pair_body *body, int32_t first, int32_t unknown,
                           nb_vec3 by, double *b) {
    const nb_pair_set *set = pair->set[i];
    const int32_t l = pair->lambda + first, s = pair->s + first;
    const double *x = pair->x, *r = pair->r;
    /* solved, collision has no residuals but follows the bodies */
    const double part = is_solved(pair) ? 0 : 1;
    double ds[NB_CONVEX_CONE_ROWS];
    nb_vec3 gradient = {0};
    for (int32_t k = 0; k < set->linear; k++) {
        const int32_t at = pair->place[first + k];
        const double slack = -part * r[s + k] - nb_dot(set->a[k], by), side = -part * r[l + k] - x[l + k] * slack;
        if (at >= 0) {
            b[at] = side;
            continue;
        }
        const double multiplier = side / x[s + k];
        gradient = nb_add_scaled(gradient, multiplier, set->a[k]);
        b[3] += set->b[k] * multiplier;
        for (int32_t j = 0; j < set->unknowns; j++)
            b[4 + unknown + j] -= set->e[(int64_t)k * set->unknowns + j] * multiplier;
    }
    for (int32_t c = 0, k = set->linear; c < set->cone_count; k += set->cone_rows[c++]) {
        const int32_t at = pair->place[first + k], count = set->cone_rows[c];
        const double *own = x + l + k;
        for (int32_t j = 0; j < count; j++) ds[j] = -part * r[s + k + j] - nb_dot(set->a[k + j], by);
        if (pair->scaled) {
            side_scaled(pair, count, own, x + s + k, pair->target, pair->dx + l + k, pair->dx + s + k, ds, b + at);
            continue;
        }
        b[at] = -part * r[l + k];
        for (int32_t j = 0; j < count; j++) b[at] -= own[j] * ds[j];
        for (int32_t j = 1; j < count; j++) b[at + j] = -part * r[l + k + j] - own[0] * ds[j] - own[j] * ds[0];
    }
    return nb_mat3_apply(&body->frame, gradient);
}

/* right-hand sides of gamma, and of (psi, beta) by what dw is where no unknown changes */
static void side_of_impulse(const nb_contact_pair *pair, nb_vec3 slip, double *b) {
    const double *x = pair->x, *r = pair->r, gamma = x[pair->gamma];
    b[0] = gamma * r[pair->gamma + 1] - r[pair->gamma];
    if (!(pair->mu > 0)) return;
    slip = nb_sub(slip, read3(r + pair->psi + 4));
    if (pair->scaled) {
        double u[4], v[4], du[4], dw[4];
        const double dv[] = {0, slip.x, slip.y, slip.z};
        nb_contact_pair_friction(pair, x, u, v);
        nb_contact_pair_friction(pair, pair->dx, du, dw);
        side_scaled(pair, 4, u, v, pair->part[1] * pair->target, du, dw, dv, b + 1);
        return;
    }
    b[1] = -r[pair->psi] - nb_dot(beta_of(pair), slip);
    for (int c = 0; c < 3; c++) b[2 + c] = -r[pair->psi + 1 + c] - pair->mu * gamma * component(slip, c);
}

/* dg_i x V_i + g_i x dV_i of all bodies, for a dp */
static nb_vec3 slip_of(const nb_contact_pair *pair, const nb_pair_body *const body[2], const nb_vec3 gradient[2],
                       const motion *by, nb_vec3 dp) {
    nb_vec3 slip = {0};
    for (int i = 0; i < 2; i++) {
        nb_vec3 at = nb_add(by->v[i], nb_cross(by->w[i], pair->arm[i]));
        at = nb_add(at, nb_cross(body[i]->w, nb_sub(dp, by->way[i])));
        slip = nb_add(slip, nb_add(nb_cross(gradient[i], pair->velocity[i]), nb_cross(pair->g[i], at)));
    }
    return slip;
}

void nb_contact_pair_side(const nb_contact_pair *pair, const nb_pair_body *const body[2], const motion *by, double *b,
                          nb_vec3 gradient[2]) {
    const nb_vec3 still = {0};
    const double *r = pair->r;
    for (int32_t k = 0; k < 4 + pair->unknowns; k++) b[k] = is_solved(pair) ? 0 : -r[k];
    for (int i = 0, row = 0, unknown = 0; i < 2; unknown += pair->set[i]->unknowns, row += pair->set[i++]->rows) {
        const nb_vec3 place = place_change(pair, i, body[i], by, still);
        gradient[i] = side_of_set(pair, i, body[i], row, unknown, place, b);
        gradient[i] = nb_add(gradient[i], nb_cross(by->turn[i], pair->g[i]));
        add_vector(nb_scale(-1, gradient[i]), b);
    }
    if (!pair->alone) side_of_impulse(pair, slip_of(pair, body, gradient, by, still), b + place_of_impulse(pair));
}

/* u = A^-1 b by the factors that are kept, four rows at a time: sums over what is known already run side by side, and
 * what waits for one another stays in registers. */
static void solve(const nb_contact_pair *pair, const double *b, double *u) {
    enum {
        ROWS = 4
    };
    const int32_t n = pair->order, whole = n / ROWS * ROWS, *pivot = pair->pivot;
    const double *factors = pair->factors;
    double sum[ROWS];
    for (int32_t i = 0; i < whole; i += ROWS) {
        const double *row = factors + (int64_t)i * n;
        for (int r = 0; r < ROWS; r++) sum[r] = b[pivot[i + r]];
        for (int32_t k = 0; k < i; k++)
            for (int r = 0; r < ROWS; r++) sum[r] -= row[r * n + k] * u[k];
        for (int r = 0; r < ROWS; r++) {
            for (int k = 0; k < r; k++) sum[r] -= row[r * n + i + k] * sum[k];
            u[i + r] = sum[r];
        }
    }
    for (int32_t i = whole; i < n; i++) {
        u[i] = b[pivot[i]];
        for (int32_t k = 0; k < i; k++) u[i] -= factors[i * n + k] * u[k];
    }
    for (int32_t i = n - 1; i >= whole; i--) {
        u[i] *= factors[i * n + i];
        for (int32_t k = n - 1; k > i; k--) u[i] -= factors[i * n + k] * u[k];
    }
    for (int32_t i = whole - ROWS; i >= 0; i -= ROWS) {
        const double *row = factors + (int64_t)i * n;
        for (int r = 0; r < ROWS; r++) sum[r] = row[r * n + i + r] * u[i + r];
        for (int32_t k = n - 1; k >= i + ROWS; k--)
            for (int r = 0; r < ROWS; r++) sum[r] -= row[r * n + k] * u[k];
        for (int r = ROWS - 1; r >= 0; r--) {
            for (int k = ROWS - 1; k > r; k--) sum[r] -= row[r * n + i + k] * sum[k];
            u[i + r] = sum[r];
        }
    }
}

/* ---- the step ---- */

/* dg_i by the unknowns u; the steps of its set's slacks and multipliers where dx is not NULL */
static nb_vec3 step_set(const nb_contact_pair *pair, int i, const nb_pair_body *body, const motion *by, const double *u,
                        double *dx) {
    const nb_pair_set *set = pair->set[i];
    const int32_t row = i == 0 ? 0 : pair->set[0]->rows, unknown = 4 + (i == 0 ? 0 : pair->set[0]->unknowns);
    const nb_vec3 place = place_change(pair, i, body, by, read3(u));
    const double *x = pair->x, *r = pair->r, part = is_solved(pair) ? 0 : 1;
    nb_vec3 gradient = {0};
    for (int32_t k = 0; k < set->rows; k++) {
        const int32_t at = pair->place[row + k], l = pair->lambda + row + k, s = pair->s + row + k;
        double slack = set->b[k] * u[3] - nb_dot(set->a[k], place) - part * r[s];
        for (int32_t j = 0; j < set->unknowns; j++) slack -= set->e[(int64_t)k * set->unknowns + j] * u[unknown + j];
        const double multiplier = at >= 0 ? u[at] : (-part * r[l] - x[l] * slack) / x[s];
        gradient = nb_add_scaled(gradient, multiplier, set->a[k]);
        if (!dx) continue;
        dx[s] = slack;
        dx[l] = multiplier;
    }
    return nb_add(nb_mat3_apply(&body->frame, gradient), nb_cross(by->turn[i], pair->g[i]));
}

/* Solves for the unknowns u [order], with as much scratch behind them. */
static void solve_unknowns(const nb_contact_pair *pair, const nb_pair_body *const body[2], const motion *by, double *u,
                           nb_vec3 gradient[2]) {
    double *side = u + pair->order;
    nb_contact_pair_side(pair, body, by, side, gradient);
    solve(pair, side, u);
}

void nb_contact_pair_reduced(const nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, double *scratch,
                             double left[NB_PAIR_MOTION]) {
    const nb_pair_body *body[2] = {a, b};
    const motion still = {0};
    const double *u = scratch, *impulse = u + place_of_impulse(pair);
    const int one = pair->set[1]->rows < pair->set[0]->rows, other = 1 - one; /* less to go through */
    nb_vec3 gradient[2], beta = beta_of(pair);
    solve_unknowns(pair, body, &still, scratch, gradient);
    gradient[one] = step_set(pair, one, body[one], &still, u, NULL);
    gradient[other] = nb_scale(-1, gradient[one]);
    if (!is_solved(pair)) gradient[other] = nb_sub(gradient[other], read3(pair->r));
    for (int i = 0; i < 2; i++) {
        if (pair->first[i] < 0) continue;
        double *own = left + pair->first[i];
        nb_vec3 force = nb_scale(-pair->x[pair->gamma], gradient[i]);
        force = nb_add_scaled(force, -impulse[0], pair->g[i]);
        force = nb_sub(force, nb_cross(gradient[i], beta));
        if (pair->mu > 0) force = nb_sub(force, nb_cross(pair->g[i], read3(impulse + 2)));
        const nb_vec3 torque = nb_add(nb_cross(read3(u), pair->force[i]), nb_cross(pair->arm[i], force));
        memcpy(own, (double[]){force.x, force.y, force.z, torque.x, torque.y, torque.z}, 6 * sizeof *own);
    }
}

static motion motion_of(const nb_contact_pair *pair, const nb_pair_body *const body[2], const double *const du[2]) {
    motion by = {0};
    for (int i = 0; i < 2; i++) {
        if (pair->first[i] < 0) continue;
        by.v[i] = read3(du[i]);
        by.w[i] = read3(du[i] + 3);
        by.way[i] = nb_scale(body[i]->h, by.v[i]);
        by.turn[i] = nb_mat3_apply(&body[i]->by_spin, by.w[i]);
    }
    return by;
}

void nb_contact_pair_recovered(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, const double *du_a,
                               const double *du_b, double *scratch) {
    const nb_pair_body *body[2] = {a, b};
    const motion by = motion_of(pair, body, (const double *[]){du_a, du_b});
    const double *r = pair->r;
    double *dx = pair->dx;
    const double *u = scratch;
    nb_vec3 gradient[2];
    solve_unknowns(pair, body, &by, scratch, gradient);
    for (int i = 0; i < 2; i++) gradient[i] = step_set(pair, i, body[i], &by, u, dx);
    memcpy(dx, u, (size_t)(4 + pair->unknowns) * sizeof *dx);
    if (pair->alone) return; /* the step of the impulse is another system's, which a pair apart still goes along */
    pair->moved = 0;
    const double *impulse = u + place_of_impulse(pair);
    dx[pair->gamma] = impulse[0];
    dx[pair->gamma + 1] = dx[3] - r[pair->gamma + 1];
    if (!(pair->mu > 0)) return;
    const nb_vec3 slip = nb_sub(slip_of(pair, body, gradient, &by, read3(dx)), read3(r + pair->psi + 4));
    memcpy(dx + pair->psi, impulse + 1, 4 * sizeof *dx);
    dx[pair->gamma + 1] -= nb_contact_pair_parting(pair, a->h) * dx[pair->psi];
    memcpy(dx + pair->psi + 4, (double[]){slip.x, slip.y, slip.z}, 3 * sizeof *dx);
}

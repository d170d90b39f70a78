/* The kernels of island_loop.h for one instruction set: four contacts at a time. The formulas of a cone are those of
 * cone.h. */
#include "method/interior_point/island_loop.h"

#include <string.h>

#include "base/largest.h"
#include "base/real.h"
#include "contact_lanes.h"

NB_PRECISIONS(f64);

#define KERNELS_OF(set) KERNELS_OF_(set)
#define KERNELS_OF_(set) nb_island_kernels_##set

/* of tau, on the diagonal of contacts: keeps steps along impulses that cancel from running away */
static const double shift = 1e-3;

/* where `which`, and 0 elsewhere */
static INLINE lanes keep(masks which, lanes a) {
    return (lanes)(which & (masks)a);
}

static INLINE masks is_nan(lanes x) {
    return ~((x <= 0) | (x > 0));
}

/* the larger one; NaN stays, once it is there */
static INLINE void raise(lanes *largest, lanes x) {
    *largest = pick((x > *largest) | is_nan(x), x, *largest);
}

static INLINE void lower(lanes *least, lanes x) {
    *least = pick((x < *least) | is_nan(x), x, *least);
}

static INLINE double largest_of(lanes x) {
    double largest = x[0];
    for (int i = 1; i < LANES; i++) nb_raise(&largest, x[i]);
    return largest;
}

static INLINE lanes length_of(lanes a, lanes b) {
    return root(a * a + b * b);
}

/* ---- bodies ---- */

/* the velocities of side e of contact i; without a body in the island, and of what nothing moves, none where `moving`
 */
static INLINE const double *velocities_of(const nb_island_block *c, int e, int i, const double *u, int moving) {
    static const double none[STRIDE] __attribute__((aligned(64))) = {0};
    const double *other = moving ? none : c->prescribed[e][i];
    return c->body[e][i] >= 0 ? u + STRIDE * (ptrdiff_t)c->body[e][i] : other;
}

/* those of all contacts, which are of one pair where `is_one` */
static INLINE void velocities(const nb_island_block *c, int e, int is_one, const double *u, int moving, lanes v[6]) {
    const double *row[LANES];
    row[0] = velocities_of(c, e, 0, u, moving);
    if (is_one && (moving || c->body[e][0] >= 0)) {
        for (int k = 0; k < 6; k++) v[k] = all(row[0][k]);
        return;
    }
    for (int i = 1; i < LANES; i++) row[i] = velocities_of(c, e, i, u, moving);
    load_rows(row, v);
}

static INLINE void velocity_at(const lanes v[6], const lanes arm[3], lanes out[3]) {
    cross(v + 3, arm, out);
    for (int k = 0; k < 3; k++) out[k] += v[k];
}

/* sums += sign (p, arm x p) of the row impulses z; `unused` takes those of what nothing moves */
static INLINE void push_rows(const nb_island_block *c, const lanes z[3], double sign, int count, double *sums,
                             double *unused) {
    lanes p[6];
    for (int k = 0; k < 3; k++)
        p[k] = z[0] * c->direction[0][k] + z[1] * c->direction[1][k] + z[2] * c->direction[2][k];
    for (int e = 0; e < 2; e++) {
        double *to[LANES];
        for (int i = 0; i < count; i++) to[i] = c->body[e][i] < 0 ? unused : sums + STRIDE * (ptrdiff_t)c->body[e][i];
        cross(c->arm[e], p, p + 3);
        const rows r = count == SUMMED ? summed_rows(p) : rows_of(p);
        add_rows(&r, count, e ? -sign : sign, to);
    }
}

static INLINE void push(const nb_island_block *c, const lanes z[3], double sign, double *sums, double *unused) {
    if (is_one_pair(c->body[0], c->body[1]))
        push_rows(c, z, sign, SUMMED, sums, unused);
    else
        push_rows(c, z, sign, LANES, sums, unused);
}

/* ---- geometry ---- */

/* the arms of side e at the end of the step, and how fast their ends move (operator/contact_formulas.h) */
static INLINE void advance(nb_island_block *c, int e, double h, const lanes u[6], lanes moved[3]) {
    const lanes scale = c->turns * 2 / (1 + h * h / 4 * dot(u + 3, u + 3)), stays = 2 * (1 - c->turns);
    lanes half[3], once[3], twice[3];
    for (int k = 0; k < 3; k++) half[k] = h / 2 * u[3 + k];
    cross(half, c->start[e], once);
    cross(half, once, twice);
    for (int k = 0; k < 3; k++) {
        const lanes change = scale * (once[k] + twice[k]);
        c->arm[e][k] = c->start[e][k] + change;
        moved[k] = u[k] + (change + stays * once[k]) * (1 / h);
    }
}

static INLINE void weigh_block(const nb_island *s, nb_island_block *c) {
    lanes w[3] = {{0}};
    for (int e = 0; e < 2; e++) {
        static const double none[STRIDE] __attribute__((aligned(64))) = {0};
        const double *row[LANES];
        lanes m[6], last = {0}, t[3];
        for (int i = 0; i < LANES; i++) {
            row[i] = c->body[e][i] < 0 ? none : s->inverse + STRIDE * (ptrdiff_t)c->body[e][i];
            last[i] = row[i][6];
        }
        load_rows(row, m);
        for (int k = 0; k < 3; k++) {
            cross(c->arm[e], c->direction[k], t);
            w[k] += m[0] + m[1] * t[0] * t[0] + m[2] * t[1] * t[1] + m[3] * t[2] * t[2] +
                    2 * (m[4] * t[0] * t[1] + m[5] * t[0] * t[2] + last * t[1] * t[2]);
        }
    }
    c->w[0] = w[0] + (1 - c->live); /* it is divided by */
    c->w[1] = (w[1] + w[2]) / 2 + (1 - c->live);
}

static void weigh(nb_island *s) {
    for (int32_t i = 0; i < nb_island_blocks(s->contacts); i++) weigh_block(s, &s->block[i]);
}

static void evaluate(nb_island *s) {
    for (int32_t i = 0; i < nb_island_blocks(s->contacts); i++) {
        nb_island_block *c = &s->block[i];
        const int is_one = is_one_pair(c->body[0], c->body[1]);
        lanes a[6], b[6], end_a[3], end_b[3], moved_a[3] = {{0}}, moved_b[3] = {{0}};
        velocities(c, 0, is_one, s->u, 0, a);
        velocities(c, 1, is_one, s->u, 0, b);
        if (s->turns) {
            advance(c, 0, s->h, a, moved_a);
            advance(c, 1, s->h, b, moved_b);
            weigh_block(s, c);
        }
        velocity_at(a, c->arm[0], end_a);
        velocity_at(b, c->arm[1], end_b);
        for (int k = 0; k < 3; k++) {
            end_a[k] -= end_b[k];
            moved_a[k] -= moved_b[k];
        }
        if (!s->turns) memcpy(moved_a, end_a, sizeof moved_a);
        c->value[0] = c->rate + dot(c->direction[0], moved_a);
        c->value[1] = dot(c->direction[1], end_a);
        c->value[2] = dot(c->direction[2], end_a);
    }
}

/* ---- the iterate ---- */

/* m x of a symmetric xx yy zz xy xz yz */
static INLINE void apply_symmetric(const double *m, const double *x, double *out) {
    out[0] = m[0] * x[0] + m[3] * x[1] + m[4] * x[2];
    out[1] = m[3] * x[0] + m[1] * x[1] + m[5] * x[2];
    out[2] = m[4] * x[0] + m[5] * x[1] + m[2] * x[2];
}

/* M (u - u~) */
static void begin_momentum(nb_island *s) {
    for (int32_t i = 0; i < s->bodies; i++) {
        const double *u = s->u + STRIDE * (ptrdiff_t)i, *free = s->free + 6 * (ptrdiff_t)i;
        double *out = s->momentum + STRIDE * (ptrdiff_t)i, spin[3];
        for (int k = 0; k < 3; k++) {
            out[k] = s->mass[i] * (u[k] - free[k]);
            spin[k] = u[3 + k] - free[3 + k];
        }
        apply_symmetric(s->inertia + 6 * (ptrdiff_t)i, spin, out + 3);
    }
}

static INLINE void measure_momentum(const nb_island *s, double *largest) {
    for (int32_t i = 0; i < s->bodies; i++) {
        const double *inverse = s->inverse + STRIDE * (ptrdiff_t)i, *g = s->momentum + STRIDE * (ptrdiff_t)i;
        double turned[3];
        apply_symmetric(inverse + 1, g + 3, turned);
        for (int k = 0; k < 3; k++) {
            nb_raise(largest, fabs(inverse[0] * g[k]));
            nb_raise(largest, inverse[7] * fabs(turned[k]));
        }
    }
}

/* nb_disc_error, for w > 0 */
static INLINE lanes disc_error(const lanes z[2], const lanes v[2], lanes w, lanes limit) {
    const lanes over_w = 1 / w, x = z[0] - v[0] * over_w, y = z[1] - v[1] * over_w;
    const lanes length = length_of(x, y), scale = limit / length;
    const masks inside = (masks)(length <= limit);
    return length_of(pick(inside, v[0], w * (z[0] - scale * x)), pick(inside, v[1], w * (z[1] - scale * y)));
}

/* how far the contacts are from their law as the harness measures it [m/s] */
static INLINE void measure_law(const nb_island *s, const nb_island_block *c, const lanes z[3], lanes *largest) {
    const lanes a = c->value[0] + s->soft * z[0], force = c->w[0] * z[0], limit = c->mu * z[0];
    const lanes tangent[2] = {z[1], z[2] * (1 / s->ratio)}, slip[2] = {c->value[1], s->ratio * c->value[2]};
    raise(largest, size_of(pick(a < force, a, force)));
    raise(largest, disc_error(tangent, slip, c->w[1], keep(limit > 0, limit)));
}

/* the contacts' residuals, and where x and y are in their cones */
static INLINE void measure_block(const nb_island *s, nb_island_block *c, lanes *size, lanes *far) {
    const lanes *const of[2] = {c->x, c->y};
    for (int e = 0; e < 2; e++) {
        c->length[e] = length_of(of[e][1], of[e][2]);
        c->determinant[e] = (of[e][0] - c->length[e]) * (of[e][0] + c->length[e]);
    }
    for (int k = 0; k < 3; k++) {
        const lanes off = c->live * (c->x[k] - c->centre[k]);
        c->residual[k] = c->s[k] * c->value[k] * (1 / s->unit) + s->eps * off - c->y[k];
        raise(far, size_of(off));
    }
    c->residual[0] += c->compliance * c->x[0] + c->length[1];
    for (int k = 0; k < 3; k++) {
        c->residual[k] *= c->live;
        raise(size, size_of(c->residual[k]));
    }
}

static void measure(nb_island *s) {
    double unused[STRIDE] __attribute__((aligned(64))) = {0};
    lanes sum = {0}, size = {0}, far = {0}, error = {0};
    begin_momentum(s);
    for (int32_t i = 0; i < nb_island_blocks(s->contacts); i++) {
        nb_island_block *c = &s->block[i];
        const lanes z[3] = {s->unit * c->s[0] * c->x[0], s->unit * c->s[1] * c->x[1], s->unit * c->s[2] * c->x[2]};
        push(c, z, -1, s->momentum, unused);
        measure_block(s, c, &size, &far);
        measure_law(s, c, z, &error);
        sum += c->live * dot(c->x, c->y);
    }
    s->tau = sum_of(sum) / s->contacts;
    s->size = largest_of(size);
    s->far = largest_of(far);
    s->error = largest_of(error);
    measure_momentum(s, &s->error);
}

/* M^-1 of a body times the momentum, added to its free velocities */
static INLINE void move(const double *inverse, const double *free, const double *momentum, double *u) {
    apply_symmetric(inverse + 1, momentum + 3, u + 3);
    for (int k = 0; k < 3; k++) {
        u[k] = free[k] + inverse[0] * momentum[k];
        u[3 + k] += free[3 + k];
    }
}

static void balance(nb_island *s) {
    double unused[STRIDE] __attribute__((aligned(64))) = {0};
    memset(s->momentum, 0, STRIDE * (size_t)s->bodies * sizeof *s->momentum);
    for (int32_t i = 0; i < nb_island_blocks(s->contacts); i++) {
        const nb_island_block *c = &s->block[i];
        const lanes z[3] = {s->unit * c->s[0] * c->x[0], s->unit * c->s[1] * c->x[1], s->unit * c->s[2] * c->x[2]};
        push(c, z, 1, s->momentum, unused);
    }
    for (ptrdiff_t i = 0; i < s->bodies; i++)
        move(s->inverse + STRIDE * i, s->free + 6 * i, s->momentum + STRIDE * i, s->u + STRIDE * i);
}

/* ---- the linear system ---- */

/* out = size (F / eta)^sign v for the scaling's point */
static INLINE void apply_point(const nb_island_block *c, lanes size, double sign, const lanes v[3], lanes out[3]) {
    const lanes across = sign * (c->point[1] * v[1] + c->point[2] * v[2]), n = v[0];
    const lanes along = sign * (n + across * c->over_point);
    out[0] = size * (c->point[0] * n + across);
    out[1] = size * (v[1] + along * c->point[1]);
    out[2] = size * (v[2] + along * c->point[2]);
}

/* the Nesterov-Todd scaling of x and y */
static INLINE void scale_cones(nb_island_block *c) {
    const lanes root_x = root(c->determinant[0]), root_y = root(c->determinant[1]);
    const lanes over = 1 / (root_x * root_y), over_x = over * root_y, over_y = over * root_x;
    const lanes over_twice_gamma = 1 / root(2 * (1 + dot(c->x, c->y) * over));
    for (int k = 1; k < 3; k++) c->point[k] = (c->y[k] * over_y - c->x[k] * over_x) * over_twice_gamma;
    c->point[0] = root(1 + c->point[1] * c->point[1] + c->point[2] * c->point[2]);
    c->over_point = 1 / (1 + c->point[0]);
    c->size = root(root_y * over_x);
    c->over_size = c->size * (root_x * over_y);
    apply_point(c, c->size, 1, c->x, c->lambda);
    c->lambda_length = length_of(c->lambda[1], c->lambda[2]);
    c->over_normal = 1 / c->lambda[0];
    c->over_determinant = over;
}

static INLINE void invert(const lanes m[9], lanes out[9]) {
    const lanes a = m[4] * m[8] - m[5] * m[7], b = m[5] * m[6] - m[3] * m[8], c = m[3] * m[7] - m[4] * m[6];
    const lanes d = 1 / (m[0] * a + m[1] * b + m[2] * c);
    out[0] = a * d, out[1] = (m[2] * m[7] - m[1] * m[8]) * d, out[2] = (m[1] * m[5] - m[2] * m[4]) * d;
    out[3] = b * d, out[4] = (m[0] * m[8] - m[2] * m[6]) * d, out[5] = (m[2] * m[3] - m[0] * m[5]) * d;
    out[6] = c * d, out[7] = (m[1] * m[6] - m[0] * m[7]) * d, out[8] = (m[0] * m[4] - m[1] * m[3]) * d;
}

/* (N F^2 + shift)^-1, and what directions need; N takes the tilt of |y_T| off the normal */
static INLINE void eliminate(nb_island_block *c, double theta, double diagonal) {
    const lanes square = c->size * c->size, *w = c->point;
    const lanes over_length = keep(c->length[1] > 0, theta / c->length[1]);
    lanes m[9];
    for (int k = 0; k < 2; k++) c->tilt[k] = c->y[1 + k] * over_length;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m[3 * i + j] = square * 2 * w[i] * w[j];
    m[0] = square * (1 + 2 * (w[1] * w[1] + w[2] * w[2]));
    m[4] += square;
    m[8] += square;
    for (int k = 0; k < 3; k++) m[k] -= c->tilt[0] * m[3 + k] + c->tilt[1] * m[6 + k];
    for (int k = 0; k < 3; k++) m[4 * k] += diagonal;
    m[0] += c->compliance;
    invert(m, c->inverse);
}

/* (S D)^T inverse (S D), D the frame: what a contact adds between velocities in the world */
static INLINE void world_matrix(nb_island_block *c) {
    lanes d[3][3], t[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) d[i][j] = c->s[i] * c->direction[i][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            t[i][j] = c->inverse[3 * i] * d[0][j] + c->inverse[3 * i + 1] * d[1][j] + c->inverse[3 * i + 2] * d[2][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) c->k[3 * i + j] = d[0][i] * t[0][j] + d[1][i] * t[1][j] + d[2][i] * t[2][j];
}

static void scale(nb_island *s) {
    for (int32_t i = 0; i < nb_island_blocks(s->contacts); i++) {
        nb_island_block *c = &s->block[i];
        scale_cones(c);
        eliminate(c, s->theta, shift * s->tau + s->eps);
        world_matrix(c);
    }
}

static void couple(nb_island *s) {
    for (int32_t i = 0; i < nb_island_blocks(s->contacts); i++) world_matrix(&s->block[i]);
}

/* ---- directions ---- */

static INLINE void apply_inverse(const nb_island_block *c, const lanes b[3], lanes out[3]) {
    for (int k = 0; k < 3; k++) out[k] = dot(c->inverse + 3 * k, b);
}

/* out = lambda^-1 o r */
static INLINE void divide_by_lambda(const nb_island_block *c, const lanes r[3], lanes out[3]) {
    const lanes *l = c->lambda, t = c->lambda_length;
    const lanes n = ((l[0] - t) * r[0] + (t * r[0] - (l[1] * r[1] + l[2] * r[2]))) * c->over_determinant;
    out[1] = (r[1] - n * l[1]) * c->over_normal;
    out[2] = (r[2] - n * l[2]) * c->over_normal;
    out[0] = n;
}

/* dy = F g, g = -lambda + lambda^-1 o (target e - second), `second` the product of the last direction's parts or
 * nothing; the right-hand side of the contact's equation */
static INLINE void aim_block(nb_island_block *c, double target, int correct, double weight) {
    lanes r[3] = {all(target), {0}, {0}}, g[3];
    if (correct) {
        lanes a[3], b[3];
        apply_point(c, c->size, 1, c->dx, a);
        apply_point(c, c->over_size, -1, c->dy, b);
        r[0] -= dot(a, b);
        r[1] -= a[0] * b[1] + b[0] * a[1];
        r[2] -= a[0] * b[2] + b[0] * a[2];
    }
    divide_by_lambda(c, r, g);
    for (int k = 0; k < 3; k++) g[k] = c->live * (g[k] - c->lambda[k]);
    apply_point(c, c->size, 1, g, c->dy);
    for (int k = 0; k < 3; k++) c->right[k] = c->dy[k] - weight * c->residual[k];
    c->right[0] -= c->tilt[0] * c->dy[1] + c->tilt[1] * c->dy[2];
}

/* dx and dy of du */
static INLINE void follow_block(const nb_island *s, nb_island_block *c) {
    const int is_one = is_one_pair(c->body[0], c->body[1]);
    lanes a[6], b[6], end_a[3], end_b[3], f[3];
    velocities(c, 0, is_one, s->du, 1, a);
    velocities(c, 1, is_one, s->du, 1, b);
    velocity_at(a, c->arm[0], end_a);
    velocity_at(b, c->arm[1], end_b);
    for (int k = 0; k < 3; k++) end_a[k] -= end_b[k];
    for (int k = 0; k < 3; k++) f[k] = c->right[k] - c->s[k] * dot(c->direction[k], end_a) * (1 / s->unit);
    apply_inverse(c, f, c->dx);
    apply_point(c, c->size, 1, c->dx, f);
    apply_point(c, c->size, 1, f, f);
    for (int k = 0; k < 3; k++) c->dy[k] -= f[k];
}

static INLINE void begin_gathering(nb_island *s, double weight) {
    lanes *du = (lanes *)s->du;
    const lanes *momentum = (const lanes *)s->momentum;
    for (int32_t i = 0; i < STRIDE / LANES * s->bodies; i++) du[i] = -weight * momentum[i];
}

static INLINE void gather_block(nb_island *s, const nb_island_block *c, double *unused) {
    lanes z[3];
    apply_inverse(c, c->right, z);
    for (int k = 0; k < 3; k++) z[k] *= s->unit * c->s[k];
    push(c, z, 1, s->du, unused);
}

static void aim(nb_island *s, double target, int correct, double weight) {
    double unused[STRIDE] __attribute__((aligned(64))) = {0};
    begin_gathering(s, weight);
    for (int32_t i = 0; i < nb_island_blocks(s->contacts); i++) {
        aim_block(&s->block[i], target, correct, weight);
        gather_block(s, &s->block[i], unused);
    }
}

static void gather(nb_island *s, double weight) {
    double unused[STRIDE] __attribute__((aligned(64))) = {0};
    begin_gathering(s, weight);
    for (int32_t i = 0; i < nb_island_blocks(s->contacts); i++) gather_block(s, &s->block[i], unused);
}

static void follow(nb_island *s) {
    for (int32_t i = 0; i < nb_island_blocks(s->contacts); i++) follow_block(s, &s->block[i]);
}

/* ---- steps ---- */

/* nb_cone_step of x inside, of that length and determinant */
static INLINE lanes step_of(const lanes x[3], lanes t, lanes c, const lanes dx[3]) {
    const lanes size = length_of(dx[1], dx[2]), a = (dx[0] - size) * (dx[0] + size);
    const lanes b = (x[0] - t) * dx[0] + (t * dx[0] - (x[1] * dx[1] + x[2] * dx[2]));
    const lanes square = b * b - a * c, none = pick(is_nan(square), square, all(INFINITY));
    const lanes r = root(pick(square < 0, (lanes){0}, square));
    const lanes quotient = pick(b < 0, c, b + r) / pick(b < 0, r - b, -a);
    return pick((b < 0) | (a < 0), quotient, none);
}

static double longest_step(const nb_island *s) {
    lanes least = all(INFINITY);
    for (int32_t i = 0; i < nb_island_blocks(s->contacts); i++) {
        const nb_island_block *c = &s->block[i];
        lower(&least, step_of(c->x, c->length[0], c->determinant[0], c->dx));
        lower(&least, step_of(c->y, c->length[1], c->determinant[1], c->dy));
    }
    return -largest_of(-least);
}

static double complementarity(const nb_island *s, double t) {
    lanes sum = {0};
    for (int32_t i = 0; i < nb_island_blocks(s->contacts); i++) {
        const nb_island_block *c = &s->block[i];
        lanes at = {0};
        for (int k = 0; k < 3; k++) at += (c->x[k] + t * c->dx[k]) * (c->y[k] + t * c->dy[k]);
        sum += c->live * at;
    }
    return sum_of(sum) / s->contacts;
}

static INLINE masks is_in_cone(const lanes x[3], const lanes dx[3], double t) {
    const lanes n = x[0] + t * dx[0], length = length_of(x[1] + t * dx[1], x[2] + t * dx[2]);
    return (n > 0) & ((n - length) * (n + length) > 0);
}

static int is_inside(const nb_island *s, double t) {
    masks inside = {-1, -1, -1, -1};
    for (int32_t i = 0; i < nb_island_blocks(s->contacts); i++) {
        const nb_island_block *c = &s->block[i];
        inside &= is_in_cone(c->x, c->dx, t) & is_in_cone(c->y, c->dy, t);
    }
    return (inside[0] & inside[1] & inside[2] & inside[3]) != 0;
}

static void step(nb_island *s, double t) {
    for (int32_t i = 0; i < nb_island_blocks(s->contacts); i++) {
        nb_island_block *c = &s->block[i];
        for (int k = 0; k < 3; k++) {
            c->x[k] += t * c->dx[k];
            c->y[k] += t * c->dy[k];
        }
    }
    for (ptrdiff_t i = 0; i < STRIDE * (ptrdiff_t)s->bodies; i++) s->u[i] += t * s->du[i];
}

const nb_island_kernels KERNELS_OF(NB_INSTRUCTION_SET) = {weigh,           evaluate,  measure, balance, scale,
                                                          couple,          aim,       gather,  follow,  longest_step,
                                                          complementarity, is_inside, step};

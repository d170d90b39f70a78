/* The equations of a pair of convex sets and the elimination of all but the velocities, held against the same equations
 * written here again, in complex numbers: their derivatives by complex steps, and one dense solve of the whole system.
 */
#include "method/single_level/contact_pair.h"

#include <complex.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"

typedef double complex number;

enum {
    MOST = 120 /* unknowns of a pair and its bodies */
};

/* two bodies, a pair between them, and where they are */
typedef struct scene {
    nb_convex_set *set[2];
    nb_pair_set scaled[2];
    nb_quat start[2];
    nb_contact_pair pair;
    nb_pair_body body[2];
    double h, u[2][6], u_free[2][6], mass[2], inertia[2][3];
    double *memory[2], *numbers, *scratch;
    int32_t *indices;
} scene;

/* ---- the equations, again ---- */

static void cross(const number a[3], const number b[3], number out[3]) {
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* the body's frame after h: the quaternion (1, h w/2) q, normalised, as a matrix */
static void frame_of(nb_quat s, double h, const number w[3], number r[3][3]) {
    number q[4], t[3] = {h / 2 * w[0], h / 2 * w[1], h / 2 * w[2]}, v[3] = {s.x, s.y, s.z}, c[3], norm = 0;
    cross(t, v, c);
    q[0] = s.w - t[0] * v[0] - t[1] * v[1] - t[2] * v[2];
    for (int i = 0; i < 3; i++) q[1 + i] = v[i] + s.w * t[i] + c[i];
    for (int i = 0; i < 4; i++) norm += q[i] * q[i];
    for (int i = 0; i < 4; i++) q[i] /= csqrt(norm);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int k = 3 - i - j;
            r[i][j] = i == j
                          ? 1 - 2 * (q[1 + (i + 1) % 3] * q[1 + (i + 1) % 3] + q[1 + (i + 2) % 3] * q[1 + (i + 2) % 3])
                          : 2 * (q[1 + i] * q[1 + j] + ((j + 3 - i) % 3 == 1 ? -1 : 1) * q[0] * q[1 + k]);
        }
}

/* where the inputs of a pair (nb_pair_inputs) are */
enum {
    WAY = 0, /* [2][3] */
    TURN = 6,
    SIZE = 12, /* [2] */
    FRICTION = 14,
    TARGET,
    INPUTS
};

/* the body's frame, turned a little */
static void turn_frame(const number *turn, number r[3][3]) {
    for (int j = 0; j < 3; j++) {
        const number column[3] = {r[0][j], r[1][j], r[2][j]};
        number c[3];
        cross(turn, column, c);
        for (int i = 0; i < 3; i++) r[i][j] += c[i];
    }
}

/* r [size + 12] at x [size] and the velocities behind it, changed by these inputs; the products against `target` */
static void equations(const scene *s, const number *x, const number *in, double target, number *r) {
    const nb_contact_pair *p = &s->pair;
    const number mu = p->mu + in[FRICTION];
    const number *u = x + p->size, *beta = x + p->psi + 1;
    number total[3] = {0}, slip[3] = {0};
    r[3] = 1;
    for (int i = 0, row = 0, unknown = 4; i < 2; unknown += p->set[i]->unknowns, row += p->set[i++]->rows) {
        const nb_pair_set *set = p->set[i];
        const double start[3] = {p->start[i].x, p->start[i].y, p->start[i].z};
        const double centre[3] = {set->centre.x, set->centre.y, set->centre.z};
        number frame[3][3], at[3], own[3], g[3] = {0}, f[3], t[3], v[3], c[3];
        const number grown = 1 + in[SIZE + i];
        frame_of(s->start[i], s->h, u + 6 * i + 3, frame);
        turn_frame(in + TURN + 3 * i, frame);
        for (int k = 0; k < 3; k++) at[k] = x[k] - start[k] - in[WAY + 3 * i + k] - s->h * u[6 * i + k];
        for (int k = 0; k < 3; k++)
            own[k] = frame[0][k] * at[0] + frame[1][k] * at[1] + frame[2][k] * at[2] - grown * centre[k];
        for (int j = 0; j < set->unknowns; j++) r[unknown + j] = 0;
        for (int k = 0; k < set->rows; k++) {
            const number a[3] = {set->a[k].x / grown, set->a[k].y / grown, set->a[k].z / grown};
            number slack = x[3] * set->b[k], lambda = x[p->lambda + row + k];
            for (int j = 0; j < 3; j++) {
                slack -= a[j] * own[j];
                for (int m = 0; m < 3; m++) g[m] += frame[m][j] * a[j] * lambda;
            }
            for (int j = 0; j < set->unknowns; j++) {
                slack -= set->e[k * set->unknowns + j] * x[unknown + j];
                r[unknown + j] += set->e[k * set->unknowns + j] * lambda;
            }
            r[p->s + row + k] = x[p->s + row + k] - slack;
            r[3] -= set->b[k] * lambda;
        }
        for (int k = 0, count, cone = 0; k < set->rows; k += count) {
            count = k < set->linear ? 1 : set->cone_rows[cone++];
            const number *l = x + p->lambda + row + k, *q = x + p->s + row + k;
            number *out = r + p->lambda + row + k;
            out[0] = -target - in[TARGET];
            for (int j = 0; j < count; j++) out[0] += l[j] * q[j];
            for (int j = 1; j < count; j++) out[j] = l[0] * q[j] + q[0] * l[j];
        }
        cross(u + 6 * i + 3, at, v);
        for (int k = 0; k < 3; k++) v[k] += u[6 * i + k];
        cross(g, v, c);
        for (int k = 0; k < 3; k++) {
            total[k] += g[k];
            slip[k] += c[k];
            f[k] = -x[p->gamma] * g[k];
        }
        if (p->mu > 0) cross(g, beta, c);
        for (int k = 0; p->mu > 0 && k < 3; k++) f[k] -= c[k];
        cross(at, f, t);
        for (int k = 0; k < 3; k++) {
            r[p->size + 6 * i + k] = s->mass[i] * (u[6 * i + k] - s->u_free[i][k]) - f[k];
            r[p->size + 6 * i + 3 + k] = s->inertia[i][k] * (u[6 * i + 3 + k] - s->u_free[i][3 + k]) - t[k];
        }
    }
    for (int k = 0; k < 3; k++) r[k] = total[k];
    r[p->gamma] = x[p->gamma] * x[p->gamma + 1] - target;
    r[p->gamma + 1] = x[p->gamma + 1] - (x[3] - 1);
    if (!(p->mu > 0)) return;
    r[p->gamma + 1] += p->relaxed * s->h * mu * x[p->psi];
    const number *w = x + p->psi + 4;
    r[p->psi] = mu * x[p->gamma] * x[p->psi] - target;
    for (int k = 0; k < 3; k++) {
        r[p->psi] += beta[k] * w[k];
        r[p->psi + 1 + k] = mu * x[p->gamma] * w[k] + x[p->psi] * beta[k];
        r[p->psi + 4 + k] = w[k] - slip[k];
    }
}

/* Solves the n equations by elimination with pivots of the rows as they were scaled. */
static void solve_dense(int n, double (*a)[MOST], double *b) {
    for (int i = 0; i < n; i++) {
        double largest = 0;
        for (int k = 0; k < n; k++) largest = fmax(largest, fabs(a[i][k]));
        for (int k = 0; k < n; k++) a[i][k] /= largest;
        b[i] /= largest;
    }
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        for (int j = 0; j < n; j++) {
            double kept = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = kept;
        }
        double kept = b[k];
        b[k] = b[best];
        b[best] = kept;
        for (int i = k + 1; i < n; i++) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j < n; j++) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
}

static const number unchanged[INPUTS];

static void read_point(const scene *s, number *x) {
    for (int k = 0; k < s->pair.size; k++) x[k] = s->pair.x[k];
    for (int k = 0; k < 12; k++) x[s->pair.size + k] = s->u[k / 6][k % 6];
}

/* The Newton step of the whole system from complex steps; `rest` [n]: what it leaves of the residual, at most. */
static void step_of(const scene *s, double target, double *step) {
    static double jacobian[MOST][MOST];
    number x[MOST], r[MOST];
    int size = s->pair.size, n = size + (s->body[1].moves ? 12 : 6);
    assert_true(n <= MOST);
    read_point(s, x);
    for (int k = 0; k < n; k++) {
        x[k] += 1e-30 * I;
        equations(s, x, unchanged, target, r);
        for (int i = 0; i < n; i++) jacobian[i][k] = cimag(r[i]) / 1e-30;
        x[k] = creal(x[k]);
    }
    equations(s, x, unchanged, target, r);
    for (int i = 0; i < n; i++) step[i] = -creal(r[i]);
    solve_dense(n, jacobian, step);
}

/* ---- scenes ---- */

static double between(uint64_t *seed, double low, double high) {
    return test_random(seed, low, high);
}

static nb_vec3 vector(uint64_t *seed, double size) {
    nb_vec3 v;
    v.x = between(seed, -size, size);
    v.y = between(seed, -size, size);
    v.z = between(seed, -size, size);
    return v;
}

static nb_quat turn(uint64_t *seed) {
    nb_vec3 v = vector(seed, 1);
    return nb_quat_normalized(nb_quat_of(between(seed, 0.1, 1), v.x, v.y, v.z));
}

static void place_bodies(scene *s) {
    for (int i = 0; i < 2; i++) nb_pair_body_move(s->start[i], s->h, s->u[i], &s->body[i]);
}

static void make_pair(scene *s, double length, double mu) {
    for (int i = 0; i < 2; i++) {
        s->memory[i] = test_calloc((size_t)nb_pair_set_numbers(s->set[i]) + 1, sizeof(double));
        nb_pair_set_make(s->set[i], length, s->memory[i], &s->scaled[i]);
        s->pair.set[i] = &s->scaled[i];
        s->pair.body[i] = i;
    }
    s->pair.mu = mu;
    s->pair.part[0] = s->pair.part[1] = 1;
    nb_contact_pair_lay_out(&s->pair);
    s->numbers = test_calloc((size_t)nb_contact_pair_numbers(&s->pair), sizeof(double));
    s->indices = test_calloc((size_t)nb_contact_pair_indices(&s->pair), sizeof(int32_t));
    s->scratch = test_calloc((size_t)nb_contact_pair_scratch(&s->pair), sizeof(double));
    nb_contact_pair_set_arrays(&s->pair, s->numbers, s->indices);
}

static void drop(scene *s) {
    for (int i = 0; i < 2; i++) {
        nb_convex_set_clear(s->set[i]);
        test_free(s->set[i]);
        test_free(s->memory[i]);
    }
    test_free(s->numbers);
    test_free(s->indices);
    test_free(s->scratch);
}

/* A set of each kind; the last kind is a half-space. */
enum {
    KINDS = 9
};

static nb_convex_set *make_set(int kind, uint64_t *seed) {
    nb_convex_set *set = test_calloc(1, sizeof *set), inner, other;
    double a = between(seed, 0.2, 0.8), b = between(seed, 0.2, 0.8), c = between(seed, 0.2, 0.8);
    const nb_vec3 normals[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    const double heights[6] = {a, a, b, b, c, c};
    switch (kind) {
    case 0: CHECK_OK(nb_convex_ball(a, set)); break;
    case 1: CHECK_OK(nb_convex_polytope(6, normals, heights, vector(seed, 0.1), INFINITY, set)); break;
    case 2: CHECK_OK(nb_convex_ellipsoid(nb_vec3_of(a, b, c), set)); break;
    case 3: CHECK_OK(nb_convex_capsule(a, b, set)); break;
    case 4: CHECK_OK(nb_convex_cylinder(a, b, set)); break;
    case 5: CHECK_OK(nb_convex_cone(a, b, set)); break;
    case 6:
        CHECK_OK(nb_convex_polytope(6, normals, heights, nb_vec3_of(0, 0, 0), INFINITY, &inner));
        CHECK_OK(nb_convex_padded(&inner, 0.1, set));
        nb_convex_set_clear(&inner);
        break;
    case 7:
        CHECK_OK(nb_convex_cylinder(a, b, &inner));
        CHECK_OK(nb_convex_capsule(c, a, &other));
        CHECK_OK(nb_convex_sum(&inner, &other, set));
        nb_convex_set_clear(&inner);
        nb_convex_set_clear(&other);
        break;
    default: CHECK_OK(nb_convex_half_space(set)); break;
    }
    nb_convex_set_move(set, vector(seed, 0.1), turn(seed));
    return set;
}

/* inside of the cone of `count` numbers */
static void put_inside(uint64_t *seed, int32_t count, double *x) {
    double sum = 0;
    for (int32_t k = 1; k < count; k++) {
        x[k] = between(seed, -0.5, 0.5);
        sum += x[k] * x[k];
    }
    x[0] = sqrt(sum) + between(seed, 0.1, 1);
}

/* anywhere inside the cones; no equation holds */
static void scatter(scene *s, uint64_t *seed) {
    nb_contact_pair *p = &s->pair;
    for (int k = 0; k < p->size; k++) p->x[k] = between(seed, -0.5, 0.5);
    for (int i = 0, first = 0; i < 2; first += p->set[i++]->rows)
        for (int k = 0, cone = 0, count; k < p->set[i]->rows; k += count) {
            count = k < p->set[i]->linear ? 1 : p->set[i]->cone_rows[cone++];
            put_inside(seed, count, p->x + p->lambda + first + k);
            put_inside(seed, count, p->x + p->s + first + k);
        }
    p->x[3] = between(seed, 0.5, 2);
    p->x[p->gamma] = between(seed, 0.5, 2);
    p->x[p->gamma + 1] = between(seed, 0.5, 2);
    if (p->mu > 0) p->x[p->psi] = between(seed, 1, 2);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 6; k++) {
            s->u[i][k] = between(seed, -1, 1);
            s->u_free[i][k] = between(seed, -1, 1);
        }
    place_bodies(s);
}

static void make_random(scene *s, int first, int second, double mu, double h, uint64_t *seed) {
    *s = (scene){.h = h};
    s->set[0] = make_set(first, seed);
    s->set[1] = make_set(second, seed);
    for (int i = 0; i < 2; i++) {
        s->start[i] = turn(seed);
        s->mass[i] = between(seed, 0.5, 2);
        for (int k = 0; k < 3; k++) s->inertia[i][k] = between(seed, 0.1, 1);
        s->body[i].moves = i == 0 || second < KINDS - 1;
    }
    make_pair(s, 0.5, mu);
    s->pair.start[0] = vector(seed, 0.5);
    s->pair.start[1] = vector(seed, 0.5);
    scatter(s, seed);
}

/* ---- the eliminated step ---- */

/* dx and du of the pair and its bodies: what the eliminated system gives */
static void eliminated_step(scene *s, double target, double *step) {
    nb_contact_pair *p = &s->pair;
    static double matrix[MOST][MOST];
    int32_t n = s->body[1].moves ? 12 : 6, stride;
    double du[12] = {0}, left[12], again[12];
    nb_contact_pair_evaluate(p, &s->body[0], &s->body[1], target);
    assert_true(nb_contact_pair_eliminate(p, &s->body[0], &s->body[1], 0, s->scratch, left));
    assert_int_equal(p->motion, n);
    const double *block = nb_contact_pair_block(p, s->scratch, &stride);
    for (int i = 0; i < n; i++) {
        int body = i / 6, k = i % 6;
        double mass = k < 3 ? s->mass[body] : s->inertia[body][k - 3];
        const nb_vec3 *f = k < 3 ? &p->force[body] : &p->torque[body];
        for (int j = 0; j < n; j++) matrix[i][j] = block[i * stride + j] + (i == j ? mass : 0);
        du[i] = left[i] - mass * (s->u[body][k] - s->u_free[body][k]) + (k % 3 == 0 ? f->x : k % 3 == 1 ? f->y : f->z);
    }
    nb_contact_pair_reduce(p, &s->body[0], &s->body[1], s->scratch, again);
    for (int i = 0; i < n; i++) CHECK_NEAR(again[i], left[i], 1e-9 * (1 + fabs(left[i])));
    solve_dense(n, matrix, du);
    nb_contact_pair_recover(p, &s->body[0], &s->body[1], du, du + 6, s->scratch);
    memcpy(step, p->dx, (size_t)p->size * sizeof *step);
    memcpy(step + p->size, du, (size_t)n * sizeof *step);
}

static double difference(const scene *s, const double *x, const double *y) {
    double largest = 0, size = 0;
    for (int k = 0; k < s->pair.size + (s->body[1].moves ? 12 : 6); k++) {
        largest = fmax(largest, fabs(x[k] - y[k]));
        size = fmax(size, fabs(y[k]));
    }
    return largest / size;
}

static void residuals_are_those(const scene *s, double target) {
    number x[MOST], r[MOST];
    read_point(s, x);
    equations(s, x, unchanged, target, r);
    for (int k = 0; k < s->pair.size; k++) CHECK_NEAR(s->pair.r[k], creal(r[k]), 1e-13);
    for (int i = 0; i < 2; i++) {
        const double f[6] = {s->pair.force[i].x,  s->pair.force[i].y,  s->pair.force[i].z,
                             s->pair.torque[i].x, s->pair.torque[i].y, s->pair.torque[i].z};
        for (int k = 0; k < 6; k++) {
            double mass = k < 3 ? s->mass[i] : s->inertia[i][k - 3];
            CHECK_NEAR(mass * (s->u[i][k] - s->u_free[i][k]) - f[k], creal(r[s->pair.size + 6 * i + k]), 1e-13);
        }
    }
}

/* Every kind of set on every other, at points where nothing holds, without friction, with it, and with it relaxed. */
static void steps_of(const nb_contact_pair_kernels *kernels) {
    uint64_t seed = test_seed();
    for (int first = 0; first < KINDS - 1; first++)
        for (int second = 0; second < KINDS; second++)
            for (int friction = 0; friction < 3; friction++) {
                double expected[MOST] = {0}, step[MOST] = {0};
                scene s;
                make_random(&s, first, second, friction ? between(&seed, 0.1, 1) : 0, 0.1, &seed);
                s.pair.relaxed = friction == 2 ? between(&seed, 0, 1) : 0;
                s.pair.kernels = kernels;
                step_of(&s, 0.3, expected);
                eliminated_step(&s, 0.3, step);
                residuals_are_those(&s, 0.3);
                if (!(difference(&s, step, expected) < 1e-9))
                    fail_msg("sets %d and %d, friction %d: the steps differ by %g", first, second, friction,
                             difference(&s, step, expected));
                drop(&s);
            }
}

TEST(test_steps) {
    const char *const sets[] = {"avx512", "avx2", "baseline"};
    int count = 0;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const nb_contact_pair_kernels *kernels = nb_contact_pair_kernels_named(sets[i]);
        if (!kernels) continue;
        steps_of(kernels);
        count++;
    }
    assert_true(count > 0);
}

/* v = t/det(u) (u_0, -u_1, ..), so that u o v = t e */
static void put_opposite(int32_t count, const double *u, double t, double *v) {
    double det = u[0] * u[0];
    for (int32_t k = 1; k < count; k++) det -= u[k] * u[k];
    if (count == 1) det = u[0] * u[0];
    for (int32_t k = 0; k < count; k++) v[k] = (k == 0 ? 1 : -1) * t / det * u[k];
}

/* Where products are on the central path, scaled steps are those of the products as written, for another target too. */
TEST(test_scaled_steps) {
    uint64_t seed = test_seed();
    for (int first = 0; first < KINDS - 1; first++)
        for (int second = 0; second < KINDS; second++)
            for (int friction = 0; friction < 3; friction++) {
                double step[2][MOST] = {{0}}, u[4], v[4];
                scene s;
                make_random(&s, first, second, friction ? between(&seed, 0.1, 1) : 0, 0.1, &seed);
                s.pair.relaxed = friction == 2 ? between(&seed, 0, 1) : 0;
                nb_contact_pair *p = &s.pair;
                for (int i = 0, row = 0; i < 2; row += p->set[i++]->rows)
                    for (int k = 0, cone = 0, count; k < p->set[i]->rows; k += count) {
                        count = k < p->set[i]->linear ? 1 : p->set[i]->cone_rows[cone++];
                        put_opposite(count, p->x + p->lambda + row + k, 0.2, p->x + p->s + row + k);
                    }
                if (friction) {
                    for (int k = 0; k < 3; k++) p->x[p->psi + 1 + k] *= p->mu * p->x[p->gamma]; /* inside the cone */
                    nb_contact_pair_friction(p, p->x, u, v);
                    put_opposite(4, u, 0.2, v);
                    p->x[p->psi] = v[0];
                    memcpy(p->x + p->psi + 4, v + 1, 3 * sizeof *v);
                }
                for (int scaled = 0; scaled < 2; scaled++) {
                    p->scaled = scaled;
                    eliminated_step(&s, 0.3, step[scaled]);
                }
                if (!(difference(&s, step[1], step[0]) < 1e-8))
                    fail_msg("sets %d and %d, friction %d: the steps differ by %g", first, second, friction,
                             difference(&s, step[1], step[0]));
                drop(&s);
            }
}

/* What each input does to every residual, against complex steps. */
TEST(test_inputs) {
    uint64_t seed = test_seed();
    for (int first = 0; first < KINDS - 1; first++)
        for (int second = 0; second < KINDS; second++)
            for (int k = 0; k < INPUTS; k++) {
                number x[MOST], r[MOST], in[INPUTS] = {0};
                nb_pair_inputs inputs = {0};
                double wrench[NB_PAIR_MOTION], *const vector[4] = {&inputs.way[0].x, &inputs.way[1].x,
                                                                   &inputs.turn[0].x, &inputs.turn[1].x};
                scene s;
                make_random(&s, first, second, k == FRICTION || k % 2 ? between(&seed, 0.1, 1) : 0, 0.1, &seed);
                nb_contact_pair *p = &s.pair;
                if (k < SIZE)
                    vector[k / 3][k % 3] = 1;
                else
                    *(k < FRICTION ? &inputs.size[k - SIZE] : k == FRICTION ? &inputs.mu : &inputs.target) = 1;
                nb_contact_pair_evaluate(p, &s.body[0], &s.body[1], 0.3);
                nb_contact_pair_change(p, &s.body[0], &s.body[1], &inputs, wrench);
                read_point(&s, x);
                in[k] = 1e-30 * I;
                equations(&s, x, in, 0.3, r);
                for (int i = 0; i < p->size; i++) CHECK_NEAR(p->r[i], cimag(r[i]) / 1e-30, 1e-12);
                for (int i = 0; i < NB_PAIR_MOTION; i++) CHECK_NEAR(wrench[i], -cimag(r[p->size + i]) / 1e-30, 1e-12);
                drop(&s);
            }
}

/* A face on a face in a turned frame, near a solution: what fixes the point along the faces is of the size rho. */
TEST(test_faces) {
    uint64_t seed = test_seed();
    for (int power = 2; power <= 10; power++)
        for (int k = 0; k < 20; k++) {
            double rho = pow(10, -power), expected[MOST] = {0}, step[MOST] = {0};
            const nb_vec3 normals[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
            const double heights[6] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
            scene s = {.h = 0.01};
            nb_quat frame = turn(&seed);
            for (int i = 0; i < 2; i++) {
                s.set[i] = test_calloc(1, sizeof *s.set[i]);
                CHECK_OK(nb_convex_polytope(6, normals, heights, nb_vec3_of(0, 0, 0), INFINITY, s.set[i]));
                s.start[i] = frame;
                s.mass[i] = 1;
                for (int j = 0; j < 3; j++) s.inertia[i][j] = 0.2;
                s.body[i].moves = 1;
            }
            make_pair(&s, 0.5, 0.5);
            nb_contact_pair *p = &s.pair;
            /* a above b, sides in line up to 0.2: lambda of the two faces that touch is 1, b.lambda = 1 in units */
            nb_vec3 aside = {between(&seed, -0.2, 0.2), between(&seed, -0.2, 0.2), 2 * (1 + 2 * rho)};
            p->start[0] = nb_quat_rotate(frame, aside);
            memset(p->x, 0, (size_t)p->size * sizeof *p->x);
            const nb_vec3 at = {aside.x / 2 + between(&seed, -0.1, 0.1), aside.y / 2 + between(&seed, -0.1, 0.1),
                                1 + 2 * rho};
            nb_vec3 point = nb_quat_rotate(frame, at);
            p->x[0] = point.x, p->x[1] = point.y, p->x[2] = point.z;
            p->x[3] = 1 + 4 * rho;
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 6; j++) {
                    double own = nb_dot(normals[j], i == 0 ? nb_sub(at, aside) : at), slack = p->x[3] - own;
                    int touches = i == 0 ? j == 5 : j == 4;
                    p->x[p->s + 6 * i + j] = touches ? 2 * rho : slack;
                    p->x[p->lambda + 6 * i + j] = touches ? 0.5 : rho / slack;
                }
            p->x[p->gamma] = 0.2;
            p->x[p->gamma + 1] = 5 * rho;
            p->x[p->psi] = 10 * rho;
            for (int j = 1; j < 4; j++) p->x[p->psi + j] = between(&seed, -0.02, 0.02);
            for (int j = 0; j < 12; j++) s.u_free[j / 6][j % 6] = between(&seed, -1, 1) * 1e-3;
            place_bodies(&s);
            step_of(&s, rho, expected);
            eliminated_step(&s, rho, step);
            if (!(difference(&s, step, expected) < 5e-12 + 1e-16 / rho))
                fail_msg("rho %g: the steps differ by %g", rho, difference(&s, step, expected));

            drop(&s);
        }
}

RUN_TESTS(test_steps, test_scaled_steps, test_inputs, test_faces)

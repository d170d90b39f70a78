/* The kernels of the island loop (interior-point's first phase), of every instruction set that this processor has:
 * scalings, steps and directions of contacts side by side against the scalar functions of cone.h and the equations
 * that they solve. Islands of 1 to 9 contacts leave lanes empty, and have pairs of one to six contacts. */
#include <string.h>

#include "check.h"
#include "cone/cone.h"
#include "method/interior_point/island_loop.h"

enum {
    BODIES = 3,
    MOST = 9,
    STRIDE = NB_BODY_LU_STRIDE,
    LANES = NB_ISLAND_LANES,
    TRIALS = 200
};

static const char *const sets[] = {"avx512", "avx2", "baseline"};

typedef struct scene {
    nb_island island;
    nb_island_contact contact[MOST];
    nb_island_block block[MOST]; /* as many blocks as contacts, at most */
    int32_t slot[MOST];
    double mass[BODIES], inertia[6 * BODIES], free[6 * BODIES];
    double inverse[STRIDE * BODIES] __attribute__((aligned(64)));
    double u[STRIDE * BODIES] __attribute__((aligned(64)));
    double du[STRIDE * BODIES] __attribute__((aligned(64)));
    double momentum[STRIDE * BODIES] __attribute__((aligned(64)));
} scene;

static double get(const scene *s, const nb_lanes *v, int32_t contact) {
    return v[0][s->slot[contact] % LANES];
}

static nb_island_block *block_of(scene *s, int32_t contact) {
    return &s->block[s->slot[contact] / LANES];
}

static void get_three(scene *s, const nb_lanes *v, int32_t contact, double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = get(s, v + k, contact);
}

/* inside the cone by a tenth of its length at least; without a tangent now and then */
static void set_inside(uint64_t *random, nb_lanes v[3], int lane) {
    const double size = pow(10, test_random(random, -2, 2));
    for (int k = 1; k < 3; k++) v[k][lane] = test_random_bits(random) % 5 ? size * test_random(random, -1, 1) : 0;
    v[0][lane] = size * test_random(random, 0.1, 1) + sqrt(v[1][lane] * v[1][lane] + v[2][lane] * v[2][lane]);
}

static void set_contact(uint64_t *random, nb_island_contact *c, int32_t a, int32_t b) {
    *c = (nb_island_contact){.body = {a, b}, .mu = 0.5, .direction = {{0, 0, 1}, {0.6, 0.8, 0}, {-0.8, 0.6, 0}}};
    for (int k = 0; k < 6; k++) {
        c->start[k / 3][k % 3] = test_random(random, -1, 1);
        if (b < 0) c->prescribed[1][k] = test_random(random, -1, 1);
    }
}

static void begin(scene *s, uint64_t *random, const nb_island_kernels *kernels, int32_t contacts) {
    memset(s, 0, sizeof *s);
    s->island = (nb_island){.bodies = BODIES, .contacts = contacts, .unit = 0.7, .eps = 1e-3, .theta = 1, .tau = 0.1};
    nb_island *w = &s->island;
    w->h = 0.01, w->ratio = 1.3, w->kernels = kernels, w->slot = s->slot, w->block = s->block;
    w->mass = s->mass, w->inertia = s->inertia, w->inverse = s->inverse, w->free = s->free;
    w->u = s->u, w->du = s->du, w->momentum = s->momentum;
    for (int32_t i = 0, pair = 0; i < contacts; pair++) {
        const int32_t a = pair % BODIES, b = pair % 2 ? (a + 1) % BODIES : -1;
        for (uint64_t n = 1 + test_random_bits(random) % 6; n > 0 && i < contacts; n--)
            set_contact(random, &s->contact[i++], a, b);
    }
    nb_island_set_contacts(w, s->contact);
    for (int32_t i = 0; i < nb_island_blocks(contacts); i++)
        memcpy(s->block[i].arm, s->block[i].start, sizeof s->block[i].arm);
    for (int i = 0; i < STRIDE * BODIES; i++) s->u[i] = i % STRIDE < 6 ? test_random(random, -1, 1) : 0;
    for (int i = 0; i < BODIES; i++) {
        s->mass[i] = s->inverse[STRIDE * i] = 1;
        for (int k = 0; k < 3; k++) s->inertia[6 * i + k] = s->inverse[STRIDE * i + 1 + k] = 1;
        s->inverse[STRIDE * i + 7] = 1;
    }
    for (int32_t i = 0; i < contacts; i++) {
        nb_island_block *c = block_of(s, i);
        const int lane = s->slot[i] % LANES;
        set_inside(random, c->x, lane);
        set_inside(random, c->y, lane);
        for (int k = 0; k < 3; k++) c->s[k][lane] = test_random(random, 0.5, 2);
        c->compliance[lane] = test_random(random, 0, 0.1);
    }
    kernels->weigh(w);
    kernels->evaluate(w);
    kernels->measure(w);
}

/* lanes without a contact are as they were, and every contact is somewhere */
static void check_empty_lanes(scene *s) {
    int32_t live = 0;
    for (int32_t i = 0; i < nb_island_blocks(s->island.contacts); i++)
        for (int lane = 0; lane < LANES; lane++) {
            const nb_island_block *c = &s->block[i];
            live += c->live[lane] > 0;
            for (int k = 0; k < 3 && c->live[lane] == 0; k++) {
                CHECK_NEAR(c->x[k][lane], k == 0, 0);
                CHECK_NEAR(c->y[k][lane], k == 0, 0);
                CHECK_NEAR(c->residual[k][lane], 0, 0);
            }
        }
    assert_int_equal(live, s->island.contacts);
}

static void check_scaling(scene *s, int32_t i) {
    const nb_island_block *c = block_of(s, i);
    double x[3], y[3];
    nb_cone_scaling scaling;
    get_three(s, c->x, i, x);
    get_three(s, c->y, i, y);
    nb_cone_scale(x, y, &scaling);
    /* a tenth off the boundary leaves a condition of some hundreds */
    CHECK_NEAR(get(s, &c->size, i), scaling.size, 1e-12 * scaling.size);
    CHECK_NEAR(get(s, &c->over_size, i), 1 / scaling.size, 1e-12 / scaling.size);
    CHECK_NEAR(get(s, &c->over_determinant, i), 1 / scaling.determinant, 1e-12 / scaling.determinant);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(get(s, c->point + k, i), scaling.point[k], 1e-12 * scaling.point[0]);
        CHECK_NEAR(get(s, c->lambda + k, i), scaling.lambda[k], 1e-12 * scaling.lambda[0]);
    }
}

/* F dx + F^-1 dy = lambda^-1 o (target e) - lambda */
static void check_complementarity(scene *s, int32_t i, double target) {
    const nb_island_block *c = block_of(s, i);
    double x[3], y[3], dx[3], dy[3], g[3] = {target, 0, 0}, a[3], b[3];
    nb_cone_scaling scaling;
    get_three(s, c->x, i, x);
    get_three(s, c->y, i, y);
    get_three(s, c->dx, i, dx);
    get_three(s, c->dy, i, dy);
    nb_cone_scale(x, y, &scaling);
    nb_cone_divide(scaling.lambda, scaling.determinant, g, g);
    nb_cone_apply(&scaling, dx, a);
    nb_cone_apply_inverse(&scaling, dy, b);
    const double size = fabs(a[0]) + fabs(a[1]) + fabs(a[2]) + scaling.lambda[0] + fabs(g[0]);
    for (int k = 0; k < 3; k++) CHECK_NEAR(a[k] + b[k], g[k] - scaling.lambda[k], 1e-9 * size);
}

/* dy - tilt.dy_T e_N = weight residual + S J du/unit + S E S dx_N e_N + (eps + tau/1000) dx */
static void check_row(scene *s, int32_t i, double weight) {
    const nb_island_block *c = block_of(s, i);
    const nb_island_contact *from = &s->contact[i];
    const double diagonal = s->island.eps + 1e-3 * s->island.tau,
                 *b = from->body[1] < 0 ? NULL : s->du + STRIDE * from->body[1];
    const double *a = s->du + STRIDE * from->body[0];
    double dx[3], dy[3], y[3], between[3], size = 0;
    get_three(s, c->dx, i, dx);
    get_three(s, c->dy, i, dy);
    get_three(s, c->y, i, y);
    for (int k = 0; k < 3; k++) {
        const int p = (k + 1) % 3, q = (k + 2) % 3;
        between[k] = a[k] + a[3 + p] * from->start[0][q] - a[3 + q] * from->start[0][p];
        if (b) between[k] -= b[k] + b[3 + p] * from->start[1][q] - b[3 + q] * from->start[1][p];
        size += fabs(dy[k]) + fabs(dx[k]) + fabs(between[k]);
    }
    const double length = sqrt(y[1] * y[1] + y[2] * y[2]);
    for (int k = 0; k < 3; k++) {
        const double *d = from->direction[k];
        const double moved = d[0] * between[0] + d[1] * between[1] + d[2] * between[2];
        double left = dy[k], right = weight * get(s, c->residual + k, i) + get(s, c->s + k, i) * moved / s->island.unit;
        if (k == 0 && length > 0) left -= (y[1] * dy[1] + y[2] * dy[2]) / length;
        if (k == 0) right += get(s, &c->compliance, i) * dx[0];
        CHECK_NEAR(left, right + diagonal * dx[k], 1e-9 * (size + fabs(right)));
    }
}

static void check_steps(scene *s) {
    double least = INFINITY;
    for (int32_t i = 0; i < s->island.contacts; i++) {
        const nb_island_block *c = block_of(s, i);
        double x[3], dx[3];
        get_three(s, c->x, i, x);
        get_three(s, c->dx, i, dx);
        least = fmin(least, nb_cone_step(x, dx));
        get_three(s, c->y, i, x);
        get_three(s, c->dy, i, dx);
        least = fmin(least, nb_cone_step(x, dx));
    }
    const double step = s->island.kernels->longest_step(&s->island);
    CHECK_NEAR(step, least, 1e-9 * least);
    assert_true(s->island.kernels->is_inside(&s->island, 0));
    assert_true(s->island.kernels->is_inside(&s->island, 0.999 * fmin(step, 1e3)));
    if (step < 1e3) assert_false(s->island.kernels->is_inside(&s->island, 1.001 * step));
}

/* a number that is none comes out of sums and bounds, whichever lane it is in */
static void check_nan(scene *s, uint64_t *random) {
    const int32_t i = (int32_t)(test_random_bits(random) % (uint64_t)s->island.contacts);
    block_of(s, i)->dx[test_random_bits(random) % 3][s->slot[i] % LANES] = NAN;
    assert_true(isnan(s->island.kernels->longest_step(&s->island)));
    assert_false(s->island.kernels->is_inside(&s->island, 0.5));
    block_of(s, i)->x[test_random_bits(random) % 3][s->slot[i] % LANES] = NAN;
    s->island.kernels->measure(&s->island);
    assert_true(isnan(s->island.error));
}

static void try_island(scene *s, uint64_t *random, const nb_island_kernels *kernels) {
    const double target = 0.3, weight = test_random(random, 0, 1);
    begin(s, random, kernels, 1 + (int32_t)(test_random_bits(random) % MOST));
    kernels->scale(&s->island);
    kernels->aim(&s->island, target, 0, weight);
    for (int i = 0; i < STRIDE * BODIES; i++) s->du[i] = i % STRIDE < 6 ? test_random(random, -1, 1) : 0;
    kernels->follow(&s->island);
    for (int32_t i = 0; i < s->island.contacts; i++) {
        check_scaling(s, i);
        check_complementarity(s, i, target);
        check_row(s, i, weight);
    }
    check_steps(s);
    check_empty_lanes(s);
    check_nan(s, random);
}

TEST(contacts_side_by_side_are_those_one_by_one) {
    static scene s;
    uint64_t random = test_seed();
    int found = 0;
    for (size_t set = 0; set < sizeof sets / sizeof *sets; set++) {
        const nb_island_kernels *kernels = nb_island_kernels_named(sets[set]);
        found += kernels != NULL;
        for (int i = 0; kernels && i < TRIALS; i++) try_island(&s, &random, kernels);
    }
    assert_true(found > 0);
}

RUN_TESTS(contacts_side_by_side_are_those_one_by_one)

/* What every law keeps to, whatever its range: derivatives, projections, natural maps, and the
 * errors of solutions. */
#include "check.h"

#include <string.h>

#include "constraint/bilateral.h"
#include "constraint/cone_law.h"
#include "constraint/cone_rows.h"
#include "constraint/unilateral.h"

NB_PRECISIONS(f32, f64);

enum {
    BLOCKS = 9,
    BEFORE = 2, /* rows of others, before and after */
    ROWS = 3 * BLOCKS + 2 * BEFORE
};

static const double epsilon = (double)NB_REAL_EPSILON;

/* a range of one law, among other rows */
typedef struct instance {
    nb_bilateral_law bilateral;
    nb_unilateral_law unilateral;
    nb_cone_law cone, relaxed, softened;
    nb_softness softness[BLOCKS];
    real compliance[BLOCKS], mu[BLOCKS];
    nb_law_range range;
    real value[ROWS], z[ROWS], w[ROWS];
} instance;

enum {
    BILATERAL,
    UNILATERAL,
    CONE,
    RELAXED,
    SOFTENED, /* relaxed, and every contact gives way in its own way */
    LAWS
};

static void draw(instance *it, int law, uint64_t *seed) {
    for (int i = 0; i < BLOCKS; i++) {
        it->compliance[i] = R(test_random(seed, 0, 1));
        it->mu[i] = R(test_random(seed, 0.1, 1));
        it->softness[i] = (nb_softness){R(test_random(seed, 0, 1)), R(test_random(seed, 0, 1)), {0, 0, 0}};
        for (int k = 0; k < 3; k++) it->softness[i].shift[k] = R(test_random(seed, -0.2, 0.2));
    }
    real soft = R(test_random(seed, 0, 1));
    it->bilateral = (nb_bilateral_law){{&nb_bilateral_class}, it->compliance};
    it->unilateral = (nb_unilateral_law){{&nb_unilateral_class}, soft};
    it->cone = (nb_cone_law){{&nb_cone_class}, it->mu, R(test_random(seed, 0.5, 2)), soft, 0, NULL, NULL};
    it->relaxed = it->cone;
    it->relaxed.base.type = &nb_relaxed_class;
    it->softened = it->relaxed;
    it->softened.softness = it->softness;
    const nb_law *const laws[] = {&it->bilateral.base, &it->unilateral.base, &it->cone.base, &it->relaxed.base,
                                  &it->softened.base};
    it->range = (nb_law_range){laws[law], BLOCKS, BEFORE, BEFORE, 0};
    for (int r = 0; r < ROWS; r++) {
        it->value[r] = R(test_random(seed, -1, 1));
        it->z[r] = R(test_random(seed, -1, 1));
        it->w[r] = R(test_random(seed, 0.1, 2));
    }
    for (int i = 0; law >= CONE && i < BLOCKS; i++) it->w[BEFORE + 3 * i + 2] = it->w[BEFORE + 3 * i + 1];
}

static nb_law_state state_of(const instance *it) {
    return (nb_law_state){R(0.125), it->value, it->z, it->w};
}

typedef struct weights {
    real s[ROWS], c[ROWS], b[ROWS], update[ROWS];
} weights;

static void linearise(const nb_law_range *range, const instance *it, const nb_linearisation *how, weights *to) {
    const nb_law_state at = state_of(it);
    const nb_newton_weights rows = {.s = to->s, .c = to->c, .b = to->b, .update = to->update};
    memset(to, 0xff, sizeof *to); /* NaN */
    range->law->type->linearise(range, &at, how, &rows);
}

/* The function that a row is linearised at, -b update, has the derivatives s update by the row's velocity and c by its
 * impulse. Friction is lagged: what its rows are stands in test_ncp.c. */
TEST(linearisations_match_central_differences) {
    if (NB_REAL_BITS == 32) skip(); /* differences of f32 values say nothing */
    uint64_t seed = test_seed();
    const double step = 1e-6; /* error: step^2 |phi'''| + epsilon/step, about 1e-9 for numbers of size one */
    int checked = 0;
    for (int run = 0; run < 40 * LAWS; run++) {
        instance it;
        int law = run % LAWS, paper = run / LAWS % 2, function = run / LAWS / 2 % NB_NCP_FUNCTIONS;
        draw(&it, law, &seed);
        const nb_linearisation how = {(nb_ncp_function)function, NB_SCALING_EFFECTIVE_MASS, paper, 0};
        weights here, near[2];
        linearise(&it.range, &it, &how, &here);
        for (int i = 0; i < BLOCKS; i++) {
            int r = BEFORE + i * it.range.law->type->rows;
            nb_softness give = law == SOFTENED ? it.softness[i] : (nb_softness){it.unilateral.soft, 0, {0, 0, 0}};
            if (law == BILATERAL) give.normal = it.compliance[i];
            real *places[] = {it.value, it.z}, c[3];
            nb_softness_add(&give, it.value + r, it.z + r, c);
            double a = (double)c[0], b = (double)((it.w[r] + give.normal) * it.z[r]);
            if (law >= RELAXED) /* lagged */
                a -= (double)it.mu[i] * hypot((double)c[1], (double)(it.cone.ratio * c[2]));
            if (law != BILATERAL && (fabs(a - b) < 0.1 || hypot(a, b) < 0.2)) continue; /* off the kinks */
            double slope[2];
            for (int k = 0; k < 2; k++) {
                real kept = places[k][r];
                for (int side = 0; side < 2; side++) {
                    places[k][r] = kept + R(side ? step : -step);
                    linearise(&it.range, &it, &how, &near[side]);
                }
                places[k][r] = kept;
                slope[k] = (double)(near[0].b[r] * near[0].update[r] - near[1].b[r] * near[1].update[r]) / (2 * step);
            }
            CHECK_NEAR((double)(here.s[r] * here.update[r]), slope[0], 1e-7);
            CHECK_NEAR((double)here.c[r], slope[1], 1e-7);
            checked++;
        }
    }
    assert_true(checked > 400);
}

/* |x - y| of a block, in the norm in which the cone's friction is a disc */
static double distance(const instance *it, int law, int rows, const real *x, const real *y) {
    double sum = 0;
    for (int k = 0; k < rows; k++) {
        double d = (double)(x[k] - y[k]) / (law >= CONE && k == 2 ? (double)it->cone.ratio : 1);
        sum += d * d;
    }
    return sqrt(sum);
}

/* A projection keeps what is admitted, and no admitted point is nearer. */
TEST(projections_are_the_nearest_points) {
    uint64_t seed = test_seed();
    int moved[LAWS] = {0};
    for (int run = 0; run < 60 * LAWS; run++) {
        instance it;
        int law = run % LAWS;
        draw(&it, law, &seed);
        const nb_law_class *type = it.range.law->type;
        real near[ROWS], again[ROWS], other[ROWS];
        memcpy(near, it.z, sizeof near);
        type->project(&it.range, near);
        memcpy(again, near, sizeof near);
        type->project(&it.range, again);
        for (int r = 0; r < ROWS; r++) CHECK_NEAR((double)again[r], (double)near[r], 8 * epsilon);
        for (int r = 0; r < ROWS; r++) other[r] = R(test_random(&seed, -1, 1));
        type->project(&it.range, other);
        for (int i = 0; i < BLOCKS; i++) {
            int r = BEFORE + i * type->rows;
            double own = distance(&it, law, type->rows, it.z + r, near + r);
            assert_true(own <= distance(&it, law, type->rows, it.z + r, other + r) + 8 * epsilon);
            moved[law] += own > 0;
            if (law == UNILATERAL) assert_true(near[r] >= 0);
            if (law >= CONE)
                assert_true(hypot((double)near[r + 1], (double)(near[r + 2] / it.cone.ratio)) <=
                            (double)(it.mu[i] * near[r]) + 8 * epsilon);
        }
    }
    for (int law = 0; law < LAWS; law++) assert_int_equal(moved[law] > 100, law != BILATERAL);
}

/* ---- the natural map, of the range in a problem of its own ---- */

enum {
    MOST = 3 * BLOCKS
};

/* value = D z + q, D positive definite; scaled by the law */
typedef struct scaled {
    const instance *it;
    int n;
    double d[MOST][MOST], q[MOST], size[ROWS];
    real s[ROWS], c[ROWS], shift[ROWS];
    double x[ROWS], v[ROWS], f[ROWS], b[ROWS];
    nb_natural_point at;
} scaled;

static void draw_scaled(scaled *p, instance *it, int law, uint64_t *seed) {
    double a[MOST][MOST];
    draw(it, law, seed);
    p->it = it;
    p->n = nb_law_range_rows(&it->range);
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < p->n; k++) a[i][k] = test_random(seed, -1, 1);
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < p->n; k++) {
            p->d[i][k] = i == k;
            for (int j = 0; j < p->n; j++) p->d[i][k] += a[i][j] * a[k][j] / p->n;
        }
    for (int i = 0; i < p->n; i++) {
        p->q[i] = test_random(seed, -1, 1);
        it->w[BEFORE + i] = R(p->d[i][i]);
    }
    for (int i = 0; law >= CONE && i < p->n; i += 3) {
        it->mu[i / 3] /= 4; /* more friction may leave a problem without a solution */
        it->w[BEFORE + i + 1] = it->w[BEFORE + i + 2] = R((p->d[i + 1][i + 1] + p->d[i + 2][i + 2]) / 2);
    }
    const nb_law_state state = state_of(it);
    const nb_law_scale scale = {p->s, p->c, p->shift, p->size};
    memset(p->shift, 0, sizeof p->shift);
    it->range.law->type->scale(&it->range, &state, &scale);
    p->at = (nb_natural_point){p->s, p->x, p->v, 1, 1, 1e-10};
}

/* an entry of dv/dx */
static double slope(const scaled *p, int i, int k) {
    return (double)p->s[BEFORE + i] * p->d[i][k] * (double)p->s[BEFORE + k] + (i == k ? (double)p->c[BEFORE + i] : 0);
}

/* F at x; returns its norm */
static double evaluate(scaled *p) {
    double sum = 0;
    for (int i = 0; i < p->n; i++) {
        p->v[BEFORE + i] = (double)p->s[BEFORE + i] * (p->q[i] + (double)p->shift[BEFORE + i]);
        for (int k = 0; k < p->n; k++) p->v[BEFORE + i] += slope(p, i, k) * p->x[BEFORE + k];
    }
    p->it->range.law->type->natural(&p->it->range, &p->at, p->f);
    for (int i = 0; i < p->n; i++) sum += p->f[BEFORE + i] * p->f[BEFORE + i];
    return sqrt(sum);
}

/* dx of (dv/dx + K) dx = b, by elimination with row pivots */
static void newton_step(scaled *p, double dx[MOST]) {
    const nb_law_range *range = &p->it->range;
    int rows = range->law->type->rows;
    double m[MOST][MOST];
    real k[9 * BLOCKS];
    range->law->type->jacobian(range, &p->at, p->f, p->b, k);
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->n; j++)
            m[i][j] = slope(p, i, j) + (i / rows == j / rows ? (double)k[i * rows + j % rows] : 0);
        dx[i] = p->b[BEFORE + i];
    }
    for (int c = 0; c < p->n; c++) {
        int pivot = c;
        for (int i = c; i < p->n; i++)
            if (fabs(m[i][c]) > fabs(m[pivot][c])) pivot = i;
        for (int j = 0; j < p->n; j++) {
            double kept = m[c][j];
            m[c][j] = m[pivot][j];
            m[pivot][j] = kept;
        }
        double kept = dx[c];
        dx[c] = dx[pivot];
        dx[pivot] = kept;
        for (int i = c + 1; i < p->n; i++) {
            double factor = m[i][c] / m[c][c];
            for (int j = c; j < p->n; j++) m[i][j] -= factor * m[c][j];
            dx[i] -= factor * dx[c];
        }
    }
    for (int i = p->n - 1; i >= 0; i--) {
        for (int j = i + 1; j < p->n; j++) dx[i] -= m[i][j] * dx[j];
        dx[i] /= m[i][i];
    }
}

/* Where the map is zero the law holds, by the harness's errors, which know nothing of the scaling. */
TEST(zeros_of_the_map_are_solutions) {
    uint64_t seed = test_seed();
    for (int run = 0; run < 10 * LAWS; run++) {
        const double enough = 1e3 * epsilon; /* of numbers of size one, in sums of 27 */
        instance it;
        scaled p;
        double dx[MOST], before[ROWS];
        nb_law_errors errors = {0};
        draw_scaled(&p, &it, run % LAWS, &seed);
        p.at.floor = NB_REAL_BITS == 64 ? 1e-10 : 1e-5;
        memset(p.x, 0, sizeof p.x);
        double norm = evaluate(&p);
        for (int k = 0; k < 60 && norm > enough; k++) {
            newton_step(&p, dx);
            memcpy(before, p.x, sizeof before);
            double t = 1, last = norm;
            do {
                for (int i = 0; i < p.n; i++) p.x[BEFORE + i] = before[BEFORE + i] + t * dx[i];
                norm = evaluate(&p);
                t /= 2;
            } while (norm >= last && t > 1e-3);
        }
        CHECK_BELOW(norm, enough);
        for (int i = 0; i < p.n; i++) it.z[BEFORE + i] = R((double)p.s[BEFORE + i] * p.x[BEFORE + i]);
        for (int i = 0; i < p.n; i++) {
            double value = p.q[i];
            for (int k = 0; k < p.n; k++) value += p.d[i][k] * (double)p.s[BEFORE + k] * p.x[BEFORE + k];
            it.value[BEFORE + i] = R(value);
        }
        const nb_law_state at = state_of(&it);
        it.range.law->type->error(&it.range, &at, &errors);
        CHECK_BELOW(errors.bilateral + errors.complementarity + errors.friction, 100 * enough);
    }
}

static void raise_other(const nb_law_range *range, const instance *it, nb_law_errors *errors) {
    const nb_law_state at = state_of(it);
    range->law->type->relaxes->error(range, &at, errors);
}

/* Without friction the relaxed law is Coulomb's, in its errors too; a contact that slides by the one opens by it, which
 * is an error by the other. */
TEST(the_relaxed_law_and_coulombs) {
    uint64_t seed = test_seed();
    for (int run = 0; run < 200; run++) {
        instance it;
        draw(&it, RELAXED, &seed);
        nb_law_errors own = {0}, other = {0};
        const nb_law_state at = state_of(&it);
        for (int i = 0; run % 2 && i < BLOCKS; i++) it.mu[i] = 0;
        for (int i = 0; run % 2 == 0 && i < BLOCKS;
             i++) { /* sliding with z on the rim and v on that of the dual cone */
            int r = BEFORE + 3 * i;
            double ratio = (double)it.cone.ratio, mu = (double)it.mu[i], angle = test_random(&seed, -3, 3), speed = 0.5;
            it.z[r] = R(test_random(&seed, 0.1, 1));
            it.z[r + 1] = R(-mu * (double)it.z[r] * cos(angle));
            it.z[r + 2] = R(-mu * (double)it.z[r] * sin(angle) * ratio);
            it.value[r] = R(mu * speed) - it.cone.soft * it.z[r];
            it.value[r + 1] = R(speed * cos(angle));
            it.value[r + 2] = R(speed * sin(angle) / ratio);
        }
        it.range.law->type->error(&it.range, &at, &own);
        raise_other(&it.range, &it, &other);
        if (run % 2) {
            CHECK_NEAR(own.complementarity, other.complementarity, 4 * epsilon);
            CHECK_NEAR(own.friction, other.friction, 4 * epsilon);
            CHECK_NEAR(own.penetration, other.penetration, 0);
            continue;
        }
        CHECK_BELOW(own.complementarity + own.friction, 100 * epsilon);
        CHECK_BELOW(other.friction, 100 * epsilon);
        double least = INFINITY; /* min(mu speed, w z) */
        for (int i = 0; i < BLOCKS; i++)
            least = fmin(least, fmin(0.5 * (double)it.mu[i], (double)(it.w[BEFORE + 3 * i] * it.z[BEFORE + 3 * i])));
        assert_true(other.complementarity >= least - 100 * epsilon);
        it.value[BEFORE] = NAN;
        it.range.law->type->error(&it.range, &at, &own);
        assert_true(isnan(own.complementarity));
    }
}

/* Solutions have no error; a velocity or an impulse too much is one, of its size. */
TEST(errors_of_stops) {
    uint64_t seed = test_seed();
    for (int run = 0; run < 100; run++) {
        instance it;
        draw(&it, UNILATERAL, &seed);
        for (int i = 0; i < BLOCKS; i++) {
            int r = BEFORE + i;
            it.z[r] = i % 2 ? R(test_random(&seed, 0, 1)) : 0;
            it.value[r] = i % 2 ? -it.unilateral.soft * it.z[r] : R(test_random(&seed, 0, 1));
        }
        const nb_law_state at = state_of(&it);
        nb_law_errors none = {0}, some = {0};
        it.unilateral.base.type->error(&it.range, &at, &none);
        double made = 0; /* by an impulse; what velocities that it makes are known to by no more than its round-off */
        for (int i = 0; i < BLOCKS; i++) made = fmax(made, (double)(at.w[BEFORE + i] * at.z[BEFORE + i]));
        CHECK_BELOW(none.complementarity, (double)NB_REAL_EPSILON * made);
        it.value[BEFORE] = R(-0.25); /* in by h/4, and not pushed out */
        it.unilateral.base.type->error(&it.range, &at, &some);
        CHECK_NEAR(some.complementarity, 0.25, 0);
        assert_true(some.penetration >= 0.25 * 0.125);
        it.z[BEFORE] = NAN;
        it.unilateral.base.type->error(&it.range, &at, &some);
        assert_true(isnan(some.complementarity));
    }
}

/* Who knows bilateral rows and cones alone is told of others, by name. */
TEST(other_laws_are_refused) {
    uint64_t seed = 1;
    instance it[LAWS];
    nb_cone_rows rows;
    for (int law = 0; law < LAWS; law++) draw(&it[law], law, &seed);
    nb_law_range range[2] = {it[BILATERAL].range, it[CONE].range};
    range[0].first_row = range[0].first_block = 0;
    range[1].first_row = range[1].first_block = BLOCKS;
    nb_problem p = {.ranges = range, .range_count = 2, .bilaterals = BLOCKS, .contacts = BLOCKS};
    CHECK_OK(nb_cone_rows_of(&p, "a test", &rows));
    assert_ptr_equal(rows.bilateral, &it[BILATERAL].bilateral);
    assert_ptr_equal(rows.cone, &it[CONE].cone);
    range[1] = it[UNILATERAL].range;
    range[1].first_row = BLOCKS;
    assert_int_equal(nb_cone_rows_of(&p, "a test", &rows), NB_ERROR_UNSUPPORTED);
    assert_non_null(strstr(nb_error_message(), "a test"));
    assert_non_null(strstr(nb_error_message(), "rows 10 to 18 have the law unilateral"));
    range[1] = it[RELAXED].range;
    range[1].first_row = BLOCKS;
    CHECK_FAULT(nb_cone_rows_of(&p, "a test", &rows), NB_ERROR_UNSUPPORTED, "a test does not support the friction law");
    CHECK_OK(nb_friction_rows_of(&p, "a test", &rows));
    assert_ptr_equal(rows.cone, &it[RELAXED].relaxed);
    p.range_count = 0;
    p.bilaterals = p.contacts = 0;
    CHECK_OK(nb_cone_rows_of(&p, "a test", &rows));
    CHECK_NEAR((double)rows.cone->ratio, 1, 0);
}

RUN_TESTS(linearisations_match_central_differences, projections_are_the_nearest_points, zeros_of_the_map_are_solutions,
          the_relaxed_law_and_coulombs, errors_of_stops, other_laws_are_refused)

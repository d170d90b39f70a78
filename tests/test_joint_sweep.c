/* Joint rows swept by groups, in waves: the same as one row after another, forward and backward, where rows hang on the
 * world, on bodies that do not move, and are more than a group holds; with the kernels of every instruction set that
 * this processor has. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "method/projected/joint_sweep.h"

NB_PRECISIONS(f32, f64);

enum {
    BODIES = 8,
    ROWS = 40
};

typedef struct scene {
    nb_inverse_mass inverse[BODIES];
    nb_jacobian_row rows[ROWS];
    nb_rigid_rows rigid;
    uint8_t moves[BODIES];
    real z[ROWS], q[ROWS], c[ROWS], eta[ROWS], velocity[BODIES * NB_BODY_STRIDE];
    nb_projected problem;
} scene;

static real draw(uint64_t *random) {
    return (real)test_random(random, -1, 1);
}

static void draw_body(uint64_t *random, int32_t b, scene *s) {
    s->moves[b] = b % 4 != 1; /* as some have masses and are held */
    s->inverse[b].mass = (real)test_random(random, 0.1, 1.1);
    for (int k = 0; k < 6; k++) s->inverse[b].inertia[k] = k < 3 ? (real)test_random(random, 1, 2) : draw(random) / 4;
    for (int k = 0; k < 6 && s->moves[b]; k++) s->velocity[b * NB_BODY_STRIDE + k] = draw(random);
}

/* runs of one to eight rows between two bodies, or one and the world on either side */
static void draw_scene(uint64_t *random, int soft, scene *s) {
    memset(s, 0, sizeof *s);
    s->rigid = (nb_rigid_rows){.bodies = BODIES, .inverse = s->inverse, .joint_rows = s->rows, .joint_row_count = ROWS};
    for (int32_t b = 0; b < BODIES; b++) draw_body(random, b, s);
    for (int32_t i = 0, left = 0, a = 0, b = 0; i < ROWS; i++, left--) {
        if (left == 0) {
            left = 1 + (int32_t)(test_random_bits(random) % 8);
            a = (int32_t)(test_random_bits(random) % BODIES);
            b = (a + 1 + (int32_t)(test_random_bits(random) % (BODIES - 1))) % BODIES;
            const uint64_t world = test_random_bits(random) % 4;
            if (world == 0) a = -1;
            if (world == 1) b = -1;
        }
        s->rows[i].a = a;
        s->rows[i].b = b;
        for (int k = 0; k < 12; k++) s->rows[i].j[k] = draw(random); /* the world's part is not looked at */
        s->z[i] = draw(random);
        s->q[i] = draw(random);
        s->c[i] = (real)test_random(random, 0, 1);
        s->eta[i] = (real)test_random(random, 0.02, 0.12);
    }
    s->problem = (nb_projected){.bilaterals = ROWS, .z = s->z, .q = s->q, .c = soft ? s->c : NULL, .eta = s->eta};
}

/* one row after another, in double */
static double sweep_plainly(const scene *s, int backward, double omega, double *z, double *velocity) {
    double largest = 0;
    for (int n = 0; n < ROWS; n++) {
        const int i = backward ? ROWS - 1 - n : n;
        const nb_jacobian_row *row = &s->rows[i];
        double r = (s->problem.c ? (double)s->c[i] : 0) * z[i] + (double)s->q[i];
        for (int side = 0; side < 2; side++) {
            const int32_t body = side ? row->b : row->a;
            for (int k = 0; body >= 0 && k < 6; k++)
                r += (double)row->j[6 * side + k] * velocity[body * NB_BODY_STRIDE + k];
        }
        const double dz = -omega * (double)s->eta[i] * r;
        z[i] += dz;
        largest = fmax(largest, fabs(r));
        for (int side = 0; side < 2; side++) {
            static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
            const int32_t body = side ? row->b : row->a;
            if (body < 0 || !s->moves[body]) continue;
            double *v = velocity + body * NB_BODY_STRIDE;
            for (int k = 0; k < 3; k++) {
                v[k] += dz * (double)s->inverse[body].mass * (double)row->j[6 * side + k];
                for (int l = 0; l < 3; l++)
                    v[3 + k] += dz * (double)s->inverse[body].inertia[place[k][l]] * (double)row->j[6 * side + 3 + l];
            }
        }
    }
    return largest;
}

TEST(groups_are_rows_one_after_another) {
    static const char *const sets[] = {"avx512", "avx2", "baseline"};
    static scene s;
    uint64_t random = test_seed();
    const double tolerance = NB_REAL_BITS == 32 ? 2e-5 : 2e-13;
    double off = 0;
    for (int trial = 0; trial < 200; trial++) {
        nb_joint_sweep sweep;
        const nb_joint_kernels *kernels = nb_joint_kernels_named(sets[trial % 3]);
        double z[ROWS], velocity[BODIES * NB_BODY_STRIDE];
        const double omega = test_random(&random, 0.5, 1.5);
        draw_scene(&random, trial % 2, &s);
        for (int i = 0; i < ROWS; i++) z[i] = (double)s.z[i];
        for (int i = 0; i < BODIES * NB_BODY_STRIDE; i++) velocity[i] = (double)s.velocity[i];
        CHECK_OK(nb_joint_sweep_make(&s.rigid, s.moves, 2, &sweep));
        if (kernels) sweep.kernels = kernels;
        nb_joint_sweep_linearise(&sweep, &s.problem, (real)omega);
        for (int k = 0; k < 4; k++) {
            const double plain = sweep_plainly(&s, k % 2, (double)(real)omega, z, velocity);
            const double largest = (double)nb_joint_sweep_relax(&sweep, &s.problem, k % 2, s.velocity);
            off = fmax(off, fabs(largest - plain) / plain);
        }
        nb_joint_sweep_clear(&sweep);
        for (int i = 0; i < ROWS; i++) off = fmax(off, fabs((double)s.z[i] - z[i]));
        for (int i = 0; i < BODIES * NB_BODY_STRIDE; i++) off = fmax(off, fabs((double)s.velocity[i] - velocity[i]));
    }
    print_message("off by %g\n", off);
    assert_true(off < tolerance);
}

TEST(nothing_to_sweep) {
    nb_joint_sweep sweep;
    nb_projected problem = {0};
    CHECK_OK(nb_joint_sweep_make(&(nb_rigid_rows){0}, NULL, 1, &sweep));
    assert_int_equal(sweep.count, 0);
    assert_true(nb_joint_sweep_relax(&sweep, &problem, 0, NULL) == 0);
    nb_joint_sweep_clear(&sweep);
}

RUN_TESTS(groups_are_rows_one_after_another, nothing_to_sweep)

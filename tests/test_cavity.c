/* Cavities: volumes of spheres made of triangles, derivatives by complex steps of the printed formulas, the laws' noted
 * values, and what is refused. */
#include "model/cavity.h"

#include <complex.h>
#include <string.h>

#include "check.h"

enum {
    MOST_PARTICLES = 2562,
    MOST_TRIANGLES = 5120
};

static const double pi = 3.14159265358979323846;

typedef struct surface {
    int32_t particles, triangles;
    double x[3 * MOST_PARTICLES];
    int32_t corner[3 * MOST_TRIANGLES];
    int32_t neighbour[MOST_PARTICLES][6], middle[MOST_PARTICLES][6], neighbours[MOST_PARTICLES];
} surface;

static nb_cavity cavity_of(const surface *s) {
    return (nb_cavity){s->triangles, s->corner};
}

static void add_particle(surface *s, double x, double y, double z) {
    const double length = sqrt(x * x + y * y + z * z), p[3] = {x / length, y / length, z / length};
    memcpy(s->x + 3 * s->particles, p, sizeof p);
    s->neighbours[s->particles++] = 0;
}

/* the particle on the sphere above the middle of an edge, which two triangles share */
static int32_t middle_of(surface *s, int32_t a, int32_t b) {
    const int32_t low = a < b ? a : b, high = a < b ? b : a;
    for (int k = 0; k < s->neighbours[low]; k++)
        if (s->neighbour[low][k] == high) return s->middle[low][k];
    const double *p = s->x + 3 * low, *q = s->x + 3 * high;
    const int k = s->neighbours[low]++;
    s->neighbour[low][k] = high;
    s->middle[low][k] = s->particles;
    add_particle(s, p[0] + q[0], p[1] + q[1], p[2] + q[2]);
    return s->middle[low][k];
}

static void refine(surface *s) {
    static int32_t old[3 * MOST_TRIANGLES];
    const int32_t count = s->triangles;
    memcpy(old, s->corner, sizeof old);
    memset(s->neighbours, 0, sizeof s->neighbours);
    s->triangles = 0;
    for (int32_t i = 0; i < count; i++) {
        const int32_t *c = old + 3 * i;
        const int32_t m[3] = {middle_of(s, c[0], c[1]), middle_of(s, c[1], c[2]), middle_of(s, c[2], c[0])};
        const int32_t four[4][3] = {{c[0], m[0], m[2]}, {m[0], c[1], m[1]}, {m[2], m[1], c[2]}, {m[0], m[1], m[2]}};
        memcpy(s->corner + 3 * s->triangles, four, sizeof four);
        s->triangles += 4;
    }
}

/* an icosahedron in the unit sphere, and each of its triangles split in four, `levels` times */
static void make_sphere(surface *s, int levels) {
    static const int32_t faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                         {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                         {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                         {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    const double g = (1 + sqrt(5)) / 2;
    memset(s, 0, sizeof *s);
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < 4; k++) {
            const double u = k % 2 ? 1 : -1, v = k < 2 ? g : -g;
            if (axis == 0) add_particle(s, u, v, 0);
            if (axis == 1) add_particle(s, 0, u, v);
            if (axis == 2) add_particle(s, v, 0, u);
        }
    memcpy(s->corner, faces, sizeof faces);
    s->triangles = 20;
    for (int k = 0; k < levels; k++) refine(s);
}

/* ---- the volume as it is printed, of complex positions ---- */

static double complex printed_volume(const surface *s, const double complex *x) {
    double complex sum = 0;
    for (int32_t i = 0; i < s->triangles; i++) {
        const double complex *a = x + 3 * s->corner[3 * i], *b = x + 3 * s->corner[3 * i + 1],
                             *c = x + 3 * s->corner[3 * i + 2];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

/* (b x c)/6 for a, and so on around */
static void printed_gradient(const surface *s, const double complex *x, double complex *g) {
    for (int32_t i = 0; i < 3 * s->particles; i++) g[i] = 0;
    for (int32_t i = 0; i < s->triangles; i++)
        for (int k = 0; k < 3; k++) {
            double complex *out = g + 3 * s->corner[3 * i + k];
            const double complex *b = x + 3 * s->corner[3 * i + (k + 1) % 3],
                                 *c = x + 3 * s->corner[3 * i + (k + 2) % 3];
            out[0] += (b[1] * c[2] - b[2] * c[1]) / 6;
            out[1] += (b[2] * c[0] - b[0] * c[2]) / 6;
            out[2] += (b[0] * c[1] - b[1] * c[0]) / 6;
        }
}

/* a sphere of 80 triangles out of shape, of size 1, somewhere in the world */
static void make_random(surface *s, uint64_t *seed) {
    make_sphere(s, 1);
    for (int32_t i = 0; i < 3 * s->particles; i++) s->x[i] += test_random(seed, -0.2, 0.2) + (i % 3 == 0 ? 3 : -1);
}

/* ---- tests ---- */

TEST(spheres_have_the_noted_volumes) {
    static surface s;
    static const double noted[] = {0.873453, 0.966161, 0.991394, 0.997839};
    for (int level = 1; level <= 4; level++) {
        make_sphere(&s, level);
        const nb_cavity c = cavity_of(&s);
        assert_int_equal(s.triangles, 20 << (2 * level));
        assert_int_equal(s.particles, s.triangles / 2 + 2); /* Euler's formula */
        CHECK_OK(nb_cavity_check(&c, s.particles));
        CHECK_OK(nb_cavity_check_volume(&c, s.x));
        CHECK_NEAR(nb_cavity_volume(&c, s.x) / (4 * pi / 3), noted[level - 1], 5.1e-7); /* six digits */
    }
}

/* Volumes are of size 1 to 10, and of some hundred terms. */
TEST(derivatives_are_complex_steps) {
    static surface s;
    const double step = 1e-30, tolerance = 1e-13;
    uint64_t seed = test_seed();
    for (int trial = 0; trial < 3; trial++) {
        double g[3 * 42] = {0}, y[3 * 42], gy[3 * 42] = {0};
        double complex x[3 * 42], printed[3 * 42];
        make_random(&s, &seed);
        assert_int_equal(s.particles, 42);
        const nb_cavity c = cavity_of(&s);
        nb_cavity_add_gradient(&c, s.x, 1, g);
        for (int i = 0; i < 3 * s.particles; i++) {
            x[i] = s.x[i];
            y[i] = test_random(&seed, -1, 1);
        }
        CHECK_NEAR(nb_cavity_volume(&c, s.x), creal(printed_volume(&s, x)), 10 * tolerance);
        for (int i = 0; i < 3 * s.particles; i++) {
            x[i] += I * step;
            CHECK_NEAR(g[i], cimag(printed_volume(&s, x)) / step, tolerance);
            x[i] = s.x[i];
        }
        nb_cavity_add_curvature(&c, s.x, y, 1, gy);
        for (int i = 0; i < 3 * s.particles; i++) x[i] += I * step * y[i];
        printed_gradient(&s, x, printed);
        for (int i = 0; i < 3 * s.particles; i++) {
            CHECK_NEAR(g[i], creal(printed[i]), 10 * tolerance);
            CHECK_NEAR(gy[i], cimag(printed[i]) / step, tolerance);
        }
    }
}

/* sum dV = 0, sum x x dV = 0, x . dV = 3 V; a motion as a rigid body is not resisted to first order */
TEST(pressure_has_no_resultant) {
    static surface s;
    uint64_t seed = test_seed();
    for (int trial = 0; trial < 3; trial++) {
        double g[3 * 42] = {0}, sum[3] = {0}, moment[3] = {0}, along = 0, shift[3 * 42], moved[3 * 42] = {0};
        make_random(&s, &seed);
        const nb_cavity c = cavity_of(&s);
        nb_cavity_add_gradient(&c, s.x, 1, g);
        for (int32_t i = 0; i < s.particles; i++)
            for (int k = 0; k < 3; k++) {
                const int j = (k + 1) % 3, l = (k + 2) % 3;
                sum[k] += g[3 * i + k];
                moment[k] += s.x[3 * i + j] * g[3 * i + l] - s.x[3 * i + l] * g[3 * i + j];
                along += s.x[3 * i + k] * g[3 * i + k];
                shift[3 * i + k] = 1 + k;
            }
        nb_cavity_add_curvature(&c, s.x, shift, 1, moved);
        CHECK_NEAR(along, 3 * nb_cavity_volume(&c, s.x), 1e-12);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(sum[k], 0, 1e-13);
            CHECK_NEAR(moment[k], 0, 1e-12);
        }
        for (int i = 0; i < 3 * s.particles; i++) CHECK_NEAR(moved[i], 0, 1e-13);
    }
}

/* K y = -P d2V y + W'' g (g . y), by a complex step of the force; and it is symmetric */
TEST(stiffness_is_that_of_the_energy) {
    static surface s;
    uint64_t seed = test_seed();
    for (int model = 0; model < NB_VOLUME_MODELS; model++) {
        const int n = 3 * 42;
        double g[3 * 42] = {0}, y[2][3 * 42], ky[2][3 * 42] = {{0}}, product[2] = {0};
        double complex x[3 * 42], slope[3 * 42];
        nb_volume_law law;
        make_random(&s, &seed);
        const nb_cavity c = cavity_of(&s);
        const double volume = nb_cavity_volume(&c, s.x);
        CHECK_OK(nb_volume_law_make((nb_volume_model)model, 2 * NB_ATMOSPHERE, 1e-6, 0.9 * volume, &law));
        nb_cavity_add_gradient(&c, s.x, 1, g);
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i < n; i++) y[k][i] = test_random(&seed, -1, 1);
            nb_cavity_add_stiffness(&c, &law, s.x, volume, g, s.particles, y[k], ky[k]);
        }
        for (int i = 0; i < n; i++) {
            x[i] = s.x[i] + I * 1e-30 * y[0][i];
            product[0] += y[1][i] * ky[0][i];
            product[1] += y[0][i] * ky[1][i];
        }
        CHECK_NEAR(product[0], product[1], 1e-13);
        /* B is 1/2, so that numbers are of size 1 */
        double complex v = printed_volume(&s, x), e = v / law.rest - 1, d_energy = e; /* dW/dV over B */
        if (model == NB_VOLUME_GAS) d_energy = e / (1 + e);
        if (model == NB_VOLUME_NEARLY_INCOMPRESSIBLE) d_energy = clog(1 + e);
        printed_gradient(&s, x, slope);
        for (int i = 0; i < n; i++) CHECK_NEAR(ky[0][i], cimag(0.5 * d_energy * slope[i]) / 1e-30, 1e-12);
    }
}

/* V0 = 1 m^3, B = 1 Pa: energies, pressures and their slopes at V = 1/2 and 2 */
TEST(laws_have_the_noted_values) {
    static const double noted[NB_VOLUME_MODELS][5] = {
        /* W(1/2), P(1/2), W(2), -dP/dV at 1/2 and 2 */
        [NB_VOLUME_GAS] = {0.193147181, 1, 0.306852819, 4, 0.25},
        [NB_VOLUME_NEARLY_INCOMPRESSIBLE] = {0.153426410, 0.693147, 0.386294361, 2, 0.5},
        [NB_VOLUME_QUADRATIC] = {0.125, 0.5, 0.5, 1, 1},
    };
    static const char *const names[] = {"gas", "nearly-incompressible", "quadratic"};
    for (int model = 0; model < NB_VOLUME_MODELS; model++) {
        const nb_volume_law law = {(nb_volume_model)model, 1, 1};
        CHECK_NEAR(nb_volume_energy(&law, 0.5), noted[model][0], 5.1e-10);
        CHECK_NEAR(nb_volume_pressure(&law, 0.5), noted[model][1], 5.1e-7);
        CHECK_NEAR(nb_volume_energy(&law, 2), noted[model][2], 5.1e-10);
        CHECK_NEAR(nb_volume_stiffness(&law, 0.5), noted[model][3], 1e-14);
        CHECK_NEAR(nb_volume_stiffness(&law, 2), noted[model][4], 1e-14);
        assert_string_equal(nb_volume_model_names[model], names[model]);
        assert_true(nb_volume_energy(&law, 1) == 0 && nb_volume_pressure(&law, 1) == 0);
        assert_true(model == NB_VOLUME_QUADRATIC || isinf(nb_volume_energy(&law, 0)));
        assert_true(model == NB_VOLUME_QUADRATIC || isinf(nb_volume_energy(&law, -1)));
        /* they agree where the volume hardly changes: to second order in e */
        CHECK_NEAR(nb_volume_pressure(&law, 1 + 1e-6), -1e-6, 2e-12);
        CHECK_NEAR(nb_volume_stiffness(&law, 1), 1, 1e-15);
    }
}

/* whatever the law, it holds the gauge pressure that was asked for; a quadratic one whose V0 is that of the gas does
 * not */
TEST(gauge_pressure_is_held) {
    static const double gauges[] = {1, 0.68, 0, -0.5};
    for (int model = 0; model < NB_VOLUME_MODELS; model++)
        for (int k = 0; k < 4; k++) {
            nb_volume_law law;
            CHECK_OK(nb_volume_law_make((nb_volume_model)model, 0.9, gauges[k], 2, &law));
            CHECK_NEAR(nb_volume_pressure(&law, 2), gauges[k] * 101325, 1e-9);
        }
    for (int k = 0; k < 2; k++) {
        const double p = gauges[k];
        nb_volume_law law = {NB_VOLUME_QUADRATIC, 101325, (1 + p) * 2}; /* k = 1 */
        CHECK_NEAR(nb_volume_pressure(&law, 2) / 101325, p / (1 + p), 1e-15);
        law.modulus *= 1 + p; /* k = 1/(1 + p) */
        CHECK_NEAR(nb_volume_pressure(&law, 2) / 101325, p, 1e-15);
        law.model = NB_VOLUME_GAS;
        law.modulus = 101325;
        CHECK_NEAR(nb_volume_pressure(&law, 2) / 101325, p, 1e-15);
    }
}

TEST(open_and_inverted_surfaces_are_refused) {
    static surface s;
    make_sphere(&s, 0);
    nb_cavity c = cavity_of(&s);
    int32_t *corner = s.corner;
    c.triangle_count = 19;
    CHECK_FAULT(nb_cavity_check(&c, 12), NB_ERROR_INPUT, "open at the edge of particles 1 and 8: triangle 9 alone");
    c.triangle_count = 3;
    CHECK_FAULT(nb_cavity_check(&c, 12), NB_ERROR_INPUT, "3 triangles");
    c.triangle_count = 20;
    CHECK_FAULT(nb_cavity_check(&c, 11), NB_ERROR_INPUT, "corner 11, and there are 11 particles");
    const int32_t first = corner[0];
    corner[0] = corner[1];
    CHECK_FAULT(nb_cavity_check(&c, 12), NB_ERROR_INPUT, "triangle 0 has particle 11 at two corners");
    corner[0] = -1;
    CHECK_FAULT(nb_cavity_check(&c, 12), NB_ERROR_INPUT, "corner -1");
    corner[0] = first;
    const int32_t swapped = corner[1];
    corner[1] = corner[2];
    corner[2] = swapped;
    CHECK_FAULT(nb_cavity_check(&c, 12), NB_ERROR_INPUT, "opposite senses");
    corner[2] = corner[1];
    corner[1] = swapped;
    CHECK_OK(nb_cavity_check(&c, 12));
    memcpy(corner + 60, corner, 3 * sizeof *corner); /* a triangle twice */
    c.triangle_count = 21;
    CHECK_FAULT(nb_cavity_check(&c, 12), NB_ERROR_INPUT, "of 3 triangles, and must be of two");
    c.triangle_count = 20;
    for (int i = 0; i < 36; i++) s.x[i] = -s.x[i]; /* inside out */
    CHECK_OK(nb_cavity_check(&c, 12));
    CHECK_FAULT(nb_cavity_check_volume(&c, s.x), NB_ERROR_INPUT, "-2.53615 m^3");
    s.x[4] = NAN;
    CHECK_FAULT(nb_cavity_check_volume(&c, s.x), NB_ERROR_INPUT, "nan m^3");
}

TEST(impossible_laws_are_refused) {
    nb_volume_law law;
    CHECK_FAULT(nb_volume_law_make(NB_VOLUME_GAS, 0, 0, 1, &law), NB_ERROR_USAGE, "compression must be above 0");
    CHECK_FAULT(nb_volume_law_make(NB_VOLUME_GAS, 1, 0, 0, &law), NB_ERROR_USAGE, "volume must be above 0");
    CHECK_FAULT(nb_volume_law_make(NB_VOLUME_GAS, 1, -1, 1, &law), NB_ERROR_USAGE, "must be above -1");
    CHECK_FAULT(nb_volume_law_make(NB_VOLUME_QUADRATIC, 0.5, 2, 1, &law), NB_ERROR_USAGE, "must be below 2");
    CHECK_FAULT(nb_volume_law_make(NB_VOLUME_NEARLY_INCOMPRESSIBLE, 1, NAN, 1, &law), NB_ERROR_USAGE, "nan atm");
}

RUN_TESTS(spheres_have_the_noted_volumes, derivatives_are_complex_steps, pressure_has_no_resultant,
          stiffness_is_that_of_the_energy, laws_have_the_noted_values, gauge_pressure_is_held,
          open_and_inverted_surfaces_are_refused, impossible_laws_are_refused)

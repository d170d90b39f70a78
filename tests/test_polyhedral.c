/* Polyhedral friction: projections by what makes them the nearest points; random problems by every method that solves
 * the laws, each with an honest flag; planar problems beside Coulomb's law; many facets come to the disc. */
#include <string.h>

#include "check.h"
#include "cone/cone.h"
#include "cone/friction_polygon.h"
#include "constraint/cone_rows.h"
#include "file_run.h"
#include "jammed_point.h"
#include "measure/natural_map.h"
#include "random_file_data.h"

NB_PRECISIONS(f64);

static const char *const methods[] = {"lemke", "pgs", "psor", "pssor", "apgd"};

enum {
    METHODS = sizeof methods / sizeof *methods
};

/* ---- projections ---- */

/* x - p is in the normal cone of the convex set at p: no corner, or edge, lies beyond p in its direction. */
TEST(projections_are_the_nearest_points) {
    uint64_t random = test_seed();
    int moved = 0, kept = 0;
    for (int trial = 0; trial < 4000; trial++) {
        const int32_t l = 2 + trial % 11;
        const double mu = trial % 7 ? test_random(&random, 0, 2) : 0,
                     limit = trial % 5 ? test_random(&random, 0, 1) : 0;
        double x[3], p[3], flat[2], d[2], inside = 0, size = 0;
        for (int k = 0; k < 3; k++) x[k] = p[k] = test_random(&random, -1, 1);
        if (trial % 3 == 0) x[2] = p[2] = 0; /* on the axes, where sectors meet */
        nb_polygon_project_cone(l, mu, p);
        for (int k = 0; k < 3; k++) {
            inside += (x[k] - p[k]) * p[k];
            size += fabs(x[k] - p[k]);
        }
        CHECK_BELOW(fabs(inside), 1e-14);
        memcpy(flat, x + 1, sizeof flat);
        nb_polygon_project(l, limit, flat);
        for (int32_t i = 0; i < l; i++) {
            nb_polygon_corner(l, i, d);
            CHECK_BELOW((x[0] - p[0]) + mu * (d[0] * (x[1] - p[1]) + d[1] * (x[2] - p[2])), 1e-14);
            CHECK_BELOW((x[1] - flat[0]) * (limit * d[0] - flat[0]) + (x[2] - flat[1]) * (limit * d[1] - flat[1]),
                        1e-14);
        }
        /* and p is in the set: what is in it stays where it is */
        double again[3] = {p[0], p[1], p[2]}, twice[2] = {flat[0], flat[1]};
        nb_polygon_project_cone(l, mu, again);
        nb_polygon_project(l, limit, twice);
        for (int k = 0; k < 3; k++) CHECK_NEAR(again[k], p[k], 1e-15);
        for (int k = 0; k < 2; k++) CHECK_NEAR(twice[k], flat[k], 1e-15);
        assert_true(hypot(p[1], p[2]) <= mu * p[0] + 1e-15 && hypot(flat[0], flat[1]) <= limit + 1e-15);
        moved += size > 0;
        kept += size == 0;
    }
    assert_true(moved > 1000 && kept > 200);
}

TEST(slips_are_those_against_corners) {
    uint64_t random = test_seed();
    for (int trial = 0; trial < 1000; trial++) {
        const int32_t l = 2 + trial % 11;
        const double v[2] = {test_random(&random, -1, 1), trial % 4 ? test_random(&random, -1, 1) : 0};
        double most = -INFINITY, d[2];
        for (int32_t i = 0; i < l; i++) {
            nb_polygon_corner(l, i, d);
            most = fmax(most, -(d[0] * v[0] + d[1] * v[1]));
        }
        CHECK_NEAR(nb_polygon_slip(l, v), most, 1e-15);
    }
}

/* ---- the laws' errors ---- */

/* A state that the four complementarity conditions hold of, made from beta and lambda, has no error by the law, in the
 * harness's measure and in the file's; by Coulomb's it has one where a corner is not in the direction of the slip. */
TEST(states_that_hold_have_no_error) {
    uint64_t random = test_seed();
    for (int trial = 0; trial < 400; trial++) {
        const int relaxed = trial % 2, slides = trial % 3, l = 3 + trial % 8;
        const int32_t corner = (int32_t)(test_random_bits(&random) % (uint64_t)l);
        const double mu = test_random(&random, 0.1, 1.5), normal = test_random(&random, 0.1, 2);
        double d[2], d1[2], z[3] = {normal, 0, 0}, v[3] = {0, 0, 0};
        nb_polygon_corner(l, corner, d);
        nb_polygon_corner(l, corner + 1, d1);
        if (slides == 0) { /* against one corner: any slip whose nearest one this is */
            const double speed = test_random(&random, 0.1, 1), turn = test_random(&random, -1, 1) * 3.14 / l;
            for (int k = 0; k < 2; k++) z[1 + k] = mu * normal * d[k];
            v[1] = -speed * (cos(turn) * d[0] - sin(turn) * d[1]);
            v[2] = -speed * (sin(turn) * d[0] + cos(turn) * d[1]);
        } else if (slides == 1) { /* against the middle of a side: any force on it */
            const double share = test_random(&random, 0, 1), speed = test_random(&random, 0.1, 1);
            for (int k = 0; k < 2; k++) {
                z[1 + k] = mu * normal * (share * d[k] + (1 - share) * d1[k]);
                v[1 + k] = -speed * (d[k] + d1[k]);
            }
        } else { /* at rest: any force in the polygon */
            for (int k = 0; k < 2; k++) z[1 + k] = test_random(&random, -0.3, 0.3) * mu * normal;
        }
        if (relaxed) v[0] = mu * nb_polygon_slip(l, v + 1);
        const nb_friction_law law = relaxed ? NB_FRICTION_POLYHEDRAL_RELAXED : NB_FRICTION_POLYHEDRAL;
        const double w[3] = {test_random(&random, 0.5, 2), 0.7, 0.7}, h = 0.5;
        nb_cone_law cone = {{nb_friction_class_of(law)}, &mu, 1, 0, l, NULL, NULL};
        const nb_law_range range = {&cone.base, 1, 0, 0, 0};
        const nb_law_state at = {h, v, z, w};
        nb_law_errors errors = {0}, by_coulomb = {0};
        cone.base.type->error(&range, &at, &errors);
        CHECK_BELOW(errors.complementarity + errors.friction + errors.penetration, 1e-14);
        CHECK_BELOW(nb_natural_map_square(&(nb_natural_law){law, l, 3, 0, mu, 0}, z, v, 0), 1e-28);
        cone.base.type->relaxes->error(&range, &at, &by_coulomb);
        if (slides == 1) assert_true(by_coulomb.friction > 1e-4);
        v[0] -= 0.125; /* too fast into the surface */
        errors = (nb_law_errors){0};
        cone.base.type->error(&range, &at, &errors);
        assert_true(errors.complementarity + errors.friction > 0.01);
    }
}

/* ---- problems ---- */

static nb_reason solve(const char *method, const nb_file_data *data, double tolerance, nb_step_outcome *outcome,
                       double *z) {
    const int pivots = strcmp(method, "lemke") == 0;
    solve_file_data(method,
                    (nb_method_settings){.relative_tolerance = tolerance, .newton_iterations = pivots ? 20 : 20000},
                    data, NULL, outcome, z);
    return outcome->reason;
}

static double norm(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* Relaxed: the velocities are unique, whatever method finds them. Not relaxed: what is said to be solved is, by the
 * harness; a shift or rounds may fail, and then say so. */
TEST(methods_agree) {
    static random_file_data p;
    uint64_t random = test_seed();
    int solved[2][METHODS] = {{0}}, trials = 0;
    for (int trial = 0; trial < 24; trial++, trials++) {
        const int relaxed = trial % 2, bilaterals = trial % 4, contacts = 1 + trial % 7;
        make_random(&random, bilaterals, contacts, trial % 3 ? 40 : 12, relaxed ? 2 : 0.5,
                    relaxed ? NB_FRICTION_POLYHEDRAL_RELAXED : NB_FRICTION_POLYHEDRAL, &p);
        p.data.facets = 3 + trial % 6;
        const int rows = nb_file_data_rows(&p.data);
        double first[MOST_FILE_ROWS] = {0};
        for (int m = 0; m < METHODS; m++) {
            double z[MOST_FILE_ROWS], v[MOST_FILE_ROWS];
            nb_step_outcome outcome;
            const nb_reason reason = solve(methods[m], &p.data, 1e-9, &outcome, z);
            if (reason != NB_REASON_CONVERGED) {
                assert_int_not_equal(reason, NB_REASON_INFEASIBLE);
                if (relaxed && m == 0) fail_msg("problem %d: lemke ends as %s", trial, nb_reason_name(reason));
                continue;
            }
            solved[relaxed][m]++;
            nb_natural_map map;
            nb_natural_map_compute(&p.data, z, v, &map);
            CHECK_BELOW(map.relative, 1.0001e-9);
            if (m == 0) memcpy(first, v, sizeof first);
            for (int r = 0; relaxed && r < rows; r++)
                CHECK_NEAR(v[r], first[r], 1e-4 * norm(rows, p.q)); /* root of the objective's error, at 1e-9 */
        }
    }
    for (int relaxed = 0; relaxed < 2; relaxed++)
        for (int m = 0; m < METHODS; m++) {
            print_message("%s: %s solves %d of %d\n", relaxed ? "polyhedral-relaxed" : "polyhedral", methods[m],
                          solved[relaxed][m], trials / 2);
            assert_true(solved[relaxed][m] >= (m == 0 ? 10 : 6));
        }
}

/* A point mass in the grip of two walls that lean by less than the friction angle has no relaxed solution, and all
 * methods say so, with a proof; with more it has one, and all find it. The polygon's corners are in
 * the plane of the walls, so that its angle is the disc's. */
TEST(what_is_jammed_is_certified) {
    uint64_t random = test_seed();
    for (int trial = 0; trial < 20; trial++) {
        const double mu = test_random(&random, 0.2, 1);
        for (int jammed = 0; jammed < 2; jammed++) {
            const double lean =
                jammed ? atan(mu) * test_random(&random, 0.1, 0.8) : atan(mu) + test_random(&random, 0.1, 0.3);
            double z[6];
            jammed_point point;
            make_jammed_point(lean, mu, NB_FRICTION_POLYHEDRAL_RELAXED, 4, &point);
            for (int m = 0; m < METHODS; m++) {
                nb_step_outcome outcome;
                const nb_reason reason = solve(methods[m], &point.data, 1e-9, &outcome, z);
                assert_int_equal(reason, jammed ? NB_REASON_INFEASIBLE : NB_REASON_CONVERGED);
            }
        }
    }
}

/* Two corners, or any even number, make Coulomb's law of a planar problem: what is solved by the one is by the other.
 */
TEST(planar_laws_are_coulombs) {
    static random_file_data space, plane;
    uint64_t random = test_seed();
    int solved = 0;
    for (int trial = 0; trial < 30; trial++) {
        const int relaxed = trial % 2, contacts = 1 + trial % 8;
        make_random(&random, 0, contacts, 30, 0.7, NB_FRICTION_COULOMB, &space);
        /* W without the second tangents */
        int64_t used = 0;
        for (int i = 0, row = 0; i < 3 * contacts; i++) {
            if (i % 3 == 2) continue;
            plane.start[row] = used;
            plane.q[row++] = space.q[i];
            for (int64_t k = space.start[i]; k < space.start[i + 1]; k++) {
                if (space.column[k] % 3 == 2) continue;
                plane.column[used] = space.column[k] / 3 * 2 + space.column[k] % 3;
                plane.value[used++] = space.value[k];
            }
            plane.start[row] = used;
        }
        plane.w = (nb_csr_f64){.rows = 2 * contacts,
                               .columns = 2 * contacts,
                               .start = plane.start,
                               .column = plane.column,
                               .value = plane.value};
        nb_file_data data = {2, 0, contacts, &plane.w, plane.q, space.mu, NB_FRICTION_POLYHEDRAL, NULL, 2};
        if (relaxed) data.friction_law = NB_FRICTION_POLYHEDRAL_RELAXED;
        if (trial % 3 == 0) data.facets = 6;
        double z[MOST_FILE_ROWS], v[MOST_FILE_ROWS], by_cones[MOST_FILE_ROWS];
        nb_step_outcome outcome;
        nb_natural_map map;
        if (solve("lemke", &data, 1e-10, &outcome, z) != NB_REASON_CONVERGED) continue;
        data.friction_law = relaxed ? NB_FRICTION_RELAXED : NB_FRICTION_COULOMB;
        nb_natural_map_compute(&data, z, v, &map);
        CHECK_BELOW(map.relative, 1.1e-10);
        solved++;
        if (!relaxed) continue;
        double other[MOST_FILE_ROWS];
        assert_int_equal(solve("interior-point", &data, 1e-10, &outcome, other), NB_REASON_CONVERGED);
        nb_natural_map_compute(&data, other, by_cones, &map);
        for (int r = 0; r < 2 * contacts; r++) CHECK_NEAR(v[r], by_cones[r], 1e-4 * norm(2 * contacts, plane.q));
    }
    assert_true(solved >= 28);
}

/* A point lands and slides in any direction. The polygon is within the disc by 1 - cos(pi/l) at most: the least value
 * of the dual objective comes to the relaxed law's like l^-2. Friction is in the direction of a corner, off that of the
 * slip by up to pi/l: velocities come like l^-1. */
TEST(many_facets_come_to_the_disc) {
    enum {
        LANDINGS = 60,
        LEVELS = 4
    };
    static const int facets[LEVELS] = {8, 16, 32, 64};
    double apart[LEVELS] = {0}, above[LEVELS] = {0};
    uint64_t random = test_seed();
    for (int trial = 0; trial < LANDINGS; trial++) {
        int64_t start[4] = {0, 1, 2, 3};
        int32_t column[3] = {0, 1, 2};
        /* directions all around, each at random in its share: 60 of them would scatter else */
        const double angle = (trial + test_random(&random, 0, 1)) * 2 * 3.14159265358979323846 / LANDINGS, mu = 0.4;
        double one[3] = {1, 1, 1}, q[3] = {-1, 3 * cos(angle), 3 * sin(angle)}, z[3], round[3], least = 0;
        const nb_csr_f64 w = {.rows = 3, .columns = 3, .start = start, .column = column, .value = one};
        nb_file_data data = {3, 0, 1, &w, q, &mu, NB_FRICTION_RELAXED, NULL, 0};
        nb_step_outcome outcome;
        assert_int_equal(solve("interior-point", &data, 1e-13, &outcome, round), NB_REASON_CONVERGED);
        for (int r = 0; r < 3; r++) least += round[r] * (round[r] / 2 + q[r]);
        data.friction_law = NB_FRICTION_POLYHEDRAL_RELAXED;
        for (int k = 0; k < LEVELS; k++) {
            double work = 0, sum = 0;
            data.facets = facets[k];
            assert_int_equal(solve("lemke", &data, 1e-13, &outcome, z), NB_REASON_CONVERGED);
            for (int r = 0; r < 3; r++) {
                sum += (z[r] - round[r]) * (z[r] - round[r]);
                work += z[r] * (z[r] / 2 + q[r]);
            }
            assert_true(work > least - 1e-12); /* a smaller cone */
            above[k] += (work - least) / LANDINGS;
            apart[k] += sqrt(sum) / LANDINGS;
        }
    }
    for (int k = 1; k < LEVELS; k++) {
        const double order = log2(apart[k - 1] / apart[k]), of_work = log2(above[k - 1] / above[k]);
        print_message("%d facets: %.2e m/s apart, order %.2f; objective %.2e above, order %.2f\n", facets[k], apart[k],
                      order, above[k], of_work);
        assert_true(fabs(order - 1) < 0.3); /* of 60 directions */
        assert_true(fabs(of_work - 2) < 0.4);
    }
}

/* What does not know the laws says so, by name. */
TEST(others_refuse_the_laws) {
    static random_file_data p;
    uint64_t random = 1;
    for (int k = 0; k < 4; k++) {
        static const char *const names[] = {"newton", "interior-point", "lemke", "pgs"};
        nb_problem *problem;
        nb_measure *measure;
        nb_method *self;
        nb_step_outcome outcome;
        const nb_method_class *method;
        const nb_linear_solver_class *solver;
        double values[16];
        make_random(&random, 1, 2, 20, 1, k < 2 ? NB_FRICTION_POLYHEDRAL : NB_FRICTION_COULOMB, &p);
        CHECK_OK(nb_method_find(names[k], &method));
        CHECK_OK(nb_linear_solver_find(nb_method_linear_solver(method, 0), &solver));
        nb_options_standard(solver->options, solver->option_count, values);
        const nb_method_settings settings = {.newton_iterations = 10,
                                             .linear = {.iterations = 10},
                                             .linear_solver = solver->name,
                                             .linear_solver_values = values,
                                             .preconditioner = "none"};
        CHECK_OK(nb_file_problem_create(&p.data, &problem));
        CHECK_OK(nb_measure_create_file(&p.data, &measure));
        CHECK_OK(method->create(method, &settings, &self));
        CHECK_FAULT(method->step(self, problem, measure, NULL, &outcome), NB_ERROR_UNSUPPORTED,
                    k < 2 ? "polyhedral" : "cone");
        method->destroy(self);
        nb_measure_destroy(measure);
        nb_file_problem_destroy(problem);
    }
}

RUN_TESTS(projections_are_the_nearest_points, slips_are_those_against_corners, states_that_hold_have_no_error,
          methods_agree, what_is_jammed_is_certified, planar_laws_are_coulombs, many_facets_come_to_the_disc,
          others_refuse_the_laws)

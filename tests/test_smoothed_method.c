/* Method smoothed on whole steps of worlds. Against closed forms: a particle on a slope (way, creep, what lagging
 * costs), and a load that grows. Its matrix against differences; momentum; and what
 * it refuses. */
#include "base/largest.h"
#include "smoothed_scene.h"

#include "method/smoothed/penalty_matrix.h"

NB_PRECISIONS(f64);

/* ---- a particle on a slope of 10 degrees ---- */

/* the way until the speed is eps, from 0.1 m/s and this gap */
static double way(const char *options, const char *solver, double h, double gap) {
    scene s;
    open_scene(options, solver, &s);
    const nb_particle *particle = add_particle(&s, mu, gap, 0.1);
    for (int n = 0; particle->velocity.x > eps && n < 40000; n++) step(&s, h);
    const double x = particle->position.x;
    assert_true(particle->velocity.x <= eps);
    close_scene(&s);
    return x;
}

/* Backward Euler loses v0 h/2 of the closed form's .768992 m, which end within a step and .000077 m of eps. Whatever
 * solves the systems, and whether the slide begins at a gap or with the load. */
TEST(implicit_friction_stops_the_slide) {
    const double h[] = {0.1, 0.01};
    for (int k = 0; k < 2; k++)
        for (int loaded = 0; loaded < 2; loaded++) {
            const double from = loaded ? loaded_gap(1e4, gravity * cos(slope)) : delta;
            const double x = way("contact-stiffness=10000", k ? "multifrontal" : "bicgstab", h[k], from);
            print_message("h %g, %s: %.6f m\n", h[k], loaded ? "loaded" : "from a gap", x);
            CHECK_NEAR(x, 0.768992 - 0.1 * h[k] / 2, 2e-4);
        }
}

/* Where the slide begins at a gap, friction lagged by a step misses mu g cos(slope) h of its impulse: as from a speed
 * that is so much larger. A second pass takes it back. */
TEST(lagged_friction_slides_farther) {
    static const struct {
        double h, known, tolerance;
    } slides[] = {{1e-2, 1.0539, 5e-4}, {5e-3, 0.9059, 5e-4}, {2e-3, 0.8224, 5e-4}, {1e-3, 0.7955, 5e-4}};
    for (int k = 0; k < 4; k++) {
        const double h = slides[k].h, a = gravity * (mu * cos(slope) - sin(slope)),
                     speed = 0.1 + mu * gravity * cos(slope) * h, predicted = speed * speed / (2 * a);
        const double x = way("friction-coupling=lagged", "cholesky", h, delta);
        print_message("h %g: %.4f m, predicted %.4f less %.4f\n", h, x, predicted, speed * h / 2);
        CHECK_NEAR(x, slides[k].known, slides[k].tolerance);
    }
    CHECK_NEAR(way("friction-coupling=lagged friction-iterations=2", "cholesky", 1e-2, delta), 0.768915 - 5e-4, 2e-4);
}

/* Near the threshold a block that sticks creeps at eps (1 - sqrt(1 - tan(slope)/mu)). */
TEST(a_sticking_particle_creeps) {
    const double r = tan(slope) / mu, known = 9.383366e-4;
    static const char *const options[] = {"friction-coupling=implicit", "friction-coupling=lagged",
                                          "friction-coupling=extrapolated"};
    CHECK_NEAR(nb_smoothed_creep(eps, r), known, 1e-10);
    for (int k = 0; k < 3; k++) {
        scene s;
        open_scene(options[k], "multifrontal", &s);
        const nb_particle *particle =
            add_particle(&s, mu, loaded_gap(4 * gravity / (3 * delta), gravity * cos(slope)), 0);
        for (int n = 0; n < 100; n++) step(&s, 0.1);
        const double from = particle->position.x;
        CHECK_NEAR(particle->velocity.x, known, 1e-9);
        CHECK_NEAR(s.creep, known, 1e-9);
        CHECK_NEAR(s.creep_bound, known, 1e-9);
        assert_non_null(strstr(s.outcome.remark, "creep at up to 0.000938 m/s"));
        assert_non_null(strstr(s.outcome.remark, "r 0.9962"));
        step(&s, 0.1);
        CHECK_NEAR(particle->position.x - from, 0.1 * known, 1e-10);
        if (k > 0) CHECK_BELOW(s.lag, 1e-6);
        close_scene(&s);
    }
}

/* ---- a load that grows ---- */

/* Friction F = r mu N(t), N = N_0 e^(t/tau): lagged friction holds at steps below tau ln(1/r), implicit at all. */
TEST(a_growing_load_slips_at_its_step) {
    const double tau = 0.5, r = 0.9, friction = 0.4, bound = tau * log(1 / r), ratio[] = {0.98, 1.02, 3};
    for (int k = 0; k < 3; k++)
        for (int lagged = 0; lagged < 2; lagged++) {
            const double h = ratio[k] * bound;
            scene s;
            open_scene(lagged ? "contact-stiffness=1e8 friction-coupling=lagged" : "contact-stiffness=1e8",
                       "multifrontal", &s);
            nb_particle *particle = add_particle(&s, friction, loaded_gap(1e8, 10), 0);
            for (double t = 0; t < 2.5; t += h) {
                const double load = 10 * exp((t + h) / tau);
                s.world->gravity = nb_vec3_of(r * friction * load, 0, -load);
                step(&s, h);
            }
            if (lagged && k > 0)
                assert_true(particle->velocity.x > 2 * eps);
            else
                CHECK_BELOW(particle->velocity.x, eps);
            close_scene(&s);
        }
}

/* Where friction falls with slip, a pull of more than static friction makes a contact slide, though Newton iterations
 * stall at the peak. The step is beyond the bound of one solution, and is solved from the velocity without friction. */
TEST(a_pull_beyond_the_peak_slides) {
    scene s;
    open_scene("static-mu=0.6 stribeck-velocity=0.01", "multifrontal", &s);
    nb_particle *particle = add_particle(&s, 0.4, loaded_gap(4 * gravity / (3 * delta), gravity), 0);
    for (int n = 0; n < 20; n++) {
        s.world->gravity = nb_vec3_of(gravity * (n < 10 ? 0.55 : 0.62), 0, -gravity);
        step(&s, 0.01);
        if (n == 9) CHECK_BELOW(particle->velocity.x, eps);
        CHECK_NEAR(s.starts, n == 10, 0);
    }
    CHECK_NEAR(particle->velocity.x, 0.1 * gravity * (0.62 - 0.4), 2e-2 * 0.1 * gravity * (0.62 - 0.4));
    assert_true(isnan(s.creep)); /* nothing sticks */
    close_scene(&s);
}

/* Steps of three and six times the bound are all solved: by way of friction that does not fall, where a barrier of the
 * residual stands before the solution. 7 and 22 of 400 stagnated. */
TEST(steps_beyond_the_bound_are_solved) {
    const double h[] = {0.01, 0.02};
    for (int k = 0; k < 2; k++) {
        nb_request request = request_of_scenario("stick-slip", "", 200, 0);
        strcpy(request.info.method, "smoothed");
        request.info.linear_solver[0] = '\0'; /* the method's own */
        request.info.newton_iterations = 4000;
        request.info.time_step = h[k];
        CHECK_OK(nb_request_set_option(&request, "static-mu", "0.6"));
        nb_run *done = run(&request);
        for (int n = 0; n < done->step_count; n++)
            assert_int_equal((int)done->steps[n * NB_STEP_COLUMNS + NB_STEP_REASON], NB_REASON_CONVERGED);
        nb_run_destroy(done);
    }
}

/* Above h = m v_s/(1.5 (mu_s - mu_d) N) a step may have several solutions: that is told. A box has the bound of the
 * weight on all its contacts. */
TEST(a_step_beyond_the_bound_of_one_solution_is_told) {
    const double bound = 0.01 / (1.5 * (0.6 - 0.4) * gravity), ratio[] = {0.9, 1.1};
    for (int k = 0; k < 4; k++) {
        scene s;
        int32_t shape, body;
        const double kappa = 4 * gravity / (3 * delta);
        open_scene("static-mu=0.6 stribeck-velocity=0.01", "multifrontal", &s);
        if (k < 2) {
            add_particle(&s, 0.4, loaded_gap(kappa, gravity), 0);
        } else {
            CHECK_OK(nb_add_ground(s.world, 0.4, nb_quat_identity(), &body));
            CHECK_OK(nb_add_box_shape(s.world, nb_vec3_of(0.5, 0.5, 0.5), &shape));
            CHECK_OK(nb_world_add_solid(s.world, NB_BODY_DYNAMIC, shape, 1, 0.4,
                                        nb_vec3_of(0, 0, 0.5 + loaded_gap(kappa, gravity / 4)), nb_quat_identity(),
                                        &body));
        }
        s.world->gravity = nb_vec3_of(0, 0, -gravity);
        for (int n = 0; n < 10; n++) step(&s, ratio[k % 2] * bound);
        CHECK_NEAR(s.stribeck_step, bound, 1e-4 * bound); /* at rest but for little of the weight */
        assert_int_equal(strstr(s.outcome.remark, "warning: the time step") != NULL, k % 2);
        close_scene(&s);
    }
}

/* ---- the matrix ---- */

enum {
    VELOCITIES = 12 /* of the ground and the box */
};

/* g at u */
static void momentum_at(const nb_penalty_rows *rows, nb_problem *p, const double *u, double *g) {
    double force[VELOCITIES];
    memcpy(p->u, u, sizeof force);
    memset(p->z, 0, (size_t)p->rows * sizeof *p->z);
    p->type->evaluate(p, NULL);
    nb_penalty_rows_impulses(rows, p, p->z);
    p->type->row_forces(p, p->z, force);
    for (int i = 0; i < VELOCITIES; i++) g[i] = p->momentum[i] - force[i];
}

/* of a box on a plane, whose rows are linear: against central differences; symmetric where friction is lagged */
TEST(the_matrix_is_the_residuals_derivative) {
    uint64_t seed = test_seed();
    scene s;
    int32_t shape, body;
    nb_step *step_of_box;
    nb_penalty_matrix matrix = {0};
    open_scene("", "multifrontal", &s);
    CHECK_OK(nb_add_ground(s.world, 0.4, nb_quat_identity(), &body));
    CHECK_OK(nb_add_box_shape(s.world, nb_vec3_of(0.5, 0.4, 0.1), &shape));
    CHECK_OK(nb_world_add_solid(s.world, NB_BODY_DYNAMIC, shape, 2, 0.4, nb_vec3_of(0, 0, 0.1 + delta / 2),
                                nb_quat_identity(), &body));
    CHECK_OK(nb_step_create(&step_of_box));
    for (int trial = 0; trial < 20; trial++) {
        const double h = 0.01, d = 1e-7;
        double u[VELOCITIES] = {0}, there[2][VELOCITIES], normal[64];
        nb_penalty_rows rows = {.law = {1e4, delta, eps, trial % 4 < 2 ? R(0) : R(0.6), 1e-2, trial % 3 ? 2 : 0}};
        CHECK_OK(nb_contacts_detect(s.world, h, s.contacts));
        CHECK_OK(nb_step_begin(step_of_box, s.world, s.contacts, h, NB_GEOMETRY_JOINTS));
        nb_problem *p = nb_step_problem(step_of_box);
        const int32_t count = nb_penalty_rows_contacts(p);
        assert_in_range(count, 4, 64);
        for (int i = 0; i < count; i++) normal[i] = test_random(&seed, 0, 20);
        if (trial % 2) rows.lagged = normal;
        for (int i = 6; i < VELOCITIES; i++) u[i] = test_random(&seed, -2e-3, 2e-3);
        u[8] += test_random(&seed, -0.1, 0);
        CHECK_OK(nb_penalty_rows_check(&rows, p));
        CHECK_OK(nb_penalty_matrix_make(&matrix, p, trial % 2));
        momentum_at(&rows, p, u, there[0]);
        nb_penalty_rows_slopes(&rows, p, matrix.place, matrix.t);
        nb_penalty_matrix_assemble(&matrix, p, 0);
        const nb_csr *a;
        CHECK_OK(nb_system_matrix(matrix.system, &a));
        assert_int_equal(a->rows, 6);
        double dense[6][6] = {{0}}, largest = 0;
        for (int r = 0; r < 6; r++)
            for (int64_t e = a->start[r]; e < a->start[r + 1]; e++) dense[r][a->column[e]] = a->value[e];
        for (int r = 0; r < 36; r++) largest = fmax(largest, fabs(dense[r / 6][r % 6]));
        for (int c = 0; c < 6; c++) {
            const double at = u[6 + c];
            for (int k = 0; k < 2; k++) {
                u[6 + c] = at + (k ? d : -d);
                momentum_at(&rows, p, u, there[k]);
            }
            u[6 + c] = at;
            /* the law is twice differentiable but at eps and at delta, where differences have their step's error */
            for (int r = 0; r < 6; r++)
                CHECK_NEAR((there[1][6 + r] - there[0][6 + r]) / (2 * d), dense[r][c], 3e-4 * largest);
        }
        for (int r = 0; trial % 2 && r < 6; r++)
            for (int c = 0; c < r; c++) CHECK_NEAR(dense[r][c], dense[c][r], 1e-13 * largest);
    }
    nb_penalty_matrix_clear(&matrix);
    nb_step_destroy(step_of_box);
    close_scene(&s);
}

/* ---- momentum ---- */

/* balls that meet aslant without gravity: what one gets, the other one loses */
TEST(forces_are_opposite) {
    static const char *const options[] = {"friction-coupling=implicit", "friction-coupling=lagged"};
    for (int k = 0; k < 2; k++) {
        scene s;
        int32_t shape, body[2];
        nb_shape *ball;
        open_scene(options[k], "multifrontal", &s);
        s.world->gravity = nb_vec3_of(0, 0, 0);
        CHECK_OK(nb_shape_sphere(0.5, &ball));
        CHECK_OK(nb_world_add_shape(s.world, ball, &shape));
        for (int i = 0; i < 2; i++)
            CHECK_OK(nb_world_add_solid(s.world, NB_BODY_DYNAMIC, shape, 1 + i, 0.5, nb_vec3_of(1.02 * i, 0.1 * i, 0),
                                        nb_quat_identity(), &body[i]));
        s.world->bodies[body[0]].linear_velocity = nb_vec3_of(2, 0.3, 0.7);
        double turned = 0;
        for (int n = 0; n < 20; n++) {
            step(&s, 0.005);
            const nb_vec3 a = s.world->bodies[body[0]].linear_velocity, b = s.world->bodies[body[1]].linear_velocity;
            CHECK_NEAR(a.x + 2 * b.x, 2, 1e-8); /* the residual that a step ends with */
            CHECK_NEAR(a.y + 2 * b.y, 0.3, 1e-8);
            CHECK_NEAR(a.z + 2 * b.z, 0.7, 1e-8);
            turned = nb_norm(s.world->bodies[body[1]].angular_velocity);
        }
        assert_true(s.world->bodies[body[1]].linear_velocity.x > 0.5); /* they met */
        if (k == 0) assert_true(turned > 0.01);
        close_scene(&s);
    }
}

/* ---- damping ---- */

/* Rayleigh's alpha takes the share 1/(1 + alpha h) of a free particle's velocity, and of a body's spin, in each step.
 */
TEST(damping_by_mass_slows_what_is_free) {
    scene s;
    int32_t shape, body;
    nb_shape *ball;
    open_scene("rayleigh-mass=2", "multifrontal", &s);
    const nb_particle *particle = add_particle(&s, mu, 5, 1);
    CHECK_OK(nb_shape_sphere(0.5, &ball));
    CHECK_OK(nb_world_add_shape(s.world, ball, &shape));
    CHECK_OK(
        nb_world_add_solid(s.world, NB_BODY_DYNAMIC, shape, 3, 0.5, nb_vec3_of(9, 0, 9), nb_quat_identity(), &body));
    s.world->bodies[body].angular_velocity = nb_vec3_of(0, 3, 0);
    s.world->gravity = nb_vec3_of(0, 0, 0);
    for (int n = 1; n <= 10; n++) {
        step(&s, 0.1);
        CHECK_NEAR(particle->velocity.x, pow(1.2, -n), 1e-8); /* the residual that a step ends with */
        CHECK_NEAR(s.world->bodies[body].angular_velocity.y, 3 * pow(1.2, -n), 1e-8);
    }
    close_scene(&s);
}

/* Two particles on a spring by the recursion of its stretch, m v1 = m v0 - h k (x0 + h v1) - h beta k v1; one of them
 * may be moved, which the damping is to see. */
TEST(damping_by_stiffness_is_of_the_stretch) {
    const double h = 0.02, k = 100, beta = 0.05;
    for (int moved = 0; moved < 2; moved++) {
        scene s;
        int32_t end[2], index;
        open_scene("rayleigh-stiffness=0.05", "multifrontal", &s);
        s.world->gravity = nb_vec3_of(0, 0, 0);
        for (int i = 0; i < 2; i++) {
            const nb_particle particle = {.kind = moved && i == 0 ? NB_BODY_KINEMATIC : NB_BODY_DYNAMIC,
                                          .mass = 1,
                                          .position = nb_vec3_of(1.1 * i, 0, 0),
                                          .velocity = nb_vec3_of(i == 0 ? 0.3 : 0, 0, 0)};
            CHECK_OK(nb_world_add_particle(s.world, &particle, &end[i]));
        }
        const nb_spring spring = {.particle = {end[0], end[1]}, .length = 1, .stiffness = k};
        CHECK_OK(nb_world_add_spring(s.world, &spring, &index));
        double m = moved ? 1 : 0.5, x = 0.1, v = -0.3;
        for (int n = 0; n < 30; n++) {
            step(&s, h);
            v = (m * v - h * k * x) / (m + h * h * k + h * beta * k);
            x += h * v;
            const nb_particle *p = s.world->particles;
            CHECK_NEAR(p[end[1]].position.x - p[end[0]].position.x, 1 + x, 1e-7); /* 30 steps to 1e-9 m/s */
        }
        close_scene(&s);
    }
}

/* ---- elements ---- */

/* Without contacts a step with elements is that of the other methods, springs and tetrahedra alike. */
TEST(elements_are_those_of_other_methods) {
    static const char *const scenes[] = {"sheet", "bar"}, *const methods[] = {"smoothed", "interior-point"};
    for (int i = 0; i < 2; i++) {
        nb_run *done[2];
        for (int k = 0; k < 2; k++) {
            nb_request request = request_of_scenario(scenes[i], "", 5, 0);
            strcpy(request.info.method, methods[k]);
            request.info.linear_solver[0] = '\0'; /* the method's own */
            request.info.newton_iterations = 200;
            done[k] = run(&request);
        }
        double fastest = 0;
        const nb_snapshot *a = &done[0]->final, *b = &done[1]->final;
        assert_int_equal(a->particles, b->particles);
        for (int j = 0; j < 3 * a->particles; j++) {
            CHECK_NEAR(a->particle_v[j], b->particle_v[j], 1e-7);
            fastest = fmax(fastest, fabs(b->particle_v[j]));
        }
        assert_true(fastest > 0.01);
        for (int k = 0; k < 2; k++) nb_run_destroy(done[k]);
    }
}

/* Steps of a second make a stiff beam's forces cancel to 1e-9 m/s, more than the residual asked for. Changes of the
 * iterate are round-off there, and the step is solved; it took 80 to 130 iterations to stagnate. */
TEST(stiff_elements_end_at_round_off) {
    nb_request request = request_of_scenario("cantilever", "", 3, 0);
    strcpy(request.info.method, "smoothed");
    request.info.linear_solver[0] = '\0'; /* the method's own */
    request.info.newton_iterations = 1000;
    nb_run *done = run(&request);
    assert_int_equal(done->step_count, 3);
    for (int n = 0; n < 3; n++) {
        const double *row = done->steps + n * NB_STEP_COLUMNS;
        assert_int_equal((int)row[NB_STEP_REASON], NB_REASON_CONVERGED);
        CHECK_BELOW(row[NB_STEP_NEWTON_ITERATIONS], 40);
        CHECK_BELOW(row[NB_STEP_NATURAL_MAP_ERROR], 1e-7);
    }
    nb_run_destroy(done);
}

/* ---- what is prescribed ---- */

/* Extrapolated friction knows the gap a step before, which a plane that is shaken comes to with its velocity of the
 * step before. The blocks of a bowl then creep by a few millimetres, as with implicit friction (0.65); with the plane's
 * next velocity they slid by 123, and lagged by 13.6. */
TEST(extrapolated_friction_follows_what_is_prescribed) {
    nb_request request = request_of_scenario("bowl", "", 75, 0);
    strcpy(request.info.method, "smoothed");
    request.info.linear_solver[0] = '\0'; /* the method's own */
    CHECK_OK(nb_request_set_option(&request, "friction-coupling", "extrapolated"));
    nb_run *done = run(&request);
    const double *wall = done->final.q, *block = done->final.q + 7 * 3; /* the first of three */
    const double x = block[0] - wall[0], z = block[2] - wall[2], out = sqrt(x * x + z * z);
    print_message("a block slips by %.2f mm\n", 1e3 * (0.5 - out));
    CHECK_NEAR(out, 0.5, 4e-3);
    nb_run_destroy(done);
}

/* ---- contacts that jam ---- */

/* Walls that move by 0.5 m in a step jam disks. Implicit friction has least residuals there that are no solutions, and
 * comes to one by way of lagged friction and shares; lagged friction is that of a potential, and goes straight. Where
 * contacts are found at iterates, the first step takes 1600 iterations. */
TEST(jammed_contacts_are_solved) {
    for (int k = 0; k < 3; k++) {
        const int lagged = k == 1, found = k == 2;
        nb_request request = request_of_scenario("brazil-nut", "count=40", found ? 2 : 4, 0);
        strcpy(request.info.method, "smoothed");
        request.info.linear_solver[0] = '\0'; /* the method's own */
        request.info.newton_iterations = 4000;
        CHECK_OK(nb_request_set_option(&request, "contact-geometry", found ? "iterate" : "start"));
        if (lagged) CHECK_OK(nb_request_set_option(&request, "friction-coupling", "lagged"));
        nb_run *done = run(&request);
        const int starts = nb_run_newton_column(done, "second_starts");
        double most = 0;
        assert_int_equal(done->step_count, found ? 2 : 4);
        for (int n = 0; n < done->step_count; n++)
            assert_int_equal((int)done->steps[n * NB_STEP_COLUMNS + NB_STEP_REASON], NB_REASON_CONVERGED);
        for (int64_t row = 0; row < done->newton_start[done->step_count]; row++)
            most = fmax(most, nb_run_newton_number(done, row, starts));
        assert_int_equal(most > 0, !lagged);
        nb_run_destroy(done);
    }
}

/* Between walls that friction is steeper than, a stage of tr starts inside of them, and friction holds the block there
 * however stiff contacts are. The step fails at once, and says so; it took 3900 iterations and said that more stiffness
 * may help. */
TEST(a_jam_at_the_start_is_told) {
    nb_request request = request_of_scenario("wedge", "", 10, 0);
    strcpy(request.info.method, "smoothed");
    request.info.linear_solver[0] = '\0'; /* the method's own */
    request.info.newton_iterations = 4000;
    request.info.time_step = 0.05;
    request.scene.integrator = NB_INTEGRATOR_TR;
    nb_run *done = NULL;
    CHECK_OK(nb_simulate_prepare(&request));
    CHECK_OK(nb_simulate(&request, NULL, NULL, &done));
    assert_non_null(strstr(done->fault, "friction jams them"));
    assert_non_null(strstr(done->fault, "smaller --time-step"));
    CHECK_BELOW(done->steps[NB_STEP_COLUMNS * (done->step_count - 1) + NB_STEP_NEWTON_ITERATIONS], 1000);
    nb_run_destroy(done);
    nb_free(request.info.parameters);
}

/* ---- what a step ends with ---- */

/* A residual of 1e-9 m/s of the whole mass is one of 3e-5 m/s of a gram beside 1000 t. */
TEST(light_nodes_are_solved_beside_heavy_ones) {
    scene s;
    int32_t index;
    double largest = 0;
    const nb_particle heavy = {.kind = NB_BODY_DYNAMIC, .mass = 1e6, .position = nb_vec3_of(0, 5, 1e3)};
    open_scene("", "multifrontal", &s);
    add_particle(&s, mu, 5e-3, 0.1)->mass = 1e-3;
    CHECK_OK(nb_world_add_particle(s.world, &heavy, &index));
    for (int i = 0; i < 40; i++) {
        step(&s, 0.01);
        nb_raise(&largest, s.node_residual);
    }
    print_message("a gram is left %.2e m/s\n", largest);
    CHECK_BELOW(largest, 1e-8);
    close_scene(&s);
}

/* One stiffness is the scene's: the heaviest has a gap of delta/2, and what is lighter a larger one. Where a smaller
 * one was given, one repeat comes to that of the heaviest load. Steps are so long that masses count for nothing. */
TEST(a_static_load_has_half_the_tolerance) {
    for (int given = 0; given < 2; given++) {
        scene s;
        int32_t index;
        open_scene(given ? "contact-stiffness=50" : "", "multifrontal", &s);
        s.world->gravity = nb_vec3_of(0, 0, -gravity);
        CHECK_OK(nb_add_ground(s.world, 0, nb_quat_identity(), &index));
        for (int i = 0; i < 2; i++) {
            const nb_particle particle = {
                .kind = NB_BODY_DYNAMIC, .mass = 1 + 2 * i, .position = nb_vec3_of(i, 0, delta / 2)};
            CHECK_OK(nb_world_add_particle(s.world, &particle, &index));
        }
        step(&s, 10);
        CHECK_NEAR(s.repeats, given, 0);
        step(&s, 10);
        CHECK_NEAR(s.repeats, 0, 0);
        CHECK_NEAR(s.stiffness, 4 * 3 * gravity / (3 * delta), given ? 1e-3 * 4e4 : 1e-9 * 4e4);
        CHECK_NEAR(s.least_gap, 0.5, given ? 1e-3 : 1e-6);
        CHECK_NEAR(s.world->particles[0].position.z, loaded_gap(s.stiffness, gravity), 1e-6 * delta);
        close_scene(&s);
    }
}

/* ---- what it does not take ---- */

static void refused(const char *scenario, const char *options, nb_status status, const char *word) {
    nb_request request;
    nb_request_standard(&request);
    strcpy(request.info.scenario, scenario);
    strcpy(request.info.method, "smoothed");
    set_options(options, &request);
    CHECK_FAULT(nb_simulate_prepare(&request), status, word);
    nb_free(request.info.parameters);
}

TEST(says_what_it_does_not_take) {
    nb_request request;
    refused("incline", "linear-solver=cholesky", NB_ERROR_USAGE, "does not support unsymmetric systems");
    refused("incline", "friction-iterations=2", NB_ERROR_USAGE, "requires --friction-coupling lagged");
    refused("incline", "static-mu=0.5 stribeck-velocity=1e-4", NB_ERROR_USAGE, "Stribeck velocity");
    refused("incline", "friction-tolerance=0", NB_ERROR_USAGE, "range");
    refused("incline", "contact-tolerance=-1", NB_ERROR_USAGE, "range");
    refused("incline", "contact-stiffness=-1", NB_ERROR_USAGE, "range");
    refused("incline", "contact-stiffness=0", NB_ERROR_USAGE, "range");
    nb_request_standard(&request);
    strcpy(request.info.scenario, "incline");
    strcpy(request.info.method, "smoothed");
    request.scene.stepping.scheme = NB_STEPPING_TASORA;
    CHECK_FAULT(nb_simulate_prepare(&request), NB_ERROR_UNSUPPORTED, "requires --time-stepping implicit");
    nb_free(request.info.parameters);
}

RUN_TESTS(implicit_friction_stops_the_slide, lagged_friction_slides_farther, a_sticking_particle_creeps,
          a_growing_load_slips_at_its_step, a_pull_beyond_the_peak_slides,
          a_step_beyond_the_bound_of_one_solution_is_told, steps_beyond_the_bound_are_solved,
          the_matrix_is_the_residuals_derivative, forces_are_opposite, damping_by_mass_slows_what_is_free,
          damping_by_stiffness_is_of_the_stretch, elements_are_those_of_other_methods, stiff_elements_end_at_round_off,
          extrapolated_friction_follows_what_is_prescribed, jammed_contacts_are_solved, a_jam_at_the_start_is_told,
          light_nodes_are_solved_beside_heavy_ones, a_static_load_has_half_the_tolerance, says_what_it_does_not_take)

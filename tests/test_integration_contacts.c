/* Integrators with contacts, smoothed and hard: closed forms of slides and falls, what lagged friction is of, and how
 * bodies rebound. */
#include "model/energy.h"
#include "staged_scene.h"

NB_PRECISIONS(f64);

/* ---- smoothed friction ---- */

/* The way of a particle on a slope until its speed is eps, from 0.1 m/s. */
static double way(nb_integrator integrator, const char *options, double h, double gap) {
    const double slope = 10 * 0.017453292519943295, g = 9.81;
    scene s;
    int32_t index;
    open_scene(integrator, "smoothed", options, &s);
    s.world->settings.contact_margin = 0.05;
    s.world->gravity = nb_vec3_of(g * sin(slope), 0, -g * cos(slope));
    CHECK_OK(nb_add_ground(s.world, 0.177, nb_quat_identity(), &index));
    nb_particle *particle = add_particle(&s, 1, nb_vec3_of(0, 0, gap), nb_vec3_of(0.1, 0, 0));
    particle->friction = 0.177;
    begin(&s);
    for (int n = 0; n < 4000 && particle->velocity.x > 1e-3; n++) step(&s, h);
    const double x = particle->position.x;
    close_scene(&s);
    print_message("%s, %s: %.5f m\n", nb_integrator_names[integrator], options, x);
    return x;
}

/* The closed form's .768915 m, less v0 h/2 by be. Under the load of its weight friction does not change, and lagging it
 * does nothing. From a gap, two passes in each stage are enough; there tr, which damps nothing, rebounds. */
TEST(all_integrators_stop_the_slide) {
    const double kappa = 1e4, thickness = 1e-3, h = 0.02, load = 9.81 * cos(10 * 0.017453292519943295);
    const double loaded = thickness - sqrt(load * thickness / (3 * kappa));
    for (int i = 0; i < NB_INTEGRATORS; i++) {
        const double known = 0.768915 - (i == NB_INTEGRATOR_BE ? 0.1 * h / 2 : 0);
        CHECK_NEAR(way((nb_integrator)i, "contact-stiffness=10000", h, loaded), known, 1e-4);
        CHECK_NEAR(way((nb_integrator)i, "contact-stiffness=10000 friction-coupling=lagged", h, loaded), known, 1e-4);
        if (i == NB_INTEGRATOR_TR) continue;
        CHECK_NEAR(
            way((nb_integrator)i, "friction-coupling=lagged friction-iterations=9 lag-tolerance=1e-6", h, thickness),
            known, 2e-4);
    }
}

static void press_in_turns(nb_world *world, double h) {
    world->gravity = nb_vec3_of(0, 0, -20 * (1 + 0.5 * sin(6 * (world->time + h))));
}

static const double stiffness = 200, delta = 0.5; /* of the contact below */

/* a particle of 1 kg that slides at 20 m/s, at this gap, and is pressed down by a load which changes */
static nb_particle *open_slide(nb_integrator integrator, const char *coupling, double gap, scene *s) {
    char options[256];
    int32_t index;
    snprintf(options, sizeof options, "contact-stiffness=%g contact-tolerance=%g friction-coupling=%s", stiffness,
             delta, coupling);
    open_scene(integrator, "smoothed", options, s);
    s->world->settings.contact_margin = 1;
    s->world->prescribe = press_in_turns;
    CHECK_OK(nb_add_ground(s->world, 0.3, nb_quat_identity(), &index));
    nb_particle *particle = add_particle(s, 1, nb_vec3_of(0, 0, gap), nb_vec3_of(20, 0, 0));
    particle->friction = 0.3;
    begin(s);
    return particle;
}

/* Lagged friction is of the normal force at the step's start in every stage. From a gap it is none in the first step,
 * and then that of the gap there, of which a step of bdf2 has two thirds. */
TEST(lagged_friction_is_of_the_steps_start) {
    const double h = 0.05;
    for (int k = 0; k < 2; k++) {
        scene s;
        const nb_particle *particle = open_slide(k ? NB_INTEGRATOR_BDF2 : NB_INTEGRATOR_SDIRK2, "lagged", delta, &s);
        step(&s, h);
        CHECK_NEAR(particle->velocity.x, 20, 1e-12);
        const double closed = delta - particle->position.z, force = 3 * stiffness * closed * closed / delta;
        assert_true(force > 0.1);
        step(&s, h);
        CHECK_NEAR(particle->velocity.x, 20 - (k ? 2. / 3 : 1) * h * 0.3 * force, 1e-10);
        close_scene(&s);
    }
}

/* its velocity after a second, from a loaded start */
static double slid(nb_integrator integrator, const char *coupling, int steps) {
    scene s;
    const nb_particle *particle = open_slide(integrator, coupling, delta - sqrt(20 * delta / (3 * stiffness)), &s);
    for (int n = 0; n < steps; n++) step(&s, 1.0 / steps);
    const double speed = particle->velocity.x;
    close_scene(&s);
    return speed;
}

/* Friction of the normal force at the stage's end has order 2: implicit, or continued there from the step's start. That
 * of decoupled-tr is of order 1 (test_smoothed_motion.c). */
TEST(extrapolated_friction_is_of_order_two) {
    enum {
        STEPS = 200
    };
    const double exact =
        (4 * slid(NB_INTEGRATOR_TR_BDF2, "implicit", 2000) - slid(NB_INTEGRATOR_TR_BDF2, "implicit", 1000)) / 3;
    for (int i = 1; i < NB_INTEGRATORS; i++)
        for (int how = 0; how < 2 && i != NB_INTEGRATOR_DECOUPLED_TR; how++) {
            double errors[2];
            for (int k = 0; k < 2; k++)
                errors[k] = fabs(slid((nb_integrator)i, how ? "extrapolated" : "implicit", STEPS << k) - exact);
            check_order((nb_integrator)i, errors, 2);
        }
}

/* Five masses on four springs fall upright at 7.06 m/s: the part of that energy that their centre of mass has when they
 * have left the ground. */
static double rebound(nb_integrator integrator, double h) {
    enum {
        MASSES = 5
    };
    const double speed = 7.06, spacing = 0.1, thickness = 0.01;
    scene s;
    int32_t index;
    double v = 0, lowest = 0;
    open_scene(integrator, "smoothed", "contact-stiffness=1e5 contact-tolerance=0.01", &s);
    s.world->settings.contact_margin = 0.05;
    s.world->gravity = nb_vec3_of(0, 0, 0);
    CHECK_OK(nb_add_ground(s.world, 0, nb_quat_identity(), &index));
    for (int i = 0; i < MASSES; i++)
        add_particle(&s, 0.2, nb_vec3_of(0, 0, 1.1 * thickness + spacing * i), nb_vec3_of(0, 0, -speed));
    for (int i = 0; i + 1 < MASSES; i++)
        CHECK_OK(nb_world_add_spring(s.world, &(nb_spring){{i, i + 1}, spacing, 8.1e4}, &index));
    begin(&s);
    for (double t = 0; t < 0.1 && (v <= 0 || lowest < thickness); t += h) {
        step(&s, h);
        v = 0;
        lowest = INFINITY;
        for (int i = 0; i < MASSES; i++) {
            v += s.world->particles[i].velocity.z / MASSES;
            lowest = fmin(lowest, s.world->particles[i].position.z);
        }
    }
    close_scene(&s);
    return v * v / (speed * speed);
}

/* Larionov et al., fig. 10: at steps of 1 ms be rebounds least, then bdf2, then those of two stages, from below the
 * limit, at which those of order 2 are at 1/16 ms. */
TEST(rebounds_are_in_the_papers_order) {
    double coarse[NB_INTEGRATORS], fine[NB_INTEGRATORS];
    for (int i = 0; i < NB_INTEGRATORS; i++) {
        coarse[i] = rebound((nb_integrator)i, 1e-3);
        fine[i] = rebound((nb_integrator)i, 6.25e-5);
        print_message("%s: %.3f, %.4f\n", nb_integrator_names[i], coarse[i], fine[i]);
        if (i != NB_INTEGRATOR_BE && i != NB_INTEGRATOR_DECOUPLED_TR) CHECK_NEAR(fine[i], fine[NB_INTEGRATOR_TR], 1e-3);
    }
    const double limit = fine[NB_INTEGRATOR_TR_BDF2];
    assert_true(coarse[NB_INTEGRATOR_BE] < 0.5 * limit);
    assert_true(coarse[NB_INTEGRATOR_BE] < coarse[NB_INTEGRATOR_BDF2]);
    assert_true(coarse[NB_INTEGRATOR_BDF2] < coarse[NB_INTEGRATOR_SDIRK2]);
    CHECK_NEAR(coarse[NB_INTEGRATOR_SDIRK2], coarse[NB_INTEGRATOR_TR_BDF2], 0.01);
    assert_true(coarse[NB_INTEGRATOR_TR_BDF2] < limit && fine[NB_INTEGRATOR_BE] < 0.9 * limit);
}

/* ---- energy ---- */

/* The most energy of a particle that falls on ground at 2 m/s and bounces for 3 s, over its energy at first; contact
 * springs have theirs, too. Contacts are stiff enough
 * to stay as stiff, and the first step meets none. */
static double most_energy(nb_integrator integrator, double h, double kappa) {
    const double g = 9.81, thickness = 0.05;
    char options[128];
    scene s;
    int32_t index;
    double most = 0;
    snprintf(options, sizeof options, "contact-tolerance=%g contact-stiffness=%g", thickness, kappa);
    open_scene(integrator, "smoothed", options, &s);
    s.world->settings.contact_margin = 0.1;
    s.world->gravity = nb_vec3_of(0, 0, -g);
    CHECK_OK(nb_add_ground(s.world, 0, nb_quat_identity(), &index));
    const nb_particle *particle = add_particle(&s, 1, nb_vec3_of(0, 0, 2 * thickness), nb_vec3_of(0, 0, -2));
    begin(&s);
    for (int n = 0; n < (int)lround(3 / h); n++) {
        step(&s, h);
        const double z = particle->position.z, v = particle->velocity.z, deep = fmax(0, thickness - z);
        most = fmax(most, v * v / 2 + g * z + kappa * deep * deep * deep / thickness);
    }
    close_scene(&s);
    return most / (2 + g * 2 * thickness);
}

/* Forces of the end do no more work than the convex energy of contacts loses, which tr lacks where contacts last a step
 * or two. */
TEST(contact_at_the_end_never_gains_energy) {
    const double kappa[] = {4e3, 4e4};
    double worst = 0;
    for (int k = 0; k < 2; k++)
        for (double h = 0.02; h > 0.001; h /= 2) {
            const double decoupled = most_energy(NB_INTEGRATOR_DECOUPLED_TR, h, kappa[k]),
                         coupled = most_energy(NB_INTEGRATOR_TR, h, kappa[k]);
            print_message("kappa %g, h %g: %.6f decoupled, %.6f coupled\n", kappa[k], h, decoupled, coupled);
            assert_true(decoupled <= 1 + 1e-9);
            worst = fmax(worst, coupled);
        }
    assert_true(worst > 2);
}

/* Steps of decoupled-tr as Li et al. 2020 have them: v+ - v = -h g + h lambda(z+)/m, z+ = z + h (v + v+)/2, by
 * bisection. The first step has no rate, and is left to the method. */
TEST(decoupled_steps_are_those_of_the_paper) {
    const double g = 9.81, h = 0.005, kappa = 4e3, thickness = 0.01;
    scene s;
    int32_t index;
    open_scene(NB_INTEGRATOR_DECOUPLED_TR, "smoothed", "contact-tolerance=0.01 contact-stiffness=4000", &s);
    s.world->settings.contact_margin = 0.1;
    s.world->gravity = nb_vec3_of(0, 0, -g);
    CHECK_OK(nb_add_ground(s.world, 0, nb_quat_identity(), &index));
    const nb_particle *particle = add_particle(&s, 0.5, nb_vec3_of(0, 0, 0.02), nb_vec3_of(0, 0, -0.5));
    begin(&s);
    step(&s, h);
    for (int n = 0; n < 40; n++) {
        const double z = particle->position.z, v = particle->velocity.z;
        double low = v - h * g, high = fmax(v - h * g, 10);
        for (int k = 0; k < 100; k++) {
            const double next = (low + high) / 2, deep = fmax(0, thickness - z - h * (v + next) / 2);
            const double by = v - h * g + h * 3 * kappa * deep * deep / thickness / 0.5;
            if (next < by)
                low = next;
            else
                high = next;
        }
        step(&s, h);
        CHECK_NEAR(particle->velocity.z, high, 1e-8);
        CHECK_NEAR(particle->position.z, z + h * (v + high) / 2, 1e-10);
    }
    close_scene(&s);
}

/* ---- hard contacts ---- */

/* A ball that slides comes to roll at 5/7 of its speed, whatever friction did on the way. */
TEST(a_ball_comes_to_roll) {
    for (int k = 0; k < 2; k++) {
        const double r = 0.1, mass = 2, i0 = 0.4 * mass * r * r;
        nb_body b = {.kind = NB_BODY_DYNAMIC,
                     .mass = mass,
                     .inertia = nb_vec3_of(i0, i0, i0),
                     .position = nb_vec3_of(0, 0, r),
                     .orientation = nb_quat_identity(),
                     .linear_velocity = nb_vec3_of(1, 0, 0),
                     .friction = 0.3};
        nb_shape *ball;
        scene s;
        int32_t index;
        open_scene(NB_INTEGRATOR_DECOUPLED_TR, k ? "auto" : "newton", "", &s);
        s.world->settings.contact_margin = 0.05;
        CHECK_OK(nb_add_ground(s.world, 0.3, nb_quat_identity(), &index));
        CHECK_OK(nb_shape_sphere(r, &ball));
        CHECK_OK(nb_world_add_shape(s.world, ball, &b.shape));
        CHECK_OK(nb_world_add_body(s.world, &b, &index));
        begin(&s);
        for (int n = 0; n < 20; n++) step(&s, 0.01);
        const nb_body *end = &s.world->bodies[index];
        CHECK_NEAR(end->linear_velocity.x, 5.0 / 7, 1e-9);
        CHECK_NEAR(end->angular_velocity.y, 5.0 / 7 / r, 1e-8);
        CHECK_NEAR(end->position.z, r, 1e-9);
        close_scene(&s);
    }
}

/* The way in `time` of a particle at this height over ground that slopes so, with these velocities. */
static double hard_way(nb_integrator integrator, nb_impacts_by impacts, double h, double slope, double height,
                       double speed, double time) {
    const double g = 9.81;
    scene s;
    int32_t index;
    open_scene(integrator, "auto", "", &s);
    s.world->settings.impacts = impacts;
    s.world->settings.contact_margin = 0.05;
    s.world->gravity = nb_vec3_of(g * sin(slope), 0, -g * cos(slope));
    CHECK_OK(nb_add_ground(s.world, 0.177, nb_quat_identity(), &index));
    nb_particle *particle = add_particle(&s, 1, nb_vec3_of(0, 0, height), nb_vec3_of(speed, 0, 0));
    particle->friction = 0.177;
    begin(&s);
    for (int n = 0; n < (int)lround(time / h); n++) step(&s, h);
    const double x = particle->position.x;
    close_scene(&s);
    return x;
}

/* Where friction stops a slide the order is not lost; be misses v0 h/2. */
TEST(a_stop_keeps_the_order) {
    const double slope = 10 * 0.017453292519943295, a = 9.81 * (0.177 * cos(slope) - sin(slope));
    for (int i = 0; i < NB_INTEGRATORS; i++)
        for (double h = 0.08; h > 0.01; h /= 2)
            for (int by = 0; by < NB_IMPACTS_KINDS; by++) {
                const double error =
                    hard_way((nb_integrator)i, (nb_impacts_by)by, h, slope, 0, 0.1, 16) - 0.01 / (2 * a);
                print_message("%s, h %g: %.3g m\n", nb_integrator_names[i], h, error);
                CHECK_NEAR(error, i == NB_INTEGRATOR_BE ? -0.1 * h / 2 : 0, 0.007 * h * h);
            }
}

/* A particle that falls from 0.3 m and slides on has lost mu times its speed down. Steps of be come to that with h. By
 * the others alone y* goes on into the ground, and the particle leaves it, the faster the deeper that is: by chance of
 * where steps fall, and no less as h falls. Where be makes the impact, its time is known to h, and the error is of
 * order 1, of less than a step of sliding at what friction takes. */
TEST(an_impact_leaves_no_order_but_bes) {
    const double g = 9.81, mu = 0.177, height = 0.3, time = 0.6, fall = sqrt(2 * height / g), rest = time - fall;
    const double exact = 2 * fall + (2 - mu * g * fall) * rest - mu * g * rest * rest / 2;
    double worst[NB_INTEGRATORS] = {0};
    for (int i = 0; i < NB_INTEGRATORS; i++)
        for (double h = 0.02; h > 0.001; h /= 2) {
            const double error = hard_way((nb_integrator)i, NB_IMPACTS_INTEGRATOR, h, 0, height, 2, time) - exact,
                         by_be = hard_way((nb_integrator)i, NB_IMPACTS_BY_BE, h, 0, height, 2, time) - exact;
            print_message("%s, h %g: %.3g m, impact by be %.3g\n", nb_integrator_names[i], h, error, by_be);
            worst[i] = fmax(worst[i], fabs(error));
            assert_true(fabs(by_be) <= (mu * g * fall + mu * g * rest) * h);
            if (i == NB_INTEGRATOR_BE) CHECK_NEAR(error / h, -0.52, 0.01);
            if (i != NB_INTEGRATOR_BE && h < 0.002) assert_true(worst[i] > worst[NB_INTEGRATOR_BE]);
        }
}

/* ---- impacts by be ---- */

static nb_body *add_ball(scene *s, nb_vec3 position, nb_vec3 velocity) {
    const double r = 0.1, mass = 2, i0 = 0.4 * mass * r * r;
    int32_t index;
    nb_shape *ball;
    nb_body b = {.kind = NB_BODY_DYNAMIC,
                 .mass = mass,
                 .inertia = nb_vec3_of(i0, i0, i0),
                 .position = position,
                 .orientation = nb_quat_identity(),
                 .linear_velocity = velocity};
    CHECK_OK(nb_shape_sphere(r, &ball));
    CHECK_OK(nb_world_add_shape(s->world, ball, &b.shape));
    CHECK_OK(nb_world_add_body(s->world, &b, &index));
    return &s->world->bodies[index];
}

/* A ball that falls on rigid ground comes to rest there, and two that meet in free flight have lost what their centre
 * of mass does not have, whatever integrator makes the other steps and wherever these fall. Energy never grows. */
TEST(impacts_by_be_add_no_energy) {
    for (int i = 1; i < NB_INTEGRATORS; i++)
        for (int k = 0; k < 8; k++)
            for (int flies = 0; flies < 2; flies++) {
                const double h = 0.02 * pow(0.83, k);
                scene s;
                int32_t index;
                open_scene((nb_integrator)i, "auto", "", &s);
                s.world->settings.impacts = NB_IMPACTS_BY_BE;
                s.world->settings.contact_margin = 0.02;
                if (flies) s.world->gravity = nb_vec3_of(0, 0, 0);
                if (!flies) CHECK_OK(nb_add_ground(s.world, 0.3, nb_quat_identity(), &index));
                add_ball(&s, nb_vec3_of(0, 0, 0.3), nb_vec3_of(0, 0, 0));
                if (flies) add_ball(&s, nb_vec3_of(0, 0, 1.1), nb_vec3_of(0, 0, -1.8));
                begin(&s);
                double energy = nb_world_kinetic_energy(s.world) + nb_world_potential_energy(s.world);
                const double size = energy;
                for (int n = 0; n < (int)(1 / h); n++) {
                    step(&s, h);
                    const double now = nb_world_kinetic_energy(s.world) + nb_world_potential_energy(s.world);
                    if (!(now <= energy + 1e-9 * size))
                        fail_msg("%s, h %g: %g J from nothing", nb_integrator_names[i], h, now - energy);
                    energy = now;
                }
                CHECK_NEAR(nb_world_kinetic_energy(s.world), flies ? size / 2 : 0, 1e-9 * size);
                close_scene(&s);
            }
}

/* What is closed is known by bodies and feature; what has neither gap nor impulse stays what it was. */
TEST(contacts_that_open_and_close_are_noticed) {
    nb_impacts impacts = {0};
    static const struct {
        int closure[3]; /* of features 5, 6 and 7; -1: not detected */
        int differs;
    } stages[] = {{{NB_CONTACT_OPEN, NB_CONTACT_EITHER, -1}, 0},
                  {{NB_CONTACT_CLOSED, NB_CONTACT_EITHER, -1}, 1},
                  {{NB_CONTACT_CLOSED, NB_CONTACT_OPEN, NB_CONTACT_OPEN}, 0},
                  {{NB_CONTACT_EITHER, NB_CONTACT_OPEN, NB_CONTACT_CLOSED}, 1},
                  {{NB_CONTACT_EITHER, -1, NB_CONTACT_CLOSED}, 0},
                  {{-1, -1, NB_CONTACT_CLOSED}, 1},
                  {{NB_CONTACT_EITHER, -1, NB_CONTACT_OPEN}, 1},
                  {{NB_CONTACT_EITHER, -1, NB_CONTACT_EITHER}, 0}};
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++) {
        nb_impacts_begin(&impacts);
        for (int f = 0; f < 3; f++)
            if (stages[k].closure[f] >= 0)
                CHECK_OK(nb_impacts_note(&impacts, 1, 0, 5 + (uint64_t)f, (nb_closure)stages[k].closure[f]));
        assert_int_equal(nb_impacts_differ(&impacts), stages[k].differs);
        nb_impacts_end_step(&impacts);
    }
    nb_impacts_clear(&impacts);
}

RUN_TESTS(all_integrators_stop_the_slide, lagged_friction_is_of_the_steps_start, extrapolated_friction_is_of_order_two,
          rebounds_are_in_the_papers_order, contact_at_the_end_never_gains_energy,
          decoupled_steps_are_those_of_the_paper, a_ball_comes_to_roll, a_stop_keeps_the_order,
          an_impact_leaves_no_order_but_bes, impacts_by_be_add_no_energy, contacts_that_open_and_close_are_noticed)

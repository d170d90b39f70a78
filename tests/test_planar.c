/* Planar worlds: no method takes a body out of the plane, nothing that leads out of it has a part in the motion, and
 * whatever would begin outside is refused. */
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "contact/contact.h"
#include "contact/frame.h"
#include "measure/iterate.h"
#include "registry.h"
#include "run/resolve.h"
#include "run/scene_run.h"
#include "scenario_run.h"
#include "step/stepper.h"

NB_PRECISIONS(f64);

/* Disks in a box, whose contacts turn through all directions, from the impulses of the step before: where the tangents
 * changed places, friction in the plane came to lead out of it, by up to 1.2 m in these steps. */
TEST(no_method_leaves_the_plane) {
    const nb_method_class *method;
    for (int i = 0; (method = nb_method_at(i)) != NULL; i++) {
        const int sweeps = method->alone && !method->finds_contacts; /* the others cost more */
        nb_request request = request_of_scenario("brazil-nut", "count=20", sweeps ? 40 : 10, 0);
        strcpy(request.info.method, method->name);
        *request.info.linear_solver = '\0';
        request.info.newton_iterations = sweeps ? 200 : 30;
        request.info.warm_start = 1;
        request.scene.friction_law = NB_FRICTION_RELAXED;
        if (!method->finds_contacts && !method->springs && !method->gives_way)
            request.scene.stepping.scheme = NB_STEPPING_ANITESCU_HART;
        if (method->finds_contacts || method->springs) request.scene.friction_law = NB_FRICTION_COULOMB;
        while (method->friction_laws && !(method->friction_laws >> request.scene.friction_law & 1))
            request.scene.friction_law = (request.scene.friction_law + 1) % NB_FRICTION_LAWS;
        nb_run *done = run(&request);
        for (int32_t b = 3; b < done->final.bodies; b++) { /* behind the box */
            const double *q = done->final.q + 7 * (int64_t)b, *u = done->final.u + 6 * (int64_t)b;
            const double out[] = {q[1], q[4], q[6], u[1], u[3], u[5]};
            for (int k = 0; k < 6; k++)
                if (out[k] != 0) fail_msg("%s: body %d is out of the plane by %g", method->name, (int)b, out[k]);
        }
        nb_run_destroy(done);
    }
}

/* ---- own worlds ---- */

static int32_t add_disk(nb_world *world, int32_t shape, double x, double z, double across) {
    int32_t index;
    const nb_body disk = {.kind = NB_BODY_DYNAMIC,
                          .mass = 2,
                          .inertia = nb_vec3_of(across, 0.3, across),
                          .position = nb_vec3_of(x, 0, z),
                          .orientation = nb_quat_identity(),
                          .linear_velocity = nb_vec3_of(0.5, 0, -0.2),
                          .shape = shape,
                          .friction = 0.4};
    CHECK_OK(nb_world_add_body(world, &disk, &index));
    return index;
}

/* three disks in a wedge, with these moments about axes in the plane */
static nb_world *make_wedge(double across) {
    nb_world *world;
    nb_shape *shape;
    int32_t disk, half_space, index;
    CHECK_OK(nb_world_create(&world));
    world->planar = 1;
    CHECK_OK(nb_shape_sphere(0.5, &shape));
    CHECK_OK(nb_world_add_shape(world, shape, &disk));
    CHECK_OK(nb_shape_half_space(&shape));
    CHECK_OK(nb_world_add_shape(world, shape, &half_space));
    for (int side = -1; side <= 1; side += 2)
        CHECK_OK(nb_world_add_solid(world, NB_BODY_FIXED, half_space, 0, 0.4, nb_vec3_of(0, 0, 0),
                                    nb_quat_about(nb_vec3_of(0, 1, 0), side * 0.6), &index));
    add_disk(world, disk, -0.6, 1.2, across);
    add_disk(world, disk, 0.6, 1.1, across);
    add_disk(world, disk, 0.1, 2.0, across);
    return world;
}

static void make_steps(nb_world *world, const char *method, int steps) {
    const double h = 0.01;
    void *stepper;
    nb_contacts *contacts;
    nb_measure *measure;
    nb_step_outcome outcome;
    nb_step_counts counts;
    nb_request request;
    nb_request_standard(&request);
    strcpy(request.info.scenario, "disks"); /* any: the options are those of the method */
    strcpy(request.info.method, method);
    request.info.newton_iterations = 5000;
    request.info.newton_tolerance = 1e-12;
    CHECK_OK(nb_request_resolve(&request));
    const nb_method_settings settings = nb_request_settings(&request);
    CHECK_OK(nb_stepper_f64.create(method, &settings, &stepper));
    CHECK_OK(nb_contacts_create(&contacts));
    CHECK_OK(nb_measure_create(&measure));
    for (int i = 0; i < steps; i++) {
        CHECK_OK(nb_contacts_detect(world, h, contacts));
        CHECK_OK(nb_stepper_f64.begin(stepper, world, contacts, h, 1));
        CHECK_OK(nb_measure_begin(measure, world, contacts, h, 1));
        CHECK_OK(nb_stepper_f64.step(stepper, world, contacts, h, 0, measure, NULL, &outcome, &counts, NULL));
    }
    nb_stepper_f64.destroy(stepper);
    nb_contacts_destroy(contacts);
    nb_measure_destroy(measure);
}

/* With no inverse inertia about axes in the plane to speak of, the motion is the same: to the tolerance, which rows
 * across the plane have a part in by their weights. */
TEST(moments_across_have_no_part) {
    static const char *const methods[] = {"interior-point", "psor", "apgd", "newton"};
    for (int m = 0; m < 4; m++) {
        nb_world *light = make_wedge(0.1), *heavy = make_wedge(1e9);
        make_steps(light, methods[m], 30);
        make_steps(heavy, methods[m], 30);
        for (int32_t b = 2; b < 5; b++) {
            nb_vec3 apart = nb_sub(light->bodies[b].position, heavy->bodies[b].position);
            CHECK_NEAR(nb_norm(apart), 0, 1e-9); /* 30 steps of 0.01 s at 1e-12 m/s, times 1000 for what steps add */
            assert_true(light->bodies[b].position.y == 0 && heavy->bodies[b].position.y == 0);
        }
        nb_world_destroy(light);
        nb_world_destroy(heavy);
    }
}

/* right-handed, orthonormal, and without a jump on the whole circle of normals */
TEST(tangents_go_round_without_a_jump) {
    const int count = 1000;
    nb_world *world;
    nb_vec3 before = {0};
    CHECK_OK(nb_world_create(&world));
    world->planar = 1;
    for (int i = 0; i <= count; i++) {
        const double angle = 2 * acos(-1.0) * i / count;
        nb_vec3 n = nb_vec3_of(sin(angle), 0, cos(angle)), t1, t2;
        nb_contact_tangents(world, n, &t1, &t2);
        CHECK_NEAR(nb_norm(nb_sub(nb_cross(n, t1), t2)), 0, 1e-15);
        CHECK_NEAR(nb_dot(n, t1), 0, 1e-15);
        assert_true(t1.y == 0 && t2.x == 0 && t2.y == 1 && t2.z == 0);
        if (i > 0) CHECK_BELOW(nb_norm(nb_sub(t1, before)), 7.0 / count);
        before = t1;
    }
    nb_world_destroy(world);
}

/* the corners of a prism come in pairs in space, and singly in the plane; a face beside the plane touches nothing */
TEST(contacts_are_those_of_the_plane) {
    for (int planar = 0; planar < 2; planar++) {
        nb_world *world;
        nb_contacts *contacts;
        nb_shape *shape;
        int32_t box, half_space, index;
        CHECK_OK(nb_world_create(&world));
        CHECK_OK(nb_contacts_create(&contacts));
        world->planar = planar;
        world->settings.contact_margin = 0.01;
        CHECK_OK(nb_shape_box(nb_vec3_of(1, 2, 3), &shape));
        CHECK_OK(nb_world_add_shape(world, shape, &box));
        CHECK_OK(nb_shape_half_space(&shape));
        CHECK_OK(nb_world_add_shape(world, shape, &half_space));
        CHECK_OK(nb_world_add_solid(world, NB_BODY_DYNAMIC, box, 1, 0.5, nb_vec3_of(0, 0, 3.001), nb_quat_identity(),
                                    &index));
        CHECK_OK(nb_world_add_solid(world, NB_BODY_FIXED, half_space, 0, 0.5, nb_vec3_of(0, 0, 0), nb_quat_identity(),
                                    &index));
        CHECK_OK(nb_world_add_solid(world, NB_BODY_FIXED, half_space, 0, 0.5, nb_vec3_of(0, -2.001, 0),
                                    nb_quat_about(nb_vec3_of(1, 0, 0), -acos(0)), &index));
        CHECK_OK(nb_contacts_detect(world, 0.01, contacts));
        assert_int_equal(contacts->count, planar ? 2 : 8);
        for (int32_t i = 0; planar && i < contacts->count; i++) {
            assert_true(contacts->items[i].point_a.y == 0 && contacts->items[i].point_b.y == 0);
            CHECK_NEAR(contacts->items[i].gap, 0.001, 1e-15);
        }
        nb_contacts_destroy(contacts);
        nb_world_destroy(world);
    }
}

TEST(copies_begin_in_the_plane) {
    nb_world *world = make_wedge(0.1);
    nb_perturb(world, 0.01, test_seed(), 3);
    for (int32_t b = 2; b < 5; b++) {
        const nb_body *body = &world->bodies[b];
        assert_true(body->position.y == 0 && body->linear_velocity.y == 0);
        assert_true(body->angular_velocity.x == 0 && body->angular_velocity.z == 0);
        assert_true(body->linear_velocity.x != 0.5 && body->angular_velocity.y != 0);
    }
    nb_world_destroy(world);
}

TEST(what_leaves_the_plane_is_refused) {
    nb_world *world = make_wedge(0.1);
    int32_t index;
    for (int k = 0; k < 9; k++) {
        nb_body body = world->bodies[2];
        double *const numbers[] = {
            &body.position.y,         &body.linear_velocity.y, &body.force.y, &body.angular_velocity.x,
            &body.angular_velocity.z, &body.torque.x,          &body.torque.z};
        if (k < 7)
            *numbers[k] = 1e-30;
        else
            body.orientation = nb_quat_about(nb_vec3_of(k == 7, 0, k == 8), 1e-20);
        CHECK_FAULT(nb_world_add_body(world, &body, &index), NB_ERROR_INPUT, "in the plane y = 0");
    }
    CHECK_FAULT(nb_world_add_particle(world, &(nb_particle){.mass = 1}, &index), NB_ERROR_UNSUPPORTED, "planar");
    nb_world_destroy(world);
    nb_request request = request_of_scenario("three-disks", "", 1, 1e-8);
    request.scene.friction_ratio = 0.5;
    request.scene.friction_direction = 0.3;
    nb_run *none;
    CHECK_OK(nb_simulate_prepare(&request));
    CHECK_FAULT(nb_simulate(&request, NULL, NULL, &none), NB_ERROR_USAGE, "--friction-direction must be 0");
    nb_run_destroy(none);
    nb_free(request.info.parameters);
}

RUN_TESTS(no_method_leaves_the_plane, moments_across_have_no_part, tangents_go_round_without_a_jump,
          contacts_are_those_of_the_plane, copies_begin_in_the_plane, what_leaves_the_plane_is_refused)

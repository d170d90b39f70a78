/* Steps of one world written in other units of length, time and mass: every method makes the same of them, with the
 * tolerance in the same unit of velocity. In powers of two nothing rounds otherwise. */
#include <string.h>

#include "../scenarios/common.h"
#include "base/largest.h"
#include "base/memory.h"
#include "check.h"
#include "registry.h"
#include "run/resolve.h"
#include "run/simulate.h"
#include "step/stepper.h"

NB_PRECISIONS(f64);

enum {
    STEPS = 4,
    BODIES = 5
};

typedef struct units {
    const char *name;
    double length, time, mass;
} units;

static const units binary[] = {
    {"lengths x 128, times x 8, masses x 1024", 128, 8, 1024},
    {"lengths / 2^14, times / 2^7, masses / 2^42", 0x1p-14, 0x1p-7, 0x1p-42}, /* grains of 30 micrometres */
    {"masses x 2^30", 1, 1, 0x1p30},
};

static nb_vec3 at(const units *u, double x, double y, double z) {
    return nb_vec3_of(u->length * x, u->length * y, u->length * z);
}

/* balls that roll into a box, and one on top of it that hangs on a rope, and where `hinged` on a hinge on the box, too:
 * rows in m and in rad */
static nb_world *make(const units *u, int hinged) {
    nb_world *world;
    int32_t ball, box, body[BODIES];
    const double speed = u->length / u->time;
    CHECK_OK(nb_world_create(&world));
    world->settings.contact_margin = 0.01 * u->length;
    world->gravity = nb_vec3_of(0, 0, -9.81 * u->length / (u->time * u->time));
    CHECK_OK(nb_add_ground(world, 0.5, nb_quat_identity(), &body[0]));
    nb_shape *shape;
    CHECK_OK(nb_shape_sphere(0.5 * u->length, &shape));
    CHECK_OK(nb_world_add_shape(world, shape, &ball));
    CHECK_OK(nb_add_box_shape(world, at(u, 0.5, 0.5, 0.5), &box));
    const nb_vec3 places[] = {at(u, 0, 0, 0.5), at(u, 1.01, 0.1, 0.5), at(u, -1.02, 0, 0.5), at(u, 0.1, 0, 1.502)};
    for (int i = 1; i < BODIES; i++)
        CHECK_OK(nb_world_add_solid(world, NB_BODY_DYNAMIC, i == 1 ? box : ball, i * u->mass, 0.5, places[i - 1],
                                    nb_quat_identity(), &body[i]));
    world->bodies[body[2]].linear_velocity = nb_vec3_of(-2 * speed, 0, 0);
    world->bodies[body[3]].linear_velocity = nb_vec3_of(1.5 * speed, 0, 0);
    world->bodies[body[3]].angular_velocity = nb_vec3_of(0, 3 / u->time, 0);
    nb_joint rope = {.kind = NB_JOINT_DISTANCE, .body_a = body[4], .body_b = -1, .length = 2 * u->length};
    rope.anchor_b = at(u, 0.1, 0, 3.502);
    CHECK_OK(nb_world_add_joint(world, &rope, &(int32_t){0}));
    const double rigid[6] = {0};
    if (hinged)
        CHECK_OK(nb_world_add_joint_at(world, NB_JOINT_REVOLUTE, body[4], body[1], at(u, 0.1, 0, 1), nb_quat_identity(),
                                       rigid, &(int32_t){0}));
    return world;
}

typedef struct result {
    nb_reason reason[STEPS];
    int32_t iterations[STEPS];
    double velocity[STEPS][3 * BODIES]; /* in the first units */
    double error[STEPS];
} result;

/* steps of 1/128 s to 1e-8 m/s, both in the first units */
static void run(const char *method, nb_friction_law law, const units *u, int hinged, result *r) {
    nb_request request;
    void *stepper;
    nb_contacts *contacts;
    nb_measure *measure;
    nb_step_counts counts;
    nb_step_outcome outcome;
    const double h = u->time / 128, speed = u->length / u->time;
    const nb_stepper_class *type = &nb_stepper_f64;
    nb_request_standard(&request);
    strcpy(request.info.scenario, "heavy-stack");
    strcpy(request.info.method, method);
    request.scene.friction_law = law;
    if (strcmp(method, "sap") == 0) strcpy(request.info.linear_solver, "cholesky"); /* has no pivots */
    if (strcmp(method, "interior-point") == 0) { /* over rows: pivots over bodies go by the units of rotations */
        strcpy(request.info.linear_solver, "multifrontal");
        strcpy(request.info.preconditioner, "none");
    }
    CHECK_OK(nb_simulate_prepare(&request));
    nb_method_settings settings = nb_request_settings(&request);
    settings.newton_iterations = 200;
    settings.newton_tolerance = 1e-8 * speed;
    CHECK_OK(type->create(method, &settings, &stepper));
    nb_world *world = make(u, hinged);
    world->settings.friction_law = law;
    if (request.scene.contacts.model > NB_CONTACTS_RIGID) world->settings.contacts.model = request.scene.contacts.model;
    world->settings.friction_facets = NB_FACETS;
    CHECK_OK(nb_contacts_create(&contacts));
    CHECK_OK(nb_measure_create(&measure));
    for (int s = 0; s < STEPS; s++) {
        CHECK_OK(nb_contacts_detect(world, h, contacts));
        CHECK_OK(type->begin(stepper, world, contacts, h, 0));
        CHECK_OK(nb_measure_begin(measure, world, contacts, h, 0));
        CHECK_OK(type->step(stepper, world, contacts, h, s > 0, measure, NULL, &outcome, &counts, NULL));
        r->reason[s] = outcome.reason;
        r->iterations[s] = outcome.newton_iterations;
        r->error[s] = outcome.errors.natural_map / speed;
        for (int b = 0; b < BODIES; b++) {
            const nb_vec3 v = world->bodies[b].linear_velocity;
            r->velocity[s][3 * b] = v.x / speed;
            r->velocity[s][3 * b + 1] = v.y / speed;
            r->velocity[s][3 * b + 2] = v.z / speed;
        }
    }
    nb_measure_destroy(measure);
    nb_contacts_destroy(contacts);
    nb_world_destroy(world);
    type->destroy(stepper);
    nb_free(request.info.parameters);
}

TEST(units_change_no_step) {
    static const units own = {"", 1, 1, 1};
    static result was, is;
    for (int m = 0; nb_method_at(m); m++) {
        const unsigned laws = nb_method_at(m)->friction_laws;
        if (nb_method_at(m)->springs) continue; /* has lengths and velocities of its own, and takes no rope */
        const int faceted = laws == NB_FRICTION_FACETED;
        const nb_friction_law law = faceted                      ? NB_FRICTION_POLYHEDRAL
                                    : nb_method_at(m)->gives_way ? NB_FRICTION_RELAXED
                                                                 : NB_FRICTION_COULOMB;
        run(nb_method_at(m)->name, law, &own, 0, &was);
        for (size_t i = 0; i < sizeof binary / sizeof *binary; i++) {
            /* newton's standard scaling has a floor of 1e-4 m/s in the slip that caps friction */
            if (strcmp(nb_method_at(m)->name, "newton") == 0 && binary[i].length != binary[i].time) continue;
            run(nb_method_at(m)->name, law, &binary[i], 0, &is);
            for (int s = 0; s < STEPS; s++) {
                double apart = 0;
                const int by_pivots = strcmp(nb_method_at(m)->name, "auto") == 0; /* which has solvers of its own */
                for (int k = 0; k < 3 * BODIES; k++) nb_raise(&apart, fabs(is.velocity[s][k] - was.velocity[s][k]));
                if (is.reason[s] != was.reason[s] || abs(is.iterations[s] - was.iterations[s]) > (by_pivots ? 3 : 0) ||
                    apart > (by_pivots ? 1e-4 : 0))
                    fail_msg("%s, %s, step %d: %s after %d (%g m/s), %s after %d (%g), %g m/s apart",
                             nb_method_at(m)->name, binary[i].name, s, nb_reason_name(was.reason[s]), was.iterations[s],
                             was.error[s], nb_reason_name(is.reason[s]), is.iterations[s], is.error[s], apart);
            }
        }
    }
}

/* rows of joints in m and rad have step lengths of their own */
TEST(units_change_no_joint) {
    static const units own = {"", 1, 1, 1};
    static const char *const methods[] = {"apgd"};
    static result was, is;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        run(methods[m], NB_FRICTION_COULOMB, &own, 1, &was);
        for (size_t i = 0; i < sizeof binary / sizeof *binary; i++) {
            run(methods[m], NB_FRICTION_COULOMB, &binary[i], 1, &is);
            for (int s = 0; s < STEPS; s++) {
                double apart = 0;
                for (int k = 0; k < 3 * BODIES; k++) nb_raise(&apart, fabs(is.velocity[s][k] - was.velocity[s][k]));
                print_message("%s, %s, step %d: %d and %d iterations, %g m/s apart\n", methods[m], binary[i].name, s,
                              (int)was.iterations[s], (int)is.iterations[s], apart);
                if (s > 0) continue; /* of apgd, far from its solution after 200 iterations, the first step alone */
                assert_int_equal(is.iterations[s], was.iterations[s]);
                CHECK_BELOW(apart, 1e-12);
            }
        }
    }
}

RUN_TESTS(units_change_no_step, units_change_no_joint)

#include "file/scene_expect.h"

#include <stdio.h>

#include "base/memory.h"
#include "file/scene_parts.h"
#include "measure/final_state.h"

enum {
    OF_SCENE = NB_EXPECT_FORCE, /* from here on */
    MOST = 16                   /* of a file; as many checks are left to what holds in every scene */
};
static const char *const units[] = {"m", "m/s", "rad/s", "N", "1", "J", "m", "m or rad"};

static int is_vector(int quantity) {
    return quantity <= NB_EXPECT_FORCE;
}

static nb_status read_one(const nb_input_at *at, const nb_world *world, nb_scene_expectation *e) {
    nb_status status;
    const nb_input_at body = nb_input_member(at, "body"), axis = nb_input_member(at, "axis"),
                      tolerance = nb_input_member(at, "tolerance");
    *e = (nb_scene_expectation){.axis = -1, .body = -1};
    NB_TRY(nb_scene_fill(at, &nb_scene_expectation_members, world, e));
    const char *name = nb_scene_quantity_names[e->quantity];
    if (e->quantity < OF_SCENE && !body.value) NB_TRY(nb_input_fail(&body, "is missing; expected a number"));
    if (e->quantity >= OF_SCENE && body.value) NB_TRY(nb_input_fail(&body, "%s is of the scene", name));
    if (is_vector(e->quantity) && !axis.value) NB_TRY(nb_input_fail(&axis, "is missing; expected a text"));
    if (!is_vector(e->quantity) && axis.value) NB_TRY(nb_input_fail(&axis, "%s has none", name));
    if (!(e->tolerance >= 0)) NB_TRY(nb_input_fail(&tolerance, "%g must not be negative", e->tolerance));
out:
    return status;
}

nb_status nb_scene_expectations_read(const nb_input_at *scene, const nb_world *world,
                                     nb_scene_expectations *expectations) {
    nb_status status = NB_OK;
    const nb_input_at list = nb_input_member(scene, "expect");
    if (!list.value) return NB_OK;
    NB_TRY(nb_input_array(&list));
    if (nb_input_count(&list) > MOST) return nb_input_fail(&list, "expected %d items at most", (int)MOST);
    NB_TRY(NB_ALLOCATE(nb_input_count(&list), &expectations->items));
    expectations->count = nb_input_count(&list);
    for (int64_t i = 0; i < expectations->count; i++) {
        const nb_input_at item = nb_input_item(&list, i);
        NB_TRY(read_one(&item, world, &expectations->items[i]));
    }
out:
    return status;
}

static double kinetic_energy(const nb_world *initial, const nb_snapshot *final) {
    double sum = 0;
    for (int32_t b = 0; b < initial->body_count; b++) {
        const nb_body *body = &initial->bodies[b];
        const double *q = final->q + 7 * (int64_t)b, *u = final->u + 6 * (int64_t)b;
        if (body->kind != NB_BODY_DYNAMIC) continue;
        const nb_vec3 w =
            nb_quat_rotate(nb_quat_conjugate((nb_quat){q[3], q[4], q[5], q[6]}), nb_vec3_of(u[3], u[4], u[5]));
        sum += 0.5 * body->mass * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) +
               0.5 * (body->inertia.x * w.x * w.x + body->inertia.y * w.y * w.y + body->inertia.z * w.z * w.z);
    }
    for (int32_t i = 0; i < initial->particle_count; i++) {
        const double *v = final->particle_v + 3 * (int64_t)i;
        if (initial->particles[i].kind == NB_BODY_DYNAMIC)
            sum += 0.5 * initial->particles[i].mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return sum;
}

static double measured(const nb_scene_expectation *e, const nb_world *initial, const nb_snapshot *final) {
    const nb_vec3 force = nb_force_of_fixed(initial, final);
    switch (e->quantity) {
    case NB_EXPECT_POSITION: return final->q[7 * (int64_t)e->body + e->axis];
    case NB_EXPECT_VELOCITY: return final->u[6 * (int64_t)e->body + e->axis];
    case NB_EXPECT_SPIN: return final->u[6 * (int64_t)e->body + 3 + e->axis];
    case NB_EXPECT_FORCE: return e->axis == 0 ? force.x : e->axis == 1 ? force.y : force.z;
    case NB_EXPECT_CONTACTS: return final->contacts;
    case NB_EXPECT_ENERGY: return kinetic_energy(initial, final);
    case NB_EXPECT_DRIFT: return nb_drift(initial, final);
    default: return nb_joint_error(initial, final);
    }
}

/* what no integrator changes: forces of what rests, and that it does */
static int is_at_rest(const nb_scene_expectation *e) {
    return e->quantity == NB_EXPECT_FORCE || e->quantity == NB_EXPECT_JOINTS ||
           (e->quantity == NB_EXPECT_DRIFT && e->value == 0);
}

void nb_scene_expectations_check(const nb_scene_expectations *expectations, nb_integrator own, const nb_world *initial,
                                 const nb_snapshot *final, nb_checks *checks) {
    for (int64_t i = 0; i < expectations->count; i++) {
        const nb_scene_expectation *e = &expectations->items[i];
        char name[64], premise[64];
        const char *axis = e->axis < 0 ? "" : nb_scene_axis_names[e->axis];
        if (e->body >= 0)
            snprintf(name, sizeof name, "body %d: %s %s", (int)e->body, nb_scene_quantity_names[e->quantity], axis);
        else
            snprintf(name, sizeof name, "%s%s%s", nb_scene_quantity_names[e->quantity], *axis ? " " : "", axis);
        nb_check *check =
            nb_checks_add(checks, name, units[e->quantity], measured(e, initial, final), e->value, e->tolerance);
        snprintf(premise, sizeof premise, "the integrator is %s", nb_integrator_names[own]);
        nb_check_presupposes(check, is_at_rest(e) || initial->settings.integrator == own, premise);
        snprintf(premise, sizeof premise, "the run has %d steps", (int)e->after_steps);
        nb_check_presupposes(check, e->after_steps == 0 || final->step_count == e->after_steps, premise);
    }
}

void nb_scene_expectations_clear(nb_scene_expectations *expectations) {
    nb_free(expectations->items);
    *expectations = (nb_scene_expectations){0};
}

/* A world with deformable bodies, stepped by the method newton: what tests of their contacts share. */
#ifndef NB_TESTS_SOFT_SCENE_H
#define NB_TESTS_SOFT_SCENE_H

#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "contact/contact.h"
#include "measure/iterate.h"
#include "model/drive.h"
#include "run/resolve.h"
#include "run/simulate.h"
#include "soft_mesh.h"
#include "step/stepper.h"

#define soft_scene_stepper NB_REAL_NAME(nb_stepper)

typedef struct soft_scene {
    nb_world *world;
    nb_contacts *contacts;
    nb_measure *measure;
    void *stepper;
    nb_request request;
    nb_snapshot final;
    nb_step_outcome outcome;
    nb_step_counts counts;
} soft_scene;

/* At most 100 iterations a step. `form` is that of newton, with direct solves; of another method it is the linear
 * solver, "" its own. */
static inline void soft_scene_begin_form(soft_scene *s, nb_world *world, const char *method, const char *form) {
    *s = (soft_scene){.world = world};
    nb_request_standard(&s->request);
    strcpy(s->request.info.scenario, "incline");
    strcpy(s->request.info.method, method);
    if (strcmp(method, "newton") == 0) {
        strcpy(s->request.info.linear_solver, "cholesky");
        CHECK_OK(nb_request_set_option(&s->request, "form", form));
    } else if (strcmp(form, "compliance") != 0 && *form) {
        strcpy(s->request.info.linear_solver, form);
        s->request.info.linear_iterations = 1000;
    }
    strcpy(s->request.info.precision, NB_REAL_NAMED);
    s->request.info.newton_iterations = 100;
    s->request.info.newton_tolerance = NB_REAL_BITS == 64 ? 1e-10 : 1e-5;
    CHECK_OK(nb_simulate_prepare(&s->request));
    nb_method_settings settings = nb_request_settings(&s->request);
    CHECK_OK(nb_contacts_create(&s->contacts));
    CHECK_OK(nb_measure_create(&s->measure));
    CHECK_OK(soft_scene_stepper.create(method, &settings, &s->stepper));
}

static inline void soft_scene_begin(soft_scene *s, nb_world *world, const char *method) {
    soft_scene_begin_form(s, world, method, "compliance");
}

static inline nb_status soft_scene_step(soft_scene *s, double h) {
    nb_status status;
    nb_world_begin_step(s->world, h);
    CHECK_OK(nb_contacts_detect(s->world, h, s->contacts));
    CHECK_OK(soft_scene_stepper.begin(s->stepper, s->world, s->contacts, h, NB_GEOMETRY_UPDATED));
    CHECK_OK(nb_measure_begin(s->measure, s->world, s->contacts, h, NB_GEOMETRY_UPDATED));
    status = soft_scene_stepper.step(s->stepper, s->world, s->contacts, h, NB_START_PREVIOUS, s->measure, NULL,
                                     &s->outcome, &s->counts, &s->final);
    return status;
}

static inline void soft_scene_end(soft_scene *s) {
    soft_scene_stepper.destroy(s->stepper);
    nb_measure_destroy(s->measure);
    nb_contacts_destroy(s->contacts);
    nb_snapshot_clear(&s->final);
    nb_free(s->request.info.parameters);
    nb_world_destroy(s->world);
}

static inline int32_t soft_scene_solid(nb_world *world, nb_body_kind kind, nb_shape *shape, double mass,
                                       double friction, nb_vec3 place, nb_quat turn) {
    int32_t index, body;
    CHECK_OK(nb_world_add_shape(world, shape, &index));
    CHECK_OK(nb_world_add_solid(world, kind, index, mass, friction, place, turn, &body));
    return body;
}

/* empty but for a material of 1000 kg/m^3 */
static inline nb_world *soft_scene_world(void) {
    nb_world *world;
    int32_t index;
    CHECK_OK(nb_world_create(&world));
    CHECK_OK(nb_world_add_material(world, &(nb_material){NB_MATERIAL_LINEAR, 1e5, 0.3, 1000}, &index));
    return world;
}

/* turns the part about the origin, then moves it */
static inline void soft_scene_move(nb_world *world, const nb_soft_part *part, nb_quat turn, nb_vec3 by) {
    for (int32_t i = part->first_particle; i < part->first_particle + part->particle_count; i++)
        world->particles[i].position = nb_add(nb_quat_rotate(turn, world->particles[i].position), by);
}

static inline nb_quat soft_scene_turn(uint64_t *seed) {
    nb_quat q = {test_random(seed, -1, 1), test_random(seed, -1, 1), test_random(seed, -1, 1),
                 test_random(seed, -1, 1)};
    return nb_quat_normalized(q);
}

static inline nb_vec3 soft_scene_vector(uint64_t *seed, double size) {
    return nb_vec3_of(test_random(seed, -size, size), test_random(seed, -size, size), test_random(seed, -size, size));
}

#endif

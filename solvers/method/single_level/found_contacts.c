#include "found_contacts.h"

#include <tgmath.h>

#include "base/memory.h"
#include "contact/narrow_phase.h"
#include "pair_joints.h"

NB_PRECISIONS(f32, f64);

void nb_found_contacts_clear(nb_found_contacts *found) {
    nb_free(found->list.items);
    *found = (nb_found_contacts){0};
}

/* from body b to body a, of the length of both N */
static nb_vec3 normal_of(const nb_contact_pair *pair) {
    return nb_scale(0.5, nb_sub(pair->g[1], pair->g[0]));
}

/* where a point of the body at the end of the step is at its start [m] */
static nb_vec3 at_start(const nb_pair_problem *s, int32_t body, nb_vec3 arm) {
    const nb_body *start = &s->world->bodies[body];
    nb_mat3 back = nb_mat3_transposed(&s->body[body].frame);
    nb_vec3 own = nb_mat3_apply(&back, nb_scale(s->length, arm));
    return nb_add(start->position, nb_quat_rotate(start->orientation, own));
}

/* The points stand apart by the gap along the normal, p amid them, so that moments are those of a force at p. */
static nb_contact contact_of(const nb_pair_problem *s, int32_t i) {
    const nb_contact_pair *pair = &s->pairs[i];
    const nb_set_pair *of = &s->found.items[i];
    nb_vec3 n = normal_of(pair);
    double length = nb_norm(n), gap = length > 0 ? (pair->x[3] - 1) / length : 0;
    nb_contact contact = {.body_a = of->body_a,
                          .body_b = of->body_b,
                          .normal = length > 0 ? nb_scale(1 / length, n) : nb_vec3_of(0, 0, 1),
                          .friction = pair->mu,
                          .feature = nb_feature_name(of->set_a, of->set_b, NB_FEATURE_SETS, 0, 0)};
    contact.point_a = at_start(s, of->body_a, nb_add_scaled(pair->arm[0], gap / 2, contact.normal));
    contact.point_b = at_start(s, of->body_b, nb_add_scaled(pair->arm[1], -gap / 2, contact.normal));
    contact.gap = nb_dot(contact.normal, nb_sub(contact.point_a, contact.point_b));
    return contact;
}

/* in the order of the pairs, which is that of the harness's lists */
static nb_status list_pairs(nb_found_contacts *f, const nb_pair_problem *s) {
    nb_contacts *list = &f->list;
    nb_status status = NB_RESERVE(s->found.count, &list->capacity, &list->items);
    if (status != NB_OK) return status;
    for (int32_t i = 0; i < s->found.count; i++) list->items[i] = contact_of(s, i);
    list->count = s->found.count;
    return NB_OK;
}

/* the impulse on body a [N s] */
static nb_vec3 impulse_of(const nb_pair_problem *s, int32_t i) {
    const nb_contact_pair *pair = &s->pairs[i];
    return nb_scale(0.5 * s->mass[i] * s->speed, nb_sub(pair->force[0], pair->force[1]));
}

static void write_velocities(const nb_pair_problem *s, nb_problem *p) {
    for (int32_t i = 0; i < s->body_count; i++)
        for (int k = 0; s->body[i].moves && k < 6; k++)
            p->u[6 * (int64_t)i + k] = (real)(s->u[6 * (int64_t)i + k] * s->speed / (k < 3 ? 1 : s->length));
}

/* while the step has the contacts of pairs alone */
static void write_impulses(const nb_pair_problem *s, nb_problem *p) {
    const nb_step *step = nb_step_of(p);
    const int32_t *order = nb_step_contact_order(step);
    for (int32_t i = 0; i < p->contacts; i++) {
        real *z = p->z + p->bilaterals + 3 * (int64_t)i;
        double directions[3][3];
        nb_vec3 impulse = impulse_of(s, order[i]);
        nb_step_contact_directions(step, i, directions);
        for (int k = 0; k < 3; k++)
            z[k] = (real)nb_dot(nb_vec3_of(directions[k][0], directions[k][1], directions[k][2]), impulse);
    }
}

nb_status nb_found_contacts_write(nb_found_contacts *f, const nb_pair_problem *s, nb_problem *p, nb_measure *measure) {
    nb_status status;
    nb_step *step = nb_step_of(p);
    int32_t added;
    NB_TRY(list_pairs(f, s));
    NB_TRY(nb_step_set_contacts(step, &f->list));
    write_velocities(s, p);
    nb_pair_joints_write_impulses(s, p);
    write_impulses(s, p);
    NB_TRY(nb_problem_detect(p, &added));
    NB_TRY(nb_measure_set_contacts(measure, nb_step_contacts(step)));
out:
    return status;
}

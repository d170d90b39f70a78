/* Contacts of a step between bodies: their start, and their values, arms and shares of the operator's diagonal where
 * bodies move. */
#include "constraint/step_rate.h"
#include "constraint/step_state.h"
#include "contact/frame.h"
#include "model/carried.h"
#include "model/drive.h"
#include "operator/contact_block.h"
#include "operator/contact_kernels.h"

NB_PRECISIONS(f32, f64);

/* ---- the start of a step ---- */

/* where what the contact holds on its second body was as the world's step started: the centre of its first body, or
 * the point of its particles */
static nb_vec3 held_position(const nb_step *s, const nb_contacts *contacts, int32_t i) {
    const nb_contact_side *side = nb_contacts_side(contacts, i);
    if (!side) return nb_carried_position(s->world, contacts->items[i].body_a);
    nb_vec3 place = nb_vec3_of(0, 0, 0);
    for (int k = 0; k < side->count; k++)
        place =
            nb_add_scaled(place, side->weight[k], nb_carried_position(s->world, s->nodes.bodies + side->particle[k]));
    return place;
}

/* A prescribed body that turns by omega gets an arm longer by d, so that omega x d is what its velocity at what it
 * holds lacks. The normal's row stays as it is: a gap is found anew in every step, and what slides over the body is not
 * taken along by it. */
static void lengthen_arm(const nb_step *s, const nb_contacts *contacts, int32_t i, double h, int turns, nb_vec3 *arm,
                         double *rate) {
    const nb_contact *contact = &contacts->items[i];
    const nb_body *base = &s->world->bodies[contact->body_b];
    const nb_vec3 omega = base->angular_velocity;
    if (base->kind != NB_BODY_KINEMATIC || !(nb_dot(omega, omega) > 0)) return;
    /* arms of contacts that were found where bodies come to be are those of the end, whether or not they turn */
    const nb_vec3 place = held_position(s, contacts, i),
                  lacking = nb_carried_excess(s->world, contact->body_b, place, h, turns || s->found),
                  end = nb_scale(-1 / nb_dot(omega, omega), nb_cross(omega, lacking)),
                  longer = turns ? nb_carried_back(base, h, end) : end;
    const nb_vec3 way = turns ? nb_scale(1 / h, nb_sub(end, longer)) : nb_cross(omega, longer);
    *arm = nb_add(*arm, longer);
    *rate += nb_dot(contact->normal, way);
}

static void begin_contact(nb_step *s, int32_t i, const nb_contacts *contacts, double h, real start[NB_ARM_STRIDE]) {
    const nb_contact *contact = &contacts->items[s->order[i]];
    nb_contact_rows *rows = &s->contacts[i];
    double rate = nb_contact_rate(s->world, contact, h);
    nb_vec3 t1, t2;
    nb_contact_tangents(s->world, contact->normal, &t1, &t2);
    nb_step_narrow(contact->normal, rows->direction[0]);
    nb_step_narrow(t1, rows->direction[1]);
    nb_step_narrow(t2, rows->direction[2]);
    /* a point that was found at the end of the step was brought back with its body, and goes there with it */
    const int turns =
        s->geometry == NB_GEOMETRY_UPDATED && (s->found || nb_detection_is_late(&s->detection, s->order[i]) ||
                                               nb_contact_turns(s->world, contact->body_a, contact->body_b));
    /* a particle has no arm */
    if (rows->a < s->nodes.bodies) nb_step_narrow(nb_sub(contact->point_a, s->world->bodies[rows->a].position), start);
    if (rows->b < s->nodes.bodies) {
        nb_vec3 arm = nb_sub(contact->point_b, s->world->bodies[rows->b].position);
        lengthen_arm(s, contacts, s->order[i], h, turns, &arm, &rate);
        nb_step_narrow(arm, start + 3);
    }
    start[6] = (real)rate;
    start[7] = (real)turns;
    if (!nb_step_keeps_starts(s)) s->rate[i] = start[6];
    s->mu[i] = (real)contact->friction;
}

/* the velocity of the contact's first side against its second at the start of the step */
static nb_vec3 relative_velocity(const nb_step *s, const nb_contacts *contacts, int32_t i) {
    const nb_contact *contact = &contacts->items[i];
    const nb_contact_side *side = nb_contacts_side(contacts, i);
    nb_vec3 velocity = nb_vec3_of(0, 0, 0);
    if (!side) velocity = nb_body_velocity_at(&s->world->bodies[contact->body_a], contact->point_a);
    for (int k = 0; side && k < side->count; k++)
        velocity = nb_add_scaled(velocity, side->weight[k], s->world->particles[side->particle[k]].velocity);
    return side && side->second > 0
               ? velocity
               : nb_sub(velocity, nb_body_velocity_at(&s->world->bodies[contact->body_b], contact->point_b));
}

void nb_step_soften_contacts(nb_step *s, const nb_contacts *contacts, double h) {
    const nb_scene_settings *settings = &s->world->settings;
    const int32_t rigid = s->contact_count - s->soft_count;
    const nb_delassus *d = &s->weighing.base;
    for (int32_t i = 0; settings->contacts.model != NB_CONTACTS_RIGID && i < s->contact_count; i++) {
        const nb_contact *contact = &contacts->items[s->order[i]];
        nb_contact_start start = {.h = h, .gap = contact->gap};
        real own[9];
        if (i < rigid)
            nb_contact_own_block(&s->contacts[i], s->inverse_mass, own);
        else
            d->type->block(d, s->bilateral_count + i, s->bilateral_count + i, own);
        for (int k = 0; k < 9; k++) start.block[k] = (double)own[k];
        start.weight = start.block[0];
        if (i < rigid)
            start.weight = (double)(s->inverse_mass[s->contacts[i].a].mass + s->inverse_mass[s->contacts[i].b].mass);
        const nb_vec3 rate = relative_velocity(s, contacts, s->order[i]);
        for (int k = 0; k < 3; k++) {
            const real *along = s->contacts[i].direction[k];
            start.rate[k] = nb_dot(nb_vec3_of((double)along[0], (double)along[1], (double)along[2]), rate);
        }
        if (nb_contact_model_is_field(settings->contacts.model)) {
            s->field[i] = nb_contact_field_of(&settings->contacts, &start, (double)s->mu[i]);
            continue;
        }
        const nb_contact_softness softness = nb_contact_soften(&settings->contacts, &start);
        s->softness[i] = (nb_softness){(real)softness.normal, (real)softness.tangent, {0, 0, 0}};
        for (int k = 0; k < 3; k++) s->softness[i].shift[k] = (real)softness.shift[k];
    }
}

/* ---- evaluation ---- */

void nb_step_evaluate_linear_contacts(nb_step *s) {
    const int32_t count = s->contact_count - s->soft_count;
    const int parts = nb_threads_for(count, NB_PART_CONTACTS), kept = nb_step_keeps_starts(s);
    real *value = s->value + s->bilateral_count;
    NB_EACH_PART(i, parts, {
        const int32_t begin = nb_part_begin(i, parts, count, NB_PART_STEP);
        const int32_t end = nb_part_begin(i + 1, parts, count, NB_PART_STEP);
        s->contact_pack.kernels->row_velocities(s->contacts, begin, end, s->motion, value);
        for (int32_t k = begin; k < end; k++)
            value[3 * (ptrdiff_t)k] += kept ? s->start[NB_ARM_STRIDE * (ptrdiff_t)k + 6] : s->rate[k];
    });
}

void nb_step_evaluate_contacts(nb_step *s) {
    ptrdiff_t first = s->bilateral_count; /* row */
    int32_t count = s->contact_count - s->soft_count;
    const nb_contact_pass pass = {s->contacts,  s->start,         s->motion,           s->inverse_mass,
                                  s->problem.h, s->value + first, s->diagonal + first, s->w + first};
    int parts = nb_threads_for(count, NB_PART_CONTACTS);
    NB_EACH_PART(i, parts,
                 s->contact_pack.kernels->evaluate(&pass, nb_part_begin(i, parts, count, NB_PART_STEP),
                                                   nb_part_begin(i + 1, parts, count, NB_PART_STEP)););
}

void nb_step_begin_contacts(nb_step *s, const nb_contacts *contacts, double h) {
    if (nb_step_keeps_starts(s)) {
        for (int32_t i = 0; i < contacts->count; i++)
            begin_contact(s, i, contacts, h, s->start + NB_ARM_STRIDE * (ptrdiff_t)i);
        nb_step_evaluate_contacts(s);
        return;
    }
    for (int32_t begin = 0; begin < contacts->count; begin += NB_STEP_STARTS) {
        const int32_t count = contacts->count - begin < NB_STEP_STARTS ? contacts->count - begin : NB_STEP_STARTS;
        const ptrdiff_t row = s->bilateral_count + 3 * (ptrdiff_t)begin;
        real *diagonal = s->diagonal + (nb_step_is_bare(s) ? s->bilateral_count : row);
        const nb_contact_pass pass = {s->contacts + begin, s->start,       s->motion, s->inverse_mass,
                                      s->problem.h,        s->value + row, diagonal,  s->w + row};
        for (int32_t i = 0; i < count; i++)
            begin_contact(s, begin + i, contacts, h, s->start + NB_ARM_STRIDE * (ptrdiff_t)i);
        s->contact_pack.kernels->evaluate(&pass, 0, count);
    }
}

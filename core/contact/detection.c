#include "contact/detection.h"

#include <math.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"

void nb_detection_begin(nb_detection *detection, const nb_contacts *contacts) {
    detection->contacts = detection->start = contacts;
    detection->verified = 0;
}

void nb_detection_clear(nb_detection *detection) {
    nb_contacts_destroy(detection->own);
    nb_contacts_destroy(detection->found);
    nb_free(detection->some.items);
    nb_free(detection->bodies);
    nb_free(detection->particles);
    nb_free(detection->before);
    nb_free(detection->late);
    nb_free(detection->turning);
    *detection = (nb_detection){0};
}

nb_status nb_detection_copy_bodies(nb_detection *detection, const nb_world *world) {
    nb_status status;
    NB_TRY(NB_RESERVE(world->body_count, &detection->body_capacity, &detection->bodies));
    NB_TRY(NB_RESERVE(world->particle_count, &detection->particle_capacity, &detection->particles));
    if (world->body_count > 0)
        memcpy(detection->bodies, world->bodies, (size_t)world->body_count * sizeof *world->bodies);
    if (world->particle_count > 0)
        memcpy(detection->particles, world->particles, (size_t)world->particle_count * sizeof *world->particles);
out:
    return status;
}

/* the order of contacts.h */
static int compare(const nb_contact *x, const nb_contact *y) {
    if (x->body_a != y->body_a) return x->body_a < y->body_a ? -1 : 1;
    if (x->body_b != y->body_b) return x->body_b < y->body_b ? -1 : 1;
    return (x->feature > y->feature) - (x->feature < y->feature);
}

/* how many of the second list are not in the first; `soft`: of deformable bodies */
static int32_t count_new(const nb_contacts *known, const nb_contacts *found, int32_t *soft) {
    int32_t count = 0, k = 0;
    *soft = 0;
    for (int32_t i = 0; i < found->count; i++) {
        while (k < known->count && compare(&known->items[k], &found->items[i]) < 0) k++;
        int new_one = k == known->count || compare(&known->items[k], &found->items[i]) != 0;
        count += new_one;
        *soft += new_one && nb_contacts_side(found, i);
    }
    return count;
}

/* where the point of the body now was at the start */
static nb_vec3 point_at_start(const nb_body *start, const nb_body *now, nb_vec3 point) {
    if (start->kind == NB_BODY_FIXED) return point;
    nb_vec3 own = nb_quat_rotate(nb_quat_conjugate(now->orientation), nb_sub(point, now->position));
    return nb_add(start->position, nb_quat_rotate(start->orientation, own));
}

static nb_contact contact_at_start(const nb_detection *detection, const nb_world *world, const nb_contact *found,
                                   const nb_contact_side *side) {
    int32_t a = found->body_a, b = found->body_b;
    nb_contact contact = *found;
    if (!side) contact.point_a = point_at_start(&world->bodies[a], &detection->bodies[a], found->point_a);
    for (int k = 0; side && k < side->count; k++) {
        int32_t i = side->particle[k];
        nb_vec3 way = nb_sub(detection->particles[i].position, world->particles[i].position);
        nb_vec3 *point = k < side->count - side->second ? &contact.point_a : &contact.point_b;
        double weight = point == &contact.point_a ? side->weight[k] : -side->weight[k];
        *point = nb_add_scaled(*point, -weight, way);
    }
    if (!side || side->second == 0)
        contact.point_b = point_at_start(&world->bodies[b], &detection->bodies[b], found->point_b);
    contact.gap = nb_dot(contact.normal, nb_sub(contact.point_a, contact.point_b)) - world->settings.contact_thickness;
    return contact;
}

/* The contact as it is at the end, linear in the velocities about those that led there. Both points are on the normal
 * through that of body a, as at the start of a step, so that the forces on the two bodies have one line of action. */
static nb_contact contact_linear(const nb_detection *detection, const nb_world *world, const nb_contact *found) {
    const nb_body *a = &detection->bodies[found->body_a], *b = &detection->bodies[found->body_b];
    nb_contact contact = *found;
    const nb_vec3 arm_a = nb_sub(found->point_a, a->position);
    contact.point_a = nb_add(world->bodies[found->body_a].position, arm_a);
    const nb_vec3 arm_b = nb_sub(contact.point_a, world->bodies[found->body_b].position);
    const nb_vec3 moved_a = nb_add(a->linear_velocity, nb_cross(a->angular_velocity, arm_a));
    const nb_vec3 moved_b = nb_add(b->linear_velocity, nb_cross(b->angular_velocity, arm_b));
    contact.gap = found->gap - detection->h * nb_dot(found->normal, nb_sub(moved_a, moved_b));
    contact.point_b = nb_add_scaled(contact.point_a, -(contact.gap + world->settings.contact_thickness), found->normal);
    return contact;
}

/* how a contact that was found becomes one of the step */
enum {
    BROUGHT_BACK, /* with its bodies, from where they come to be */
    LINEAR,       /* linear in the velocities, from where they come to be */
    AS_FOUND      /* at the start */
};

static nb_contact with_gap_at_start(const nb_detection *detection, const nb_world *world, const nb_contact *found,
                                    const nb_contact_side *side) {
    if (detection->way == AS_FOUND) return *found;
    return detection->way == LINEAR ? contact_linear(detection, world, found)
                                    : contact_at_start(detection, world, found, side);
}

/* the list as the detection's own, with room for `count`, of which `soft_count` are of deformable bodies */
static nb_status make_own(nb_detection *detection, int32_t count, int32_t soft_count) {
    nb_status status = NB_OK;
    const nb_contacts *from = detection->contacts;
    if (!detection->own) NB_TRY(nb_contacts_create(&detection->own));
    nb_contacts *own = detection->own;
    NB_TRY(NB_RESERVE(count, &detection->before_capacity, &detection->before));
    NB_TRY(NB_RESERVE(count, &detection->late_capacity, &detection->late));
    NB_TRY(NB_RESERVE(count, &own->capacity, &own->items));
    NB_TRY(NB_RESERVE(soft_count, &own->side_capacity, &own->sides));
    if (from == own) return NB_OK;
    if (from->count > 0) memset(detection->late, 0, (size_t)from->count);
    own->count = from->count;
    own->soft_count = from->soft_count;
    if (from->soft_count > 0) memcpy(own->sides, from->sides, (size_t)from->soft_count * sizeof *from->sides);
    if (from->count > 0) memcpy(own->items, from->items, (size_t)from->count * sizeof *from->items);
    detection->contacts = own;
out:
    return status;
}

/* Both lists in one, from the end on, so that none overwrites what is still to be moved. */
static void merge(nb_detection *detection, const nb_world *world, const nb_contacts *found, int32_t added,
                  int32_t soft_added) {
    nb_contacts *own = detection->own;
    int32_t known = own->count - 1, i = found->count - 1, side = own->soft_count - 1, to_side = side + soft_added;
    own->count += added;
    own->soft_count += soft_added;
    for (int32_t to = own->count - 1; to >= 0; to--) {
        int order = i < 0 ? 1 : known < 0 ? -1 : compare(&own->items[known], &found->items[i]);
        const int renewed = order == 0 && detection->renews;
        if (order >= 0) {
            own->items[to] = renewed ? with_gap_at_start(detection, world, &found->items[i], NULL) : own->items[known];
            detection->late[to] = renewed || detection->late[known];
            detection->before[to] = known--;
            if (to_side >= 0) own->sides[to_side--] = own->sides[side--];
            if (order == 0) i--;
        } else {
            const nb_contact_side *of = nb_contacts_side(found, i);
            own->items[to] = with_gap_at_start(detection, world, &found->items[i--], of);
            detection->before[to] = -1;
            detection->late[to] = detection->way != AS_FOUND;
            if (of) own->sides[to_side--] = *of;
        }
    }
}

int nb_detection_is_late(const nb_detection *detection, int32_t i) {
    return detection->contacts == detection->own && detection->late[i];
}

/* the contacts of the world with these bodies and particles; `some`: those of these bodies (NULL: all) */
static nb_status find_contacts(nb_detection *detection, const nb_world *world, double h, const uint8_t *some) {
    nb_status status = NB_OK;
    nb_world moved = *world;
    moved.bodies = detection->bodies;
    moved.particles = detection->particles;
    detection->verified = 0;
    if (!detection->found) NB_TRY(nb_contacts_create(&detection->found));
    NB_TRY(some ? nb_contacts_detect_some(&moved, h, some, detection->found)
                : nb_contacts_detect(&moved, h, detection->found));
out:
    return status;
}

nb_status nb_detection_find(nb_detection *detection, const nb_world *world, int32_t *added) {
    nb_status status = NB_OK;
    *added = 0;
    detection->renews = 0;
    detection->way = BROUGHT_BACK;
    NB_TRY(find_contacts(detection, world, 0, NULL));
    int32_t soft, count = count_new(detection->contacts, detection->found, &soft);
    if (count == 0) return NB_OK;
    NB_TRY(make_own(detection, detection->contacts->count + count, detection->contacts->soft_count + soft));
    merge(detection, world, detection->found, count, soft);
    *added = count;
out:
    return status;
}

/* ---- verification ---- */

/* the end of the pair of bodies that contact `first` is of */
static int32_t pair_end(const nb_contacts *contacts, int32_t first) {
    const nb_contact *of = &contacts->items[first];
    int32_t end = first + 1;
    while (end < contacts->count && contacts->items[end].body_a == of->body_a &&
           contacts->items[end].body_b == of->body_b)
        end++;
    return end;
}

/* whether x is of a pair before that of y */
static int comes_before(const nb_contact *x, const nb_contact *y) {
    return x->body_a != y->body_a ? x->body_a < y->body_a : x->body_b < y->body_b;
}

static double deepest(const nb_contacts *contacts, int32_t begin, int32_t end) {
    double depth = 0;
    for (int32_t i = begin; i < end; i++) nb_raise(&depth, -contacts->items[i].gap);
    return depth;
}

/* How deep the bodies of `pair` were in each other at the start, by the contacts there from *known on. */
static double depth_at_start(const nb_contacts *start, const nb_contact *pair, int32_t *known) {
    while (*known < start->count && comes_before(&start->items[*known], pair)) ++*known;
    return *known < start->count && !comes_before(pair, &start->items[*known])
               ? deepest(start, *known, pair_end(start, *known))
               : 0;
}

/* Takes the contacts within the margin of pairs with an excess of more than `most`, of what was found. */
static void add_overlapping(nb_detection *detection, double margin, double most, double *excess) {
    const nb_contacts *found = detection->found;
    nb_contacts *some = &detection->some;
    int32_t known = 0;
    for (int32_t first = 0, end; first < found->count; first = end) {
        end = pair_end(found, first);
        const double before = depth_at_start(detection->start, &found->items[first], &known);
        const double deeper = deepest(found, first, end) - fmax(0, before - most);
        nb_raise(excess, deeper);
        if (!(deeper > most)) continue;
        for (int32_t i = first; i < end; i++)
            if (found->items[i].gap <= margin) some->items[some->count++] = found->items[i];
    }
}

/* room for all that was found, of which none is taken yet */
static nb_status start_some(nb_detection *detection) {
    detection->some.count = 0;
    return NB_RESERVE(detection->found->count, &detection->some.capacity, &detection->some.items);
}

/* what was taken comes in */
static nb_status bring_in(nb_detection *detection, const nb_world *world, nb_overlap *overlap) {
    nb_status status;
    const nb_contacts *some = &detection->some;
    int32_t soft, count = count_new(detection->contacts, some, &soft);
    if (some->count == 0) return NB_OK;
    NB_TRY(make_own(detection, detection->contacts->count + count, detection->contacts->soft_count));
    merge(detection, world, some, count, 0);
    overlap->added += count;
    overlap->renewed += some->count - count;
out:
    return status;
}

static int turns_far(const nb_world *world, const nb_body *body, double h, double most) {
    const nb_shape *shape = body->shape < 0 ? NULL : world->shapes[body->shape];
    const double turn = h * nb_norm(body->angular_velocity);
    return body->kind == NB_BODY_DYNAMIC && shape && isfinite(shape->radius) &&
           shape->radius * turn * turn / 2 > most / 4;
}

/* what bodies that turn far have come to; *none 1: there are no such bodies */
static nb_status find_turning(nb_detection *detection, const nb_world *world, double h, double most, int *none) {
    nb_status status = NB_RESERVE(world->body_count, &detection->turning_capacity, &detection->turning);
    if (status != NB_OK) return status;
    *none = 1;
    for (int32_t i = 0; i < world->body_count; i++) {
        detection->turning[i] = (uint8_t)turns_far(world, &detection->bodies[i], h, most);
        *none &= !detection->turning[i];
    }
    return *none ? NB_OK : find_contacts(detection, world, 0, detection->turning);
}

nb_status nb_detection_verify(nb_detection *detection, const nb_world *world, double h, double most,
                              nb_verify_mode mode, nb_overlap *overlap) {
    nb_status status = NB_OK;
    int none = 0;
    *overlap = (nb_overlap){0, 0, 0};
    if (mode == NB_VERIFY_TURNING)
        NB_TRY(find_turning(detection, world, h, most, &none));
    else
        NB_TRY(find_contacts(detection, world, h, NULL));
    if (none) return NB_OK;
    detection->verified = mode != NB_VERIFY_TURNING;
    NB_TRY(start_some(detection));
    add_overlapping(detection, world->settings.contact_margin, most, &overlap->excess);
    if (mode == NB_VERIFY_ONLY) return NB_OK;
    detection->renews = 1;
    detection->way = LINEAR;
    detection->h = h;
    NB_TRY(bring_in(detection, world, overlap));
out:
    return status;
}

/* ---- what passes ---- */

/* how much farther its velocities take a body than those of the start do, over the room that this leaves */
static double diversion(const nb_world *world, const nb_body *start, const nb_body *now, double h) {
    const double part = 0.25;
    const nb_shape *shape = start->shape < 0 ? NULL : world->shapes[start->shape];
    if (start->kind != NB_BODY_DYNAMIC || !shape || !(shape->radius > 0) || !isfinite(shape->radius)) return 0;
    const nb_vec3 free = nb_add_scaled(start->linear_velocity, h, world->gravity);
    const double way = nb_norm(nb_sub(now->linear_velocity, free)),
                 turn = nb_norm(nb_sub(now->angular_velocity, start->angular_velocity));
    return h * (way + shape->radius * turn) / (part * shape->radius);
}

int nb_detection_is_diverted(const nb_detection *detection, const nb_world *world, double h) {
    for (int32_t i = 0; i < world->body_count; i++)
        if (diversion(world, &world->bodies[i], &detection->bodies[i], h) > 1) return 1;
    return 0;
}

/* Places the bodies at the start, with velocities to which gravity comes. */
static void move_to_start(nb_detection *detection, const nb_world *world, double h) {
    for (int32_t i = 0; i < world->body_count; i++) {
        nb_body *body = &detection->bodies[i];
        body->position = world->bodies[i].position;
        body->orientation = world->bodies[i].orientation;
        if (body->kind == NB_BODY_DYNAMIC)
            body->linear_velocity = nb_add_scaled(body->linear_velocity, -h, world->gravity);
    }
}

static nb_vec3 velocity_at(const nb_world *world, const nb_body *body, nb_vec3 point, double h) {
    const nb_vec3 turning = nb_cross(body->angular_velocity, nb_sub(point, body->position));
    nb_vec3 v = nb_add(body->linear_velocity, turning);
    return body->kind == NB_BODY_DYNAMIC ? nb_add_scaled(v, h, world->gravity) : v;
}

/* Takes what is new and would be deeper than `most` at the end, of what was found. */
static void add_passing(nb_detection *detection, const nb_world *world, double h, double most) {
    const nb_contacts *found = detection->found, *known = detection->contacts;
    nb_contacts *some = &detection->some;
    int32_t k = 0;
    for (int32_t i = 0; i < found->count; i++) {
        const nb_contact *c = &found->items[i];
        while (k < known->count && compare(&known->items[k], c) < 0) k++;
        if (k < known->count && compare(&known->items[k], c) == 0) continue;
        const nb_vec3 rate = nb_sub(velocity_at(world, &detection->bodies[c->body_a], c->point_a, h),
                                    velocity_at(world, &detection->bodies[c->body_b], c->point_b, h));
        if (c->gap + h * nb_dot(c->normal, rate) < -most) some->items[some->count++] = *c;
    }
}

nb_status nb_detection_sweep(nb_detection *detection, const nb_world *world, double h, double most,
                             nb_overlap *overlap) {
    nb_status status;
    *overlap = (nb_overlap){0, 0, 0};
    move_to_start(detection, world, h);
    NB_TRY(find_contacts(detection, world, h, NULL));
    NB_TRY(start_some(detection));
    add_passing(detection, world, h, most);
    detection->renews = 0;
    detection->way = AS_FOUND;
    NB_TRY(bring_in(detection, world, overlap));
out:
    return status;
}

void nb_detection_hand_over(nb_detection *detection, nb_contacts *contacts) {
    if (!detection->verified) return;
    const nb_contacts found = *detection->found;
    *detection->found = *contacts;
    *contacts = found;
    nb_contacts_keep_shapes(contacts);
    detection->verified = 0;
}

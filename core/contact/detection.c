#include "contact/detection.h"

#include <string.h>

#include "base/memory.h"

void nb_detection_begin(nb_detection *detection, const nb_contacts *contacts) {
    detection->contacts = contacts;
}

void nb_detection_clear(nb_detection *detection) {
    nb_contacts_destroy(detection->own);
    nb_contacts_destroy(detection->found);
    nb_free(detection->bodies);
    nb_free(detection->particles);
    nb_free(detection->before);
    nb_free(detection->late);
    *detection = (nb_detection){0};
}

nb_status nb_detection_place(nb_detection *detection, const nb_world *world) {
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
static void merge(nb_detection *detection, const nb_world *world, int32_t added, int32_t soft_added) {
    nb_contacts *own = detection->own;
    const nb_contacts *found = detection->found;
    int32_t known = own->count - 1, i = found->count - 1, side = own->soft_count - 1, to_side = side + soft_added;
    own->count += added;
    own->soft_count += soft_added;
    for (int32_t to = own->count - 1; to >= 0; to--) {
        int order = i < 0 ? 1 : known < 0 ? -1 : compare(&own->items[known], &found->items[i]);
        if (order == 0) i--;
        if (order >= 0) {
            own->items[to] = own->items[known];
            detection->late[to] = detection->late[known];
            detection->before[to] = known--;
            if (to_side >= 0) own->sides[to_side--] = own->sides[side--];
        } else {
            const nb_contact_side *of = nb_contacts_side(found, i);
            own->items[to] = contact_at_start(detection, world, &found->items[i--], of);
            detection->before[to] = -1;
            detection->late[to] = 1;
            if (of) own->sides[to_side--] = *of;
        }
    }
}

int nb_detection_is_late(const nb_detection *detection, int32_t i) {
    return detection->contacts == detection->own && detection->late[i];
}

nb_status nb_detection_find(nb_detection *detection, const nb_world *world, int32_t *added) {
    nb_status status = NB_OK;
    nb_world moved = *world;
    moved.bodies = detection->bodies;
    moved.particles = detection->particles;
    *added = 0;
    if (!detection->found) NB_TRY(nb_contacts_create(&detection->found));
    NB_TRY(nb_contacts_detect(&moved, 0, detection->found));
    int32_t soft, count = count_new(detection->contacts, detection->found, &soft);
    if (count == 0) return NB_OK;
    NB_TRY(make_own(detection, detection->contacts->count + count, detection->contacts->soft_count + soft));
    merge(detection, world, count, soft);
    *added = count;
out:
    return status;
}

#include "contact/encounter.h"

#include "base/memory.h"

static nb_vec3 velocity_at(const nb_moving_piece *moving, nb_vec3 point) {
    return nb_add(moving->linear, nb_cross(moving->angular, nb_sub(point, moving->origin)));
}

double nb_encounter_reach(const nb_encounter *encounter) {
    const nb_moving_piece *a = &encounter->a, *b = &encounter->b;
    double speed = nb_norm(nb_sub(a->linear, b->linear)) + a->turning_speed + b->turning_speed;
    return encounter->margin + encounter->h * speed;
}

static nb_feature_kind swapped_kind(nb_feature_kind kind) {
    switch (kind) {
    case NB_FEATURE_VERTEX_FACE: return NB_FEATURE_FACE_VERTEX;
    case NB_FEATURE_FACE_VERTEX: return NB_FEATURE_VERTEX_FACE;
    case NB_FEATURE_VERTEX_EDGE: return NB_FEATURE_EDGE_VERTEX;
    case NB_FEATURE_EDGE_VERTEX: return NB_FEATURE_VERTEX_EDGE;
    case NB_FEATURE_EDGE_EDGE:
    case NB_FEATURE_NEAREST:
    case NB_FEATURE_DEEPEST:
    case NB_FEATURE_SETS: break;
    }
    return kind;
}

/* moves a contact's points and normal into the plane; 0: it lies across the plane */
static int lay_into_plane(nb_vec3 *point_a, nb_vec3 *point_b, nb_vec3 *normal) {
    const double most = 0.5; /* round-off of an iteration is far below, the face of a prism far above */
    if (fabs(normal->y) > most) return 0;
    point_a->y = point_b->y = 0;
    if (normal->y == 0) return 1; /* to normalise again is to round again */
    normal->y = 0;
    *normal = nb_normalized(*normal);
    return 1;
}

nb_status nb_encounter_add(const nb_encounter *encounter, nb_feature_kind kind, int32_t feature_a, int32_t feature_b,
                           nb_vec3 point_a, nb_vec3 point_b, nb_vec3 normal) {
    const nb_moving_piece *a = &encounter->a, *b = &encounter->b;
    nb_contacts *contacts = encounter->contacts;
    if (encounter->planar && !lay_into_plane(&point_a, &point_b, &normal)) return NB_OK;
    double gap = nb_dot(normal, nb_sub(point_a, point_b));
    double rate = nb_dot(normal, nb_sub(velocity_at(a, point_a), velocity_at(b, point_b)));
    if (gap + encounter->h * (rate < 0 ? rate : 0) > encounter->margin) return NB_OK;
    nb_status status = NB_RESERVE((int64_t)contacts->count + 1, &contacts->capacity, &contacts->items);
    if (status != NB_OK) return status;
    nb_contact *contact = &contacts->items[contacts->count++];
    *contact = (nb_contact){.body_a = a->piece->body,
                            .body_b = b->piece->body,
                            .point_a = point_a,
                            .point_b = point_b,
                            .normal = normal,
                            .gap = gap,
                            .friction = encounter->friction,
                            .feature = nb_feature_name(a->piece->part, b->piece->part, kind, feature_a, feature_b)};
    if (encounter->swapped) {
        contact->body_a = b->piece->body, contact->body_b = a->piece->body;
        contact->point_a = point_b, contact->point_b = point_a;
        contact->normal = nb_scale(-1, normal);
        contact->feature = nb_feature_name(b->piece->part, a->piece->part, swapped_kind(kind), feature_b, feature_a);
    }
    return NB_OK;
}

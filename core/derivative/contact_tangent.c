#include "derivative/contact_tangent.h"

#include "contact/narrow_phase.h"

/* which formula it is; the point is on side a, the face or edge on side b */
enum {
    PLANE,
    SPHERE_PLANE,
    SPHERES,
    EDGES,
    NEAREST_POINTS,
    SPHERE_EDGE,
    ELLIPSOID_PLANE
};

/* ---- the features of a contact ---- */

/* a body with one of its features */
typedef struct side {
    const nb_body *body;
    const nb_shape *shape;
    const nb_polyhedron *part; /* NULL where the shape is none */
    int32_t feature;
} side;

static side side_of(const nb_world *world, int32_t body, int32_t part, int32_t feature) {
    side s = {.body = &world->bodies[body], .feature = feature};
    s.shape = s.body->shape < 0 ? NULL : world->shapes[s.body->shape];
    if (s.shape && s.shape->kind == NB_SHAPE_COMPOUND) s.part = &s.shape->parts[part];
    return s;
}

static nb_vec3 placed(const side *s, int32_t vertex) {
    return nb_add(s->body->position, nb_quat_rotate(s->body->orientation, s->part->vertices[vertex]));
}

/* where the edge begins; `along` it to its end */
static nb_vec3 edge_of(const side *s, nb_vec3 *along) {
    const int32_t *ends = &s->part->edge_vertex[2 * s->feature];
    nb_vec3 start = placed(s, ends[0]);
    *along = nb_sub(placed(s, ends[1]), start);
    return start;
}

/* whether a point of the edge's line is inside of the edge: nearest points at its ends are the ends themselves */
static int is_inside(nb_vec3 start, nb_vec3 along, nb_vec3 point) {
    double fraction = nb_dot(along, nb_sub(point, start)) / nb_dot(along, along);
    return fraction > 1e-12 && fraction < 1 - 1e-12;
}

static int has_edge(const side *s) {
    return s->part && s->feature < s->part->edge_count;
}

/* contacts that no detection has found (of another program's) may name what is not there */
static nb_status nameless(const nb_contact *contact) {
    return nb_fail(NB_ERROR_UNSUPPORTED, "the contact of bodies %d and %d names no features of their shapes",
                   (int)contact->body_a, (int)contact->body_b);
}

/* spheres about one point, or about a point of an edge: any direction is as good */
static nb_status directionless(const nb_contact *contact) {
    return nb_fail(NB_ERROR_UNSUPPORTED,
                   "bodies %d and %d have a sphere's center at the other's position: no derivative",
                   (int)contact->body_a, (int)contact->body_b);
}

static double round_radius(const side *s) {
    return s->shape && s->shape->kind == NB_SHAPE_SPHERE ? s->shape->radius : 0;
}

/* the point is a's: a vertex, a sphere or an ellipsoid; b has a face, a half-space or a sphere */
static nb_status find_point(const side *a, const side *b, const nb_contact *contact, nb_contact_features *f) {
    if (!a->shape || !b->shape) return nameless(contact);
    f->kind = PLANE;
    if (a->shape->kind == NB_SHAPE_SPHERE) f->kind = b->shape->kind == NB_SHAPE_SPHERE ? SPHERES : SPHERE_PLANE;
    f->distance = nb_norm(nb_sub(a->body->position, b->body->position));
    if (f->kind == SPHERES && !(f->distance > NB_TOUCHING * (f->radius_a + f->radius_b))) return directionless(contact);
    if (a->shape->kind != NB_SHAPE_ELLIPSOID) return NB_OK;
    const double half[3] = {a->shape->half.x, a->shape->half.y, a->shape->half.z};
    f->kind = ELLIPSOID_PLANE;
    for (int i = 0; i < 3; i++)
        f->axis[i] = nb_quat_rotate(a->body->orientation,
                                    nb_vec3_of(i == 0 ? half[0] : 0, i == 1 ? half[1] : 0, i == 2 ? half[2] : 0));
    return NB_OK;
}

static nb_status find_edges(const side *a, const side *b, int nearest, const nb_contact *contact,
                            nb_contact_features *f) {
    const double parallel = 1e-6; /* as a sine: the nearest points of lines nearer to parallel run along them */
    if (!has_edge(a) || !has_edge(b)) return nameless(contact);
    nb_vec3 start_a = edge_of(a, &f->edge_a), start_b = edge_of(b, &f->edge_b);
    double size = fmax(nb_norm(f->edge_a), nb_norm(f->edge_b));
    f->distance = nb_norm(nb_sub(f->point_a, f->point_b));
    f->free_a = !nearest || is_inside(start_a, f->edge_a, f->point_a);
    f->free_b = !nearest || is_inside(start_b, f->edge_b, f->point_b);
    f->kind = f->free_a && f->free_b ? EDGES : NEAREST_POINTS;
    double sine = nb_norm(nb_cross(f->edge_a, f->edge_b)) / (nb_norm(f->edge_a) * nb_norm(f->edge_b));
    if (f->kind == EDGES && !(sine > parallel))
        return nb_fail(NB_ERROR_UNSUPPORTED, "bodies %d and %d meet at two parallel edges, which has no derivative",
                       (int)contact->body_a, (int)contact->body_b);
    if (f->kind == NEAREST_POINTS && !(f->distance > NB_TOUCHING * size))
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "bodies %d and %d touch with a corner at an edge or a corner, which has no derivative",
                       (int)contact->body_a, (int)contact->body_b);
    return NB_OK;
}

static nb_status find_sphere_edge(const side *a, const side *b, const nb_contact *contact, nb_contact_features *f) {
    if (!has_edge(b)) return nameless(contact);
    nb_vec3 start = edge_of(b, &f->edge_b);
    f->kind = SPHERE_EDGE;
    f->distance = nb_norm(nb_sub(a->body->position, f->point_b));
    f->free_b = is_inside(start, f->edge_b, f->point_b);
    if (!(f->distance > NB_TOUCHING * f->radius_a)) return directionless(contact);
    return NB_OK;
}

nb_status nb_contact_features_of(const nb_world *world, const nb_contact *contact, nb_contact_features *f) {
    const uint64_t name = contact->feature;
    const nb_feature_kind kind = (nb_feature_kind)(name >> 32 & 7);
    int flipped = kind == NB_FEATURE_FACE_VERTEX || kind == NB_FEATURE_EDGE_VERTEX;
    if (contact->body_a >= world->body_count)
        return nb_fail(NB_ERROR_UNSUPPORTED, "contacts of particles have no derivatives yet");
    side one = side_of(world, contact->body_a, (int32_t)(name >> 49), (int32_t)(name >> 16 & 0xffff)),
         two = side_of(world, contact->body_b, (int32_t)(name >> 35 & 0x3fff), (int32_t)(name & 0xffff));
    const side *a = flipped ? &two : &one, *b = flipped ? &one : &two;
    *f = (nb_contact_features){
        .flipped = flipped,
        .centre_a = a->body->position,
        .centre_b = b->body->position,
        .point_a = flipped ? contact->point_b : contact->point_a,
        .point_b = flipped ? contact->point_a : contact->point_b,
        .normal = flipped ? nb_scale(-1, contact->normal) : contact->normal,
        .radius_a = round_radius(a),
        .radius_b = round_radius(b),
    };
    switch (kind) {
    case NB_FEATURE_VERTEX_FACE:
    case NB_FEATURE_FACE_VERTEX: return find_point(a, b, contact, f);
    case NB_FEATURE_EDGE_EDGE:
    case NB_FEATURE_NEAREST: return find_edges(a, b, kind == NB_FEATURE_NEAREST, contact, f);
    case NB_FEATURE_VERTEX_EDGE:
    case NB_FEATURE_EDGE_VERTEX: return find_sphere_edge(a, b, contact, f);
    case NB_FEATURE_SETS:
        return nb_fail(NB_ERROR_UNSUPPORTED, "bodies %d and %d touch where the method found it, not at a feature",
                       (int)contact->body_a, (int)contact->body_b);
    case NB_FEATURE_DEEPEST: break;
    }
    return nb_fail(NB_ERROR_UNSUPPORTED,
                   "bodies %d and %d pass through each other: the deepest point has no derivative",
                   (int)contact->body_a, (int)contact->body_b);
}

/* ---- their motion ---- */

/* of a point of the body that moves and grows with it */
static nb_vec3 carried(const nb_body_tangent *body, nb_vec3 centre, nb_vec3 point) {
    nb_vec3 arm = nb_sub(point, centre);
    return nb_add(body->move, nb_add_scaled(nb_cross(body->turn, arm), body->size, arm));
}

/* of a direction with a length that does */
static nb_vec3 carried_edge(const nb_body_tangent *body, nb_vec3 edge) {
    return nb_add_scaled(nb_cross(body->turn, edge), body->size, edge);
}

/* of v/|v| times a sign, where v, of length `length`, has this direction and moves by dv */
static nb_vec3 turned(nb_vec3 direction, double length, nb_vec3 dv) {
    return nb_scale(1 / length, nb_add_scaled(dv, -nb_dot(direction, dv), direction));
}

/* a point of a, that moves by `point`, over a plane of b */
static void move_over_plane(const nb_contact_features *f, nb_vec3 point, const nb_body_tangent *b,
                            nb_contact_tangent *moved) {
    double height = nb_dot(f->normal, nb_sub(f->point_a, f->point_b));
    moved->normal = nb_cross(b->turn, f->normal);
    moved->gap = nb_dot(f->normal, nb_sub(point, carried(b, f->centre_b, f->point_b)));
    moved->point_a = point;
    moved->point_b = nb_sub(nb_add_scaled(point, -moved->gap, f->normal), nb_scale(height, moved->normal));
}

/* the same of a sphere, whose lowest point it is */
static void move_sphere_over_plane(const nb_contact_features *f, const nb_body_tangent *a, const nb_body_tangent *b,
                                   nb_contact_tangent *moved) {
    nb_vec3 normal = nb_cross(b->turn, f->normal);
    nb_vec3 lowest = nb_add_scaled(nb_add_scaled(a->move, -f->radius_a, normal), -a->size * f->radius_a, f->normal);
    move_over_plane(f, lowest, b, moved);
}

static void move_ellipsoid_over_plane(const nb_contact_features *f, const nb_body_tangent *a, const nb_body_tangent *b,
                                      nb_contact_tangent *moved) {
    nb_vec3 normal = nb_cross(b->turn, f->normal), lowest = a->move;
    double along[3], change[3], reach = 0, growth = 0;
    for (int i = 0; i < 3; i++) {
        along[i] = nb_dot(f->axis[i], f->normal);
        change[i] = nb_dot(carried_edge(a, f->axis[i]), f->normal) + nb_dot(f->axis[i], normal);
        reach += along[i] * along[i];
        growth += along[i] * change[i];
    }
    reach = sqrt(reach);
    growth /= reach;
    for (int i = 0; i < 3; i++) {
        lowest = nb_add_scaled(lowest, -(change[i] - along[i] * growth / reach) / reach, f->axis[i]);
        lowest = nb_add_scaled(lowest, -along[i] / reach, carried_edge(a, f->axis[i]));
    }
    move_over_plane(f, lowest, b, moved);
}

static void move_spheres(const nb_contact_features *f, const nb_body_tangent *a, const nb_body_tangent *b,
                         nb_contact_tangent *moved) {
    nb_vec3 apart = nb_sub(a->move, b->move);
    double grown_a = a->size * f->radius_a, grown_b = b->size * f->radius_b;
    moved->normal = turned(f->normal, f->distance, apart);
    moved->gap = nb_dot(f->normal, apart) - grown_a - grown_b;
    moved->point_a = nb_add_scaled(nb_add_scaled(a->move, -grown_a, f->normal), -f->radius_a, moved->normal);
    moved->point_b = nb_add_scaled(nb_add_scaled(b->move, grown_b, f->normal), f->radius_b, moved->normal);
}

/* The nearest points s and t of two edges, whose distance D is normal to both: a . D = 0 where s is free, b . D = 0
 * where t is. */
static void move_edges(const nb_contact_features *f, const nb_body_tangent *a, const nb_body_tangent *b,
                       nb_contact_tangent *moved) {
    nb_vec3 along_a = f->edge_a, along_b = f->edge_b, apart = nb_sub(f->point_a, f->point_b);
    nb_vec3 grown_a = carried_edge(a, along_a), grown_b = carried_edge(b, along_b);
    nb_vec3 own_a = carried(a, f->centre_a, f->point_a), own_b = carried(b, f->centre_b, f->point_b);
    nb_vec3 own = nb_sub(own_a, own_b);
    double aa = nb_dot(along_a, along_a), bb = nb_dot(along_b, along_b), ab = nb_dot(along_a, along_b);
    double of_a = -nb_dot(grown_a, apart) - nb_dot(along_a, own), of_b = -nb_dot(grown_b, apart) - nb_dot(along_b, own);
    double s = 0, t = 0;
    if (f->free_a && f->free_b) {
        double determinant = ab * ab - aa * bb;
        s = (ab * of_b - bb * of_a) / determinant;
        t = (aa * of_b - ab * of_a) / determinant;
    } else if (f->free_a) {
        s = of_a / aa;
    } else if (f->free_b) {
        t = -of_b / bb;
    }
    moved->point_a = nb_add_scaled(own_a, s, along_a);
    moved->point_b = nb_add_scaled(own_b, t, along_b);
    if (f->kind == EDGES) { /* also where they touch: the normal is across both */
        nb_vec3 across = nb_cross(along_a, along_b);
        double sign = nb_dot(across, f->normal) > 0 ? 1 : -1;
        nb_vec3 change = nb_add(nb_cross(grown_a, along_b), nb_cross(along_a, grown_b));
        moved->normal = turned(f->normal, sign * nb_norm(across), change);
    } else {
        double sign = nb_dot(apart, f->normal) > 0 ? 1 : -1;
        moved->normal = turned(f->normal, sign * f->distance, nb_sub(moved->point_a, moved->point_b));
    }
    moved->gap = nb_dot(f->normal, nb_sub(moved->point_a, moved->point_b)) + nb_dot(moved->normal, apart);
}

static void move_sphere_over_edge(const nb_contact_features *f, const nb_body_tangent *a, const nb_body_tangent *b,
                                  nb_contact_tangent *moved) {
    nb_vec3 along = f->edge_b, foot = carried(b, f->centre_b, f->point_b), apart = nb_sub(f->centre_a, f->point_b);
    if (f->free_b) {
        double t = nb_dot(along, nb_sub(a->move, foot)) + nb_dot(carried_edge(b, along), apart);
        foot = nb_add_scaled(foot, t / nb_dot(along, along), along);
    }
    nb_vec3 change = nb_sub(a->move, foot);
    double grown = a->size * f->radius_a;
    moved->normal = turned(f->normal, f->distance, change);
    moved->gap = nb_dot(f->normal, change) - grown;
    moved->point_a = nb_add_scaled(nb_add_scaled(a->move, -grown, f->normal), -f->radius_a, moved->normal);
    moved->point_b = foot;
}

void nb_contact_features_move(const nb_contact_features *f, const nb_body_tangent *of_a, const nb_body_tangent *of_b,
                              nb_contact_tangent *moved) {
    const nb_body_tangent *a = f->flipped ? of_b : of_a, *b = f->flipped ? of_a : of_b;
    switch (f->kind) {
    case PLANE: move_over_plane(f, carried(a, f->centre_a, f->point_a), b, moved); break;
    case SPHERE_PLANE: move_sphere_over_plane(f, a, b, moved); break;
    case SPHERES: move_spheres(f, a, b, moved); break;
    case SPHERE_EDGE: move_sphere_over_edge(f, a, b, moved); break;
    case ELLIPSOID_PLANE: move_ellipsoid_over_plane(f, a, b, moved); break;
    default: move_edges(f, a, b, moved); break;
    }
    if (!f->flipped) return;
    nb_vec3 point = moved->point_a;
    moved->point_a = moved->point_b;
    moved->point_b = point;
    moved->normal = nb_scale(-1, moved->normal);
}

/* ---- the same back ---- */

static nb_body_tangent carried_back(nb_vec3 centre, nb_vec3 point, nb_vec3 by_point) {
    nb_vec3 arm = nb_sub(point, centre);
    return (nb_body_tangent){by_point, nb_cross(arm, by_point), nb_dot(arm, by_point)};
}

static void move_over_plane_back(const nb_contact_features *f, const nb_contact_tangent *by, nb_body_tangent *a,
                                 nb_body_tangent *b) {
    double height = nb_dot(f->normal, nb_sub(f->point_a, f->point_b));
    double by_gap = by->gap - nb_dot(by->point_b, f->normal);
    nb_vec3 by_normal = nb_add_scaled(by->normal, -height, by->point_b);
    nb_vec3 by_point = nb_add_scaled(nb_add(by->point_a, by->point_b), by_gap, f->normal);
    *a = carried_back(f->centre_a, f->point_a, by_point);
    *b = carried_back(f->centre_b, f->point_b, nb_scale(-by_gap, f->normal));
    b->turn = nb_add(b->turn, nb_cross(f->normal, by_normal));
}

static double along(const nb_contact_tangent *by, const nb_contact_tangent *moved) {
    return nb_dot(by->point_a, moved->point_a) + nb_dot(by->point_b, moved->point_b) +
           nb_dot(by->normal, moved->normal) + by->gap * moved->gap;
}

/* motion by motion */
static nb_body_tangent column_by_column(const nb_contact_features *f, const nb_contact_tangent *by, int which) {
    double out[7];
    for (int k = 0; k < 7; k++) {
        const nb_vec3 unit = nb_vec3_of(k % 3 == 0, k % 3 == 1, k % 3 == 2), none = {0};
        const nb_body_tangent still = {.size = 0}, one = {k < 3 ? unit : none, k >= 3 && k < 6 ? unit : none, k == 6};
        nb_contact_tangent moved;
        nb_contact_features_move(f, which ? &still : &one, which ? &one : &still, &moved);
        out[k] = along(by, &moved);
    }
    return (nb_body_tangent){nb_vec3_of(out[0], out[1], out[2]), nb_vec3_of(out[3], out[4], out[5]), out[6]};
}

void nb_contact_features_move_back(const nb_contact_features *f, const nb_contact_tangent *by_contact,
                                   nb_body_tangent by[2]) {
    if (f->kind != PLANE) { /* the contacts of boxes, of which there are many */
        for (int i = 0; i < 2; i++) by[i] = column_by_column(f, by_contact, i);
        return;
    }
    nb_contact_tangent own = *by_contact;
    if (f->flipped)
        own = (nb_contact_tangent){by_contact->point_b, by_contact->point_a, nb_scale(-1, by_contact->normal),
                                   by_contact->gap};
    move_over_plane_back(f, &own, &by[f->flipped], &by[!f->flipped]);
}

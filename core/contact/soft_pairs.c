/* Surfaces of deformable bodies against each other and themselves: points against faces, edges and points, and edges
 * against edges. The first side of a contact is the face or edge, which says what is outside. */
#include "base/interrupt.h"
#include "base/memory.h"
#include "contact/soft_parts.h"

/* what a contact is of, in the two highest bits of its name */
enum {
    OF_FACE,
    OF_EDGE,
    OF_POINT,
    OF_EDGES
};

static uint64_t name_of(uint64_t kind, int32_t feature, int32_t other) {
    return kind << 62 | (uint64_t)feature << 31 | (uint64_t)other;
}

static double reach_of(const nb_soft_search *s) {
    return s->world->settings.contact_margin + s->world->settings.contact_thickness;
}

/* ---- at rest ---- */

static double from_segment(nb_vec3 x, nb_vec3 a, nb_vec3 b) {
    nb_vec3 along = nb_sub(b, a);
    double share = nb_dot(along, nb_sub(x, a)) / nb_dot(along, along);
    return nb_norm(nb_sub(nb_add_scaled(a, fmin(1, fmax(0, share)), along), x));
}

static double from_face(nb_vec3 x, const nb_vec3 corner[3]) {
    nb_vec3 n = nb_normalized(nb_cross(nb_sub(corner[1], corner[0]), nb_sub(corner[2], corner[0])));
    double nearest = INFINITY;
    int over = 1;
    for (int k = 0; k < 3; k++) {
        nb_vec3 a = corner[k], b = corner[(k + 1) % 3];
        nearest = fmin(nearest, from_segment(x, a, b));
        over &= nb_dot(n, nb_cross(nb_sub(b, a), nb_sub(x, a))) >= 0;
    }
    return over ? fabs(nb_dot(n, nb_sub(x, corner[0]))) : nearest;
}

static double between_segments(nb_vec3 a, nb_vec3 b, nb_vec3 c, nb_vec3 d) {
    nb_vec3 one = nb_sub(b, a), other = nb_sub(d, c), cross = nb_cross(one, other), between = nb_sub(c, a);
    double square = nb_dot(cross, cross), share = nb_dot(nb_cross(between, other), cross);
    double other_share = nb_dot(nb_cross(between, one), cross);
    if (square > 0 && share > 0 && share < square && other_share > 0 && other_share < square)
        return fabs(nb_dot(between, cross)) / sqrt(square);
    return fmin(fmin(from_segment(a, c, d), from_segment(b, c, d)), fmin(from_segment(c, a, b), from_segment(d, a, b)));
}

/* Whether the two are of one body, and no farther from each other at rest than contacts reach: neighbours, which would
 * touch without any fold. Of one to three particles each. */
static int are_neighbours(const nb_soft_search *s, const nb_soft_spot *at, const nb_soft_spot *other) {
    const nb_surface *surface = &s->of->surface;
    const nb_particle *particles = s->world->particles;
    nb_vec3 a[3], b[3];
    double distance;
    if (surface->body[at->particle[0]] != surface->body[other->particle[0]]) return 0;
    for (int k = 0; k < at->count; k++) a[k] = particles[at->particle[k]].rest;
    for (int k = 0; k < other->count; k++) b[k] = particles[other->particle[k]].rest;
    if (other->count == 2)
        distance = between_segments(a[0], a[1], b[0], b[1]);
    else
        distance = at->count == 3   ? from_face(b[0], a)
                   : at->count == 2 ? from_segment(b[0], a[0], a[1])
                                    : nb_norm(nb_sub(a[0], b[0]));
    return distance <= reach_of(s) + at->radius + other->radius;
}

/* ---- contacts ---- */

/* The contact of two spots, `out` of the first one's surface (unit); 0 where there is none. */
static int make_contact(const nb_soft_search *s, const nb_soft_spot *at, const nb_soft_spot *other, nb_vec3 out,
                        uint64_t name, nb_soft_contact *contact) {
    const int32_t first_node = s->world->body_count;
    double gap = nb_dot(out, nb_sub(other->place, at->place)) - at->radius - other->radius;
    double rate = nb_dot(out, nb_sub(other->velocity, at->velocity));
    nb_contact_side side = {at->count + other->count, other->count, {0}, {0}};
    if (!at->moves && !other->moves) return 0;
    if (gap + s->h * fmin(0, rate) > reach_of(s) || are_neighbours(s, at, other)) return 0;
    for (int k = 0; k < at->count; k++) {
        side.particle[k] = at->particle[k];
        side.weight[k] = at->weight[k];
    }
    for (int k = 0; k < other->count; k++) {
        side.particle[at->count + k] = other->particle[k];
        side.weight[at->count + k] = -other->weight[k];
    }
    contact->side = side;
    contact->contact = (nb_contact){.body_a = first_node + at->particle[0],
                                    .body_b = first_node + other->particle[0],
                                    .point_a = nb_add_scaled(at->place, at->radius, out),
                                    .point_b = nb_add_scaled(other->place, -other->radius, out),
                                    .normal = nb_scale(-1, out),
                                    .gap = gap,
                                    .friction = sqrt(at->friction * other->friction),
                                    .feature = name};
    return 1;
}

static nb_status add_contact(const nb_soft_search *s, const nb_soft_spot *at, const nb_soft_spot *other, nb_vec3 out,
                             uint64_t name) {
    nb_soft_contact contact;
    return make_contact(s, at, other, out, name, &contact) ? nb_soft_add(s, &contact) : NB_OK;
}

/* ---- points ---- */

/* the other end of the k-th edge at the particle, seen from it */
static nb_vec3 edge_from(const nb_soft_search *s, int32_t particle, int32_t k) {
    const int32_t *ends = s->of->surface.edges[s->of->surface.edges_at[k]].particle;
    return nb_sub(nb_soft_position(s, ends[ends[0] == particle]), nb_soft_position(s, particle));
}

/* Whether the particle can meet a plane with this normal that comes from below (nb_vertex_faces): one on no surface,
 * and one on a sheet, which has nothing behind it, can meet any. */
static int point_faces(const nb_soft_search *s, int32_t particle, nb_vec3 normal) {
    const nb_surface *surface = &s->of->surface;
    if (nb_surface_on_sheet(surface, particle)) return 1;
    for (int32_t k = surface->edge_start[particle]; k < surface->edge_start[particle + 1]; k++) {
        nb_vec3 way = edge_from(s, particle, k);
        if (nb_dot(normal, way) < -NB_SOFT_TURNED_AWAY * nb_norm(way)) return 0;
    }
    return 1;
}

static nb_soft_spot spot_of_point(const nb_soft_search *s, int32_t particle) {
    const double weight = 1;
    return nb_soft_spot_of(s, 1, &particle, &weight);
}

/* a point above the face, or within its tetrahedron's depth: a candidate; of a triangle on either side: a contact */
static nb_status collide_point_face(const nb_soft_search *s, int32_t point, int32_t face) {
    nb_soft_collider *of = s->of;
    const int32_t particle = of->surface.points[point];
    const int32_t *corners = of->surface.faces[face].particle;
    const nb_placed_face *f = &of->placed_faces[face];
    nb_vec3 place = nb_soft_position(s, particle);
    nb_vec3 out;
    double height, weight[3];
    nb_soft_contact contact;
    for (int k = 0; k < 4; k++)
        if (corners[k] == particle) return NB_OK;
    if (!nb_soft_is_proper(f) || !nb_soft_height(f, place, &height, &out)) return NB_OK;
    if (!nb_soft_weights(f, place, weight) || !point_faces(s, particle, out)) return NB_OK;
    if (height < 0 && !nb_surface_inside(&of->surface, s->world, 3, corners, 1, &particle, place)) return NB_OK;
    const nb_soft_spot at = nb_soft_spot_of(s, 3, corners, weight), other = spot_of_point(s, particle);
    if (!make_contact(s, &at, &other, out, name_of(OF_FACE, face, 0), &contact)) return NB_OK;
    if (f->two_sided) return nb_soft_add(s, &contact);
    nb_status status = NB_RESERVE(of->candidate_count + 1, &of->candidate_capacity, &of->candidates);
    if (status != NB_OK) return status;
    of->candidates[of->candidate_count++] = (nb_soft_candidate){-1, 0, height, contact}; /* of no piece */
    return NB_OK;
}

static nb_status collide_point_edge(const nb_soft_search *s, int32_t point, int32_t edge) {
    const int32_t particle = s->of->surface.points[point];
    const int32_t *ends = s->of->surface.edges[edge].particle;
    nb_vec3 out;
    double share;
    if (ends[0] == particle || ends[1] == particle) return NB_OK;
    if (!nb_soft_beside(&s->of->placed_edges[edge], nb_soft_position(s, particle), &share, &out)) return NB_OK;
    if (!point_faces(s, particle, out)) return NB_OK;
    const double weight[2] = {1 - share, share};
    const nb_soft_spot at = nb_soft_spot_of(s, 2, ends, weight), other = spot_of_point(s, particle);
    return add_contact(s, &at, &other, out, name_of(OF_EDGE, edge, 0));
}

/* Whether `out` is outside of the surface at the particle, where that has an outside, and no edge goes that way: there
 * it is nearest. */
static int is_nearest(const nb_soft_search *s, int32_t particle, nb_vec3 out) {
    const nb_surface *surface = &s->of->surface;
    nb_vec3 normals = {0, 0, 0};
    for (int32_t k = surface->edge_start[particle]; k < surface->edge_start[particle + 1]; k++) {
        const nb_placed_edge *e = &s->of->placed_edges[surface->edges_at[k]];
        nb_vec3 way = edge_from(s, particle, k);
        if (nb_dot(out, way) > NB_SOFT_ASIDE * nb_norm(way)) return 0;
        normals = nb_add(normals, nb_add(e->normal[0], e->normal[1]));
    }
    return nb_dot(out, normals) > 0 || nb_surface_on_sheet(surface, particle);
}

/* two corners, or a corner and a particle on no surface */
static nb_status collide_points(const nb_soft_search *s, int32_t one, int32_t two) {
    const int32_t particle = s->of->surface.points[one], other = s->of->surface.points[two];
    nb_vec3 between = nb_sub(nb_soft_position(s, other), nb_soft_position(s, particle)), out = nb_normalized(between);
    nb_vec3 back = nb_scale(-1, out);
    const nb_surface *surface = &s->of->surface;
    if (!(nb_norm(between) > 0)) return NB_OK;
    int nearest = is_nearest(s, particle, out) + is_nearest(s, other, back);
    if (nearest < 1 + (nb_surface_on_sheet(surface, particle) && nb_surface_on_sheet(surface, other))) return NB_OK;
    if (!point_faces(s, particle, back) || !point_faces(s, other, out)) return NB_OK;
    const nb_soft_spot at = spot_of_point(s, particle), to = spot_of_point(s, other);
    return add_contact(s, &at, &to, out, name_of(OF_POINT, 0, 0));
}

/* ---- edges ---- */

/* 1 or -1: the way from the first edge to the second along their perpendicular, as the first one's body lies; if that
 * is a sheet, as the second one's does; of two sheets, as they are */
static double sign_of(const nb_placed_edge *e, const nb_placed_edge *f, nb_vec3 cross, nb_vec3 between) {
    if (!e->two_sided) return nb_dot(cross, nb_add(e->normal[0], e->normal[1])) < 0 ? -1 : 1;
    if (!f->two_sided) return nb_dot(cross, nb_add(f->normal[0], f->normal[1])) < 0 ? 1 : -1;
    return nb_dot(cross, between) < 0 ? -1 : 1;
}

static nb_status collide_edges(const nb_soft_search *s, int32_t first, int32_t second) {
    const nb_surface *surface = &s->of->surface;
    const nb_placed_edge *e = &s->of->placed_edges[first], *f = &s->of->placed_edges[second];
    const int32_t *one = surface->edges[first].particle, *two = surface->edges[second].particle;
    if (one[0] == two[0] || one[0] == two[1] || one[1] == two[0] || one[1] == two[1]) return NB_OK;
    nb_vec3 cross = nb_cross(e->along, f->along), between = nb_sub(f->start, e->start);
    double square = nb_dot(cross, cross), ee = nb_dot(e->along, e->along), ff = nb_dot(f->along, f->along);
    if (!(square > NB_SOFT_PARALLEL * NB_SOFT_PARALLEL * ee * ff)) return NB_OK;
    double share = nb_dot(nb_cross(between, f->along), cross) / square;
    double other_share = nb_dot(nb_cross(between, e->along), cross) / square;
    if (!(share > 0 && share < 1 && other_share > 0 && other_share < 1)) return NB_OK;
    if ((!e->two_sided && nb_soft_is_flat(e)) || (!f->two_sided && nb_soft_is_flat(f))) return NB_OK;
    nb_vec3 out = nb_scale(sign_of(e, f, cross, between) / sqrt(square), cross);
    if (!nb_soft_edge_faces(e, out, NB_SOFT_TURNED_AWAY) ||
        !nb_soft_edge_faces(f, nb_scale(-1, out), NB_SOFT_TURNED_AWAY))
        return NB_OK;
    const double weight[2] = {1 - share, share}, other_weight[2] = {1 - other_share, other_share};
    const nb_soft_spot at = nb_soft_spot_of(s, 2, one, weight), other = nb_soft_spot_of(s, 2, two, other_weight);
    double height = nb_dot(out, between);
    if (height < -NB_SOFT_DEEPEST * sqrt(fmin(ee, ff))) return NB_OK;
    /* edges that have passed each other: each is in the other's body, if it has one */
    if (height < 0 && ((!e->two_sided && !nb_surface_inside(surface, s->world, 2, one, 2, two, other.place)) ||
                       (!f->two_sided && !nb_surface_inside(surface, s->world, 2, two, 2, one, at.place))))
        return NB_OK;
    return add_contact(s, &at, &other, out, name_of(OF_EDGES, first, second));
}

/* ---- all ---- */

static nb_status place_parts(const nb_soft_search *s) {
    nb_soft_collider *of = s->of;
    const nb_surface *surface = &of->surface;
    nb_status status;
    NB_TRY(NB_RESERVE(surface->face_count, &of->placed_face_capacity, &of->placed_faces));
    NB_TRY(NB_RESERVE(surface->edge_count, &of->placed_edge_capacity, &of->placed_edges));
    for (int32_t i = 0; i < surface->face_count; i++) of->placed_faces[i] = nb_soft_place_face(s, &surface->faces[i]);
    for (int32_t i = 0; i < surface->edge_count; i++) of->placed_edges[i] = nb_soft_place_edge(s, &surface->edges[i]);
out:
    return status;
}

typedef nb_status collide(const nb_soft_search *s, int32_t one, int32_t other);

/* Every pair of parts whose boxes overlap, by their numbers: of a point, face or edge of one tree with one of another,
 * or of the same. */
static nb_status collide_all(const nb_soft_search *s, const nb_box_tree *one, const nb_box_tree *other,
                             collide *collide_pair) {
    nb_status status;
    nb_broad_phase *broad = &s->of->broad;
    NB_TRY(one == other ? nb_broad_phase_within(broad, one, s->of->bounds)
                        : nb_broad_phase_between(broad, one, other, s->of->bounds));
    s->of->tests += broad->tests;
    for (int64_t k = 0; k < broad->pair_count; k++) {
        NB_TRY(nb_interrupt_check());
        NB_TRY(collide_pair(s, broad->pairs[k][0] - one->first, broad->pairs[k][1] - other->first));
    }
out:
    return status;
}

nb_status nb_soft_collide_surfaces(const nb_soft_search *s) {
    nb_soft_collider *of = s->of;
    nb_status status;
    if (of->surface.face_count == 0) return NB_OK;
    NB_TRY(place_parts(s));
    NB_TRY(collide_all(s, &of->points, &of->faces, collide_point_face));
    NB_TRY(collide_all(s, &of->points, &of->edges, collide_point_edge));
    NB_TRY(collide_all(s, &of->points, &of->points, collide_points));
    NB_TRY(collide_all(s, &of->edges, &of->edges, collide_edges));
out:
    return status;
}

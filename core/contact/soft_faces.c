/* Rigid corners and spheres against faces and edges of deformable bodies, and rigid edges against their edges. */
#include "base/memory.h"
#include "contact/polyhedra.h"
#include "contact/soft_parts.h"

/* a name apart from those of points: which face or edge, and what of the rigid piece */
static uint64_t name_of(int32_t feature, int32_t part, nb_feature_kind kind, int32_t rigid_feature) {
    return (uint64_t)(feature >> 16) << 49 | (uint64_t)part << 35 | (uint64_t)kind << 32 |
           (uint64_t)(feature & 0xffff) << 16 | (uint64_t)rigid_feature;
}

/* The contact of the spot with a point of the piece, `out` of the surface (unit); 0 where it stays beyond the margin.
 */
static int make_contact(const nb_soft_search *s, const nb_soft_spot *at, const nb_piece *piece, nb_vec3 point,
                        nb_vec3 out, uint64_t name, nb_soft_contact *contact) {
    const nb_world *world = s->world;
    const nb_body *body = &world->bodies[piece->body];
    const nb_moving_piece m = nb_piece_moving(world, s->h, piece);
    nb_vec3 velocity = nb_add(m.linear, nb_cross(m.angular, nb_sub(point, m.origin)));
    nb_vec3 skin = nb_add_scaled(at->place, at->radius, out);
    double gap = nb_dot(out, nb_sub(point, skin)), rate = nb_dot(out, nb_sub(velocity, at->velocity));
    if (!at->moves && body->kind != NB_BODY_DYNAMIC) return 0;
    if (gap + s->h * fmin(0, rate) > world->settings.contact_margin + world->settings.contact_thickness) return 0;
    contact->side = (nb_contact_side){.count = at->count};
    for (int k = 0; k < at->count; k++) {
        contact->side.particle[k] = at->particle[k];
        contact->side.weight[k] = at->weight[k];
    }
    contact->contact = (nb_contact){.body_a = world->body_count + at->particle[0],
                                    .body_b = piece->body,
                                    .point_a = skin,
                                    .point_b = point,
                                    .normal = nb_scale(-1, out),
                                    .gap = gap,
                                    .friction = sqrt(at->friction * body->friction),
                                    .feature = name};
    return 1;
}

/* whether the point is in the body that these particles are on the surface of */
static int is_inside(const nb_soft_search *s, int count, const int32_t *particle, nb_vec3 point) {
    return nb_surface_inside(&s->of->surface, s->world, count, particle, 0, NULL, point);
}

/* ---- faces ---- */

/* a corner of the piece, or the centre of a sphere, where it is above the face or within its tetrahedron's depth */
static nb_status collide_corner(const nb_soft_search *s, int32_t face, const nb_placed_face *f, const nb_piece *piece,
                                int32_t corner, nb_vec3 place) {
    double height, weight[3];
    nb_vec3 out;
    nb_soft_contact contact;
    if (!nb_soft_height(f, place, &height, &out) || !nb_soft_weights(f, place, weight)) return NB_OK;
    if (piece->polyhedron && !nb_vertex_faces(piece, corner, out)) return NB_OK;
    if (height < 0 && !is_inside(s, 3, s->of->surface.faces[face].particle, place)) return NB_OK;
    nb_vec3 point = piece->polyhedron ? place : nb_add_scaled(place, -piece->radius, out);
    const nb_soft_spot at = nb_soft_spot_of(s, 3, s->of->surface.faces[face].particle, weight);
    if (!make_contact(s, &at, piece, point, out, name_of(face, piece->part, NB_FEATURE_FACE_VERTEX, corner), &contact))
        return NB_OK;
    if (f->two_sided) return nb_soft_add(s, &contact); /* nothing comes in there */
    nb_soft_collider *of = s->of;
    nb_status status = NB_RESERVE(of->candidate_count + 1, &of->candidate_capacity, &of->candidates);
    if (status != NB_OK) return status;
    of->candidates[of->candidate_count++] = (nb_soft_candidate){piece->part, corner, height, contact};
    return NB_OK;
}

nb_status nb_soft_collide_face(const nb_soft_search *s, int32_t face, const nb_piece *piece) {
    const nb_placed_face f = nb_soft_place_face(s, &s->of->surface.faces[face]);
    nb_status status = NB_OK;
    if (!nb_soft_is_proper(&f)) return NB_OK;
    if (!piece->polyhedron) return collide_corner(s, face, &f, piece, 0, piece->centre);
    for (int32_t v = 0; v < piece->polyhedron->vertex_count; v++)
        NB_TRY(collide_corner(s, face, &f, piece, v, piece->vertices[v]));
out:
    return status;
}

/* ---- edges ---- */

static nb_status add_edge_contact(const nb_soft_search *s, int32_t edge, double share, const nb_piece *piece,
                                  nb_vec3 point, nb_vec3 out, nb_feature_kind kind, int32_t feature) {
    const double weight[2] = {1 - share, share};
    const nb_soft_spot at = nb_soft_spot_of(s, 2, s->of->surface.edges[edge].particle, weight);
    nb_soft_contact contact;
    if (!make_contact(s, &at, piece, point, out, name_of(edge, piece->part, kind, feature), &contact)) return NB_OK;
    return nb_soft_add(s, &contact);
}

/* a sphere or a corner beside the edge; where it is on the edge the faces have it */
static nb_status collide_beside(const nb_soft_search *s, int32_t edge, const nb_placed_edge *e, const nb_piece *piece,
                                int32_t corner) {
    nb_vec3 place = piece->polyhedron ? piece->vertices[corner] : piece->centre, out;
    double share;
    if (!nb_soft_beside(e, place, &share, &out)) return NB_OK;
    if (piece->polyhedron && !nb_vertex_faces(piece, corner, out)) return NB_OK;
    nb_vec3 point = piece->polyhedron ? place : nb_add_scaled(place, -piece->radius, out);
    return add_edge_contact(s, edge, share, piece, point, out, NB_FEATURE_EDGE_VERTEX, corner);
}

/* the sum of the normals of the edge's faces */
static nb_vec3 rigid_edge_normals(const nb_piece *piece, int32_t index) {
    const int32_t *faces = &piece->polyhedron->edge_face[2 * (ptrdiff_t)index];
    return nb_add(piece->normals[faces[0]], piece->normals[faces[1]]);
}

/* whether the piece's edge faces this direction (polyhedra.c); one between faces in one plane is none */
static int rigid_edge_faces(const nb_piece *piece, int32_t index, nb_vec3 along, nb_vec3 direction) {
    const int32_t *faces = &piece->polyhedron->edge_face[2 * (ptrdiff_t)index];
    nb_vec3 one = piece->normals[faces[0]], other = piece->normals[faces[1]];
    double limit = NB_SOFT_TURNED_AWAY * nb_norm(along);
    return nb_dot(one, other) < 1 - NB_SOFT_PARALLEL * NB_SOFT_PARALLEL && nb_dot(direction, nb_add(one, other)) > 0 &&
           nb_dot(direction, nb_cross(one, along)) <= limit && nb_dot(direction, nb_cross(other, along)) >= -limit;
}

static int is_in_piece(const nb_piece *piece, nb_vec3 point) {
    for (int32_t f = 0; f < piece->polyhedron->face_count; f++)
        if (nb_face_height(piece, f, point) > NB_TOUCHING * piece->radius) return 0;
    return 1;
}

static nb_status collide_rigid_edge(const nb_soft_search *s, int32_t edge, const nb_placed_edge *e,
                                    const nb_piece *piece, int32_t index) {
    const int32_t *ends = &piece->polyhedron->edge_vertex[2 * (ptrdiff_t)index];
    nb_vec3 start = piece->vertices[ends[0]], along = nb_sub(piece->vertices[ends[1]], start);
    nb_vec3 cross = nb_cross(e->along, along), between = nb_sub(start, e->start);
    double square = nb_dot(cross, cross), aa = nb_dot(e->along, e->along), bb = nb_dot(along, along);
    if (!(square > NB_SOFT_PARALLEL * NB_SOFT_PARALLEL * aa * bb)) return NB_OK;
    double share = nb_dot(nb_cross(between, along), cross) / square;
    double rigid_share = nb_dot(nb_cross(between, e->along), cross) / square;
    if (!(share > 0 && share < 1 && rigid_share > 0 && rigid_share < 1)) return NB_OK;
    /* away from the body; of a sheet's edge from the piece */
    nb_vec3 away = e->two_sided ? nb_scale(-1, rigid_edge_normals(piece, index)) : nb_add(e->normal[0], e->normal[1]);
    double sign = nb_dot(cross, away) < 0 ? -1 : 1;
    nb_vec3 out = nb_scale(sign / sqrt(square), cross), point = nb_add_scaled(start, rigid_share, along);
    if (!nb_soft_edge_faces(e, out, NB_SOFT_TURNED_AWAY) || !rigid_edge_faces(piece, index, along, nb_scale(-1, out)))
        return NB_OK;
    /* edges that have passed each other: each is in the other's body, if it has one */
    if (nb_dot(out, between) < 0 && ((!e->two_sided && !is_inside(s, 2, s->of->surface.edges[edge].particle, point)) ||
                                     !is_in_piece(piece, nb_add_scaled(e->start, share, e->along))))
        return NB_OK;
    if (nb_dot(out, between) < -NB_SOFT_DEEPEST * sqrt(fmin(aa, bb))) return NB_OK;
    return add_edge_contact(s, edge, share, piece, point, out, NB_FEATURE_EDGE_EDGE, index);
}

nb_status nb_soft_collide_edge(const nb_soft_search *s, int32_t edge, const nb_piece *piece) {
    const nb_placed_edge e = nb_soft_place_edge(s, &s->of->surface.edges[edge]);
    nb_status status = NB_OK;
    if (!piece->polyhedron) return collide_beside(s, edge, &e, piece, 0);
    for (int32_t v = 0; v < piece->polyhedron->vertex_count; v++) NB_TRY(collide_beside(s, edge, &e, piece, v));
    for (int32_t k = 0; k < piece->polyhedron->edge_count; k++) NB_TRY(collide_rigid_edge(s, edge, &e, piece, k));
out:
    return status;
}

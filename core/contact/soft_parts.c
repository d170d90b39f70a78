#include "contact/soft_parts.h"

/* A foot may be outside of a face by this part of it, so that none falls between two faces; what is inside of a
 * triangle by less, or within an edge of a sheet, is left to its edges and corners, so that a sheet over another with
 * the same mesh has one contact where two corners meet. */
static const double BESIDE = 1e-9;

nb_soft_spot nb_soft_spot_of(const nb_soft_search *s, int count, const int32_t *particle, const double *weight) {
    nb_soft_spot at = {.count = count};
    for (int k = 0; k < count; k++) {
        const nb_particle *p = &s->world->particles[particle[k]];
        at.particle[k] = particle[k];
        at.weight[k] = weight[k];
        at.place = nb_add_scaled(at.place, weight[k], p->position);
        at.velocity = nb_add_scaled(at.velocity, weight[k], nb_soft_velocity(s, p));
        at.radius += weight[k] * p->radius;
        at.friction += weight[k] * p->friction;
        at.moves |= p->kind == NB_BODY_DYNAMIC;
    }
    return at;
}

nb_placed_face nb_soft_place_face(const nb_soft_search *s, const nb_surface_face *face) {
    nb_placed_face f;
    for (int k = 0; k < 3; k++) f.corner[k] = nb_soft_position(s, face->particle[k]);
    nb_vec3 cross = nb_cross(nb_sub(f.corner[1], f.corner[0]), nb_sub(f.corner[2], f.corner[0]));
    f.twice_area = nb_norm(cross);
    f.normal = nb_normalized(cross);
    f.two_sided = nb_surface_of_sheet(face);
    f.depth = f.two_sided ? 0 : nb_dot(f.normal, nb_sub(f.corner[0], nb_soft_position(s, face->particle[3])));
    return f;
}

int nb_soft_height(const nb_placed_face *f, nb_vec3 point, double *height, nb_vec3 *out) {
    *height = nb_dot(f->normal, nb_sub(point, f->corner[0]));
    *out = f->normal;
    if (!f->two_sided) return *height >= -f->depth;
    if (*height < 0) *out = nb_scale(-1, f->normal);
    *height = fabs(*height);
    return 1;
}

int nb_soft_weights(const nb_placed_face *f, nb_vec3 point, double weight[3]) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        nb_vec3 a = f->corner[(k + 1) % 3], b = f->corner[(k + 2) % 3];
        weight[k] = nb_dot(f->normal, nb_cross(nb_sub(b, a), nb_sub(point, a))) / f->twice_area;
        if (!(weight[k] >= (f->two_sided ? BESIDE : -BESIDE))) return 0;
        weight[k] = fmax(0, weight[k]);
        sum += weight[k];
    }
    for (int k = 0; k < 3; k++) weight[k] /= sum;
    return 1;
}

nb_placed_edge nb_soft_place_edge(const nb_soft_search *s, const nb_surface_edge *edge) {
    nb_placed_edge e = {.start = nb_soft_position(s, edge->particle[0])};
    e.along = nb_sub(nb_soft_position(s, edge->particle[1]), e.start);
    for (int i = 0; i < 2; i++) {
        const nb_surface_face *face = &s->of->surface.faces[edge->face[edge->face[i] < 0 ? 0 : i]];
        e.normal[i] = nb_soft_place_face(s, face).normal;
        for (int k = 0; k < 3; k++) {
            if (face->particle[k] == edge->particle[0] || face->particle[k] == edge->particle[1]) continue;
            nb_vec3 to = nb_sub(nb_soft_position(s, face->particle[k]), e.start);
            to = nb_add_scaled(to, -nb_dot(to, e.along) / nb_dot(e.along, e.along), e.along);
            e.inward[i] = nb_normalized(to);
            e.two_sided = nb_surface_of_sheet(face);
        }
    }
    if (!e.two_sided) return e;
    e.normal[0] = nb_normalized(nb_cross(e.along, e.inward[0])); /* triangles may have their corners in either order */
    e.normal[1] = nb_normalized(nb_cross(e.inward[1], e.along));
    return e;
}

int nb_soft_edge_faces(const nb_placed_edge *e, nb_vec3 out, double sine) {
    if (!e->two_sided && !(nb_dot(out, nb_add(e->normal[0], e->normal[1])) > 0)) return 0;
    return nb_dot(out, e->inward[0]) <= sine && nb_dot(out, e->inward[1]) <= sine;
}

int nb_soft_beside(const nb_placed_edge *e, nb_vec3 place, double *share, nb_vec3 *out) {
    nb_vec3 to = nb_sub(place, e->start);
    double square = nb_dot(e->along, e->along);
    *share = nb_dot(to, e->along) / square;
    nb_vec3 from = nb_add_scaled(to, -*share, e->along);
    *out = nb_normalized(from);
    const double ends = e->two_sided ? BESIDE : 0;
    return *share > ends && *share < 1 - ends && !(nb_dot(from, from) < NB_SOFT_ON_EDGE * NB_SOFT_ON_EDGE * square) &&
           nb_soft_edge_faces(e, *out, NB_SOFT_ASIDE);
}

#include "model/solid.h"

#include "base/memory.h"

enum {
    DRAWN = 12 /* directions along an octant's edge, of pictures */
};

/* ---- supports ---- */

static nb_vec3 round_support(nb_vec3 d, double radius, double z) {
    double length = hypot(d.x, d.y);
    return length > 0 ? nb_vec3_of(radius * d.x / length, radius * d.y / length, z) : nb_vec3_of(0, 0, z);
}

static nb_vec3 vertex_support(const nb_polyhedron *p, nb_vec3 d) {
    int32_t best = 0;
    double most = -INFINITY;
    for (int32_t i = 0; i < p->vertex_count; i++) {
        double along = nb_dot(d, p->vertices[i]);
        if (along > most) most = along, best = i;
    }
    return p->vertices[best];
}

static nb_vec3 term_support(const nb_term *term, nb_vec3 d) {
    nb_vec3 half = term->half;
    switch (term->kind) {
    case NB_TERM_ELLIPSOID: {
        nb_vec3 by = nb_normalized(nb_vec3_of(half.x * d.x, half.y * d.y, half.z * d.z));
        return nb_vec3_of(half.x * by.x, half.y * by.y, half.z * by.z);
    }
    case NB_TERM_SEGMENT: return nb_vec3_of(0, 0, d.z >= 0 ? half.z : -half.z);
    case NB_TERM_CYLINDER: return round_support(d, half.x, d.z >= 0 ? half.z : -half.z);
    case NB_TERM_CONE: /* the tip, or the rim of the base */
        if (2 * half.z * d.z >= half.x * hypot(d.x, d.y)) return nb_vec3_of(0, 0, 1.5 * half.z);
        return round_support(d, half.x, -0.5 * half.z);
    case NB_TERM_POLYHEDRON: break;
    }
    return vertex_support(&term->polyhedron, d);
}

nb_vec3 nb_solid_support(const nb_solid *solid, nb_vec3 direction) {
    nb_vec3 sum = solid->offset;
    for (int32_t i = 0; i < solid->term_count; i++) {
        const nb_term *term = &solid->terms[i];
        nb_vec3 d = nb_quat_rotate(nb_quat_conjugate(term->turn), direction);
        sum = nb_add(sum, nb_quat_rotate(term->turn, term_support(term, d)));
    }
    return sum;
}

/* ---- building ---- */

/* triangles of n directions along an octant's edge; each octant has points of its own */
static void make_surface(nb_solid *solid) {
    const int n = DRAWN, of_octant = (n + 1) * (n + 2) / 2;
    int32_t points = 0, corners = 0;
    for (int octant = 0; octant < 8; octant++)
        for (int i = 0, row = octant * of_octant; i <= n; row += n + 1 - i++)
            for (int j = 0; j <= n - i; j++) {
                solid->points[points++] = nb_solid_support(solid, nb_octant_direction(octant, n, i, j));
                /* the next row begins n + 1 - i behind */
                const int32_t at = row + j, up = at + n + 1 - i;
                const int32_t triangles[6] = {at, up, at + 1, up, up + 1, at + 1};
                for (int k = 0; k < (j + i < n - 1 ? 6 : j + i < n ? 3 : 0); k += 3)
                    for (int c = 0; c < 3; c++)
                        solid->triangles[corners++] = triangles[k + (nb_octant_mirrored(octant) ? 2 - c : c)];
            }
}

nb_status nb_solid_build(int32_t count, const nb_term *terms, nb_vec3 offset, nb_solid *solid) {
    nb_status status;
    *solid = (nb_solid){.offset = offset, .triangle_count = 8 * DRAWN * DRAWN};
    solid->point_count = 4 * (DRAWN + 1) * (DRAWN + 2);
    NB_TRY(NB_ALLOCATE(count, &solid->terms));
    NB_TRY(NB_ALLOCATE(solid->point_count, &solid->points));
    NB_TRY(NB_ALLOCATE(3 * (int64_t)solid->triangle_count, &solid->triangles));
    for (int32_t i = 0; i < count; i++) {
        nb_term *term = &solid->terms[solid->term_count++];
        *term = terms[i];
        term->polyhedron = (nb_polyhedron){0};
        if (term->kind != NB_TERM_POLYHEDRON) continue;
        NB_TRY(nb_polyhedron_copy(&terms[i].polyhedron, nb_vec3_of(0, 0, 0), nb_quat_identity(), &term->polyhedron));
    }
    make_surface(solid);
out:
    if (status != NB_OK) nb_solid_clear(solid);
    return status;
}

nb_status nb_solid_sum(const nb_solid *first, const nb_solid *second, nb_solid *solid) {
    nb_term *terms;
    int32_t count = first->term_count + (second ? second->term_count : 0);
    nb_status status = NB_ALLOCATE(count, &terms);
    *solid = (nb_solid){0};
    if (status != NB_OK) return status;
    for (int32_t i = 0; i < count; i++)
        terms[i] = i < first->term_count || !second ? first->terms[i] : second->terms[i - first->term_count];
    status = nb_solid_build(count, terms, second ? nb_add(first->offset, second->offset) : first->offset, solid);
    nb_free(terms);
    return status;
}

void nb_solid_move(nb_solid *solid, nb_vec3 offset, nb_quat turn) {
    solid->offset = nb_add(offset, nb_quat_rotate(turn, solid->offset));
    for (int32_t i = 0; i < solid->term_count; i++)
        solid->terms[i].turn = nb_quat_normalized(nb_quat_product(turn, solid->terms[i].turn));
    for (int32_t i = 0; i < solid->point_count; i++)
        solid->points[i] = nb_add(offset, nb_quat_rotate(turn, solid->points[i]));
}

void nb_solid_clear(nb_solid *solid) {
    for (int32_t i = 0; i < solid->term_count; i++) nb_polyhedron_clear(&solid->terms[i].polyhedron);
    nb_free(solid->terms);
    nb_free(solid->points);
    nb_free(solid->triangles);
    *solid = (nb_solid){0};
}

/* ---- integrals ---- */

/* the integral of x x^T is det/120 (a a^T + b b^T + c c^T + s s^T), s = a + b + c */
void nb_add_tetrahedron(nb_solid_integrals *sum, nb_vec3 a, nb_vec3 b, nb_vec3 c) {
    double det = nb_dot(a, nb_cross(b, c));
    nb_vec3 s = nb_add(nb_add(a, b), c);
    double points[4][3] = {{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}, {s.x, s.y, s.z}};
    sum->volume += det / 6;
    sum->first = nb_add_scaled(sum->first, det / 24, s);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) sum->second[i][j] += det / 120 * points[k][i] * points[k][j];
}

void nb_add_polyhedron(nb_solid_integrals *sum, const nb_polyhedron *p, nb_vec3 about) {
    for (int32_t f = 0; f < p->face_count; f++) {
        const int32_t *corner = &p->face_vertex[p->face_start[f]];
        nb_vec3 first = nb_sub(p->vertices[corner[0]], about);
        for (int32_t i = 1; i + 1 < p->face_start[f + 1] - p->face_start[f]; i++)
            nb_add_tetrahedron(sum, first, nb_sub(p->vertices[corner[i]], about),
                               nb_sub(p->vertices[corner[i + 1]], about));
    }
}

nb_mass_properties nb_mass_properties_of(const nb_solid_integrals *sum, nb_vec3 about) {
    nb_mass_properties properties = {.volume = sum->volume};
    double trace = sum->second[0][0] + sum->second[1][1] + sum->second[2][2];
    properties.centre = nb_add_scaled(about, 1 / sum->volume, sum->first);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) properties.inertia.m[i][j] = (i == j ? trace : 0) - sum->second[i][j];
    return properties;
}

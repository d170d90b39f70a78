/* Mass properties of solids: closed forms, a polyhedron with a ball piece by piece, and quadrature. */
#include "model/solid.h"

static const double PI = 3.14159265358979323846;

static nb_mass_properties diagonal(double volume, double x, double y, double z) {
    nb_mass_properties p = {.volume = volume};
    p.inertia.m[0][0] = x, p.inertia.m[1][1] = y, p.inertia.m[2][2] = z;
    return p;
}

/* Adds to the integrals what they are of a piece of this volume, centre and second moments about that centre. */
static void add_moments(nb_solid_integrals *sum, double volume, nb_vec3 centre, double second[3][3]) {
    const double x[3] = {centre.x, centre.y, centre.z};
    sum->volume += volume;
    sum->first = nb_add_scaled(sum->first, volume, centre);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum->second[i][j] += second[i][j] + volume * x[i] * x[j];
}

/* The properties, about the centre, of integrals about `about`. */
static nb_mass_properties about_centre(nb_solid_integrals sum, nb_vec3 about) {
    nb_vec3 centre = nb_scale(1 / sum.volume, sum.first);
    const double x[3] = {centre.x, centre.y, centre.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum.second[i][j] -= sum.volume * x[i] * x[j];
    sum.first = nb_vec3_of(0, 0, 0);
    return nb_mass_properties_of(&sum, nb_add(about, centre));
}

/* ---- one term, and capsules ---- */

static nb_mass_properties ellipsoid_properties(nb_vec3 h) {
    double volume = 4.0 / 3.0 * PI * h.x * h.y * h.z, c = 0.2 * volume;
    return diagonal(volume, c * (h.y * h.y + h.z * h.z), c * (h.z * h.z + h.x * h.x), c * (h.x * h.x + h.y * h.y));
}

static nb_mass_properties polyhedron_properties(const nb_polyhedron *polyhedron) {
    nb_vec3 about = polyhedron->vertices[0];
    nb_mass_properties properties = {0};
    for (int turn = 0; turn < 2; turn++, about = properties.centre) {
        nb_solid_integrals sum = {0};
        nb_add_polyhedron(&sum, polyhedron, about);
        properties = nb_mass_properties_of(&sum, about);
    }
    return properties;
}

static nb_mass_properties term_properties(const nb_term *term) {
    double r = term->half.x, half = term->half.z, volume, across;
    switch (term->kind) {
    case NB_TERM_ELLIPSOID: return ellipsoid_properties(term->half);
    case NB_TERM_CYLINDER:
        volume = 2 * PI * r * r * half;
        across = volume * (0.25 * r * r + half * half / 3);
        return diagonal(volume, across, across, 0.5 * volume * r * r);
    case NB_TERM_CONE: /* of height 2 half */
        volume = 2.0 / 3.0 * PI * r * r * half;
        across = 3.0 / 80.0 * volume * (4 * r * r + 4 * half * half);
        return diagonal(volume, across, across, 0.3 * volume * r * r);
    case NB_TERM_POLYHEDRON: return polyhedron_properties(&term->polyhedron);
    case NB_TERM_SEGMENT: break;
    }
    return (nb_mass_properties){0};
}

static nb_mass_properties capsule_properties(double r, double half) {
    double rod = 2 * PI * r * r * half, ball = 4.0 / 3.0 * PI * r * r * r, length = 2 * half;
    double across = rod * (length * length / 12 + 0.25 * r * r) +
                    ball * (0.4 * r * r + 0.25 * length * length + 0.375 * length * r);
    return diagonal(rod + ball, across, across, 0.5 * rod * r * r + 0.4 * ball * r * r);
}

/* ---- a polyhedron with a ball ---- */

/* the prism over a face, by three tetrahedra over each triangle */
static void add_prisms(nb_solid_integrals *sum, const nb_polyhedron *p, double r, nb_vec3 about) {
    for (int32_t f = 0; f < p->face_count; f++) {
        const int32_t *corner = &p->face_vertex[p->face_start[f]];
        const nb_vec3 up = nb_scale(r, p->face_normal[f]);
        for (int32_t i = 1; i + 1 < p->face_start[f + 1] - p->face_start[f]; i++) {
            const nb_vec3 a = nb_sub(p->vertices[corner[0]], about), b = nb_sub(p->vertices[corner[i]], about),
                          c = nb_sub(p->vertices[corner[i + 1]], about);
            const nb_vec3 top[3] = {nb_add(a, up), nb_add(b, up), nb_add(c, up)};
            const nb_vec3 tetrahedra[3][4] = {{a, b, c, top[0]}, {b, c, top[0], top[1]}, {c, top[0], top[1], top[2]}};
            for (int t = 0; t < 3; t++) {
                const nb_vec3 *x = tetrahedra[t];
                double det = nb_dot(nb_sub(x[1], x[0]), nb_cross(nb_sub(x[2], x[0]), nb_sub(x[3], x[0])));
                /* the signed tetrahedra over its four faces: outwards where det is positive */
                const nb_vec3 y = det > 0 ? x[2] : x[1], z = det > 0 ? x[1] : x[2];
                nb_add_tetrahedron(sum, x[0], y, z);
                nb_add_tetrahedron(sum, x[0], z, x[3]);
                nb_add_tetrahedron(sum, z, y, x[3]);
                nb_add_tetrahedron(sum, y, x[0], x[3]);
            }
        }
    }
}

static double angle_between(nb_vec3 a, nb_vec3 b) {
    return atan2(nb_norm(nb_cross(a, b)), nb_dot(a, b));
}

/* the sector of a cylinder along an edge, between the normals of its faces */
static void add_sectors(nb_solid_integrals *sum, const nb_polyhedron *p, double r, nb_vec3 about) {
    for (int32_t e = 0; e < p->edge_count; e++) {
        const nb_vec3 a = nb_sub(p->vertices[p->edge_vertex[2 * e]], about),
                      b = nb_sub(p->vertices[p->edge_vertex[2 * e + 1]], about);
        const nb_vec3 n = p->face_normal[p->edge_face[2 * e]], m = p->face_normal[p->edge_face[2 * e + 1]];
        const nb_vec3 along = nb_sub(b, a), middle = nb_normalized(nb_add(n, m));
        const double length = nb_norm(along), angle = angle_between(n, m), area = 0.5 * r * r * angle;
        if (!(angle > 0)) continue;
        const nb_vec3 side = nb_cross(nb_scale(1 / length, along), middle);
        const double lever = 2.0 / 3.0 * r * r * r * sin(0.5 * angle) / area; /* of the sector's centre */
        const double quarter = 0.125 * r * r * r * r;
        const double bb = quarter * (angle + sin(angle)) - area * lever * lever, cc = quarter * (angle - sin(angle));
        const double d[3] = {along.x, along.y, along.z}, u[3] = {middle.x, middle.y, middle.z},
                     w[3] = {side.x, side.y, side.z};
        double second[3][3];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                second[i][j] = length * (area * d[i] * d[j] / 12 + bb * u[i] * u[j] + cc * w[i] * w[j]);
        add_moments(sum, area * length, nb_add_scaled(nb_scale(0.5, nb_add(a, b)), lever, middle), second);
    }
}

/* the face that comes behind face f around the vertex, and the edge between; -1: none */
static int32_t next_face(const nb_polyhedron *p, int32_t vertex, int32_t f, int32_t from_edge, int32_t *edge) {
    for (int32_t e = 0; e < p->edge_count; e++) {
        const int32_t *ends = p->edge_vertex + 2 * e, *faces = p->edge_face + 2 * e;
        if (e == from_edge || (ends[0] != vertex && ends[1] != vertex) || (faces[0] != f && faces[1] != f)) continue;
        *edge = e;
        return faces[0] == f ? faces[1] : faces[0];
    }
    return -1;
}

/* solid angle of a triangle of unit vectors, signed: van Oosterom and Strackee */
static double solid_angle(nb_vec3 a, nb_vec3 b, nb_vec3 c) {
    return 2 * atan2(nb_dot(a, nb_cross(b, c)), 1 + nb_dot(a, b) + nb_dot(b, c) + nb_dot(c, a));
}

/* The sector of the ball at a vertex, between the normals of its faces. The integral of n over its cap is, by the
 * divergence theorem, that over the flat sides the other way. Its second moments about the vertex are taken as if it
 * were alike in all directions: those of all sectors together are the ball's, which is. */
static void add_cap(nb_solid_integrals *sum, const nb_polyhedron *p, int32_t vertex, double r, nb_vec3 about) {
    int32_t first = -1, edge = -1, face;
    for (int32_t e = 0; e < p->edge_count && first < 0; e++)
        if (p->edge_vertex[2 * e] == vertex || p->edge_vertex[2 * e + 1] == vertex) first = p->edge_face[2 * e];
    double omega = 0;
    nb_vec3 normal = {0};
    if (first < 0) return; /* a point on no face */
    face = first;
    do {
        int32_t next = next_face(p, vertex, face, edge, &edge);
        if (next < 0) return;
        const nb_vec3 a = p->face_normal[face], b = p->face_normal[next];
        normal = nb_add_scaled(normal, 0.5 * angle_between(a, b), nb_normalized(nb_cross(a, b)));
        omega += solid_angle(p->face_normal[first], a, b);
        face = next;
    } while (face != first);
    /* the other way round all of them have turned their sign */
    const double sign = omega < 0 ? -1 : 1, volume = sign * omega * r * r * r / 3;
    const nb_vec3 at = nb_sub(p->vertices[vertex], about), lever = nb_scale(sign * 0.25 * r * r * r * r, normal);
    const double y[3] = {lever.x, lever.y, lever.z}, x[3] = {at.x, at.y, at.z};
    sum->volume += volume;
    sum->first = nb_add(nb_add_scaled(sum->first, volume, at), lever);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum->second[i][j] += volume * (x[i] * x[j] + (i == j ? 0.2 * r * r : 0)) + x[i] * y[j] + y[i] * x[j];
}

static nb_mass_properties padded_properties(const nb_polyhedron *p, double r) {
    nb_vec3 about = polyhedron_properties(p).centre;
    nb_solid_integrals sum = {0};
    nb_add_polyhedron(&sum, p, about);
    add_prisms(&sum, p, r, about);
    add_sectors(&sum, p, r, about);
    for (int32_t v = 0; v < p->vertex_count; v++) add_cap(&sum, p, v, r, about);
    return about_centre(sum, about);
}

/* ---- quadrature ---- */

static void add_triangle(nb_solid_integrals *sum, nb_vec3 a, nb_vec3 b, nb_vec3 c, int mirrored) {
    nb_add_tetrahedron(sum, a, mirrored ? c : b, mirrored ? b : c);
}

/* the closed surface of points in n directions along an octant's edge; seen from the solid's offset */
static nb_solid_integrals surface_integrals(const nb_solid *solid, int n) {
    nb_solid_integrals sum = {0};
    nb_vec3 rows[2][NB_SOLID_DIRECTIONS + 1];
    for (int octant = 0; octant < 8; octant++) {
        int mirrored = nb_octant_mirrored(octant);
        for (int i = 0; i <= n; i++) {
            nb_vec3 *low = rows[(i + 1) & 1], *row = rows[i & 1];
            for (int j = 0; j <= n - i; j++)
                row[j] = nb_sub(nb_solid_support(solid, nb_octant_direction(octant, n, i, j)), solid->offset);
            for (int j = 0; i > 0 && j <= n - i; j++) {
                add_triangle(&sum, low[j], row[j], low[j + 1], mirrored);
                if (j < n - i) add_triangle(&sum, row[j], row[j + 1], low[j + 1], mirrored);
            }
        }
    }
    return sum;
}

/* from the surface of half as many directions, whose error is four times as large where the solid is smooth */
static nb_mass_properties quadrature(const nb_solid *solid) {
    nb_solid_integrals sum = surface_integrals(solid, NB_SOLID_DIRECTIONS);
    const nb_solid_integrals coarse = surface_integrals(solid, NB_SOLID_DIRECTIONS / 2);
    sum.volume += (sum.volume - coarse.volume) / 3;
    sum.first = nb_add_scaled(sum.first, 1.0 / 3.0, nb_sub(sum.first, coarse.first));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum.second[i][j] += (sum.second[i][j] - coarse.second[i][j]) / 3;
    return about_centre(sum, solid->offset);
}

/* ---- the choice ---- */

static int is_ball(const nb_term *term) {
    return term->kind == NB_TERM_ELLIPSOID && term->half.x == term->half.y && term->half.y == term->half.z;
}

nb_mass_properties nb_solid_mass_properties(const nb_solid *solid) {
    nb_mass_properties p;
    const nb_term *first = solid->terms, *second = first + 1;
    if (solid->term_count == 2 && is_ball(second)) first = second, second = solid->terms;
    if (solid->term_count == 1)
        p = term_properties(first);
    else if (solid->term_count == 2 && is_ball(first) && second->kind == NB_TERM_SEGMENT)
        p = capsule_properties(first->half.x, second->half.z);
    else if (solid->term_count == 2 && is_ball(first) && second->kind == NB_TERM_POLYHEDRON)
        p = padded_properties(&second->polyhedron, first->half.x);
    else
        return quadrature(solid);
    nb_quat turn = solid->term_count == 1 ? first->turn : second->turn;
    p.inertia = nb_mat3_rotated(turn, &p.inertia);
    p.centre = nb_add(solid->offset, nb_quat_rotate(turn, p.centre));
    return p;
}

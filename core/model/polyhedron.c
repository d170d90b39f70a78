#include "model/polyhedron.h"

#include <string.h>

#include "base/memory.h"

/* how far, relative to its size, a polyhedron may be from planar faces and convexity: files hold single precision */
static const double TOLERANCE = 1e-6;

static int face_size(const nb_polyhedron *p, int32_t face) {
    return p->face_start[face + 1] - p->face_start[face];
}

static nb_vec3 face_point(const nb_polyhedron *p, int32_t face, int i) {
    int n = face_size(p, face);
    return p->vertices[p->face_vertex[p->face_start[face] + (i < n ? i : i - n)]];
}

/* the diameter of the bounding box */
static double polyhedron_size(const nb_polyhedron *p) {
    nb_vec3 low = p->vertices[0], high = low;
    for (int32_t i = 1; i < p->vertex_count; i++) {
        nb_vec3 v = p->vertices[i];
        low = nb_vec3_of(fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z));
        high = nb_vec3_of(fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z));
    }
    return nb_norm(nb_sub(high, low));
}

static nb_status allocate_arrays(int32_t vertices, int32_t faces, int32_t corners, nb_polyhedron *p) {
    nb_status status = NB_OK;
    *p = (nb_polyhedron){.vertex_count = vertices, .face_count = faces, .edge_count = corners / 2};
    NB_TRY(NB_ALLOCATE(vertices, &p->vertices));
    NB_TRY(NB_ALLOCATE((int64_t)faces + 1, &p->face_start));
    NB_TRY(NB_ALLOCATE(corners, &p->face_vertex));
    NB_TRY(NB_ALLOCATE(faces, &p->face_normal));
    NB_TRY(NB_ALLOCATE(corners, &p->edge_vertex));
    NB_TRY(NB_ALLOCATE(corners, &p->edge_face));
out:
    if (status != NB_OK) nb_polyhedron_clear(p);
    return status;
}

/* indices and numbers alone, before anything is followed through them */
static nb_status check_input(int32_t count, const nb_vec3 *points, int32_t face_count, const int32_t *face_start,
                             const int32_t *face_vertex) {
    if (count < 4 || face_count < 4)
        return nb_fail(NB_ERROR_INPUT, "a polyhedron of %d points and %d faces is no solid: at least 4 of each", count,
                       face_count);
    if (count > NB_POLYHEDRON_MOST_VERTICES)
        return nb_fail(NB_ERROR_INPUT, "the polyhedron has %d points; at most %d are supported: use a simpler hull",
                       count, NB_POLYHEDRON_MOST_VERTICES);
    for (int32_t i = 0; i < count; i++)
        if (!isfinite(points[i].x) || !isfinite(points[i].y) || !isfinite(points[i].z))
            return nb_fail(NB_ERROR_INPUT, "point %d of the polyhedron is not finite", i);
    if (face_start[0] != 0) return nb_fail(NB_ERROR_INPUT, "face_start[0] is %d, not 0", face_start[0]);
    for (int32_t f = 0; f < face_count; f++) {
        if (face_start[f + 1] < face_start[f] || face_start[f + 1] - face_start[f] < 3)
            return nb_fail(NB_ERROR_INPUT, "face %d of the polyhedron has fewer than 3 corners", f);
        for (int32_t k = face_start[f]; k < face_start[f + 1]; k++)
            if (face_vertex[k] < 0 || face_vertex[k] >= count)
                return nb_fail(NB_ERROR_INPUT, "face %d names point %d; the polyhedron has points 0 to %d", f,
                               face_vertex[k], count - 1);
    }
    return NB_OK;
}

/* Normals as the sum of the corner fan's cross products, so that slightly uneven faces get their mean plane. */
static nb_status find_normals(nb_polyhedron *p, double size) {
    for (int32_t f = 0; f < p->face_count; f++) {
        nb_vec3 first = face_point(p, f, 0), area = {0};
        for (int i = 1; i + 1 < face_size(p, f); i++)
            area = nb_add(area, nb_cross(nb_sub(face_point(p, f, i), first), nb_sub(face_point(p, f, i + 1), first)));
        if (!(nb_norm(area) > TOLERANCE * TOLERANCE * size * size))
            return nb_fail(NB_ERROR_INPUT, "face %d of the polyhedron has no area", f);
        p->face_normal[f] = nb_normalized(area);
    }
    return NB_OK;
}

static nb_status check_face(const nb_polyhedron *p, int32_t f, double size) {
    int n = face_size(p, f);
    nb_vec3 normal = p->face_normal[f], first = face_point(p, f, 0);
    for (int i = 0; i < n; i++) {
        nb_vec3 corner = face_point(p, f, i), edge = nb_sub(face_point(p, f, i + 1), corner);
        double height = nb_dot(normal, nb_sub(corner, first)), length = nb_norm(edge);
        if (fabs(height) > TOLERANCE * size)
            return nb_fail(NB_ERROR_INPUT, "face %d of the polyhedron is not planar: a corner is %.3g m off", f,
                           height);
        if (!(length > TOLERANCE * size))
            return nb_fail(NB_ERROR_INPUT, "face %d of the polyhedron has two corners in one place", f);
        nb_vec3 inward = nb_scale(1 / length, nb_cross(normal, edge));
        for (int j = 0; j < n; j++)
            if (nb_dot(inward, nb_sub(face_point(p, f, j), corner)) < -TOLERANCE * size)
                return nb_fail(NB_ERROR_INPUT, "face %d of the polyhedron is not convex", f);
    }
    return NB_OK;
}

static nb_status check_convex(const nb_polyhedron *p, double size) {
    for (int32_t f = 0; f < p->face_count; f++) {
        nb_vec3 first = face_point(p, f, 0);
        double above = -INFINITY, below = INFINITY;
        for (int32_t i = 0; i < p->vertex_count; i++) {
            double height = nb_dot(p->face_normal[f], nb_sub(p->vertices[i], first));
            above = fmax(above, height), below = fmin(below, height);
        }
        if (above > TOLERANCE * size && below > -TOLERANCE * size)
            return nb_fail(
                NB_ERROR_INPUT,
                "face %d of the polyhedron is turned inwards: list its corners counter-clockwise seen from outside", f);
        if (above > TOLERANCE * size)
            return nb_fail(NB_ERROR_INPUT, "the polyhedron is not convex: a point lies %.3g m outside face %d", above,
                           f);
        if (below > -TOLERANCE * size)
            return nb_fail(NB_ERROR_INPUT, "the polyhedron is flat: all points lie in the plane of face %d", f);
    }
    return NB_OK;
}

/* Pairs each corner-to-corner step with its opposite; a closed surface turned one way has each step exactly once. */
static nb_status find_edges(nb_polyhedron *p) {
    int32_t edges = 0, corners = p->face_start[p->face_count];
    for (int32_t f = 0; f < p->face_count; f++)
        for (int32_t k = p->face_start[f]; k < p->face_start[f + 1]; k++) {
            int32_t u = p->face_vertex[k], v = p->face_vertex[k + 1 < p->face_start[f + 1] ? k + 1 : p->face_start[f]];
            int found = -1;
            for (int32_t e = 0; e < edges; e++) {
                const int32_t *ends = &p->edge_vertex[2 * e];
                if (ends[0] == v && ends[1] == u) found = e;
                if ((ends[0] == u && ends[1] == v) || (found == e && p->edge_face[2 * e + 1] >= 0))
                    return nb_fail(NB_ERROR_INPUT,
                                   "edge %d-%d of the polyhedron belongs to more than one face on a side", u, v);
            }
            if (found >= 0) {
                p->edge_face[2 * found + 1] = f;
            } else if (edges < corners / 2) {
                p->edge_vertex[2 * edges] = u, p->edge_vertex[2 * edges + 1] = v;
                p->edge_face[2 * edges] = f, p->edge_face[2 * edges + 1] = -1;
                edges++;
            } else {
                return nb_fail(NB_ERROR_INPUT, "the polyhedron is not closed: edge %d-%d has a face on one side only",
                               u, v);
            }
        }
    for (int32_t e = 0; e < edges; e++)
        if (p->edge_face[2 * e + 1] < 0)
            return nb_fail(NB_ERROR_INPUT, "the polyhedron is not closed: edge %d-%d has a face on one side only",
                           p->edge_vertex[2 * e], p->edge_vertex[2 * e + 1]);
    p->edge_count = edges;
    return NB_OK;
}

/* One closed convex surface obeys Euler's relation; a point that no face uses breaks it too. */
static nb_status check_whole(const nb_polyhedron *p) {
    if (p->vertex_count - p->edge_count + p->face_count != 2)
        return nb_fail(
            NB_ERROR_INPUT,
            "the polyhedron has %d points, %d edges and %d faces: a closed solid has points - edges + faces = 2",
            p->vertex_count, p->edge_count, p->face_count);
    return NB_OK;
}

nb_status nb_polyhedron_build(int32_t count, const nb_vec3 *points, int32_t face_count, const int32_t *face_start,
                              const int32_t *face_vertex, nb_polyhedron *polyhedron) {
    nb_polyhedron *p = polyhedron;
    *p = (nb_polyhedron){0};
    nb_status status = check_input(count, points, face_count, face_start, face_vertex);
    if (status != NB_OK) return status;
    NB_TRY(allocate_arrays(count, face_count, face_start[face_count], p));
    memcpy(p->vertices, points, (size_t)count * sizeof *points);
    memcpy(p->face_start, face_start, (size_t)(face_count + 1) * sizeof *face_start);
    memcpy(p->face_vertex, face_vertex, (size_t)face_start[face_count] * sizeof *face_vertex);
    double size = polyhedron_size(p);
    NB_TRY(find_normals(p, size));
    NB_TRY(check_convex(p, size));
    for (int32_t f = 0; f < face_count; f++) NB_TRY(check_face(p, f, size));
    NB_TRY(find_edges(p));
    NB_TRY(check_whole(p));
out:
    if (status != NB_OK) nb_polyhedron_clear(p);
    return status;
}

nb_status nb_polyhedron_copy(const nb_polyhedron *from, nb_vec3 offset, nb_quat turn, nb_polyhedron *polyhedron) {
    nb_polyhedron *p = polyhedron;
    int32_t corners = from->face_start[from->face_count];
    nb_status status = allocate_arrays(from->vertex_count, from->face_count, corners, p);
    if (status != NB_OK) return status;
    memcpy(p->vertices, from->vertices, (size_t)p->vertex_count * sizeof *p->vertices);
    memcpy(p->face_start, from->face_start, (size_t)(p->face_count + 1) * sizeof *p->face_start);
    memcpy(p->face_vertex, from->face_vertex, (size_t)corners * sizeof *p->face_vertex);
    memcpy(p->face_normal, from->face_normal, (size_t)p->face_count * sizeof *p->face_normal);
    memcpy(p->edge_vertex, from->edge_vertex, (size_t)(2 * p->edge_count) * sizeof *p->edge_vertex);
    memcpy(p->edge_face, from->edge_face, (size_t)(2 * p->edge_count) * sizeof *p->edge_face);
    nb_polyhedron_move(p, offset, turn);
    return NB_OK;
}

void nb_polyhedron_move(nb_polyhedron *polyhedron, nb_vec3 offset, nb_quat turn) {
    for (int32_t i = 0; i < polyhedron->vertex_count; i++)
        polyhedron->vertices[i] = nb_add(offset, nb_quat_rotate(turn, polyhedron->vertices[i]));
    for (int32_t f = 0; f < polyhedron->face_count; f++)
        polyhedron->face_normal[f] = nb_normalized(nb_quat_rotate(turn, polyhedron->face_normal[f]));
}

double nb_polyhedron_radius(const nb_polyhedron *polyhedron) {
    double radius = 0;
    for (int32_t i = 0; i < polyhedron->vertex_count; i++) radius = fmax(radius, nb_norm(polyhedron->vertices[i]));
    return radius;
}

void nb_polyhedron_clear(nb_polyhedron *polyhedron) {
    nb_free(polyhedron->vertices);
    nb_free(polyhedron->face_start);
    nb_free(polyhedron->face_vertex);
    nb_free(polyhedron->face_normal);
    nb_free(polyhedron->edge_vertex);
    nb_free(polyhedron->edge_face);
    *polyhedron = (nb_polyhedron){0};
}

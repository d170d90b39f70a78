/* A polyhedron from the half-spaces that bound it: corners where three planes meet, sorted around each face. For some
 * tens of planes. */
#include <stdlib.h>

#include "base/memory.h"
#include "model/shape.h"

enum {
    MOST_PLANES = 64,
    MOST_CORNERS = 2 * MOST_PLANES /* Euler: 2 n - 4 */
};

/* how near two corners are that are one, over the largest height */
static const double SAME = 1e-9;

typedef struct corners {
    int32_t count;
    nb_vec3 points[MOST_CORNERS];
} corners;

/* a corner on a face, and its place around it */
typedef struct around {
    double angle;
    int32_t corner;
} around;

static int compare_angles(const void *x, const void *y) {
    double a = ((const around *)x)->angle, b = ((const around *)y)->angle;
    return (a > b) - (a < b);
}

static int inside(int32_t count, const nb_vec3 *n, const double *h, nb_vec3 r, double zero) {
    for (int32_t i = 0; i < count; i++)
        if (nb_dot(n[i], r) > h[i] + zero) return 0;
    return 1;
}

static nb_status add_corner(nb_vec3 r, double zero, corners *to) {
    for (int32_t i = 0; i < to->count; i++)
        if (nb_norm(nb_sub(to->points[i], r)) <= 2 * zero) return NB_OK;
    if (to->count == MOST_CORNERS) return nb_fail(NB_ERROR_INPUT, "a polytope has more than %d corners", MOST_CORNERS);
    to->points[to->count++] = r;
    return NB_OK;
}

static nb_status find_corners(int32_t count, const nb_vec3 *n, const double *h, double zero, corners *to) {
    nb_status status = NB_OK;
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j < i; j++)
            for (int32_t k = 0; k < j; k++) {
                nb_vec3 jk = nb_cross(n[j], n[k]), ki = nb_cross(n[k], n[i]), ij = nb_cross(n[i], n[j]);
                double det = nb_dot(n[i], jk);
                if (fabs(det) < 1e-9) continue;
                nb_vec3 sum = nb_add(nb_add(nb_scale(h[i], jk), nb_scale(h[j], ki)), nb_scale(h[k], ij));
                nb_vec3 r = nb_scale(1 / det, sum);
                if (inside(count, n, h, r, zero)) NB_TRY(add_corner(r, zero, to));
            }
out:
    return status;
}

/* Writes the face in plane `n`, counter-clockwise from outside; gives its corners, fewer than 3 where it bounds
 * nothing. */
static int32_t write_face(nb_vec3 n, double h, double zero, const corners *of, int32_t *vertices) {
    around on[MOST_CORNERS];
    nb_vec3 middle = {0}, t, b;
    int32_t count = 0;
    for (int32_t i = 0; i < of->count; i++)
        if (nb_dot(n, of->points[i]) > h - 4 * zero) {
            on[count++].corner = i;
            middle = nb_add(middle, of->points[i]);
        }
    if (count < 3) return 0;
    nb_tangents(n, &t, &b);
    for (int32_t i = 0; i < count; i++) {
        nb_vec3 from = nb_add_scaled(of->points[on[i].corner], -1.0 / count, middle);
        on[i].angle = atan2(nb_dot(b, from), nb_dot(t, from));
    }
    qsort(on, (size_t)count, sizeof *on, compare_angles);
    for (int32_t i = 0; i < count; i++) vertices[i] = on[i].corner;
    return count;
}

nb_status nb_shape_polytope(int32_t count, const nb_vec3 *normals, const double *heights, nb_shape **shape) {
    int32_t start[MOST_PLANES + 1] = {0}, faces = 0, *vertices = NULL;
    nb_vec3 n[MOST_PLANES];
    double h[MOST_PLANES], zero = 0;
    corners to = {0};
    nb_status status;
    *shape = NULL;
    if (count < 4 || count > MOST_PLANES)
        return nb_fail(NB_ERROR_INPUT, "a polytope has %d inequalities; it takes 4 to %d", (int)count, MOST_PLANES);
    for (int32_t i = 0; i < count; i++) {
        double length = nb_norm(normals[i]);
        if (!(length > 0) || !isfinite(length) || !isfinite(heights[i]))
            return nb_fail(NB_ERROR_INPUT, "inequality %d of a polytope has no direction, or is not finite", (int)i);
        n[i] = nb_scale(1 / length, normals[i]), h[i] = heights[i] / length;
        zero = fmax(zero, SAME * fabs(h[i]));
    }
    NB_TRY(NB_ALLOCATE((int64_t)MOST_PLANES * MOST_CORNERS, &vertices));
    NB_TRY(find_corners(count, n, h, zero, &to));
    for (int32_t i = 0; i < count; i++) {
        int32_t corners_of_it = write_face(n[i], h[i], zero, &to, vertices + start[faces]);
        if (corners_of_it == 0) continue;
        start[faces + 1] = start[faces] + corners_of_it;
        faces++;
    }
    if (faces < 4) {
        status =
            nb_fail(NB_ERROR_INPUT, "the inequalities of a polytope bound no solid: they leave %d faces", (int)faces);
        goto out;
    }
    NB_TRY(nb_shape_polyhedron(to.count, to.points, faces, start, vertices, shape));
out:
    nb_free(vertices);
    return status;
}

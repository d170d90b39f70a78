#include "figure/picture_soft.h"

#include <math.h>

#include "element/energy.h"

static nb_vec3 place_of(const double *x, int32_t particle) {
    return nb_vec3_of(x[3 * (int64_t)particle], x[3 * (int64_t)particle + 1], x[3 * (int64_t)particle + 2]);
}

static int has(const nb_tetrahedron *of, int32_t particle) {
    for (int k = 0; k < 4; k++)
        if (of->particle[k] == particle) return 1;
    return 0;
}

int32_t nb_surface_element(const nb_surface *surface, const nb_world *world, const nb_surface_face *face) {
    const int32_t *corner = face->particle;
    if (nb_surface_of_sheet(face)) return -1;
    for (int32_t i = surface->around_start[corner[3]]; i < surface->around_start[corner[3] + 1]; i++) {
        const nb_tetrahedron *of = &world->tetrahedra[surface->around[i]];
        if (has(of, corner[0]) && has(of, corner[1]) && has(of, corner[2])) return surface->around[i];
    }
    return -1;
}

/* the palette's colour at t from -1 to 1: as common.gp's strain_colour */
static void set_strain_colour(nb_painter *p, double t) {
    static const double palette[5][3] = {
        {0x00, 0x72, 0xB2}, {0x79, 0xB4, 0xD8}, {0xBB, 0xBB, 0xBB}, {0xEB, 0xA0, 0x6A}, {0xD5, 0x5E, 0x00}};
    double at = 2 * (fmin(fmax(t, -1), 1) + 1), colour[3];
    int i = at < 3 ? (int)at : 3;
    for (int k = 0; k < 3; k++) colour[k] = (palette[i][k] + (at - i) * (palette[i + 1][k] - palette[i][k])) / 255;
    nb_painter_set_colour(p, colour);
}

/* in the light, on the side that is seen */
static void paint_triangle(nb_painter *p, const nb_vec3 corner[3], nb_vec3 normal) {
    static const double colours[2][3] = {{0.45, 0.68, 0.86}, {0.94, 0.72, 0.36}};
    const double even = p->even;
    int behind = nb_dot(normal, nb_sub(p->camera.eye, corner[0])) < 0;
    nb_painter_set_colour(p, colours[behind]);
    p->even = 0.3;
    nb_paint_triangle(p, corner[0], corner[1], corner[2], nb_scale(behind ? -1 : 1, normal));
    p->even = even;
}

static void paint_face(nb_painter *p, const nb_surface *surface, const nb_world *world, const nb_surface_face *face,
                       const double *x, double strain) {
    nb_vec3 corner[3];
    int32_t element = nb_surface_element(surface, world, face);
    for (int k = 0; k < 3; k++) corner[k] = place_of(x, face->particle[k]);
    nb_vec3 normal = nb_cross(nb_sub(corner[1], corner[0]), nb_sub(corner[2], corner[0]));
    double j = element < 0 ? 1 : nb_volume_ratio_of(world, element, x);
    if (!isfinite(j) || !(nb_norm(normal) > 0)) return;
    if (nb_surface_of_sheet(face)) {
        paint_triangle(p, corner, nb_normalized(normal));
        return;
    }
    set_strain_colour(p, strain > 0 ? (j - 1) / strain : 0);
    nb_paint_triangle(p, corner[0], corner[1], corner[2], nb_normalized(normal));
}

static void paint_edge(nb_painter *p, const nb_surface_edge *edge, const double *x) {
    const nb_vec3 a = place_of(x, edge->particle[0]), b = place_of(x, edge->particle[1]);
    if (isfinite(nb_norm(a) + nb_norm(b))) nb_paint_line(p, a, b);
}

static void paint_springs(nb_painter *p, const nb_surface *surface, const nb_world *world, const double *x) {
    const double blue[3] = {0, 0.45, 0.7};
    nb_painter_set_colour(p, blue);
    for (int32_t i = 0; i < world->spring_count; i++) {
        const int32_t *end = world->springs[i].particle;
        const nb_vec3 a = place_of(x, end[0]), b = place_of(x, end[1]);
        if (nb_surface_on_sheet(surface, end[0]) && nb_surface_on_sheet(surface, end[1])) continue;
        if (isfinite(nb_norm(a) + nb_norm(b))) nb_paint_rod(p, a, b, 0.0025 * p->radius);
    }
}

nb_status nb_paint_soft(nb_painter *p, const nb_world *world, const double *x, double strain) {
    nb_status status;
    nb_surface surface = {0};
    NB_TRY(nb_surface_update(&surface, world));
    p->even = 0.6;
    for (int32_t i = 0; i < surface.face_count; i++) paint_face(p, &surface, world, &surface.faces[i], x, strain);
    const double grey[3] = {0.75, 0.75, 0.75}; /* lines are darker than their tint */
    nb_painter_set_colour(p, grey);
    for (int32_t i = 0; i < surface.edge_count; i++) paint_edge(p, &surface.edges[i], x);
    p->even = 1;
    paint_springs(p, &surface, world, x);
    p->even = 0;
out:
    nb_surface_clear(&surface);
    return status;
}

#include "figure/picture.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "run/recheck.h"

enum {
    SAMPLES = 2, /* along each side of a pixel */
    SPHERE_RINGS = 14
};

/* radii of the scene from its centre that are drawn: bodies may have fallen outside it */
#define REACH 3.0

typedef struct canvas {
    int width, height; /* samples */
    float *depth;      /* distance along the view, larger is farther */
    float *colour;     /* [height][width][3] linear light */
} canvas;

/* an orthonormal view: right, up, and forward into the scene */
typedef struct view {
    nb_vec3 eye, right, up, forward;
    double focal; /* samples a unit of slope */
    double centre_x, centre_y;
} view;

typedef struct painter {
    canvas image;
    view camera;
    nb_vec3 centre;
    double radius; /* of the scene */
    float tint[3]; /* of the body being painted */
    double dusk;   /* of the point being painted: 0 as lit, 1 white */
} painter;

/* ---- projection ---- */

static view look(nb_vec3 eye, nb_vec3 target) {
    view v = {.eye = eye, .forward = nb_normalized(nb_sub(target, eye))};
    v.right = nb_normalized(nb_cross(v.forward, nb_vec3_of(0, 0, 1)));
    v.up = nb_cross(v.right, v.forward);
    return v;
}

/* x, y in samples, z the depth; 0 where the point is behind the eye */
static int project(const view *v, nb_vec3 point, double out[3]) {
    nb_vec3 d = nb_sub(point, v->eye);
    double x = nb_dot(d, v->right), y = nb_dot(d, v->up);
    out[2] = nb_dot(d, v->forward);
    if (out[2] < 1e-6) return 0;
    double scale = v->focal / out[2];
    out[0] = v->centre_x + scale * x;
    out[1] = v->centre_y - scale * y;
    return 1;
}

/* ---- light ---- */

/* a face with this normal in the light of a sun, softer light from the side, and light all around */
static void shade(const painter *p, nb_vec3 normal, float out[3]) {
    nb_vec3 sun = nb_normalized(nb_vec3_of(-0.4, -0.75, 0.95)), side = nb_normalized(nb_vec3_of(0.9, -0.6, 0.3));
    double light = 0.22 + 0.10 * normal.z + 0.70 * fmax(nb_dot(normal, sun), 0) + 0.16 * fmax(nb_dot(normal, side), 0);
    for (int k = 0; k < 3; k++) out[k] = (float)((1 - p->dusk) * (double)p->tint[k] * light + p->dusk);
}

/* ---- scan conversion ---- */

static double edge(const double a[3], const double b[3], double x, double y) {
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

static int clamp(double x, int most) {
    return x < 0 ? 0 : x > most ? most : (int)x;
}

static void paint_triangle(painter *p, nb_vec3 a, nb_vec3 b, nb_vec3 c, nb_vec3 normal) {
    canvas *to = &p->image;
    const view *v = &p->camera;
    double pa[3], pb[3], pc[3];
    if (!project(v, a, pa) || !project(v, b, pb) || !project(v, c, pc)) return;
    double area = edge(pa, pb, pc[0], pc[1]);
    if (area == 0) return;
    int x0 = clamp(floor(fmin(pa[0], fmin(pb[0], pc[0]))), to->width),
        x1 = clamp(ceil(fmax(pa[0], fmax(pb[0], pc[0]))), to->width - 1);
    int y0 = clamp(floor(fmin(pa[1], fmin(pb[1], pc[1]))), to->height),
        y1 = clamp(ceil(fmax(pa[1], fmax(pb[1], pc[1]))), to->height - 1);
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            double px = x + 0.5, py = y + 0.5;
            double wa = edge(pb, pc, px, py) / area, wb = edge(pc, pa, px, py) / area, wc = 1 - wa - wb;
            if (wa < 0 || wb < 0 || wc < 0) continue;
            double z = 1 / (wa / pa[2] + wb / pb[2] + wc / pc[2]);
            float *depth = &to->depth[(int64_t)y * to->width + x];
            if (z >= (double)*depth) continue;
            *depth = (float)z;
            shade(p, normal, &to->colour[3 * ((int64_t)y * to->width + x)]);
        }
}

/* a thin dark line a little in front of the faces that it bounds */
static void paint_line(painter *p, nb_vec3 a, nb_vec3 b) {
    canvas *to = &p->image;
    double pa[3], pb[3];
    if (!project(&p->camera, a, pa) || !project(&p->camera, b, pb)) return;
    int count = (int)ceil(fmax(fabs(pb[0] - pa[0]), fabs(pb[1] - pa[1]))) + 1;
    for (int i = 0; i <= count; i++) {
        double t = (double)i / count, z = 1 / ((1 - t) / pa[2] + t / pb[2]);
        for (int dy = 0; dy < 2; dy++)
            for (int dx = 0; dx < 2; dx++) {
                int x = (int)floor(pa[0] + t * (pb[0] - pa[0]) - 0.5) + dx,
                    y = (int)floor(pa[1] + t * (pb[1] - pa[1]) - 0.5) + dy;
                if (x < 0 || y < 0 || x >= to->width || y >= to->height) continue;
                int64_t place = (int64_t)y * to->width + x;
                if (z - 0.003 * p->radius > (double)to->depth[place]) continue;
                for (int k = 0; k < 3; k++) to->colour[3 * place + k] = 0.25f * p->tint[k];
            }
    }
}

/* ---- shapes ---- */

typedef struct place {
    nb_vec3 x;
    nb_quat q;
} place;

static nb_vec3 put(const place *at, nb_vec3 point) {
    return nb_add(at->x, nb_quat_rotate(at->q, point));
}

static void paint_polyhedron(painter *p, const nb_polyhedron *part, const place *at) {
    for (int32_t f = 0; f < part->face_count; f++) {
        nb_vec3 normal = nb_quat_rotate(at->q, part->face_normal[f]);
        const int32_t *corner = part->face_vertex + part->face_start[f];
        int32_t count = part->face_start[f + 1] - part->face_start[f];
        for (int32_t i = 1; i + 1 < count; i++)
            paint_triangle(p, put(at, part->vertices[corner[0]]), put(at, part->vertices[corner[i]]),
                           put(at, part->vertices[corner[i + 1]]), normal);
    }
    for (int32_t e = 0; e < part->edge_count; e++) {
        const int32_t *face = part->edge_face + 2 * e;
        if (nb_dot(part->face_normal[face[0]], part->face_normal[face[1]]) > 0.985)
            continue; /* 10 degrees: no edge to the eye */
        paint_line(p, put(at, part->vertices[part->edge_vertex[2 * e]]),
                   put(at, part->vertices[part->edge_vertex[2 * e + 1]]));
    }
}

/* triangles that have shrunk to a line or a point have no normal */
static void paint_solid(painter *p, const nb_solid *solid, const place *at) {
    for (int32_t i = 0; i < solid->triangle_count; i++) {
        const int32_t *corner = solid->triangles + 3 * (int64_t)i;
        nb_vec3 a = put(at, solid->points[corner[0]]), b = put(at, solid->points[corner[1]]),
                c = put(at, solid->points[corner[2]]), area = nb_cross(nb_sub(b, a), nb_sub(c, a));
        if (nb_norm(area) > 0) paint_triangle(p, a, b, c, nb_normalized(area));
    }
}

static nb_vec3 on_sphere(int ring, int sector) {
    double theta = M_PI * ring / SPHERE_RINGS, phi = M_PI * sector / SPHERE_RINGS;
    return nb_vec3_of(sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta));
}

static nb_vec3 scaled(nb_vec3 by, nb_vec3 point) {
    return nb_vec3_of(by.x * point.x, by.y * point.y, by.z * point.z);
}

/* of these half axes, which differ where it is an ellipsoid */
static void paint_sphere(painter *p, nb_vec3 half, int differ, const place *at) {
    for (int ring = 0; ring < SPHERE_RINGS; ring++)
        for (int sector = 0; sector < 2 * SPHERE_RINGS; sector++) {
            nb_vec3 corner[4] = {on_sphere(ring, sector), on_sphere(ring + 1, sector), on_sphere(ring + 1, sector + 1),
                                 on_sphere(ring, sector + 1)};
            nb_vec3 normal = nb_normalized(nb_add(nb_add(corner[0], corner[1]), nb_add(corner[2], corner[3])));
            for (int i = 0; i < 4; i++) corner[i] = put(at, scaled(half, corner[i]));
            if (differ) normal = nb_normalized(scaled(nb_vec3_of(1 / half.x, 1 / half.y, 1 / half.z), normal));
            normal = nb_quat_rotate(at->q, normal);
            paint_triangle(p, corner[0], corner[1], corner[2], normal);
            paint_triangle(p, corner[0], corner[2], corner[3], normal);
        }
}

/* The plane as far as it is seen: to the picture's sides, and behind the scene fading into the white paper before the
 * horizon. */
static void paint_half_space(painter *p, const place *at) {
    canvas *to = &p->image;
    const view *v = &p->camera;
    nb_vec3 normal = nb_quat_rotate(at->q, nb_vec3_of(0, 0, 1));
    double above = nb_dot(normal, nb_sub(v->eye, at->x)), middle = nb_dot(v->forward, nb_sub(p->centre, v->eye));
    for (int y = 0; y < to->height; y++)
        for (int x = 0; x < to->width; x++) {
            nb_vec3 ray = nb_add_scaled(v->forward, (x + 0.5 - v->centre_x) / v->focal, v->right);
            ray = nb_add_scaled(ray, (v->centre_y - y - 0.5) / v->focal, v->up);
            double z = -above / nb_dot(normal, ray); /* the ray's measure along the view is 1 */
            float *depth = &to->depth[(int64_t)y * to->width + x];
            if (!(z > 0 && z < (double)*depth)) continue;
            *depth = (float)z;
            double behind = (z - middle) / p->radius, fade = fmin(fmax((behind - 0.8) / 5.2, 0), 1);
            p->dusk = fade * fade * (3 - 2 * fade);
            shade(p, normal, &to->colour[3 * ((int64_t)y * to->width + x)]);
        }
    p->dusk = 0;
}

/* ---- the scene ---- */

static void choose_tint(painter *p, const nb_body *body, int32_t index) {
    /* Okabe and Ito's colours, lightened */
    static const float palette[][3] = {{0.16f, 0.42f, 0.70f}, {0.90f, 0.55f, 0.18f}, {0.22f, 0.62f, 0.46f},
                                       {0.80f, 0.50f, 0.66f}, {0.42f, 0.68f, 0.88f}, {0.84f, 0.40f, 0.20f},
                                       {0.88f, 0.80f, 0.38f}};
    const float grey[3] = {0.80f, 0.80f, 0.78f};
    const float *tint = body->kind == NB_BODY_DYNAMIC ? palette[index % 7] : grey;
    memcpy(p->tint, tint, sizeof p->tint);
}

static void paint_bodies(painter *p, const nb_world *world, const double *q) {
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_body *body = &world->bodies[i];
        const double *b = q + 7 * (int64_t)i;
        if (body->shape < 0) continue;
        const nb_shape *shape = world->shapes[body->shape];
        place at = {nb_vec3_of(b[0], b[1], b[2]), {b[3], b[4], b[5], b[6]}};
        if (!isfinite(b[0] + b[1] + b[2] + b[3] + b[4] + b[5] + b[6]))
            continue; /* a diverged body has no place in the picture */
        choose_tint(p, body, i);
        if (shape->kind == NB_SHAPE_SPHERE) paint_sphere(p, shape->half, 0, &at);
        if (shape->kind == NB_SHAPE_ELLIPSOID) paint_sphere(p, shape->half, 1, &at);
        if (shape->kind == NB_SHAPE_HALF_SPACE) paint_half_space(p, &at);
        for (int32_t part = 0; part < shape->part_count; part++) paint_polyhedron(p, &shape->parts[part], &at);
        for (int32_t part = 0; part < shape->solid_count; part++) paint_solid(p, &shape->solids[part], &at);
    }
}

/* the state to draw: the last frame, or the final state */
static const double *state_of(const nb_run *run) {
    if (run->frame_count > 0) return run->frames + (int64_t)(run->frame_count - 1) * 7 * run->info.bodies;
    return run->final.q;
}

/* whether the run has a state for the bodies of this world */
static int fits(const nb_run *run, const nb_world *world) {
    int32_t bodies = run->frame_count > 0 ? run->info.bodies : run->final.bodies;
    return state_of(run) && bodies == world->body_count;
}

/* the sphere around the bodies with mass as they stand in `q` */
static void bound_scene(painter *p, const nb_world *world, const double *q) {
    nb_vec3 low = nb_vec3_of(INFINITY, INFINITY, INFINITY), high = nb_scale(-1, low);
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_body *body = &world->bodies[i];
        const double *b = q + 7 * (int64_t)i;
        if (body->kind != NB_BODY_DYNAMIC || body->shape < 0 || !isfinite(b[0] + b[1] + b[2])) continue;
        double r = 0.8 * world->shapes[body->shape]->radius;
        low = nb_vec3_of(fmin(low.x, b[0] - r), fmin(low.y, b[1] - r), fmin(low.z, b[2] - r));
        high = nb_vec3_of(fmax(high.x, b[0] + r), fmax(high.y, b[1] + r), fmax(high.z, b[2] + r));
    }
    if (!(high.x > low.x)) low = nb_vec3_of(-1, -1, -1), high = nb_vec3_of(1, 1, 1);
    p->centre = nb_scale(0.5, nb_add(low, high));
    p->radius = 0.5 * nb_norm(nb_sub(high, low));
}

static void widen_to_point(const view *v, nb_vec3 point, double window[4]) {
    double at[3];
    if (!project(v, point, at)) return;
    window[0] = fmin(window[0], at[0]);
    window[1] = fmax(window[1], at[0]);
    window[2] = fmin(window[2], at[1]);
    window[3] = fmax(window[3], at[1]);
}

static void set_view(painter *p) {
    nb_vec3 direction = nb_normalized(nb_vec3_of(0.55, -1.0, 0.42));
    p->camera = look(nb_add_scaled(p->centre, 4 * p->radius, direction), p->centre);
    p->camera.focal = 1; /* until it is fitted */
}

/* Widens window = {least x, most x, least y, most y} of the image to the bodies with mass; those that a diverged run
 * threw away from the scene are left out. */
static void widen_to_bodies(const painter *p, const nb_world *world, const double *q, double window[4]) {
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_body *body = &world->bodies[i];
        const double *b = q + 7 * (int64_t)i;
        place at = {nb_vec3_of(b[0], b[1], b[2]), {b[3], b[4], b[5], b[6]}};
        if (body->kind != NB_BODY_DYNAMIC || body->shape < 0) continue;
        if (!(nb_norm(nb_sub(at.x, p->centre)) < REACH * p->radius)) continue;
        const nb_shape *shape = world->shapes[body->shape];
        if (shape->kind == NB_SHAPE_SPHERE || shape->kind == NB_SHAPE_ELLIPSOID)
            for (int side = -1; side <= 1; side += 2) {
                widen_to_point(&p->camera, nb_add_scaled(at.x, side * shape->radius, p->camera.right), window);
                widen_to_point(&p->camera, nb_add_scaled(at.x, side * shape->radius, p->camera.up), window);
            }
        for (int32_t part = 0; part < shape->part_count; part++)
            for (int32_t v = 0; v < shape->parts[part].vertex_count; v++)
                widen_to_point(&p->camera, put(&at, shape->parts[part].vertices[v]), window);
        for (int32_t part = 0; part < shape->solid_count; part++)
            for (int32_t v = 0; v < shape->solids[part].point_count; v++)
                widen_to_point(&p->camera, put(&at, shape->solids[part].points[v]), window);
    }
}

/* Fits the image to the windows of all pictures that stand side by side, whose measures are of unit focal length: one
 * scale and one height for all, and each picture's own window in its middle. */
static void fit_camera(painter *p, double (*windows)[4], int count, const double own[4]) {
    const double filled = 0.88;
    view *v = &p->camera;
    double wide = 0, low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; i++) {
        wide = fmax(wide, windows[i][1] - windows[i][0]);
        low = fmin(low, windows[i][2]);
        high = fmax(high, windows[i][3]);
    }
    if (!(wide > 0 && low < high && own[0] < own[1])) return;
    v->focal = filled * fmin(p->image.width / wide, p->image.height / (high - low));
    v->centre_x = 0.5 * p->image.width - 0.5 * v->focal * (own[0] + own[1]);
    v->centre_y = 0.5 * p->image.height - 0.5 * v->focal * (low + high);
}

static nb_status make_canvas(canvas *c, int width, int height) {
    nb_status status;
    int64_t count = (int64_t)width * height;
    c->width = width;
    c->height = height;
    NB_TRY(NB_ALLOCATE(count, &c->depth));
    NB_TRY(NB_ALLOCATE(3 * count, &c->colour));
    for (int64_t i = 0; i < count; i++) c->depth[i] = INFINITY;
    for (int64_t i = 0; i < 3 * count; i++) c->colour[i] = 1; /* white paper */
out:
    return status;
}

/* averages the samples of each pixel, and from linear light to what a screen expects */
static nb_status write_pixels(const canvas *c, const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file) return nb_fail(NB_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
    for (int y = 0; y < c->height / SAMPLES; y++)
        for (int x = 0; x < c->width / SAMPLES; x++)
            for (int k = 0; k < 3; k++) {
                float sum = 0;
                for (int j = 0; j < SAMPLES; j++)
                    for (int i = 0; i < SAMPLES; i++)
                        sum += c->colour[3 * ((int64_t)(y * SAMPLES + j) * c->width + x * SAMPLES + i) + k];
                double light = fmin(fmax((double)sum / (SAMPLES * SAMPLES), 0), 1);
                fputc((int)(255 * pow(light, 1 / 1.6) + 0.5), file);
            }
    int failed = ferror(file);
    if (fclose(file) != 0 || failed) return nb_fail(NB_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
    return NB_OK;
}

nb_status nb_picture_write(const nb_run *run, nb_run *const *scene, int count, int width, int height,
                           const char *path) {
    nb_status status;
    const nb_scenario_class *scenario;
    double *values = NULL;
    nb_world *world = NULL;
    painter p = {0};
    double(*windows)[4] = NULL, own[4] = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    NB_TRY(nb_run_rebuild(run, &scenario, &values, &world));
    int drawable = scenario && fits(run, world);
    for (int i = 0; i < count; i++) drawable = drawable && fits(scene[i], world);
    if (!drawable) NB_TRY(nb_fail(NB_ERROR_INPUT, "run of '%s' has no state that can be drawn", run->info.scenario));
    NB_TRY(make_canvas(&p.image, width * SAMPLES, height * SAMPLES));
    bound_scene(&p, world, state_of(scene[0]));
    set_view(&p);
    NB_TRY(NB_ALLOCATE(count, &windows));
    for (int i = 0; i < count; i++) {
        memcpy(windows[i], own, sizeof own);
        widen_to_bodies(&p, world, state_of(scene[i]), windows[i]);
    }
    widen_to_bodies(&p, world, state_of(run), own);
    fit_camera(&p, windows, count, own);
    paint_bodies(&p, world, state_of(run));
    NB_TRY(write_pixels(&p.image, path));
out:
    nb_free(p.image.depth);
    nb_free(p.image.colour);
    nb_free(windows);
    nb_free(values);
    nb_world_destroy(world);
    return status;
}

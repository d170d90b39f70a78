#include "figure/painter.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

enum {
    SAMPLES = 2 /* along each side of a pixel */
};

/* from linear light to what a screen expects */
#define SCREEN 1.6

/* ---- projection ---- */

nb_view nb_view_of(nb_vec3 eye, nb_vec3 target) {
    nb_view v = {.eye = eye, .forward = nb_normalized(nb_sub(target, eye))};
    v.right = nb_normalized(nb_cross(v.forward, nb_vec3_of(0, 0, 1)));
    v.up = nb_cross(v.right, v.forward);
    return v;
}

int nb_project(const nb_view *v, nb_vec3 point, double out[3]) {
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
static void shade(const nb_painter *p, nb_vec3 normal, float out[3]) {
    nb_vec3 sun = nb_normalized(nb_vec3_of(-0.4, -0.75, 0.95)), side = nb_normalized(nb_vec3_of(0.9, -0.6, 0.3));
    double light = 0.22 + 0.10 * normal.z + 0.70 * fmax(nb_dot(normal, sun), 0) + 0.16 * fmax(nb_dot(normal, side), 0);
    light += p->even * (1 - light);
    for (int k = 0; k < 3; k++) out[k] = (float)((1 - p->dusk) * (double)p->tint[k] * light + p->dusk);
}

/* ---- scan conversion ---- */

static double edge(const double a[3], const double b[3], double x, double y) {
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

static int clamp(double x, int most) {
    return x < 0 ? 0 : x > most ? most : (int)x;
}

void nb_paint_triangle(nb_painter *p, nb_vec3 a, nb_vec3 b, nb_vec3 c, nb_vec3 normal) {
    nb_canvas *to = &p->image;
    const nb_view *v = &p->camera;
    double pa[3], pb[3], pc[3];
    if (!nb_project(v, a, pa) || !nb_project(v, b, pb) || !nb_project(v, c, pc)) return;
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
            if (z >= (double)*depth && !p->over) continue;
            if (p->hidden) {
                *p->hidden += isfinite(*depth) != 0;
                continue;
            }
            *depth = (float)z;
            shade(p, normal, &to->colour[3 * ((int64_t)y * to->width + x)]);
        }
}

void nb_paint_line(nb_painter *p, nb_vec3 a, nb_vec3 b) {
    nb_canvas *to = &p->image;
    double pa[3], pb[3];
    if (!nb_project(&p->camera, a, pa) || !nb_project(&p->camera, b, pb)) return;
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

void nb_paint_rod(nb_painter *p, nb_vec3 a, nb_vec3 b, double half_width) {
    nb_vec3 aside = nb_cross(nb_sub(b, a), p->camera.forward), normal = nb_scale(-1, p->camera.forward);
    if (!(nb_norm(aside) > 0)) return; /* seen from its end */
    aside = nb_scale(half_width / nb_norm(aside), aside);
    const nb_vec3 corner[4] = {nb_add(a, aside), nb_sub(a, aside), nb_sub(b, aside), nb_add(b, aside)};
    nb_paint_triangle(p, corner[0], corner[1], corner[2], normal);
    nb_paint_triangle(p, corner[0], corner[2], corner[3], normal);
}

void nb_paint_disc(nb_painter *p, nb_vec3 centre, double radius) {
    enum {
        CORNERS = 12
    };
    const nb_vec3 normal = nb_scale(-1, p->camera.forward);
    nb_vec3 last = nb_add_scaled(centre, radius, p->camera.right);
    for (int i = 1; i <= CORNERS; i++) {
        const double angle = 2 * M_PI * i / CORNERS;
        nb_vec3 next = nb_add_scaled(centre, radius * cos(angle), p->camera.right);
        next = nb_add_scaled(next, radius * sin(angle), p->camera.up);
        nb_paint_triangle(p, centre, last, next, normal);
        last = next;
    }
}

void nb_paint_arrow(nb_painter *p, nb_vec3 from, nb_vec3 to, double half_width) {
    const nb_vec3 along = nb_sub(to, from), aside = nb_cross(along, p->camera.forward);
    const double length = nb_norm(along), head = fmin(6 * half_width, 0.6 * length);
    if (!(nb_norm(aside) > 0)) return;
    const nb_vec3 neck = nb_add_scaled(to, -head / length, along);
    const nb_vec3 wing = nb_scale(0.45 * head / nb_norm(aside), aside);
    nb_paint_rod(p, from, neck, fmin(half_width, 0.2 * head));
    nb_paint_triangle(p, nb_add(neck, wing), nb_sub(neck, wing), to, nb_scale(-1, p->camera.forward));
}

void nb_paint_plane(nb_painter *p, nb_vec3 x, nb_vec3 normal) {
    nb_canvas *to = &p->image;
    const nb_view *v = &p->camera;
    if (p->hidden) return; /* a ground is below all */
    double above = nb_dot(normal, nb_sub(v->eye, x)), middle = nb_dot(v->forward, nb_sub(p->centre, v->eye));
    if (above <= 0) return; /* from behind, a wall would hide what it holds */
    for (int row = 0; row < to->height; row++)
        for (int column = 0; column < to->width; column++) {
            nb_vec3 ray = nb_add_scaled(v->forward, (column + 0.5 - v->centre_x) / v->focal, v->right);
            ray = nb_add_scaled(ray, (v->centre_y - row - 0.5) / v->focal, v->up);
            double z = -above / nb_dot(normal, ray); /* the ray's measure along the view is 1 */
            float *depth = &to->depth[(int64_t)row * to->width + column];
            if (!(z > 0 && z < (double)*depth)) continue;
            *depth = (float)z;
            double behind = (z - middle) / p->radius, fade = fmin(fmax((behind - 0.8) / 5.2, 0), 1);
            p->dusk = fade * fade * (3 - 2 * fade);
            shade(p, normal, &to->colour[3 * ((int64_t)row * to->width + column)]);
        }
    p->dusk = 0;
}

void nb_painter_set_colour(nb_painter *p, const double red_green_blue[3]) {
    for (int k = 0; k < 3; k++) p->tint[k] = (float)pow(red_green_blue[k], SCREEN);
}

/* ---- pixels ---- */

nb_status nb_painter_create(nb_painter *p, int width, int height) {
    nb_status status;
    const int64_t count = (int64_t)width * SAMPLES * height * SAMPLES;
    memset(p, 0, sizeof *p);
    p->image.width = width * SAMPLES;
    p->image.height = height * SAMPLES;
    NB_TRY(NB_ALLOCATE(count, &p->image.depth));
    NB_TRY(NB_ALLOCATE(3 * count, &p->image.colour));
    for (int64_t i = 0; i < count; i++) p->image.depth[i] = INFINITY;
    for (int64_t i = 0; i < 3 * count; i++) p->image.colour[i] = 1; /* white paper */
out:
    return status;
}

void nb_painter_clear(nb_painter *p) {
    nb_free(p->image.depth);
    nb_free(p->image.colour);
    p->image.depth = p->image.colour = NULL;
}

int64_t nb_painter_count(const nb_painter *p) {
    int64_t count = 0, all = (int64_t)p->image.width * p->image.height;
    for (int64_t i = 0; i < all; i++) count += isfinite(p->image.depth[i]) != 0;
    return count;
}

/* averages the samples of each pixel */
nb_status nb_painter_write(const nb_painter *p, const char *path) {
    const nb_canvas *c = &p->image;
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
                fputc((int)(255 * pow(light, 1 / SCREEN) + 0.5), file);
            }
    int failed = ferror(file);
    if (fclose(file) != 0 || failed) return nb_fail(NB_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
    return NB_OK;
}

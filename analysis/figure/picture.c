#include "figure/picture.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "element/energy.h"
#include "figure/painter.h"
#include "figure/picture_soft.h"
#include "measure/largest_error.h"

enum {
    SPHERE_RINGS = 14
};

/* radii of the scene from its centre that are drawn: bodies may have fallen outside it */
#define REACH 3.0

/* ---- shapes ---- */

typedef struct place {
    nb_vec3 x;
    nb_quat q;
} place;

static nb_vec3 put(const place *at, nb_vec3 point) {
    return nb_add(at->x, nb_quat_rotate(at->q, point));
}

static void paint_polyhedron(nb_painter *p, const nb_polyhedron *part, const place *at) {
    for (int32_t f = 0; f < part->face_count; f++) {
        nb_vec3 normal = nb_quat_rotate(at->q, part->face_normal[f]);
        const int32_t *corner = part->face_vertex + part->face_start[f];
        int32_t count = part->face_start[f + 1] - part->face_start[f];
        if (nb_dot(normal, nb_sub(put(at, part->vertices[corner[0]]), p->camera.eye)) >= 0) continue; /* from behind */
        for (int32_t i = 1; i + 1 < count; i++)
            nb_paint_triangle(p, put(at, part->vertices[corner[0]]), put(at, part->vertices[corner[i]]),
                              put(at, part->vertices[corner[i + 1]]), normal);
    }
}

static void paint_edges(nb_painter *p, const nb_polyhedron *part, const place *at) {
    for (int32_t e = 0; e < part->edge_count; e++) {
        const int32_t *face = part->edge_face + 2 * e;
        if (nb_dot(part->face_normal[face[0]], part->face_normal[face[1]]) > 0.985)
            continue; /* 10 degrees: no edge to the eye */
        nb_paint_line(p, put(at, part->vertices[part->edge_vertex[2 * e]]),
                      put(at, part->vertices[part->edge_vertex[2 * e + 1]]));
    }
}

/* triangles that have shrunk to a line or a point have no normal */
static void paint_solid(nb_painter *p, const nb_solid *solid, const place *at) {
    for (int32_t i = 0; i < solid->triangle_count; i++) {
        const int32_t *corner = solid->triangles + 3 * (int64_t)i;
        nb_vec3 a = put(at, solid->points[corner[0]]), b = put(at, solid->points[corner[1]]),
                c = put(at, solid->points[corner[2]]), area = nb_cross(nb_sub(b, a), nb_sub(c, a));
        if (nb_norm(area) > 0) nb_paint_triangle(p, a, b, c, nb_normalized(area));
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
static void paint_sphere(nb_painter *p, nb_vec3 half, int differ, const place *at) {
    for (int ring = 0; ring < SPHERE_RINGS; ring++)
        for (int sector = 0; sector < 2 * SPHERE_RINGS; sector++) {
            nb_vec3 corner[4] = {on_sphere(ring, sector), on_sphere(ring + 1, sector), on_sphere(ring + 1, sector + 1),
                                 on_sphere(ring, sector + 1)};
            nb_vec3 normal = nb_normalized(nb_add(nb_add(corner[0], corner[1]), nb_add(corner[2], corner[3])));
            for (int i = 0; i < 4; i++) corner[i] = put(at, scaled(half, corner[i]));
            if (differ) normal = nb_normalized(scaled(nb_vec3_of(1 / half.x, 1 / half.y, 1 / half.z), normal));
            normal = nb_quat_rotate(at->q, normal);
            nb_paint_triangle(p, corner[0], corner[1], corner[2], normal);
            nb_paint_triangle(p, corner[0], corner[2], corner[3], normal);
        }
}

/* ---- the scene ---- */

/* what bodies look like: `picture` has marks, or none */
typedef struct appearance {
    const nb_picture *picture;
    const nb_marks *marks;
} appearance;

/* behind marks of contacts: errors of momentum in the colour of errors, all else pale */
static void choose_pale_tint(nb_painter *p, const appearance *looks, int dynamic, int32_t index) {
    const double *errors = looks->marks->momentum_error, grey = dynamic ? 0.86 : 0.95;
    double colour[3] = {grey, grey, grey};
    if (looks->picture->scale.show == NB_SHOW_ERRORS && errors && errors[index] > looks->picture->scale.low) {
        nb_mark_error_colour(&looks->picture->scale, errors[index], colour);
        for (int k = 0; k < 3; k++) colour[k] = 0.35 + 0.65 * colour[k];
    }
    nb_painter_set_colour(p, colour);
}

static void choose_tint(nb_painter *p, const nb_body *body, int32_t index) {
    memcpy(p->tint, nb_picture_tints[nb_picture_tint(body, index)], sizeof p->tint);
}

static place place_of(const double *q, int32_t body) {
    const double *b = q + 7 * (int64_t)body;
    return (place){nb_vec3_of(b[0], b[1], b[2]), {b[3], b[4], b[5], b[6]}};
}

/* a diverged body has no place in the picture */
static int is_there(const place *at) {
    return isfinite(nb_norm(at->x)) && isfinite(at->q.w + at->q.x + at->q.y + at->q.z);
}

/* faces alone, without the edges of polyhedra */
static void paint_shape(nb_painter *p, const nb_shape *shape, const place *at) {
    if (shape->kind == NB_SHAPE_SPHERE) paint_sphere(p, shape->half, 0, at);
    if (shape->kind == NB_SHAPE_ELLIPSOID) paint_sphere(p, shape->half, 1, at);
    if (shape->kind == NB_SHAPE_HALF_SPACE) nb_paint_plane(p, at->x, nb_quat_rotate(at->q, nb_vec3_of(0, 0, 1)));
    for (int32_t part = 0; part < shape->part_count; part++) paint_polyhedron(p, &shape->parts[part], at);
    for (int32_t part = 0; part < shape->solid_count; part++) paint_solid(p, &shape->solids[part], at);
}

/* the bodies that are to be seen, dynamic ones or the others */
static int is_drawn(const nb_world *world, const nb_picture_state *state, int32_t i, int dynamic) {
    const place at = place_of(state->q, i);
    return world->bodies[i].shape >= 0 && (world->bodies[i].kind == NB_BODY_DYNAMIC) == dynamic && is_there(&at);
}

static void paint_bodies(nb_painter *p, const nb_world *world, const nb_picture_state *state, int dynamic,
                         const unsigned char *clear, const appearance *looks) {
    for (int32_t i = 0; i < world->body_count; i++) {
        if (!is_drawn(world, state, i, dynamic)) continue;
        const nb_shape *shape = world->shapes[world->bodies[i].shape];
        const place at = place_of(state->q, i);
        choose_tint(p, &world->bodies[i], i);
        if (looks->marks) choose_pale_tint(p, looks, dynamic, i);
        if (!clear || !clear[i]) paint_shape(p, shape, &at);
        for (int32_t part = 0; part < shape->part_count; part++) paint_edges(p, &shape->parts[part], &at);
    }
}

/* Marks the bodies that do not move and would hide more than a fiftieth of what has been painted, which does. */
static void mark_clear(nb_painter *p, const nb_world *world, const nb_picture_state *state, unsigned char *clear) {
    int64_t painted = nb_painter_count(p);
    for (int32_t i = 0; i < world->body_count; i++) {
        if (!is_drawn(world, state, i, 0)) continue;
        const place at = place_of(state->q, i);
        int64_t hidden = 0;
        p->hidden = &hidden;
        paint_shape(p, world->shapes[world->bodies[i].shape], &at);
        p->hidden = NULL;
        clear[i] = hidden > painted / 50;
    }
}

/* ---- bodies without a shape ---- */

static int is_bare(const nb_world *world, int32_t body) {
    return body >= 0 && world->bodies[body].shape < 0 && world->bodies[body].kind == NB_BODY_DYNAMIC;
}

/* Calls back with the ends of the rods of each joint that a dynamic body without a shape has: from the centres of its
 * bodies to its anchor, or between its two anchors where it keeps them apart. */
static void visit_rods(const nb_world *world, const nb_picture_state *state,
                       void (*visit)(void *context, int32_t body, nb_vec3 a, nb_vec3 b), void *context) {
    for (int32_t j = 0; j < world->joint_count; j++) {
        const nb_joint *joint = &world->joints[j];
        const int32_t body[2] = {joint->body_a, joint->body_b};
        nb_vec3 centre[2], anchor[2];
        int there = is_bare(world, body[0]) || is_bare(world, body[1]);
        for (int k = 0; k < 2; k++) {
            const nb_vec3 own = k ? joint->anchor_b : joint->anchor_a;
            const place at = body[k] < 0 ? (place){{0, 0, 0}, nb_quat_identity()} : place_of(state->q, body[k]);
            there = there && is_there(&at);
            anchor[k] = put(&at, own);
            centre[k] = body[k] < 0 ? anchor[k] : at.x;
        }
        if (!there) continue;
        int32_t bare = is_bare(world, body[1]) ? body[1] : body[0];
        if (joint->kind == NB_JOINT_DISTANCE || joint->kind == NB_JOINT_PRISMATIC)
            visit(context, bare, anchor[0], anchor[1]);
        for (int k = 0; k < 2; k++) visit(context, is_bare(world, body[k]) ? body[k] : bare, centre[k], anchor[k]);
    }
}

typedef struct rods {
    nb_painter *p;
    const nb_world *world;
} rods;

static void paint_rod(void *context, int32_t body, nb_vec3 centre, nb_vec3 end) {
    rods *of = context;
    choose_tint(of->p, &of->world->bodies[body], body);
    nb_paint_rod(of->p, centre, end, 0.012 * of->p->radius);
}

/* ---- where all of it is ---- */

typedef struct reach {
    nb_vec3 low, high;
} reach;

static void reach_to(reach *r, nb_vec3 x, double radius) {
    r->low = nb_vec3_of(fmin(r->low.x, x.x - radius), fmin(r->low.y, x.y - radius), fmin(r->low.z, x.z - radius));
    r->high = nb_vec3_of(fmax(r->high.x, x.x + radius), fmax(r->high.y, x.y + radius), fmax(r->high.z, x.z + radius));
}

static void reach_to_rod(void *context, int32_t body, nb_vec3 centre, nb_vec3 end) {
    (void)body;
    reach_to(context, centre, 0);
    reach_to(context, end, 0);
}

static nb_vec3 particle_of(const nb_picture_state *state, int32_t i) {
    const double *x = state->x + 3 * (int64_t)i;
    return nb_vec3_of(x[0], x[1], x[2]);
}

/* the sphere around the bodies and particles with mass, and the ends of what is held */
static void bound_scene(nb_painter *p, const nb_world *world, const nb_picture_state *state) {
    reach r = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int32_t i = 0; i < world->body_count; i++)
        if (is_drawn(world, state, i, 1))
            reach_to(&r, place_of(state->q, i).x, 0.8 * world->shapes[world->bodies[i].shape]->radius);
    visit_rods(world, state, reach_to_rod, &r);
    for (int32_t i = 0; state->x && i < world->particle_count; i++)
        if (isfinite(nb_norm(particle_of(state, i)))) reach_to(&r, particle_of(state, i), 0);
    if (!(r.high.x > r.low.x || r.high.y > r.low.y || r.high.z > r.low.z))
        reach_to(&r, r.high.x >= r.low.x ? r.low : nb_vec3_of(0, 0, 0), 1);
    p->centre = nb_scale(0.5, nb_add(r.low, r.high));
    p->radius = 0.5 * nb_norm(nb_sub(r.high, r.low));
}

typedef struct excerpt {
    const nb_painter *p;
    double window[4]; /* least x, most x, least y, most y of the image */
} excerpt;

static void widen_to_point(excerpt *f, nb_vec3 point) {
    double at[3], *window = f->window;
    if (!(nb_norm(nb_sub(point, f->p->centre)) < REACH * f->p->radius)) return; /* thrown away as it diverged */
    if (!nb_project(&f->p->camera, point, at)) return;
    window[0] = fmin(window[0], at[0]);
    window[1] = fmax(window[1], at[0]);
    window[2] = fmin(window[2], at[1]);
    window[3] = fmax(window[3], at[1]);
}

static void widen_to_rod(void *context, int32_t body, nb_vec3 centre, nb_vec3 end) {
    (void)body;
    widen_to_point(context, centre);
    widen_to_point(context, end);
}

static void widen_to_shape(excerpt *f, const nb_shape *shape, const place *at) {
    const nb_view *v = &f->p->camera;
    if (shape->kind == NB_SHAPE_SPHERE || shape->kind == NB_SHAPE_ELLIPSOID)
        for (int side = -1; side <= 1; side += 2) {
            widen_to_point(f, nb_add_scaled(at->x, side * shape->radius, v->right));
            widen_to_point(f, nb_add_scaled(at->x, side * shape->radius, v->up));
        }
    for (int32_t part = 0; part < shape->part_count; part++)
        for (int32_t i = 0; i < shape->parts[part].vertex_count; i++)
            widen_to_point(f, put(at, shape->parts[part].vertices[i]));
    for (int32_t part = 0; part < shape->solid_count; part++)
        for (int32_t i = 0; i < shape->solids[part].point_count; i++)
            widen_to_point(f, put(at, shape->solids[part].points[i]));
}

/* what of the image the state needs, but for what a diverged run threw away */
static excerpt excerpt_of(const nb_painter *p, const nb_world *world, const nb_picture_state *state) {
    excerpt f = {p, {INFINITY, -INFINITY, INFINITY, -INFINITY}};
    for (int32_t i = 0; i < world->body_count; i++) {
        const place at = place_of(state->q, i);
        if (is_drawn(world, state, i, 1) && nb_norm(nb_sub(at.x, p->centre)) < REACH * p->radius)
            widen_to_shape(&f, world->shapes[world->bodies[i].shape], &at);
    }
    visit_rods(world, state, widen_to_rod, &f);
    for (int32_t i = 0; state->x && i < world->particle_count; i++) widen_to_point(&f, particle_of(state, i));
    return f;
}

static void set_view(nb_painter *p) {
    nb_vec3 direction = nb_normalized(nb_vec3_of(0.55, -1.0, 0.42));
    p->camera = nb_view_of(nb_add_scaled(p->centre, 4 * p->radius, direction), p->centre);
    p->camera.focal = 1; /* until it is fitted */
}

/* Fits the image to all pictures that stand side by side, whose excerpts are of unit focal length: one scale and one
 * height for all, and each picture's own excerpt in its middle. */
static void fit_camera(nb_painter *p, const nb_picture *picture, int own) {
    const double filled = 0.88;
    nb_view *v = &p->camera;
    double wide = 0, low = INFINITY, high = -INFINITY, middle = 0;
    for (int i = 0; i < picture->count; i++) {
        const excerpt f = excerpt_of(p, picture->world, &picture->states[i]);
        wide = fmax(wide, f.window[1] - f.window[0]);
        low = fmin(low, f.window[2]);
        high = fmax(high, f.window[3]);
        if (i == own) middle = 0.5 * (f.window[0] + f.window[1]);
    }
    if (!(wide > 0 && low < high && isfinite(middle))) return;
    v->focal = filled * fmin(p->image.width / wide, p->image.height / (high - low));
    v->centre_x = 0.5 * p->image.width - v->focal * middle;
    v->centre_y = 0.5 * p->image.height - 0.5 * v->focal * (low + high);
}

/* ---- contacts ---- */

static void paint_mark(nb_painter *p, const nb_mark *mark, const nb_mark_scale *scale, int largest) {
    double colour[3], size = 0.016 * p->radius;
    if (!isfinite(nb_norm(mark->point)) || !(nb_norm(nb_sub(mark->point, p->centre)) < REACH * p->radius)) return;
    if (scale->show == NB_SHOW_FORCES) {
        const double blue[3] = {0, 0.27, 0.53};
        const nb_vec3 end = nb_add_scaled(mark->point, 0.4 * p->radius / scale->high, mark->force);
        nb_painter_set_colour(p, blue);
        if (isfinite(nb_norm(end))) nb_paint_arrow(p, mark->point, end, 0.25 * size);
        return;
    }
    if (scale->show == NB_SHOW_MODES && mark->mode == NB_MODE_OPEN) size *= 0.6;
    const double edge[3] = {0.3, 0.3, 0.3};
    nb_painter_set_colour(p, edge);
    nb_paint_disc(p, mark->point, (largest ? 2 : 1.2) * size);
    if (scale->show == NB_SHOW_ERRORS)
        nb_mark_error_colour(scale, mark->error, colour);
    else
        nb_mark_mode_colour(mark->mode, colour);
    nb_painter_set_colour(p, colour);
    nb_paint_disc(p, mark->point, size);
}

/* in front of all bodies; the largest are seen whole */
static void paint_marks(nb_painter *p, const nb_picture *picture, const nb_marks *marks) {
    p->over = 1;
    p->even = 1;
    for (int32_t i = 0; i < marks->count; i++)
        paint_mark(p, &marks->items[i], &picture->scale,
                   picture->scale.show == NB_SHOW_ERRORS && i == marks->count - 1);
    p->even = 0;
    p->over = 0;
}

/* ---- public ---- */

const float nb_picture_tints[NB_PICTURE_TINTS][3] = {
    {0.16f, 0.42f, 0.70f}, {0.90f, 0.55f, 0.18f}, {0.22f, 0.62f, 0.46f}, {0.80f, 0.50f, 0.66f},
    {0.42f, 0.68f, 0.88f}, {0.84f, 0.40f, 0.20f}, {0.88f, 0.80f, 0.38f}, {0.80f, 0.80f, 0.78f}};

int nb_picture_tint(const nb_body *body, int32_t index) {
    return body->kind == NB_BODY_DYNAMIC ? index % (NB_PICTURE_TINTS - 1) : NB_PICTURE_TINTS - 1;
}

nb_status nb_picture_state_of(const nb_run *run, const nb_world *world, int32_t frame, nb_picture_state *state) {
    int framed = frame >= 0 && frame < run->frame_count;
    int32_t bodies = framed ? run->info.bodies : run->final.bodies;
    int32_t particles = framed ? run->frame_particles : run->final.particles;
    *state = (nb_picture_state){run->final.time, run->final.q, run->final.particle_x};
    if (framed) {
        state->time = run->frame_time[frame];
        state->q = run->frames + (int64_t)frame * 7 * bodies;
        state->x = run->frame_x ? run->frame_x + (int64_t)frame * 3 * particles : NULL;
    }
    if (!world || bodies != world->body_count || (bodies > 0 && !state->q) ||
        (world->particle_count > 0 && (particles != world->particle_count || !state->x)))
        return nb_fail(NB_ERROR_INPUT, "run of '%s' has no state that can be drawn", run->info.scenario);
    return NB_OK;
}

void nb_picture_strain(const nb_world *world, const nb_picture_state *state, double *least, double *most) {
    *least = *most = NAN;
    for (int32_t i = 0; state->x && i < world->tetrahedron_count; i++) {
        double strain = nb_volume_ratio_of(world, i, state->x) - 1;
        *least = fmin(*least, strain);
        *most = fmax(*most, strain);
    }
}

double nb_picture_strain_limit(const nb_world *world, const nb_picture_state *states, int count) {
    double largest = 0;
    for (int i = 0; i < count; i++) {
        double least, most;
        nb_picture_strain(world, &states[i], &least, &most);
        if (isfinite(least) && isfinite(most)) largest = fmax(largest, fmax(-least, most));
    }
    if (largest == 0) return 0;
    double unit = pow(10, floor(log10(largest)));
    return unit * (largest <= unit ? 1 : largest <= 2 * unit ? 2 : largest <= 5 * unit ? 5 : 10);
}

nb_status nb_picture_write(const nb_picture *picture, int i, int width, int height, const char *path) {
    nb_status status;
    const nb_world *world = picture->world;
    const nb_picture_state *state = &picture->states[i];
    unsigned char *clear = NULL;
    nb_painter p = {0};
    rods of = {&p, world};
    const appearance looks = {picture, picture->marks ? &picture->marks[i] : NULL};
    NB_TRY(NB_ALLOCATE(world->body_count, &clear));
    NB_TRY(nb_painter_create(&p, width, height));
    bound_scene(&p, world, &picture->states[0]);
    set_view(&p);
    fit_camera(&p, picture, i);
    p.even = looks.marks ? 0.6 : 0;
    paint_bodies(&p, world, state, 1, NULL, &looks);
    p.even = 0;
    visit_rods(world, state, paint_rod, &of);
    if (state->x) NB_TRY(nb_paint_soft(&p, world, state->x, picture->strain));
    mark_clear(&p, world, state, clear);
    paint_bodies(&p, world, state, 0, clear, &looks);
    if (looks.marks) paint_marks(&p, picture, looks.marks);
    NB_TRY(nb_painter_write(&p, path));
out:
    nb_painter_clear(&p);
    nb_free(clear);
    return status;
}

#include "figure/gltf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "contact/surface.h"
#include "figure/marks.h"
#include "figure/picture.h"
#include "record/partial.h"
#include "record/provenance.h"
#include "table/recheck.h"
#include "text/json.h"

/* ---- the parts of a file ---- */

/* views of its buffer, whose elements are 4 bytes */
enum {
    VERTICES,
    INDICES,
    KEYS,
    VIEWS
};

typedef struct pool {
    uint32_t *words; /* [size] or floats */
    int64_t size, capacity;
} pool;

typedef struct accessor {
    int view, width, bounded;
    int64_t first, count; /* in words; elements of `width` */
    float low[3], high[3];
} accessor;

/* of a mesh; -1: no accessor */
typedef struct primitive {
    int points, normals, indices, material, lines;
} primitive;

enum {
    SOFT = NB_PICTURE_TINTS, /* materials behind those of bodies */
    SHEET,
    BLUE, /* springs and forces */
    MATERIALS,
    MOST_PRIMITIVES = 3
};

typedef struct mesh {
    int count;
    primitive primitives[MOST_PRIMITIVES];
} mesh;

/* what is animated of a node */
enum {
    TRANSLATION,
    ROTATION,
    SCALE,
    PATHS
};
static const struct {
    const char *name;
    int width, at; /* at: in node.place */
} paths[PATHS] = {{"translation", 3, 0}, {"rotation", 4, 3}, {"scale", 3, 7}};

typedef struct node {
    char name[32];
    const char *members; /* more of them, in JSON; or NULL */
    int mesh;            /* -1: none */
    float place[10];     /* translation, rotation x y z w, scale */
    int keys[PATHS];     /* accessors; -1: not animated */
    int times, stays;    /* accessor; 1: a key holds until the next */
} node;

typedef struct gltf {
    const nb_run *run;
    int forces;
    nb_world *world;
    nb_picture_state *states; /* [run->frame_count] */
    nb_vec3 centre;           /* of what moves */
    double radius;
    float *scratch; /* [run->frame_count][10] */
    pool pools[VIEWS];
    int64_t begun[VIEWS]; /* sizes of the pools before the shape in the making */
    accessor *accessors;
    mesh *meshes;
    node *nodes; /* the first holds the others */
    int64_t accessor_count, accessor_capacity, mesh_count, mesh_capacity, node_count, node_capacity;
    int times; /* accessor */
} gltf;

static int64_t buffer_bytes(const gltf *g) {
    return 4 * (g->pools[VERTICES].size + g->pools[INDICES].size + g->pools[KEYS].size);
}

static nb_status append(gltf *g, int view, int64_t count, const void *words) {
    nb_status status = NB_OK;
    pool *to = &g->pools[view];
    if (buffer_bytes(g) + 4 * count > 4000000000) /* the rest is for the description */
        return nb_fail(NB_ERROR_UNSUPPORTED, "a glTF file holds at most 4 GB; store fewer states (run --store-states)");
    NB_TRY(NB_RESERVE(to->size + count, &to->capacity, &to->words));
    memcpy(to->words + to->size, words, (size_t)count * sizeof *to->words);
    to->size += count;
out:
    return status;
}

/* an accessor of words that are in the pool; bounds are needed of positions and times */
static nb_status refer(gltf *g, int view, int width, int bounded, int64_t first, int64_t count, int *index) {
    nb_status status;
    accessor a = {.view = view, .width = width, .bounded = bounded, .first = first, .count = count};
    for (int64_t i = 0; bounded && i < count * width; i++) {
        float x;
        memcpy(&x, g->pools[view].words + first + i, sizeof x);
        if (i < width || x < a.low[i % width]) a.low[i % width] = x;
        if (i < width || x > a.high[i % width]) a.high[i % width] = x;
    }
    NB_TRY(NB_RESERVE(g->accessor_count + 1, &g->accessor_capacity, &g->accessors));
    *index = (int)g->accessor_count;
    g->accessors[g->accessor_count++] = a;
out:
    return status;
}

static nb_status add_words(gltf *g, int view, int width, int bounded, int64_t count, const void *words, int *index) {
    const int64_t first = g->pools[view].size;
    nb_status status = append(g, view, count * width, words);
    return status == NB_OK ? refer(g, view, width, bounded, first, count, index) : status;
}

static nb_status add_node(gltf *g, const char *kind, int32_t number, node **added) {
    nb_status status;
    NB_TRY(NB_RESERVE(g->node_count + 1, &g->node_capacity, &g->nodes));
    node *of = *added = &g->nodes[g->node_count++];
    *of = (node){.mesh = -1, .place = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, .keys = {-1, -1, -1}, .times = g->times};
    snprintf(of->name, sizeof of->name, number < 0 ? "%s" : "%s %d", kind, (int)number);
out:
    return status;
}

/* The keys of a node at all times; none where they are all the same. */
static nb_status add_keys(gltf *g, node *of, int path, const float *keys) {
    const int width = paths[path].width;
    const size_t bytes = (size_t)width * sizeof *keys;
    memcpy(of->place + paths[path].at, keys, bytes);
    for (int32_t f = 1; f < g->run->frame_count; f++)
        if (memcmp(keys, keys + (int64_t)f * width, bytes) != 0)
            return add_words(g, KEYS, width, 0, g->run->frame_count, keys, &of->keys[path]);
    return NB_OK;
}

static nb_status add_mesh(gltf *g, const mesh *of, int *index) {
    nb_status status;
    for (int64_t i = 0; i < g->mesh_count; i++)
        if (memcmp(&g->meshes[i], of, sizeof *of) == 0) {
            *index = (int)i;
            return NB_OK;
        }
    NB_TRY(NB_RESERVE(g->mesh_count + 1, &g->mesh_capacity, &g->meshes));
    *index = (int)g->mesh_count;
    g->meshes[g->mesh_count++] = *of;
out:
    return status;
}

static int is_finite(const double *x, int count) {
    for (int i = 0; i < count; i++)
        if (!(fabs(x[i]) < 1e30)) return 0; /* as a float */
    return 1;
}

static void put(nb_vec3 v, float *to) {
    to[0] = (float)v.x, to[1] = (float)v.y, to[2] = (float)v.z;
}

static void put_turn(nb_quat q, float *to) {
    put(nb_vec3_of(q.x, q.y, q.z), to);
    to[3] = (float)q.w;
}

/* ---- shapes ---- */

/* Points and triangles are added to the pools, from `begun` on those of the shape in the making; corners go
 * counter-clockwise, seen from outside. */
static void begin_shape(gltf *g) {
    for (int view = 0; view < VIEWS; view++) g->begun[view] = g->pools[view].size;
}

static int32_t point_count(const gltf *g) {
    return (int32_t)((g->pools[VERTICES].size - g->begun[VERTICES]) / 3);
}

static nb_status add_point(gltf *g, nb_vec3 point) {
    float x[3];
    put(point, x);
    return append(g, VERTICES, 3, x);
}

static nb_status add_triangle(gltf *g, int32_t first, int32_t a, int32_t b, int32_t c) {
    return append(g, INDICES, 3, (const int32_t[3]){first + a, first + b, first + c});
}

static nb_status add_polyhedron(gltf *g, const nb_polyhedron *p) {
    nb_status status = NB_OK;
    const int32_t first = point_count(g), *corner = p->face_vertex;
    for (int32_t i = 0; i < p->vertex_count; i++) NB_TRY(add_point(g, p->vertices[i]));
    for (int32_t f = 0; f < p->face_count; f++)
        for (int32_t i = p->face_start[f] + 1; i + 1 < p->face_start[f + 1]; i++)
            NB_TRY(add_triangle(g, first, corner[p->face_start[f]], corner[i], corner[i + 1]));
out:
    return status;
}

static nb_status add_solid(gltf *g, const nb_solid *solid) {
    nb_status status = NB_OK;
    const int32_t first = point_count(g), *corner = solid->triangles;
    for (int32_t i = 0; i < solid->point_count; i++) NB_TRY(add_point(g, solid->points[i]));
    for (int32_t i = 0; i < solid->triangle_count; i++, corner += 3)
        NB_TRY(add_triangle(g, first, corner[0], corner[1], corner[2]));
out:
    return status;
}

/* what turns z into this direction */
static nb_quat turn_of(nb_vec3 d) {
    if (d.z < -1 + 1e-12) return nb_quat_of(0, 1, 0, 0);
    return nb_quat_normalized(nb_quat_of(1 + d.z, -d.y, d.x, 0));
}

/* A surface of revolution about z, turned: `count` circles of radius line[k][0] at height line[k][1], upwards. */
static nb_status add_lathe(gltf *g, int count, double (*line)[2], nb_vec3 scale, nb_quat turn) {
    nb_status status = NB_OK;
    const int segments = 24;
    const int32_t first = point_count(g);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < segments; i++) {
            const double angle = 2 * M_PI * i / segments, radius = line[k][0];
            const int here = k * segments, next = (i + 1) % segments, above = here + segments;
            NB_TRY(add_point(g, nb_quat_rotate(turn, nb_vec3_of(scale.x * radius * cos(angle),
                                                                scale.y * radius * sin(angle), scale.z * line[k][1]))));
            if (k + 1 < count && radius > 0) NB_TRY(add_triangle(g, first, here + i, here + next, above + next));
            if (k + 1 < count && line[k + 1][0] > 0) NB_TRY(add_triangle(g, first, here + i, above + next, above + i));
        }
out:
    return status;
}

enum {
    RINGS = 12
};

static nb_status add_sphere(gltf *g, nb_vec3 half) {
    double line[RINGS + 1][2];
    for (int k = 0; k <= RINGS; k++) {
        line[k][0] = k % RINGS ? sin(M_PI * k / RINGS) : 0;
        line[k][1] = -cos(M_PI * k / RINGS);
    }
    return add_lathe(g, RINGS + 1, line, half, nb_quat_identity());
}

/* the plane z = 0 of the body where the scene is */
static nb_status add_plane(gltf *g, int32_t body) {
    nb_status status = NB_OK;
    const double *q = g->states[0].q + 7 * (int64_t)body, half = 8 * g->radius;
    if (!is_finite(q, 7)) return NB_OK;
    nb_vec3 at = nb_sub(g->centre, nb_vec3_of(q[0], q[1], q[2]));
    at = nb_quat_rotate(nb_quat_conjugate(nb_quat_of(q[3], q[4], q[5], q[6])), at);
    for (int k = 0; k < 4; k++)
        NB_TRY(add_point(g, nb_vec3_of(at.x + (k % 3 ? half : -half), at.y + (k < 2 ? -half : half), 0)));
    NB_TRY(add_triangle(g, 0, 0, 1, 2));
    NB_TRY(add_triangle(g, 0, 0, 2, 3));
out:
    return status;
}

/* of a body without a shape: a ball, and rods to the anchors of its joints */
static nb_status add_rods(gltf *g, int32_t body) {
    nb_status status;
    const double r = 0.012 * g->radius;
    NB_TRY(add_sphere(g, nb_vec3_of(3 * r, 3 * r, 3 * r)));
    for (int32_t j = 0; j < 2 * g->world->joint_count; j++) {
        const nb_joint *joint = &g->world->joints[j / 2];
        const nb_vec3 to = j % 2 ? joint->anchor_b : joint->anchor_a;
        double line[4][2] = {{0, 0}, {r, 0}, {r, nb_norm(to)}, {0, nb_norm(to)}};
        if ((j % 2 ? joint->body_b : joint->body_a) == body && nb_norm(to) > 0)
            NB_TRY(add_lathe(g, 4, line, nb_vec3_of(1, 1, 1), turn_of(nb_normalized(to))));
    }
out:
    return status;
}

/* whether the accessor has the words that have been added to its view */
static int is_same(const gltf *g, int index) {
    const accessor *a = &g->accessors[index];
    const int64_t count = g->pools[a->view].size - g->begun[a->view];
    const uint32_t *words = g->pools[a->view].words;
    return a->count * a->width == count &&
           memcmp(words + a->first, words + g->begun[a->view], (size_t)count * sizeof *words) == 0;
}

/* An accessor for each point, its direction from the origin of an ellipsoid. */
static nb_status add_normals(gltf *g, nb_vec3 half, int *index) {
    nb_status status = NB_OK;
    const int64_t first = g->pools[VERTICES].size;
    for (int64_t i = g->begun[VERTICES]; i < first; i += 3) {
        float x[3];
        memcpy(x, g->pools[VERTICES].words + i, sizeof x);
        NB_TRY(add_point(g, nb_normalized(nb_vec3_of(x[0] / (half.x * half.x), x[1] / (half.y * half.y),
                                                     x[2] / (half.z * half.z)))));
    }
    NB_TRY(refer(g, VERTICES, 3, 0, first, (first - g->begun[VERTICES]) / 3, index));
out:
    return status;
}

/* The mesh of what was added, or of a shape like it. Without normals (half NULL) its faces are flat. */
static nb_status end_shape(gltf *g, const nb_vec3 *half, int material, int *index) {
    nb_status status;
    mesh made = {.count = 1, .primitives = {{-1, -1, -1, material, 0}}};
    primitive *own = &made.primitives[0];
    const int64_t corners = g->pools[INDICES].size - g->begun[INDICES];
    if (corners == 0) return NB_OK;
    for (int64_t i = 0; i < g->mesh_count && own->points < 0; i++) {
        const primitive *like = &g->meshes[i].primitives[0];
        if (!is_same(g, like->points) || !is_same(g, like->indices)) continue;
        *own = *like;
        own->material = material;
        for (int view = 0; view < VIEWS; view++) g->pools[view].size = g->begun[view];
    }
    if (own->points < 0) {
        NB_TRY(refer(g, VERTICES, 3, 1, g->begun[VERTICES], point_count(g), &own->points));
        NB_TRY(refer(g, INDICES, 1, 0, g->begun[INDICES], corners, &own->indices));
        if (half) NB_TRY(add_normals(g, *half, &own->normals));
    }
    NB_TRY(add_mesh(g, &made, index));
out:
    return status;
}

/* ---- bodies ---- */

static nb_status add_body_mesh(gltf *g, int32_t body, int *index) {
    nb_status status = NB_OK;
    const nb_body *of = &g->world->bodies[body];
    const nb_shape *shape = of->shape < 0 ? NULL : g->world->shapes[of->shape];
    const int round = shape && (shape->kind == NB_SHAPE_SPHERE || shape->kind == NB_SHAPE_ELLIPSOID);
    begin_shape(g);
    if (!shape) NB_TRY(add_rods(g, body));
    if (round) NB_TRY(add_sphere(g, shape->half));
    if (shape && shape->kind == NB_SHAPE_HALF_SPACE) NB_TRY(add_plane(g, body));
    for (int32_t i = 0; shape && i < shape->part_count; i++) NB_TRY(add_polyhedron(g, &shape->parts[i]));
    for (int32_t i = 0; shape && i < shape->solid_count; i++) NB_TRY(add_solid(g, &shape->solids[i]));
    NB_TRY(end_shape(g, round ? &shape->half : NULL, nb_picture_tint(of, body), index));
out:
    return status;
}

static nb_status add_body(gltf *g, int32_t body) {
    nb_status status;
    node *of;
    float *place = g->scratch, *turn = g->scratch + 3 * (int64_t)g->run->frame_count;
    float held[7] = {0, 0, 0, 0, 0, 0, 1};
    NB_TRY(add_node(g, "body", body, &of));
    NB_TRY(add_body_mesh(g, body, &of->mesh));
    for (int32_t f = 0; f < g->run->frame_count; f++) {
        const double *q = g->states[f].q + 7 * (int64_t)body;
        const nb_quat own = nb_quat_normalized(nb_quat_of(q[3], q[4], q[5], q[6]));
        if (is_finite(q, 7) && is_finite((const double[4]){own.w, own.x, own.y, own.z}, 4)) {
            put(nb_vec3_of(q[0], q[1], q[2]), held);
            put_turn(own, held + 3);
        }
        memcpy(place + 3 * (int64_t)f, held, 3 * sizeof *held);
        memcpy(turn + 4 * (int64_t)f, held + 3, 4 * sizeof *held);
    }
    NB_TRY(add_keys(g, of, TRANSLATION, place));
    NB_TRY(add_keys(g, of, ROTATION, turn));
out:
    return status;
}

/* ---- deformable bodies ---- */

typedef struct soft {
    nb_surface surface;
    int32_t *place; /* [particles] of those that are drawn, from 0; -1 */
    float *points;  /* [count][3] where they are, or were when they were somewhere */
    int32_t count;
    mesh mesh; /* but for its points */
} soft;

static nb_status add_corners(gltf *g, soft *s, int count, const int32_t *particle) {
    int32_t corner[3];
    for (int k = 0; k < count; k++) {
        if (s->place[particle[k]] < 0) s->place[particle[k]] = s->count++;
        corner[k] = s->place[particle[k]];
    }
    return append(g, INDICES, count, corner);
}

static nb_status end_primitive(gltf *g, soft *s, int material, int lines) {
    const int64_t first = g->begun[INDICES], count = g->pools[INDICES].size - first;
    begin_shape(g);
    if (count == 0) return NB_OK;
    primitive *own = &s->mesh.primitives[s->mesh.count++];
    *own = (primitive){-1, -1, -1, material, lines};
    return refer(g, INDICES, 1, 0, first, count, &own->indices);
}

static nb_status list_soft(gltf *g, soft *s) {
    nb_status status;
    const nb_world *world = g->world;
    NB_TRY(nb_surface_update(&s->surface, world));
    NB_TRY(NB_ALLOCATE(world->particle_count, &s->place));
    for (int32_t i = 0; i < world->particle_count; i++) s->place[i] = -1;
    begin_shape(g);
    for (int sheet = 0; sheet < 2; sheet++) {
        for (int32_t i = 0; i < s->surface.face_count; i++)
            if (nb_surface_of_sheet(&s->surface.faces[i]) == sheet)
                NB_TRY(add_corners(g, s, 3, s->surface.faces[i].particle));
        NB_TRY(end_primitive(g, s, sheet ? SHEET : SOFT, 0));
    }
    for (int32_t i = 0; i < world->spring_count; i++) {
        const int32_t *end = world->springs[i].particle;
        if (!nb_surface_on_sheet(&s->surface, end[0]) || !nb_surface_on_sheet(&s->surface, end[1]))
            NB_TRY(add_corners(g, s, 2, end));
    }
    NB_TRY(end_primitive(g, s, BLUE, 1));
    NB_TRY(NB_ALLOCATE(3 * (int64_t)s->count, &s->points));
out:
    return status;
}

/* The mesh of one state, which is there from its time to the next: three of the times have the `scales` 0 1 0. */
static nb_status add_soft_state(gltf *g, soft *s, int32_t frame, int64_t scales) {
    nb_status status;
    node *of;
    int points;
    const int32_t last = g->run->frame_count - 1, from = frame > 0 ? frame - 1 : 0,
                  to = frame < last ? frame + 1 : last;
    for (int32_t i = 0; i < g->world->particle_count; i++) {
        const double *x = g->states[frame].x + 3 * (int64_t)i;
        if (s->place[i] >= 0 && is_finite(x, 3))
            put(nb_vec3_of(x[0], x[1], x[2]), s->points + 3 * (int64_t)s->place[i]);
    }
    NB_TRY(add_words(g, VERTICES, 3, 1, s->count, s->points, &points));
    for (int i = 0; i < s->mesh.count; i++) s->mesh.primitives[i].points = points;
    NB_TRY(add_node(g, "state", frame, &of));
    NB_TRY(add_mesh(g, &s->mesh, &of->mesh));
    if (last == 0) goto out;
    if (frame > 0) memset(of->place + paths[SCALE].at, 0, 3 * sizeof *of->place);
    of->stays = 1;
    NB_TRY(refer(g, KEYS, 1, 1, g->accessors[g->times].first + from, to - from + 1, &of->times));
    NB_TRY(refer(g, KEYS, 3, 0, scales + (frame > 0 ? 0 : 3), to - from + 1, &of->keys[SCALE]));
out:
    return status;
}

static nb_status add_soft(gltf *g) {
    nb_status status = NB_OK;
    soft s = {0};
    static const float off_on_off[9] = {0, 0, 0, 1, 1, 1, 0, 0, 0};
    const int64_t first = g->pools[KEYS].size;
    if (g->world->particle_count == 0) return NB_OK;
    NB_TRY(list_soft(g, &s));
    if (s.mesh.count == 0) goto out;
    NB_TRY(append(g, KEYS, 9, off_on_off));
    for (int32_t f = 0; f < g->run->frame_count; f++) NB_TRY(add_soft_state(g, &s, f, first));
out:
    nb_surface_clear(&s.surface);
    nb_free(s.place);
    nb_free(s.points);
    return status;
}

/* ---- forces ---- */

/* the arrow that is the i-th of each state, of scale 0 where there are fewer */
static nb_status add_arrow(gltf *g, const nb_marks *marks, int32_t i, int shape, double largest) {
    nb_status status;
    node *of;
    const int64_t count = g->run->frame_count;
    float *place = g->scratch, *turn = place + 3 * count, *scale = turn + 4 * count;
    memset(place, 0, 10 * (size_t)count * sizeof *place);
    for (int32_t f = 0; f < count; f++) {
        const nb_mark *own = i < marks[f].count ? &marks[f].items[i] : NULL;
        turn[4 * (int64_t)f + 3] = 1;
        if (!own) continue;
        const double force = nb_norm(own->force), width = 0.015 * g->radius;
        if (!(force > 0) || !is_finite(&force, 1) ||
            !is_finite((const double[3]){own->point.x, own->point.y, own->point.z}, 3))
            continue;
        put(own->point, place + 3 * (int64_t)f);
        put_turn(turn_of(nb_normalized(own->force)), turn + 4 * (int64_t)f);
        put(nb_vec3_of(width, width, 0.4 * g->radius * force / largest), scale + 3 * (int64_t)f);
    }
    NB_TRY(add_node(g, "force", i, &of));
    of->mesh = shape;
    of->stays = 1;
    NB_TRY(add_keys(g, of, TRANSLATION, place));
    NB_TRY(add_keys(g, of, ROTATION, turn));
    NB_TRY(add_keys(g, of, SCALE, scale));
out:
    return status;
}

static nb_status add_forces(gltf *g) {
    nb_status status;
    nb_marks *marks = NULL;
    double largest = 0;
    int32_t most = 0;
    int arrow = -1;
    double line[5][2] = {{0, 0}, {0.3, 0}, {0.3, 0.7}, {1, 0.7}, {0, 1}}; /* of length 1 */
    NB_TRY(NB_ALLOCATE(g->run->frame_count, &marks));
    for (int32_t f = 0; f < g->run->frame_count; f++) {
        NB_TRY(nb_marks_read(g->run, f, &marks[f]));
        nb_marks_merge_pairs(&marks[f]);
        if (marks[f].count > most) most = marks[f].count;
        for (int32_t i = 0; i < marks[f].count; i++) {
            const double force = nb_norm(marks[f].items[i].force);
            if (is_finite(&force, 1)) largest = fmax(largest, force);
        }
    }
    begin_shape(g);
    if (most > 0) NB_TRY(add_lathe(g, 5, line, nb_vec3_of(1, 1, 1), nb_quat_identity()));
    NB_TRY(end_shape(g, NULL, BLUE, &arrow));
    for (int32_t i = 0; i < most; i++) NB_TRY(add_arrow(g, marks, i, arrow, largest));
out:
    for (int32_t f = 0; marks && f < g->run->frame_count; f++) nb_marks_clear(&marks[f]);
    nb_free(marks);
    return status;
}

/* ---- the scene ---- */

/* The sphere around all that has mass in any state, but for what has been thrown far away from the first. */
static void bound_scene(gltf *g) {
    nb_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY}, first = {0, 0, 0};
    const int32_t bodies = g->world->body_count;
    double most = INFINITY;
    for (int32_t f = 0; f < g->run->frame_count; f++) {
        for (int32_t i = 0; i < bodies + g->world->particle_count; i++) {
            const nb_body *body = i < bodies ? &g->world->bodies[i] : NULL;
            const double *x = body ? g->states[f].q + 7 * (int64_t)i : g->states[f].x + 3 * (int64_t)(i - bodies);
            const nb_vec3 at = {x[0], x[1], x[2]};
            const double r = body && body->shape >= 0 ? g->world->shapes[body->shape]->radius : 0;
            if ((body && body->kind != NB_BODY_DYNAMIC) || !is_finite(x, 3)) continue;
            if (!(nb_norm(nb_sub(at, first)) < most)) continue;
            low = nb_vec3_of(fmin(low.x, at.x - r), fmin(low.y, at.y - r), fmin(low.z, at.z - r));
            high = nb_vec3_of(fmax(high.x, at.x + r), fmax(high.y, at.y + r), fmax(high.z, at.z + r));
        }
        g->radius = 0.5 * nb_norm(nb_sub(high, low));
        if (!(g->radius > 0 && isfinite(g->radius))) g->radius = 1;
        if (low.x <= high.x) g->centre = nb_scale(0.5, nb_add(low, high));
        if (f == 0) first = g->centre, most = 5 * g->radius;
    }
}

static const double field_of_view = 0.6;

/* What looks along -z: from where it sees the scene, turned by `azimuth` about z and `height` above the ground. */
static nb_status add_view(gltf *g, const char *name, const char *members, double azimuth, double height) {
    nb_status status;
    node *of;
    NB_TRY(add_node(g, name, -1, &of));
    of->members = members;
    const nb_quat turn = nb_quat_product(nb_quat_about(nb_vec3_of(0, 0, 1), azimuth),
                                         nb_quat_about(nb_vec3_of(1, 0, 0), M_PI / 2 - height));
    const double away = g->radius / sin(field_of_view / 2);
    put(nb_add(g->centre, nb_quat_rotate(turn, nb_vec3_of(0, 0, away))), of->place);
    put_turn(turn, of->place + 3);
out:
    return status;
}

static nb_status add_times(gltf *g) {
    const nb_run *run = g->run;
    for (int32_t f = 0; f < run->frame_count; f++) {
        g->scratch[f] = (float)(run->frame_time[f] - run->frame_time[0]);
        if (!(f == 0 ? g->scratch[f] == 0 : g->scratch[f] > g->scratch[f - 1] && g->scratch[f] < 1e30f))
            return nb_fail(NB_ERROR_INPUT, "run of '%s': the times of its states do not increase", run->info.scenario);
    }
    return add_words(g, KEYS, 1, 1, run->frame_count, g->scratch, &g->times);
}

static nb_status fill(gltf *g) {
    nb_status status;
    const nb_run *run = g->run;
    const nb_scenario_class *scenario;
    double *values = NULL;
    node *whole;
    NB_TRY(nb_run_rebuild(run, &scenario, &values, &g->world));
    if (!g->world)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "run of '%s': it has no scene that can be drawn", run->info.scenario));
    if (run->frame_count == 0)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "run of '%s': it stored no states; make it again with --store-states N",
                       run->info.scenario));
    NB_TRY(NB_ALLOCATE(run->frame_count, &g->states));
    NB_TRY(NB_ALLOCATE(10 * (int64_t)run->frame_count, &g->scratch));
    for (int32_t f = 0; f < run->frame_count; f++) NB_TRY(nb_picture_state_of(run, g->world, f, &g->states[f]));
    bound_scene(g);
    NB_TRY(add_times(g));
    NB_TRY(add_node(g, "z up", -1, &whole));
    put_turn(nb_quat_about(nb_vec3_of(1, 0, 0), -M_PI / 2), whole->place + 3);
    NB_TRY(add_view(g, "camera", ", \"camera\": 0", atan2(0.55, 1), 0.35));
    NB_TRY(add_view(g, "sun", ", \"extensions\": {\"KHR_lights_punctual\": {\"light\": 0}}", 0.9, 0.9));
    for (int32_t i = 0; i < g->world->body_count; i++) NB_TRY(add_body(g, i));
    NB_TRY(add_soft(g));
    if (g->forces) NB_TRY(add_forces(g));
out:
    nb_free(values);
    return status;
}

static void clear(gltf *g) {
    nb_world_destroy(g->world);
    nb_free(g->states);
    nb_free(g->scratch);
    for (int i = 0; i < VIEWS; i++) nb_free(g->pools[i].words);
    nb_free(g->accessors);
    nb_free(g->meshes);
    nb_free(g->nodes);
}

/* ---- the file ---- */

/* A list of so many objects, one a line; none where it would be empty, which glTF forbids. The description goes on. */
static void write_list(FILE *out, const gltf *g, const char *name, int64_t count,
                       void (*write)(FILE *, const gltf *, int64_t)) {
    if (count == 0) return;
    fprintf(out, ",\n\"%s\": [", name);
    for (int64_t i = 0; i < count; i++) {
        fputs(i ? ",\n{" : "\n{", out);
        write(out, g, i);
        fputc('}', out);
    }
    fputc(']', out);
}

static void write_numbers(FILE *out, const char *name, int count, const float *x) {
    fprintf(out, "\"%s\": [", name);
    for (int i = 0; i < count; i++) fprintf(out, i ? ", %.9g" : "%.9g", x[i]);
    fputc(']', out);
}

static void write_node(FILE *out, const gltf *g, int64_t i) {
    const node *of = &g->nodes[i];
    fprintf(out, "\"name\": \"%s\"%s", of->name, of->members ? of->members : "");
    if (of->mesh >= 0) fprintf(out, ", \"mesh\": %d", of->mesh);
    for (int p = 0; p < PATHS; p++) {
        fputs(", ", out);
        write_numbers(out, paths[p].name, paths[p].width, of->place + paths[p].at);
    }
    for (int64_t k = 1; i == 0 && k < g->node_count; k++)
        fprintf(out, "%s%lld", k > 1 ? ", " : ", \"children\": [", (long long)k);
    if (i == 0) fputc(']', out);
}

static void write_material(FILE *out, const gltf *g, int64_t i) {
    static const float others[][3] = {{0.49f, 0.49f, 0.49f}, {0.17f, 0.42f, 0.71f}, {0, 0.06f, 0.24f}};
    const float *colour = i < NB_PICTURE_TINTS ? nb_picture_tints[i] : others[i - NB_PICTURE_TINTS];
    const int clear = g->forces && i != BLUE && i != NB_PICTURE_TINTS - 1; /* arrows are in what they act on */
    fprintf(out,
            "\"pbrMetallicRoughness\": {\"baseColorFactor\": [%.9g, %.9g, %.9g, %g], \"metallicFactor\": 0, "
            "\"roughnessFactor\": 0.7}, \"alphaMode\": \"%s\", \"doubleSided\": %s",
            colour[0], colour[1], colour[2], clear ? 0.3 : 1, clear ? "BLEND" : "OPAQUE",
            i == SHEET ? "true" : "false");
}

static void write_mesh(FILE *out, const gltf *g, int64_t i) {
    for (int k = 0; k < g->meshes[i].count; k++) {
        const primitive *of = &g->meshes[i].primitives[k];
        fprintf(out, "%s{\"attributes\": {\"POSITION\": %d", k ? ", " : "\"primitives\": [", of->points);
        if (of->normals >= 0) fprintf(out, ", \"NORMAL\": %d", of->normals);
        fprintf(out, "}, \"indices\": %d, \"material\": %d, \"mode\": %d}", of->indices, of->material,
                of->lines ? 1 : 4);
    }
    fputc(']', out);
}

static void write_accessor(FILE *out, const gltf *g, int64_t i) {
    static const char *const types[] = {"", "SCALAR", "", "VEC3", "VEC4"};
    const accessor *a = &g->accessors[i];
    int view = 0;
    for (int k = 0; k < a->view; k++) view += g->pools[k].size > 0;
    fprintf(out, "\"bufferView\": %d, \"byteOffset\": %lld, \"componentType\": %d, \"count\": %lld, \"type\": \"%s\"",
            view, 4 * (long long)a->first, a->view == INDICES ? 5125 : 5126, (long long)a->count, types[a->width]);
    for (int k = 0; a->bounded && k < 2; k++) {
        fputs(", ", out);
        write_numbers(out, k ? "max" : "min", a->width, k ? a->high : a->low);
    }
}

static void write_views(FILE *out, const gltf *g) {
    static const char *const uses[VIEWS] = {", \"byteStride\": 12, \"target\": 34962", ", \"target\": 34963", ""};
    long long at = 0;
    fputs(",\n\"bufferViews\": [", out);
    for (int i = 0; i < VIEWS; i++) {
        const long long bytes = 4 * (long long)g->pools[i].size;
        if (bytes > 0)
            fprintf(out, "%s{\"buffer\": 0, \"byteOffset\": %lld, \"byteLength\": %lld%s}", at ? ",\n" : "\n", at,
                    bytes, uses[i]);
        at += bytes;
    }
    fprintf(out, "],\n\"buffers\": [{\"byteLength\": %lld}]", at);
}

/* a sampler and a channel for each animated path of the nodes, in one order */
static void write_animation(FILE *out, const gltf *g) {
    for (int channels = 0; channels < 2; channels++) {
        int count = 0;
        for (int64_t i = 0; i < PATHS * g->node_count; i++) {
            const node *of = &g->nodes[i / PATHS];
            const int path = (int)(i % PATHS);
            if (of->keys[path] < 0) continue;
            fputs(count ? ",\n" : channels ? "],\n\"channels\": [" : ",\n\"animations\": [{\"samplers\": [", out);
            if (channels)
                fprintf(out, "{\"sampler\": %d, \"target\": {\"node\": %lld, \"path\": \"%s\"}}", count,
                        (long long)(i / PATHS), paths[path].name);
            else
                fprintf(out, "{\"input\": %d, \"output\": %d, \"interpolation\": \"%s\"}", of->times, of->keys[path],
                        of->stays ? "STEP" : "LINEAR");
            count++;
        }
        if (channels && count) fputs("]}]", out);
    }
}

/* JSON; of its texts the scene's name alone comes from the record */
static void write_description(FILE *out, const gltf *g) {
    nb_json name = {.stream = out};
    fprintf(out, "{\"asset\": {\"version\": \"2.0\", \"generator\": \"ncpbench %s\"},\n", nb_version());
    /* 2000 lux: 3 W/m^2, as Blender reads it */
    fputs("\"extensionsUsed\": [\"KHR_lights_punctual\"],\n\"extensions\": {\"KHR_lights_punctual\": "
          "{\"lights\": [{\"type\": \"directional\", \"intensity\": 2000}]}},\n\"scene\": 0,\n\"scenes\": [{\"name\": ",
          out);
    nb_json_text(&name, NULL, g->run->info.scenario);
    fprintf(out,
            ", \"nodes\": [0]}],\n\"cameras\": [{\"type\": \"perspective\", \"perspective\": {\"yfov\": %g, "
            "\"aspectRatio\": %g, \"znear\": %g, \"zfar\": %g}}]",
            field_of_view, 16.0 / 9, 0.01 * g->radius, 100 * g->radius);
    write_list(out, g, "nodes", g->node_count, write_node);
    write_list(out, g, "materials", MATERIALS, write_material);
    write_list(out, g, "meshes", g->mesh_count, write_mesh);
    write_list(out, g, "accessors", g->accessor_count, write_accessor);
    write_views(out, g);
    write_animation(out, g);
    fputs("}\n", out);
}

typedef struct contents {
    const gltf *g;
    const char *text;
    size_t length;
} contents;

/* a header, a chunk of JSON and one of numbers; all lengths are multiples of 4 */
static nb_status write_file(const void *context, FILE *file) {
    const contents *c = context;
    const uint32_t bytes = (uint32_t)buffer_bytes(c->g), padding = (uint32_t)(-c->length & 3);
    const uint32_t text = (uint32_t)c->length + padding;
    const uint32_t head[5] = {0x46546C67, 2, 12 + 8 + text + 8 + bytes, text, 0x4E4F534A}; /* "glTF", "JSON" */
    const uint32_t next[2] = {bytes, 0x004E4942};                                          /* "BIN" */
    fwrite(head, sizeof head, 1, file);
    fwrite(c->text, 1, c->length, file);
    fwrite("   ", 1, padding, file);
    fwrite(next, sizeof next, 1, file);
    for (int i = 0; i < VIEWS; i++) fwrite(c->g->pools[i].words, sizeof(uint32_t), (size_t)c->g->pools[i].size, file);
    return NB_OK;
}

nb_status nb_gltf_write(const char *path, const nb_run *run, int forces) {
    nb_status status;
    gltf g = {.run = run, .forces = forces};
    contents c = {&g, NULL, 0};
    char *text = NULL;
    NB_TRY(fill(&g));
    FILE *out = open_memstream(&text, &c.length);
    if (!out) NB_TRY(nb_fail(NB_ERROR_MEMORY, "no memory for the description of '%.300s'", path));
    write_description(out, &g);
    const int failed = ferror(out);
    if (fclose(out) != 0 || failed) NB_TRY(nb_fail(NB_ERROR_MEMORY, "no memory for the description of '%.300s'", path));
    c.text = text;
    NB_TRY(nb_partial_write(path, write_file, &c));
out:
    clear(&g);
    free(text);
    return status;
}

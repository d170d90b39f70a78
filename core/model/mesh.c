#include "model/mesh.h"

#define NUMBERS(member, kind, extent) \
    { NB_LINE_ARRAY(#member, NULL, NULL, nb_mesh, member, kind, NB_COUNT64(nb_mesh, extent)) }

static const nb_member members[] = {
    {NB_LINE("point_count", nb_mesh, point_count, COUNT)},
    {NB_LINE("cell_count", nb_mesh, cell_count, COUNT)},
    {NB_LINE("corner_count", nb_mesh, corner_count, COUNT)},
    NUMBERS(points, REAL, point_count), /* three each */
    NUMBERS(point_body, INT32, point_count),
    {NB_LINE_ARRAY("cell_start", NULL, NULL, nb_mesh, cell_start, INT64, NB_ONE_MORE64(nb_mesh, cell_count))},
    NUMBERS(corners, INT64, corner_count),
    NUMBERS(cell_kind, INT32, cell_count),
    NUMBERS(cell_body, INT32, cell_count),
    NUMBERS(cell_volume, REAL, cell_count),
};
const nb_members nb_mesh_members = NB_MEMBERS(nb_mesh, members);

/* bands of latitude and of longitude of a sphere */
enum {
    BANDS = 6,
    SEGMENTS = 12
};

static const double PI = 3.14159265358979323846;

/* a mesh in the making: gone through twice, first to count, then (arrays there) to fill */
typedef struct maker {
    nb_mesh *mesh;
    int fills;
    int32_t body;
} maker;

static void add_point(maker *m, nb_vec3 point) {
    nb_mesh *mesh = m->mesh;
    if (m->fills) {
        mesh->points[mesh->point_count] = point;
        mesh->point_body[mesh->point_count] = m->body;
    }
    mesh->point_count++;
}

/* a cell of the points first + corners[0 ..] */
static void add_cell(maker *m, int32_t kind, int64_t first, int32_t count, const int32_t *corners) {
    nb_mesh *mesh = m->mesh;
    if (m->fills) {
        for (int32_t i = 0; i < count; i++) mesh->corners[mesh->corner_count + i] = first + corners[i];
        mesh->cell_kind[mesh->cell_count] = kind;
        mesh->cell_body[mesh->cell_count] = m->body;
        mesh->cell_volume[mesh->cell_count] = 0;
        mesh->cell_start[mesh->cell_count + 1] = mesh->corner_count + count;
    }
    mesh->corner_count += count;
    mesh->cell_count++;
}

static void add_face(maker *m, int64_t first, int32_t count, const int32_t *corners) {
    int32_t kind = count == 3 ? NB_CELL_TRIANGLE : count == 4 ? NB_CELL_QUAD : NB_CELL_POLYGON;
    add_cell(m, kind, first, count, corners);
}

/* ---- polyhedra ---- */

static int face_has(const nb_polyhedron *p, int32_t face, int32_t vertex) {
    for (int32_t k = p->face_start[face]; k < p->face_start[face + 1]; k++)
        if (p->face_vertex[k] == vertex) return 1;
    return 0;
}

/* six faces of four corners between eight vertices: convex solids like that all have a cube's edges */
static int is_hexahedron(const nb_polyhedron *p) {
    if (p->vertex_count != 8 || p->face_count != 6) return 0;
    for (int32_t f = 0; f < 6; f++)
        if (p->face_start[f + 1] - p->face_start[f] != 4) return 0;
    return 1;
}

/* the vertex that an edge joins to this one, outside of face 0 */
static int32_t across(const nb_polyhedron *p, int32_t vertex) {
    for (int32_t e = 0; e < p->edge_count; e++)
        for (int end = 0; end < 2; end++)
            if (p->edge_vertex[2 * e + end] == vertex && !face_has(p, 0, p->edge_vertex[2 * e + 1 - end]))
                return p->edge_vertex[2 * e + 1 - end];
    return vertex;
}

/* VTK: a face that looks inwards by its order of corners, then the corners across from these */
static void add_hexahedron(maker *m, int64_t first, const nb_polyhedron *p) {
    int32_t corners[8];
    for (int i = 0; i < 4; i++) {
        corners[i] = p->face_vertex[p->face_start[0] + 3 - i];
        corners[4 + i] = across(p, corners[i]);
    }
    add_cell(m, NB_CELL_HEXAHEDRON, first, 8, corners);
}

/* VTK: three corners of a face that looks inwards, then the fourth */
static void add_tetrahedron(maker *m, int64_t first, const nb_polyhedron *p) {
    const int32_t *face = p->face_vertex + p->face_start[0];
    int32_t corners[4] = {face[2], face[1], face[0], 6 - face[0] - face[1] - face[2]};
    add_cell(m, NB_CELL_TETRAHEDRON, first, 4, corners);
}

static void add_polyhedron(maker *m, const nb_polyhedron *p) {
    int64_t first = m->mesh->point_count;
    for (int32_t i = 0; i < p->vertex_count; i++) add_point(m, p->vertices[i]);
    if (is_hexahedron(p))
        add_hexahedron(m, first, p);
    else if (p->vertex_count == 4)
        add_tetrahedron(m, first, p);
    else
        for (int32_t f = 0; f < p->face_count; f++)
            add_face(m, first, p->face_start[f + 1] - p->face_start[f], p->face_vertex + p->face_start[f]);
}

/* ---- round and endless shapes ---- */

/* the point of meridian `segment` on the circle of latitude under `band` (counted from the top), within add_sphere's */
static int32_t ring_point(int band, int segment) {
    return 2 + band * SEGMENTS + segment % SEGMENTS;
}

/* or an ellipsoid */
static void add_sphere(maker *m, nb_vec3 half) {
    int64_t first = m->mesh->point_count;
    add_point(m, nb_vec3_of(0, 0, half.z));
    add_point(m, nb_vec3_of(0, 0, -half.z));
    for (int b = 1; b < BANDS; b++)
        for (int s = 0; s < SEGMENTS; s++) {
            double down = PI * b / BANDS, around = 2 * PI * s / SEGMENTS;
            add_point(m, nb_vec3_of(half.x * (sin(down) * cos(around)), half.y * (sin(down) * sin(around)),
                                    half.z * cos(down)));
        }
    for (int s = 0; s < SEGMENTS; s++) {
        int32_t top[3] = {0, ring_point(0, s), ring_point(0, s + 1)};
        int32_t bottom[3] = {1, ring_point(BANDS - 2, s + 1), ring_point(BANDS - 2, s)};
        add_face(m, first, 3, top);
        add_face(m, first, 3, bottom);
        for (int b = 0; b < BANDS - 2; b++) {
            int32_t quad[4] = {ring_point(b, s), ring_point(b + 1, s), ring_point(b + 1, s + 1), ring_point(b, s + 1)};
            add_face(m, first, 4, quad);
        }
    }
}

static void add_solid(maker *m, const nb_solid *solid) {
    int64_t first = m->mesh->point_count;
    for (int32_t i = 0; i < solid->point_count; i++) add_point(m, solid->points[i]);
    for (int32_t i = 0; i < solid->triangle_count; i++) add_face(m, first, 3, solid->triangles + 3 * (int64_t)i);
}

/* how far from this place the bodies of finite size, and particles, reach */
static double reach(const nb_world *world, nb_vec3 place) {
    double furthest = 0;
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_body *body = &world->bodies[i];
        const nb_shape *shape = body->shape >= 0 ? world->shapes[body->shape] : NULL;
        if (!shape || shape->kind == NB_SHAPE_HALF_SPACE) continue;
        furthest = fmax(furthest, nb_norm(nb_sub(body->position, place)) + shape->radius);
    }
    for (int32_t i = 0; i < world->particle_count; i++)
        furthest = fmax(furthest, nb_norm(nb_sub(world->particles[i].position, place)));
    return furthest > 0 ? furthest : 1;
}

static void add_half_space(maker *m, double half) {
    static const int32_t corners[4] = {0, 1, 2, 3};
    int64_t first = m->mesh->point_count;
    add_point(m, nb_vec3_of(-half, -half, 0));
    add_point(m, nb_vec3_of(half, -half, 0));
    add_point(m, nb_vec3_of(half, half, 0));
    add_point(m, nb_vec3_of(-half, half, 0));
    add_face(m, first, 4, corners);
}

/* ---- the whole ---- */

static void add_shape(maker *m, const nb_world *world, const nb_shape *shape) {
    switch (shape->kind) {
    case NB_SHAPE_NONE: break;
    case NB_SHAPE_SPHERE:
    case NB_SHAPE_ELLIPSOID: add_sphere(m, shape->half); break;
    case NB_SHAPE_HALF_SPACE: add_half_space(m, reach(world, world->bodies[m->body].position)); break;
    case NB_SHAPE_COMPOUND:
        for (int32_t i = 0; i < shape->part_count; i++) add_polyhedron(m, &shape->parts[i]);
        break;
    case NB_SHAPE_CAPSULE:
    case NB_SHAPE_CYLINDER:
    case NB_SHAPE_CONE:
    case NB_SHAPE_PADDED:
    case NB_SHAPE_SUM:
    case NB_SHAPE_BUNDLE:
        for (int32_t i = 0; i < shape->solid_count; i++) add_solid(m, &shape->solids[i]);
        break;
    }
}

/* VTK: three corners of a face that looks inwards, then the fourth; at rest, where gradients turn as edges do */
static void add_element(maker *m, int64_t first, const nb_tetrahedron *of) {
    const nb_vec3 *g = of->rest.gradient;
    int right = nb_dot(g[1], nb_cross(g[2], g[3])) > 0;
    const int32_t corners[4] = {of->particle[0], of->particle[right ? 1 : 2], of->particle[right ? 2 : 1],
                                of->particle[3]};
    add_cell(m, NB_CELL_TETRAHEDRON, first, 4, corners);
    if (m->fills) m->mesh->cell_volume[m->mesh->cell_count - 1] = of->rest.volume;
}

static void add_particles(nb_mesh *mesh, const nb_world *world, int fills) {
    const int64_t first = mesh->point_count;
    maker m = {.mesh = mesh, .fills = fills};
    for (int32_t i = 0; i < world->particle_count; i++) {
        m.body = -1 - i;
        add_point(&m, nb_vec3_of(0, 0, 0));
    }
    m.body = -1;
    for (int32_t i = 0; i < world->tetrahedron_count; i++) add_element(&m, first, &world->tetrahedra[i]);
    for (int32_t i = 0; i < world->triangle_count; i++) add_face(&m, first, 3, world->triangles[i].particle);
    for (int32_t i = 0; i < world->spring_count; i++) add_cell(&m, NB_CELL_LINE, first, 2, world->springs[i].particle);
}

static void add_bodies(nb_mesh *mesh, const nb_world *world, int fills) {
    mesh->point_count = mesh->cell_count = mesh->corner_count = 0;
    for (int32_t i = 0; i < world->body_count; i++) {
        maker m = {.mesh = mesh, .fills = fills, .body = i};
        if (world->bodies[i].shape >= 0) add_shape(&m, world, world->shapes[world->bodies[i].shape]);
    }
}

nb_status nb_mesh_of_world(const nb_world *world, nb_mesh *mesh) {
    nb_status status;
    *mesh = (nb_mesh){0};
    add_bodies(mesh, world, 0);
    add_particles(mesh, world, 0);
    NB_TRY(nb_members_allocate(&nb_mesh_members, mesh));
    add_bodies(mesh, world, 1);
    add_particles(mesh, world, 1);
out:
    if (status != NB_OK) nb_mesh_clear(mesh);
    return status;
}

void nb_mesh_clear(nb_mesh *mesh) {
    nb_members_clear(&nb_mesh_members, mesh);
}

/* whether all of these are bodies, or below them so many others */
static nb_status check_are_bodies(int64_t count, const int32_t *body, int32_t bodies, int32_t others) {
    for (int64_t i = 0; i < count; i++)
        if (body[i] < -others || body[i] >= bodies)
            return nb_fail(NB_ERROR_INPUT, "a run draws body %d of %d", (int)body[i], (int)bodies);
    return NB_OK;
}

nb_status nb_mesh_check(const nb_mesh *mesh, int32_t bodies, int32_t particles) {
    nb_status status = NB_OK;
    if ((mesh->point_count > 0 && (!mesh->points || !mesh->point_body)) || (mesh->corner_count > 0 && !mesh->corners) ||
        (mesh->cell_count > 0 && (!mesh->cell_start || !mesh->cell_kind || !mesh->cell_body)))
        NB_TRY(nb_fail(NB_ERROR_INPUT, "a mesh lacks its numbers"));
    NB_TRY(check_are_bodies(mesh->point_count, mesh->point_body, bodies, particles));
    NB_TRY(check_are_bodies(mesh->cell_count, mesh->cell_body, bodies, particles > 0));
    for (int64_t i = 0; particles > 0 && i < mesh->cell_count; i++) {
        if (mesh->cell_body[i] >= 0) continue;
        int64_t begin = mesh->cell_start[i], end = mesh->cell_start[i + 1];
        if (begin < 0 || end <= begin || end > mesh->corner_count)
            return nb_fail(NB_ERROR_INPUT, "cell %lld of a mesh has the corners %lld to %lld of %lld", (long long)i,
                           (long long)begin, (long long)end, (long long)mesh->corner_count);
        for (int64_t k = begin; k < end; k++)
            if (mesh->corners[k] < 0 || mesh->corners[k] >= mesh->point_count ||
                mesh->point_body[mesh->corners[k]] >= 0)
                return nb_fail(NB_ERROR_INPUT, "cell %lld of a mesh has the corner %lld", (long long)i,
                               (long long)mesh->corners[k]);
    }
out:
    return status;
}

nb_vec3 nb_mesh_element_velocity(const nb_mesh *mesh, const double *v, int64_t i) {
    nb_vec3 sum = nb_vec3_of(0, 0, 0);
    const int64_t begin = mesh->cell_start[i], end = mesh->cell_start[i + 1];
    for (int64_t k = begin; k < end; k++) {
        const double *of = v + 3 * (-1 - (int64_t)mesh->point_body[mesh->corners[k]]);
        sum = nb_add(sum, nb_vec3_of(of[0], of[1], of[2]));
    }
    return nb_scale(1 / (double)(end - begin), sum);
}

/* of a point that is a particle */
static nb_vec3 particle_position(const nb_mesh *mesh, const double *x, int64_t i) {
    const double *at = x + 3 * (-1 - (int64_t)mesh->point_body[i]);
    return nb_vec3_of(at[0], at[1], at[2]);
}

/* corner k of an element */
static nb_vec3 corner_position(const nb_mesh *mesh, const double *x, int64_t i, int k) {
    return particle_position(mesh, x, mesh->corners[mesh->cell_start[i] + k]);
}

double nb_mesh_volumetric_strain(const nb_mesh *mesh, const double *x, int64_t i) {
    if (mesh->cell_volume[i] == 0) return NAN;
    const nb_vec3 from = corner_position(mesh, x, i, 0);
    nb_vec3 edge[3];
    for (int k = 0; k < 3; k++) edge[k] = nb_sub(corner_position(mesh, x, i, k + 1), from);
    return nb_dot(edge[0], nb_cross(edge[1], edge[2])) / (6 * mesh->cell_volume[i]) - 1;
}

nb_vec3 nb_mesh_position(const nb_mesh *mesh, const double *q, const double *x, int64_t i) {
    if (mesh->point_body[i] < 0) return particle_position(mesh, x, i);
    const double *body = q + 7 * (int64_t)mesh->point_body[i];
    nb_quat turn = {body[3], body[4], body[5], body[6]};
    return nb_add(nb_vec3_of(body[0], body[1], body[2]), nb_quat_rotate(turn, mesh->points[i]));
}

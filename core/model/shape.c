#include "model/shape.h"

#include <string.h>

#include "base/memory.h"
#include "model/polyhedron.h"

static const double PI = 3.14159265358979323846;

const char *nb_shape_kind_name(nb_shape_kind kind) {
    static const char *const names[] = {
        [NB_SHAPE_NONE] = "none",          [NB_SHAPE_SPHERE] = "sphere",       [NB_SHAPE_HALF_SPACE] = "half-space",
        [NB_SHAPE_COMPOUND] = "polyhedra", [NB_SHAPE_ELLIPSOID] = "ellipsoid", [NB_SHAPE_CAPSULE] = "capsule",
        [NB_SHAPE_CYLINDER] = "cylinder",  [NB_SHAPE_CONE] = "cone",           [NB_SHAPE_PADDED] = "padded polytope",
        [NB_SHAPE_SUM] = "Minkowski sum",  [NB_SHAPE_BUNDLE] = "bundle"};
    return names[kind];
}

/* with one convex set, which is still empty */
static nb_status shape_of(nb_shape_kind kind, double radius, int32_t parts, nb_shape **shape) {
    nb_status status = NB_ALLOCATE(1, shape);
    if (status != NB_OK) return status;
    (*shape)->kind = kind;
    (*shape)->radius = radius;
    NB_TRY(NB_ALLOCATE(parts, &(*shape)->parts));
    NB_TRY(NB_ALLOCATE(1, &(*shape)->sets));
    (*shape)->set_count = 1;
out:
    if (status != NB_OK) {
        nb_free((*shape)->parts);
        nb_free(*shape);
        *shape = NULL;
    }
    return status;
}

/* Gives the shape back where its set could not be made. */
static nb_status with_set(nb_status status, nb_shape **shape) {
    if (status == NB_OK) return NB_OK;
    nb_shape_destroy(*shape);
    *shape = NULL;
    return status;
}

nb_status nb_shape_sphere(double radius, nb_shape **shape) {
    *shape = NULL;
    if (!(radius > 0) || !isfinite(radius))
        return nb_fail(NB_ERROR_INPUT, "the radius of a sphere is %g m; it must be positive and finite", radius);
    nb_status status = shape_of(NB_SHAPE_SPHERE, radius, 0, shape);
    if (status != NB_OK) return status;
    (*shape)->half = nb_vec3_of(radius, radius, radius);
    return with_set(nb_convex_ball(radius, (*shape)->sets), shape);
}

nb_status nb_shape_ellipsoid(nb_vec3 half, nb_shape **shape) {
    *shape = NULL;
    if (!(half.x > 0 && half.y > 0 && half.z > 0) || !isfinite(half.x + half.y + half.z))
        return nb_fail(NB_ERROR_INPUT,
                       "the half axes of an ellipsoid are (%g, %g, %g) m; they must be positive and finite", half.x,
                       half.y, half.z);
    nb_status status = shape_of(NB_SHAPE_ELLIPSOID, fmax(half.x, fmax(half.y, half.z)), 0, shape);
    if (status != NB_OK) return status;
    (*shape)->half = half;
    return with_set(nb_convex_ellipsoid(half, (*shape)->sets), shape);
}

nb_status nb_shape_half_space(nb_shape **shape) {
    nb_status status = shape_of(NB_SHAPE_HALF_SPACE, INFINITY, 0, shape);
    return status == NB_OK ? with_set(nb_convex_half_space((*shape)->sets), shape) : status;
}

/* The set of a part: the planes of its faces, each moved out to its farthest vertex. */
static nb_status make_set(nb_polyhedron *part, nb_convex_set *set) {
    nb_shape alone = {.kind = NB_SHAPE_COMPOUND, .part_count = 1, .parts = part};
    nb_vec3 centre = nb_shape_mass_properties(&alone).centre;
    double *heights, radius = 0;
    nb_status status = NB_ALLOCATE(part->face_count, &heights);
    if (status != NB_OK) return status;
    for (int32_t f = 0; f < part->face_count; f++) heights[f] = -INFINITY;
    for (int32_t i = 0; i < part->vertex_count; i++) {
        radius = fmax(radius, nb_norm(nb_sub(part->vertices[i], centre)));
        for (int32_t f = 0; f < part->face_count; f++)
            heights[f] = fmax(heights[f], nb_dot(part->face_normal[f], part->vertices[i]));
    }
    status = nb_convex_polytope(part->face_count, part->face_normal, heights, centre, radius, set);
    nb_free(heights);
    return status;
}

nb_status nb_shape_polyhedron(int32_t count, const nb_vec3 *points, int32_t face_count, const int32_t *face_start,
                              const int32_t *face_vertex, nb_shape **shape) {
    nb_status status = shape_of(NB_SHAPE_COMPOUND, 0, 1, shape);
    if (status != NB_OK) return status;
    NB_TRY(nb_polyhedron_build(count, points, face_count, face_start, face_vertex, &(*shape)->parts[0]));
    (*shape)->part_count = 1;
    (*shape)->radius = nb_polyhedron_radius(&(*shape)->parts[0]);
    NB_TRY(make_set(&(*shape)->parts[0], &(*shape)->sets[0]));
out:
    if (status != NB_OK) {
        nb_shape_destroy(*shape);
        *shape = NULL;
    }
    return status;
}

nb_status nb_shape_box(nb_vec3 half, nb_shape **shape) {
    /* corner i has the sign bits (x, y, z) = (i & 1, i & 2, i & 4); faces -x, +x, -y, +y, -z, +z */
    static const int32_t face_start[] = {0, 4, 8, 12, 16, 20, 24};
    static const int32_t face_vertex[] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    nb_vec3 points[8];
    *shape = NULL;
    if (!(half.x > 0 && half.y > 0 && half.z > 0) || !isfinite(half.x + half.y + half.z))
        return nb_fail(NB_ERROR_INPUT, "the half-sizes of a box are (%g, %g, %g) m; they must be positive and finite",
                       half.x, half.y, half.z);
    for (int i = 0; i < 8; i++)
        points[i] = nb_vec3_of(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    return nb_shape_polyhedron(8, points, 6, face_start, face_vertex, shape);
}

nb_status nb_shape_append(nb_shape *shape, const nb_shape *other, nb_vec3 offset, nb_quat turn) {
    if (shape->kind != NB_SHAPE_COMPOUND || other->kind != NB_SHAPE_COMPOUND)
        return nb_fail(NB_ERROR_INPUT, "only polyhedra and compounds of them can be joined into one compound");
    int32_t old = shape->part_count, added = other->part_count;
    nb_polyhedron *parts = NULL;
    nb_convex_set *sets = NULL;
    nb_status status;
    NB_TRY(NB_ALLOCATE((int64_t)old + added, &parts));
    NB_TRY(NB_ALLOCATE((int64_t)old + added, &sets));
    memcpy(parts, shape->parts, (size_t)old * sizeof *parts);
    memcpy(sets, shape->sets, (size_t)old * sizeof *sets);
    for (int32_t i = 0; i < added; i++) {
        NB_TRY(nb_polyhedron_copy(&other->parts[i], offset, turn, &parts[old + i]));
        NB_TRY(nb_convex_set_copy(&other->sets[i], &sets[old + i]));
        nb_convex_set_move(&sets[old + i], offset, turn);
    }
    nb_free(shape->parts);
    nb_free(shape->sets);
    shape->parts = parts, shape->sets = sets;
    shape->part_count = shape->set_count = old + added;
    for (int32_t i = old; i < old + added; i++) shape->radius = fmax(shape->radius, nb_polyhedron_radius(&parts[i]));
    return NB_OK;
out:
    for (int32_t i = old; parts && sets && i < old + added; i++) {
        nb_polyhedron_clear(&parts[i]);
        nb_convex_set_clear(&sets[i]);
    }
    nb_free(parts);
    nb_free(sets);
    return status;
}

void nb_shape_destroy(nb_shape *shape) {
    if (!shape) return;
    for (int32_t i = 0; i < shape->part_count; i++) nb_polyhedron_clear(&shape->parts[i]);
    for (int32_t i = 0; i < shape->set_count; i++) nb_convex_set_clear(&shape->sets[i]);
    for (int32_t i = 0; i < shape->solid_count; i++) nb_solid_clear(&shape->solids[i]);
    nb_free(shape->solids);
    nb_free(shape->parts);
    nb_free(shape->sets);
    nb_free(shape);
}

static nb_solid_integrals compound_integrals(const nb_shape *shape, nb_vec3 about) {
    nb_solid_integrals sum = {0};
    for (int32_t i = 0; i < shape->part_count; i++) nb_add_polyhedron(&sum, &shape->parts[i], about);
    return sum;
}

static nb_mass_properties compound_properties(const nb_shape *shape) {
    /* twice: integrals about the centre itself lose nothing to a large offset from the origin */
    nb_solid_integrals sum = compound_integrals(shape, shape->parts[0].vertices[0]);
    double volume = sum.volume;
    nb_vec3 centre = nb_add_scaled(shape->parts[0].vertices[0], 1 / sum.volume, sum.first);
    sum = compound_integrals(shape, centre);
    nb_mass_properties properties = nb_mass_properties_of(&sum, centre);
    properties.volume = volume;
    return properties;
}

/* of solids side by side, by the parallel axis theorem */
static nb_mass_properties bundle_properties(const nb_shape *shape) {
    nb_mass_properties sum = {0};
    for (int32_t i = 0; i < shape->solid_count; i++) {
        nb_mass_properties one = nb_solid_mass_properties(&shape->solids[i]);
        sum.volume += one.volume;
        sum.centre = nb_add_scaled(sum.centre, one.volume, one.centre);
    }
    sum.centre = nb_scale(1 / sum.volume, sum.centre);
    for (int32_t i = 0; i < shape->solid_count; i++) {
        nb_mass_properties one = nb_solid_mass_properties(&shape->solids[i]);
        nb_vec3 d = nb_sub(one.centre, sum.centre);
        const double x[3] = {d.x, d.y, d.z}, square = nb_dot(d, d);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                sum.inertia.m[r][c] += one.inertia.m[r][c] + one.volume * ((r == c ? square : 0) - x[r] * x[c]);
    }
    return sum;
}

nb_mass_properties nb_shape_mass_properties(const nb_shape *shape) {
    nb_mass_properties properties = {0};
    if (shape->kind == NB_SHAPE_SPHERE) {
        double r = shape->radius, volume = 4.0 / 3.0 * PI * r * r * r;
        properties.volume = volume;
        for (int i = 0; i < 3; i++) properties.inertia.m[i][i] = 0.4 * volume * r * r;
    } else if (shape->kind == NB_SHAPE_ELLIPSOID) {
        nb_vec3 a = shape->half, squares = nb_vec3_of(a.x * a.x, a.y * a.y, a.z * a.z);
        double volume = 4.0 / 3.0 * PI * a.x * a.y * a.z;
        properties.volume = volume;
        properties.inertia.m[0][0] = 0.2 * volume * (squares.y + squares.z);
        properties.inertia.m[1][1] = 0.2 * volume * (squares.z + squares.x);
        properties.inertia.m[2][2] = 0.2 * volume * (squares.x + squares.y);
    } else if (shape->kind == NB_SHAPE_COMPOUND && shape->part_count > 0) {
        properties = compound_properties(shape);
    } else if (shape->solid_count == 1) {
        properties = nb_solid_mass_properties(&shape->solids[0]);
    } else if (shape->solid_count > 1) {
        properties = bundle_properties(shape);
    }
    return properties;
}

/* The rotation that makes `tensor` diagonal, by Jacobi's method: each turn is by at most 45 degrees, so that axes keep
 * their order, and a tensor that is diagonal already gives the identity. */
static nb_quat principal_axes(const nb_mat3 *tensor, nb_vec3 *diagonal) {
    nb_quat axes = nb_quat_identity();
    double scale = tensor->m[0][0] + tensor->m[1][1] + tensor->m[2][2];
    nb_mat3 d = *tensor;
    for (int turn = 0; turn < 64; turn++) {
        int r = 0; /* the axis opposite to the largest off-diagonal entry */
        for (int i = 1; i < 3; i++)
            if (fabs(d.m[(i + 1) % 3][(i + 2) % 3]) > fabs(d.m[(r + 1) % 3][(r + 2) % 3])) r = i;
        int p = (r + 1) % 3, q = (r + 2) % 3;
        /* below this it is round-off of the integrals, and must not turn a cube or a disc by 45 degrees */
        if (fabs(d.m[p][q]) <= 1e-12 * scale) break;
        double difference = d.m[p][p] - d.m[q][q];
        double angle = difference != 0 ? 0.5 * atan(2 * d.m[p][q] / difference) : copysign(0.25 * PI, d.m[p][q]);
        nb_vec3 axis = {r == 0, r == 1, r == 2};
        axes = nb_quat_normalized(nb_quat_product(axes, nb_quat_about(axis, angle)));
        d = nb_mat3_rotated(nb_quat_conjugate(axes), tensor);
    }
    *diagonal = nb_vec3_of(d.m[0][0], d.m[1][1], d.m[2][2]);
    return axes;
}

void nb_shape_centre(nb_shape *shape, nb_vec3 *centre, nb_quat *axes, nb_vec3 *moments, double *volume) {
    nb_mass_properties properties = nb_shape_mass_properties(shape);
    *volume = properties.volume;
    /* round-off must not move a shape that is centred already */
    *centre = nb_norm(properties.centre) > 1e-14 * shape->radius ? properties.centre : nb_vec3_of(0, 0, 0);
    *axes = principal_axes(&properties.inertia, moments);
    if (shape->kind != NB_SHAPE_COMPOUND && shape->solid_count == 0) return;
    nb_quat back = nb_quat_conjugate(*axes);
    nb_vec3 offset = nb_scale(-1, nb_quat_rotate(back, *centre));
    shape->radius = 0;
    for (int32_t i = 0; i < shape->part_count; i++) {
        nb_polyhedron_move(&shape->parts[i], offset, back);
        nb_convex_set_move(&shape->sets[i], offset, back);
        shape->radius = fmax(shape->radius, nb_polyhedron_radius(&shape->parts[i]));
    }
    for (int32_t i = 0; i < shape->solid_count; i++) {
        nb_solid_move(&shape->solids[i], offset, back);
        nb_convex_set_move(&shape->sets[i], offset, back);
        shape->radius = fmax(shape->radius, nb_norm(shape->sets[i].centre) + shape->sets[i].radius);
    }
}

int nb_shape_is_centred(const nb_shape *shape) {
    nb_mass_properties properties = nb_shape_mass_properties(shape);
    double(*m)[3] = properties.inertia.m;
    const double aside = fabs(m[0][1]) + fabs(m[0][2]) + fabs(m[1][2]);
    return nb_norm(properties.centre) <= 1e-6 * shape->radius && aside <= 1e-6 * (m[0][0] + m[1][1] + m[2][2]);
}

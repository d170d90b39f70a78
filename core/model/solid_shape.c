/* Shapes made of convex solids, with their sets. */
#include "base/memory.h"
#include "model/shape.h"

/* a shape of `count` solids, which are still empty, as are their sets */
static nb_status shape_of(nb_shape_kind kind, int32_t count, nb_shape **shape) {
    nb_status status = NB_ALLOCATE(1, shape);
    if (status != NB_OK) return status;
    (*shape)->kind = kind;
    NB_TRY(NB_ALLOCATE(0, &(*shape)->parts));
    NB_TRY(NB_ALLOCATE(count, &(*shape)->solids));
    (*shape)->solid_count = count;
    NB_TRY(NB_ALLOCATE(count, &(*shape)->sets));
    (*shape)->set_count = count;
out:
    if (status != NB_OK) {
        nb_shape_destroy(*shape);
        *shape = NULL;
    }
    return status;
}

/* Ends a maker: the bounding sphere of what it made, or nothing. */
static nb_status finish(nb_status status, nb_shape **shape) {
    if (status != NB_OK) {
        nb_shape_destroy(*shape);
        *shape = NULL;
        return status;
    }
    for (int32_t i = 0; i < (*shape)->set_count; i++)
        (*shape)->radius = fmax((*shape)->radius, nb_norm((*shape)->sets[i].centre) + (*shape)->sets[i].radius);
    return NB_OK;
}

static nb_status build(nb_solid *solid, int32_t count, const nb_term *terms) {
    return nb_solid_build(count, terms, nb_vec3_of(0, 0, 0), solid);
}

static nb_term term_of(nb_term_kind kind, double x, double y, double z) {
    return (nb_term){.kind = kind, .half = nb_vec3_of(x, y, z), .turn = nb_quat_identity()};
}

nb_status nb_shape_capsule(double radius, double length, nb_shape **shape) {
    const nb_term terms[2] = {term_of(NB_TERM_ELLIPSOID, radius, radius, radius),
                              term_of(NB_TERM_SEGMENT, 0, 0, 0.5 * length)};
    nb_status status = shape_of(NB_SHAPE_CAPSULE, 1, shape);
    if (status != NB_OK) return status;
    NB_TRY(nb_convex_capsule(radius, length, (*shape)->sets));
    NB_TRY(build((*shape)->solids, 2, terms));
out:
    return finish(status, shape);
}

nb_status nb_shape_cylinder(double radius, double length, nb_shape **shape) {
    const nb_term term = term_of(NB_TERM_CYLINDER, radius, radius, 0.5 * length);
    nb_status status = shape_of(NB_SHAPE_CYLINDER, 1, shape);
    if (status != NB_OK) return status;
    NB_TRY(nb_convex_cylinder(radius, length, (*shape)->sets));
    NB_TRY(build((*shape)->solids, 1, &term));
out:
    return finish(status, shape);
}

nb_status nb_shape_cone(double radius, double height, nb_shape **shape) {
    const nb_term term = term_of(NB_TERM_CONE, radius, radius, 0.5 * height);
    nb_status status = shape_of(NB_SHAPE_CONE, 1, shape);
    if (status != NB_OK) return status;
    NB_TRY(nb_convex_cone(radius, height, (*shape)->sets));
    NB_TRY(build((*shape)->solids, 1, &term));
out:
    return finish(status, shape);
}

nb_status nb_shape_padded(const nb_shape *polyhedron, double radius, nb_shape **shape) {
    nb_term terms[2] = {term_of(NB_TERM_POLYHEDRON, 0, 0, 0), term_of(NB_TERM_ELLIPSOID, radius, radius, radius)};
    *shape = NULL;
    if (polyhedron->kind != NB_SHAPE_COMPOUND || polyhedron->part_count != 1)
        return nb_fail(NB_ERROR_INPUT, "only a polyhedron of one part can be padded");
    nb_status status = shape_of(NB_SHAPE_PADDED, 1, shape);
    if (status != NB_OK) return status;
    terms[0].polyhedron = polyhedron->parts[0];
    NB_TRY(nb_convex_padded(polyhedron->sets, radius, (*shape)->sets));
    NB_TRY(build((*shape)->solids, 2, terms));
out:
    return finish(status, shape);
}

/* solid `i` of a shape of any kind but half-spaces; the caller clears it */
static nb_status solid_of(const nb_shape *shape, int32_t i, nb_solid *solid) {
    nb_term term = term_of(NB_TERM_ELLIPSOID, shape->half.x, shape->half.y, shape->half.z);
    *solid = (nb_solid){0};
    if (i < shape->solid_count) return nb_solid_sum(&shape->solids[i], NULL, solid);
    if (i < shape->part_count) {
        term.kind = NB_TERM_POLYHEDRON;
        term.polyhedron = shape->parts[i];
    } else if (shape->kind != NB_SHAPE_SPHERE && shape->kind != NB_SHAPE_ELLIPSOID) {
        return nb_fail(NB_ERROR_INPUT, "a %s cannot be part of a sum or a bundle", nb_shape_kind_name(shape->kind));
    }
    return build(solid, 1, &term);
}

nb_status nb_shape_sum(const nb_shape *first, const nb_shape *second, nb_shape **shape) {
    nb_solid solids[2] = {{0}};
    *shape = NULL;
    if (first->set_count != 1 || second->set_count != 1)
        return nb_fail(NB_ERROR_INPUT, "a Minkowski sum is of convex shapes: these have %d and %d parts",
                       (int)first->set_count, (int)second->set_count);
    nb_status status = shape_of(NB_SHAPE_SUM, 1, shape);
    if (status != NB_OK) return status;
    NB_TRY(solid_of(first, 0, &solids[0]));
    NB_TRY(solid_of(second, 0, &solids[1]));
    NB_TRY(nb_convex_sum(first->sets, second->sets, (*shape)->sets));
    NB_TRY(nb_solid_sum(&solids[0], &solids[1], (*shape)->solids));
out:
    nb_solid_clear(&solids[0]);
    nb_solid_clear(&solids[1]);
    return finish(status, shape);
}

nb_status nb_shape_bundle(int32_t count, const nb_shape *const *shapes, const nb_vec3 *offsets, const nb_quat *turns,
                          nb_shape **shape) {
    int32_t total = 0, next = 0;
    *shape = NULL;
    for (int32_t i = 0; i < count; i++) total += shapes[i]->set_count;
    if (total < 1) return nb_fail(NB_ERROR_INPUT, "a bundle has no shapes");
    nb_status status = shape_of(NB_SHAPE_BUNDLE, total, shape);
    if (status != NB_OK) return status;
    for (int32_t i = 0; i < count; i++)
        for (int32_t k = 0; k < shapes[i]->set_count; k++, next++) {
            NB_TRY(solid_of(shapes[i], k, &(*shape)->solids[next]));
            NB_TRY(nb_convex_set_copy(&shapes[i]->sets[k], &(*shape)->sets[next]));
            nb_solid_move(&(*shape)->solids[next], offsets[i], turns[i]);
            nb_convex_set_move(&(*shape)->sets[next], offsets[i], turns[i]);
        }
out:
    return finish(status, shape);
}

nb_status nb_shape_of_solids(nb_shape_kind kind, int32_t count, nb_solid *solids, nb_convex_set *sets,
                             nb_shape **shape) {
    nb_status status = NB_OK;
    *shape = NULL;
    if (kind < NB_SHAPE_CAPSULE || count < 1 || (kind != NB_SHAPE_BUNDLE && count != 1))
        status = nb_fail(NB_ERROR_INPUT, "a %s cannot have %d solids", nb_shape_kind_name(kind), (int)count);
    if (status == NB_OK) status = shape_of(kind, count, shape);
    for (int32_t i = 0; i < count; i++) {
        if (status == NB_OK) {
            (*shape)->solids[i] = solids[i];
            (*shape)->sets[i] = sets[i];
        } else {
            nb_solid_clear(&solids[i]);
            nb_convex_set_clear(&sets[i]);
        }
        solids[i] = (nb_solid){0};
        sets[i] = (nb_convex_set){0};
    }
    return finish(status, shape);
}

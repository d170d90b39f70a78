/* Capsules, cylinders, cones, padded polytopes, Minkowski sums and bundles of scene files: by their measures, or as
 * export writes those that were moved, with their sets to the last bit ("solids"). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "file/scene_members.h"
#include "file/scene_parts.h"

enum {
    MOST_DEPTH = 8,      /* of sums and bundles in each other */
    MOST_UNKNOWNS = 4096 /* of a set */
};

static nb_status check_depth(const nb_input_at *at, int depth) {
    if (depth < MOST_DEPTH) return NB_OK;
    return nb_input_fail(at, "sums and bundles can be %d deep", (int)MOST_DEPTH);
}

/* ---- by their measures ---- */

static nb_status read_round(const nb_input_at *at, nb_shape_kind kind, nb_shape **shape) {
    nb_status status;
    double radius, length;
    NB_TRY(nb_scene_real(at, "radius_m", &radius));
    NB_TRY(nb_scene_real(at, kind == NB_SHAPE_CONE ? "height_m" : "length_m", &length));
    if (kind == NB_SHAPE_CAPSULE)
        status = nb_shape_capsule(radius, length, shape);
    else if (kind == NB_SHAPE_CYLINDER)
        status = nb_shape_cylinder(radius, length, shape);
    else
        status = nb_shape_cone(radius, length, shape);
    return nb_scene_explain(at, status);
out:
    return status;
}

static nb_status read_padded(const nb_input_at *at, nb_shape **shape) {
    nb_status status;
    double radius;
    nb_shape *core = NULL;
    const nb_input_at parts = nb_input_member(at, "parts"), first = nb_input_item(&parts, 0);
    NB_TRY(nb_scene_real(at, "radius_m", &radius));
    NB_TRY(nb_input_array(&parts));
    if (nb_input_count(&parts) != 1) return nb_input_fail(&parts, "expected one polyhedron");
    NB_TRY(nb_scene_read_polyhedron(&first, &core));
    NB_TRY(nb_scene_explain(at, nb_shape_padded(core, radius, shape)));
out:
    nb_shape_destroy(core);
    return status;
}

static nb_status read_sum(const nb_input_at *at, int depth, nb_shape **shape) {
    nb_status status;
    nb_shape *of[2] = {NULL, NULL};
    const nb_input_at list = nb_input_member(at, "of");
    NB_TRY(check_depth(at, depth));
    NB_TRY(nb_input_array(&list));
    if (nb_input_count(&list) != 2) return nb_input_fail(&list, "expected two shapes");
    for (int i = 0; i < 2; i++) {
        const nb_input_at item = nb_input_item(&list, i);
        NB_TRY(nb_scene_read_shape(&item, depth + 1, 0, &of[i]));
    }
    NB_TRY(nb_scene_explain(at, nb_shape_sum(of[0], of[1], shape)));
out:
    nb_shape_destroy(of[0]);
    nb_shape_destroy(of[1]);
    return status;
}

/* a quaternion of unit length */
static nb_status maybe_turn(const nb_input_at *object, nb_quat *turn) {
    const nb_input_at at = nb_input_member(object, "turn_wxyz");
    nb_status status = nb_scene_maybe_quat(object, "turn_wxyz", turn);
    if (status != NB_OK) return status;
    const double length = sqrt(turn->w * turn->w + turn->x * turn->x + turn->y * turn->y + turn->z * turn->z);
    if (fabs(length - 1) < 1e-6) return NB_OK;
    return nb_input_fail(&at, "is of length %g; it must be of unit length", length);
}

static nb_status read_bundle(const nb_input_at *at, int depth, nb_shape **shape) {
    nb_status status;
    const nb_input_at list = nb_input_member(at, "of");
    const int64_t count = nb_input_count(&list);
    nb_shape **of = NULL;
    nb_vec3 *offsets = NULL;
    nb_quat *turns = NULL;
    NB_TRY(check_depth(at, depth));
    NB_TRY(nb_input_array(&list));
    NB_TRY(NB_ALLOCATE(count, &of));
    NB_TRY(NB_ALLOCATE(count, &offsets));
    NB_TRY(NB_ALLOCATE(count, &turns));
    for (int64_t i = 0; i < count; i++) {
        const nb_input_at item = nb_input_item(&list, i);
        NB_TRY(nb_scene_read_shape(&item, depth + 1, 1, &of[i]));
        turns[i] = nb_quat_identity();
        NB_TRY(nb_scene_maybe_vec3(&item, "offset_m", &offsets[i]));
        NB_TRY(maybe_turn(&item, &turns[i]));
    }
    status = nb_shape_bundle((int32_t)count, (const nb_shape *const *)(void *)of, offsets, turns, shape);
    status = nb_scene_explain(at, status);
out:
    for (int64_t i = 0; of && i < count; i++) nb_shape_destroy(of[i]);
    nb_free(of);
    nb_free(offsets);
    nb_free(turns);
    return status;
}

/* ---- as they are ---- */

static nb_status read_half(const nb_input_at *at, nb_term *term) {
    const nb_input_at half = nb_input_member(at, "half_m");
    nb_status status = nb_input_vec3(&half, &term->half);
    if (status != NB_OK) return status;
    const nb_vec3 h = term->half;
    const int line = term->kind == NB_TERM_SEGMENT;
    if (h.z > 0 && (line || (h.x > 0 && h.y > 0))) return NB_OK;
    return nb_input_fail(&half, "(%g, %g, %g) m must be positive", h.x, h.y, h.z);
}

/* a term, whose polyhedron stays that of *of, which the caller destroys */
static nb_status read_term(const nb_input_at *at, nb_term *term, nb_shape **of) {
    nb_status status;
    int kind = 0;
    const nb_input_at named = nb_input_member(at, "kind"), parts = nb_input_member(at, "parts"),
                      first = nb_input_item(&parts, 0);
    *term = (nb_term){.turn = nb_quat_identity()};
    NB_TRY(nb_scene_check_members(at, &nb_scene_term_members));
    NB_TRY(nb_input_choice(&named, "term", 5, nb_scene_term_kinds, &kind));
    term->kind = (nb_term_kind)kind;
    NB_TRY(maybe_turn(at, &term->turn));
    if (term->kind != NB_TERM_POLYHEDRON) return read_half(at, term);
    NB_TRY(nb_input_array(&parts));
    if (nb_input_count(&parts) != 1) return nb_input_fail(&parts, "expected one polyhedron");
    NB_TRY(nb_scene_read_polyhedron(&first, of));
    term->polyhedron = (*of)->parts[0];
out:
    return status;
}

static nb_status read_terms(const nb_input_at *at, nb_solid *solid) {
    nb_status status;
    const nb_input_at list = nb_input_member(at, "sum_of");
    const int64_t count = nb_input_count(&list);
    nb_term *terms = NULL;
    nb_shape **of = NULL;
    nb_vec3 offset = {0, 0, 0};
    NB_TRY(nb_input_array(&list));
    if (count == 0) return nb_input_fail(&list, "is empty; expected one term or several");
    NB_TRY(nb_scene_maybe_vec3(at, "offset_m", &offset));
    NB_TRY(NB_ALLOCATE(count, &terms));
    NB_TRY(NB_ALLOCATE(count, &of));
    for (int64_t i = 0; i < count; i++) {
        const nb_input_at item = nb_input_item(&list, i);
        NB_TRY(read_term(&item, &terms[i], &of[i]));
    }
    NB_TRY(nb_solid_build((int32_t)count, terms, offset, solid));
out:
    for (int64_t i = 0; of && i < count; i++) nb_shape_destroy(of[i]);
    nb_free(of);
    nb_free(terms);
    return status;
}

/* the arrays of a set that is read, the caller's */
typedef struct rows {
    int32_t *cone_rows;
    nb_vec3 *a;
    double *e, *b, *line;
} rows;

/* "rows": of each what stands in A (3), b, and what stands in E */
static nb_status read_rows(const nb_input_at *list, int64_t count, const nb_convex_set *set, rows *r) {
    nb_status status;
    NB_TRY(NB_ALLOCATE(count, &r->a));
    NB_TRY(NB_ALLOCATE(count, &r->b));
    NB_TRY(NB_ALLOCATE(count * set->unknowns, &r->e));
    NB_TRY(NB_ALLOCATE(4 + set->unknowns, &r->line));
    for (int64_t i = 0; i < count; i++) {
        const nb_input_at item = nb_input_item(list, i);
        NB_TRY(nb_input_reals(&item, 4 + set->unknowns, r->line));
        r->a[i] = nb_vec3_of(r->line[0], r->line[1], r->line[2]);
        r->b[i] = r->line[3];
        memcpy(r->e + i * set->unknowns, r->line + 4, (size_t)set->unknowns * sizeof *r->e);
    }
out:
    return status;
}

/* "cones": the rows of each, which are the last ones; those before them are half-lines */
static nb_status read_cones(const nb_input_at *at, int64_t count, nb_convex_set *set, rows *r) {
    nb_status status;
    const nb_input_at cones = nb_input_member(at, "cones");
    NB_TRY(nb_input_array(&cones));
    set->cone_count = (int32_t)nb_input_count(&cones);
    NB_TRY(NB_ALLOCATE(set->cone_count, &r->cone_rows));
    NB_TRY(nb_input_wholes(&cones, set->cone_count, 2, NB_CONVEX_CONE_ROWS, r->cone_rows));
    int64_t linear = count;
    for (int32_t c = 0; c < set->cone_count; c++) linear -= r->cone_rows[c];
    if (linear < 0) return nb_input_fail(&cones, "have more rows than the %lld of the set", (long long)count);
    set->linear = (int32_t)linear;
out:
    return status;
}

static nb_status read_set(const nb_input_at *at, nb_convex_set *set) {
    nb_status status;
    nb_convex_set from = {0};
    rows r = {0};
    NB_TRY(nb_scene_check_members(at, &nb_scene_set_members));
    const nb_input_at list = nb_input_member(at, "rows"), first = nb_input_item(&list, 0);
    const int64_t count = nb_input_count(&list), width = nb_input_count(&first);
    NB_TRY(nb_input_array(&list));
    if (width < 4 || width > 4 + MOST_UNKNOWNS)
        NB_TRY(nb_input_fail(&first, "expected 4 to %d numbers", 4 + (int)MOST_UNKNOWNS));
    from.unknowns = (int32_t)width - 4;
    NB_TRY(nb_scene_vec3(at, "centre_m", &from.centre));
    NB_TRY(nb_scene_real(at, "radius_m", &from.radius));
    NB_TRY(read_cones(at, count, &from, &r));
    NB_TRY(read_rows(&list, count, &from, &r));
    from.cone_rows = r.cone_rows, from.a = r.a, from.b = r.b, from.e = r.e;
    NB_TRY(nb_scene_explain(at, nb_convex_set_of_rows(&from, set)));
out:
    nb_free(r.cone_rows);
    nb_free(r.a);
    nb_free(r.b);
    nb_free(r.e);
    nb_free(r.line);
    return status;
}

static nb_status read_solids(const nb_input_at *list, nb_shape_kind kind, nb_shape **shape) {
    nb_status status;
    const int64_t count = nb_input_count(list);
    nb_solid *solids = NULL;
    nb_convex_set *sets = NULL;
    NB_TRY(nb_input_array(list));
    NB_TRY(NB_ALLOCATE(count, &solids));
    NB_TRY(NB_ALLOCATE(count, &sets));
    for (int64_t i = 0; i < count; i++) {
        const nb_input_at item = nb_input_item(list, i), set = nb_input_member(&item, "set");
        NB_TRY(nb_scene_check_members(&item, &nb_scene_solid_members));
        NB_TRY(read_terms(&item, &solids[i]));
        NB_TRY(read_set(&set, &sets[i]));
    }
    NB_TRY(nb_scene_explain(list, nb_shape_of_solids(kind, (int32_t)count, solids, sets, shape)));
out:
    for (int64_t i = 0; solids && sets && i < count; i++) {
        nb_solid_clear(&solids[i]);
        nb_convex_set_clear(&sets[i]);
    }
    nb_free(solids);
    nb_free(sets);
    return status;
}

/* ---- either ---- */

nb_status nb_scene_read_solid(const nb_input_at *at, nb_shape_kind kind, int depth, nb_shape **shape) {
    const nb_input_at solids = nb_input_member(at, "solids");
    if (solids.value) return read_solids(&solids, kind, shape);
    switch (kind) {
    case NB_SHAPE_PADDED: return read_padded(at, shape);
    case NB_SHAPE_SUM: return read_sum(at, depth, shape);
    case NB_SHAPE_BUNDLE: return read_bundle(at, depth, shape);
    default: return read_round(at, kind, shape);
    }
}

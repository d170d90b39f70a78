#include "export_shapes.h"

#include <math.h>
#include <string.h>

#include "export_values.h"
#include "file/scene_file.h"

static int same_places(const nb_polyhedron *a, const nb_polyhedron *b) {
    return a->vertex_count == b->vertex_count && a->face_count == b->face_count &&
           memcmp(a->face_start, b->face_start, (size_t)(a->face_count + 1) * sizeof *a->face_start) == 0 &&
           memcmp(a->vertices, b->vertices, (size_t)a->vertex_count * sizeof *a->vertices) == 0 &&
           memcmp(a->face_normal, b->face_normal, (size_t)a->face_count * sizeof *a->face_normal) == 0 &&
           memcmp(a->face_vertex, b->face_vertex, (size_t)a->face_start[a->face_count] * sizeof *a->face_vertex) == 0;
}

/* whether it is what nb_shape_box makes, to the last bit */
static int is_box(const nb_shape *shape, nb_vec3 *half) {
    nb_shape *box;
    if (shape->kind != NB_SHAPE_COMPOUND || shape->part_count != 1 || shape->parts[0].vertex_count != 8) return 0;
    const nb_vec3 corner = shape->parts[0].vertices[7];
    *half = nb_vec3_of(fabs(corner.x), fabs(corner.y), fabs(corner.z));
    if (nb_shape_box(*half, &box) != NB_OK) return 0;
    const int same = same_places(&box->parts[0], &shape->parts[0]);
    nb_shape_destroy(box);
    return same;
}

static void write_part(nb_json *json, const nb_polyhedron *p) {
    nb_json_object(json, NULL);
    nb_json_array(json, "vertices_m");
    for (int32_t i = 0; i < p->vertex_count; i++) nb_write_vec3(json, NULL, p->vertices[i]);
    nb_json_end(json);
    nb_json_array(json, "faces"); /* counter-clockwise from outside */
    for (int32_t i = 0; i < p->face_count; i++) {
        nb_json_array(json, NULL);
        for (int32_t k = p->face_start[i]; k < p->face_start[i + 1]; k++) nb_json_number(json, NULL, p->face_vertex[k]);
        nb_json_end(json);
    }
    nb_json_end(json);
    nb_json_array(json, "normals");
    for (int32_t i = 0; i < p->face_count; i++) nb_write_vec3(json, NULL, p->face_normal[i]);
    nb_json_end(json);
    nb_json_end(json);
}

/* ---- solids ---- */

static void write_set(nb_json *json, const nb_convex_set *set) {
    nb_json_object(json, "set");
    nb_write_vec3(json, "centre_m", set->centre);
    nb_json_number(json, "radius_m", set->radius);
    nb_json_array(json, "cones");
    for (int32_t i = 0; i < set->cone_count; i++) nb_json_number(json, NULL, set->cone_rows[i]);
    nb_json_end(json);
    nb_json_array(json, "rows");
    for (int32_t i = 0; i < set->rows; i++) {
        nb_json_array(json, NULL);
        nb_json_number(json, NULL, set->a[i].x);
        nb_json_number(json, NULL, set->a[i].y);
        nb_json_number(json, NULL, set->a[i].z);
        nb_json_number(json, NULL, set->b[i]);
        for (int32_t k = 0; k < set->unknowns; k++) nb_json_number(json, NULL, set->e[(int64_t)i * set->unknowns + k]);
        nb_json_end(json);
    }
    nb_json_end(json);
    nb_json_end(json);
}

/* a Minkowski sum, by its terms, and its set */
static void write_solid(nb_json *json, const nb_solid *solid, const nb_convex_set *set) {
    nb_json_object(json, NULL);
    nb_write_vec3(json, "offset_m", solid->offset);
    nb_json_array(json, "sum_of");
    for (int32_t i = 0; i < solid->term_count; i++) {
        const nb_term *term = &solid->terms[i];
        nb_json_object(json, NULL);
        nb_json_text(json, "kind", nb_scene_term_kinds[term->kind]);
        nb_write_quat(json, "turn_wxyz", term->turn);
        if (term->kind != NB_TERM_POLYHEDRON) {
            nb_write_vec3(json, "half_m", term->half);
        } else {
            nb_json_array(json, "parts");
            write_part(json, &term->polyhedron);
            nb_json_end(json);
        }
        nb_json_end(json);
    }
    nb_json_end(json);
    write_set(json, set);
    nb_json_end(json);
}

/* of numbers that are finite: to the last bit, the sign of a zero too */
static int same(double a, double b) {
    return a == b && !signbit(a) == !signbit(b);
}

static int same_vectors(nb_vec3 a, nb_vec3 b) {
    return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z);
}

static int same_rotations(nb_quat a, nb_quat b) {
    return same(a.w, b.w) && same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z);
}

static int same_terms(const nb_solid *a, const nb_solid *b) {
    int same = a->term_count == b->term_count && same_vectors(a->offset, b->offset);
    for (int32_t i = 0; i < a->term_count && same; i++)
        same = a->terms[i].kind == b->terms[i].kind && same_vectors(a->terms[i].half, b->terms[i].half) &&
               same_rotations(a->terms[i].turn, b->terms[i].turn);
    return same;
}

static int same_sets(const nb_convex_set *a, const nb_convex_set *b) {
    const size_t rows = (size_t)a->rows;
    return a->rows == b->rows && a->unknowns == b->unknowns && same_vectors(a->centre, b->centre) &&
           a->radius == b->radius && memcmp(a->a, b->a, rows * sizeof *a->a) == 0 &&
           memcmp(a->b, b->b, rows * sizeof *a->b) == 0 &&
           memcmp(a->e, b->e, rows * (size_t)a->unknowns * sizeof *a->e) == 0;
}

/* whether it is what the maker of its kind makes of a radius and a length */
static int is_round(const nb_shape *shape, double *radius, double *length) {
    nb_shape *made;
    nb_status status;
    if (shape->kind < NB_SHAPE_CAPSULE || shape->kind > NB_SHAPE_CONE) return 0;
    const nb_solid *solid = shape->solids;
    *radius = solid->terms[0].half.x;
    *length = 2 * solid->terms[solid->term_count - 1].half.z;
    if (shape->kind == NB_SHAPE_CAPSULE)
        status = nb_shape_capsule(*radius, *length, &made);
    else if (shape->kind == NB_SHAPE_CYLINDER)
        status = nb_shape_cylinder(*radius, *length, &made);
    else
        status = nb_shape_cone(*radius, *length, &made);
    if (status != NB_OK) return 0;
    const int same = same_terms(solid, made->solids) && same_sets(shape->sets, made->sets);
    nb_shape_destroy(made);
    return same;
}

static void write_solids(nb_json *json, const nb_shape *shape) {
    double radius, length;
    if (is_round(shape, &radius, &length)) {
        nb_json_number(json, "radius_m", radius);
        nb_json_number(json, shape->kind == NB_SHAPE_CONE ? "height_m" : "length_m", length);
        return;
    }
    nb_json_array(json, "solids");
    for (int32_t i = 0; i < shape->solid_count; i++) write_solid(json, &shape->solids[i], &shape->sets[i]);
    nb_json_end(json);
}

/* ---- all ---- */

void nb_export_shape(nb_json *json, const nb_shape *shape) {
    nb_vec3 half;
    int box = is_box(shape, &half);
    nb_begin_line(json);
    nb_json_text(json, "kind", box ? "box" : nb_shape_kind_name(shape->kind));
    if (box) {
        nb_write_vec3(json, "half_sizes_m", half);
    } else if (shape->kind == NB_SHAPE_SPHERE) {
        nb_json_number(json, "radius_m", shape->radius);
    } else if (shape->kind == NB_SHAPE_ELLIPSOID) {
        nb_write_vec3(json, "half_axes_m", shape->half);
    } else if (shape->kind == NB_SHAPE_COMPOUND) {
        nb_json_array(json, "parts");
        for (int32_t i = 0; i < shape->part_count; i++) write_part(json, &shape->parts[i]);
        nb_json_end(json);
    } else if (shape->solid_count > 0) {
        write_solids(json, shape);
    }
    nb_end_line(json);
}

/* Shapes of scene files. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "file/scene_parts.h"

/* those that are read; others have names as well, and are refused by them */
enum {
    NONE,
    SPHERE,
    HALF_SPACE,
    BOX,
    ELLIPSOID,
    POLYHEDRA,
    KINDS
};
static const char *const kinds[KINDS] = {"none", "sphere", "half-space", "box", "ellipsoid", "polyhedra"};

/* ---- polyhedra ---- */

/* the faces of a part: [faces][corners], as the makers of shapes take them */
typedef struct faces {
    int32_t count, *start, *vertex; /* start [count + 1] */
} faces;

static nb_status read_faces(const nb_input_at *list, int32_t vertices, faces *f) {
    nb_status status;
    int64_t corners = 0;
    f->count = (int32_t)nb_input_count(list);
    for (int32_t i = 0; i < f->count; i++) {
        const nb_input_at face = nb_input_item(list, i);
        NB_TRY(nb_input_array(&face));
        corners += nb_input_count(&face);
    }
    NB_TRY(NB_ALLOCATE((int64_t)f->count + 1, &f->start));
    NB_TRY(NB_ALLOCATE(corners, &f->vertex));
    for (int32_t i = 0; i < f->count; i++) {
        const nb_input_at face = nb_input_item(list, i);
        const int32_t of_face = (int32_t)nb_input_count(&face);
        NB_TRY(nb_input_wholes(&face, of_face, 0, vertices - 1, f->vertex + f->start[i]));
        f->start[i + 1] = f->start[i] + of_face;
    }
out:
    return status;
}

/* The file's normals, to the last bit, in the place of those of its vertices, which may differ in that. */
static nb_status read_normals(const nb_input_at *part, nb_polyhedron *polyhedron) {
    nb_status status = NB_OK;
    const nb_input_at list = nb_input_member(part, "normals");
    if (!list.value) return NB_OK;
    NB_TRY(nb_input_array(&list));
    if (nb_input_count(&list) != polyhedron->face_count)
        return nb_input_fail(&list, "expected %d normals, one a face", (int)polyhedron->face_count);
    for (int32_t i = 0; i < polyhedron->face_count; i++) {
        const nb_input_at item = nb_input_item(&list, i);
        nb_vec3 normal;
        NB_TRY(nb_input_vec3(&item, &normal));
        if (!(nb_norm(nb_sub(normal, polyhedron->face_normal[i])) < 1e-6))
            return nb_input_fail(&item, "is not the normal of the face, (%g, %g, %g)", polyhedron->face_normal[i].x,
                                 polyhedron->face_normal[i].y, polyhedron->face_normal[i].z);
        polyhedron->face_normal[i] = normal;
    }
out:
    return status;
}

static nb_status read_part(const nb_input_at *at, nb_shape **shape) {
    static const char *const keys[] = {"vertices_m", "faces", "normals", NULL};
    nb_status status;
    nb_vec3 *points = NULL;
    faces f = {0};
    *shape = NULL;
    NB_TRY(nb_input_object(at, keys));
    const nb_input_at vertices = nb_input_member(at, "vertices_m"), list = nb_input_member(at, "faces");
    NB_TRY(nb_input_array(&vertices));
    NB_TRY(nb_input_array(&list));
    const int32_t count = (int32_t)nb_input_count(&vertices);
    NB_TRY(NB_ALLOCATE(count, &points));
    for (int32_t i = 0; i < count; i++) {
        const nb_input_at item = nb_input_item(&vertices, i);
        NB_TRY(nb_input_vec3(&item, &points[i]));
    }
    NB_TRY(read_faces(&list, count, &f));
    NB_TRY(nb_scene_explain(at, nb_shape_polyhedron(count, points, f.count, f.start, f.vertex, shape)));
    NB_TRY(read_normals(at, &(*shape)->parts[0]));
out:
    nb_free(points);
    nb_free(f.start);
    nb_free(f.vertex);
    return status;
}

static nb_status read_polyhedra(const nb_input_at *at, nb_shape **shape) {
    nb_status status;
    nb_shape *part = NULL;
    const nb_input_at parts = nb_input_member(at, "parts");
    NB_TRY(nb_input_array(&parts));
    if (nb_input_count(&parts) == 0) return nb_input_fail(&parts, "is empty; expected one polyhedron or several");
    for (int64_t i = 0; i < nb_input_count(&parts); i++) {
        const nb_input_at item = nb_input_item(&parts, i);
        NB_TRY(read_part(&item, i == 0 ? shape : &part));
        if (i > 0) NB_TRY(nb_shape_append(*shape, part, nb_vec3_of(0, 0, 0), nb_quat_identity()));
        nb_shape_destroy(part);
        part = NULL;
    }
out:
    nb_shape_destroy(part);
    return status;
}

/* ---- shapes ---- */

static nb_status read_measures(const nb_input_at *at, int kind, nb_shape **shape) {
    nb_status status = NB_OK;
    double radius;
    nb_vec3 half;
    switch (kind) {
    case NONE: NB_TRY(NB_ALLOCATE(1, shape)); break;
    case SPHERE:
        NB_TRY(nb_scene_real(at, "radius_m", &radius));
        NB_TRY(nb_scene_explain(at, nb_shape_sphere(radius, shape)));
        break;
    case HALF_SPACE: NB_TRY(nb_shape_half_space(shape)); break;
    case BOX:
        NB_TRY(nb_scene_vec3(at, "half_sizes_m", &half));
        NB_TRY(nb_scene_explain(at, nb_shape_box(half, shape)));
        break;
    case ELLIPSOID:
        NB_TRY(nb_scene_vec3(at, "half_axes_m", &half));
        NB_TRY(nb_scene_explain(at, nb_shape_ellipsoid(half, shape)));
        break;
    case POLYHEDRA: NB_TRY(read_polyhedra(at, shape)); break;
    }
out:
    return status;
}

static nb_status read_kind(const nb_input_at *at, int *kind) {
    const nb_input_at named = nb_input_member(at, "kind");
    const char *text;
    nb_status status = nb_input_text(&named, &text);
    for (int i = NB_SHAPE_CAPSULE; i <= NB_SHAPE_BUNDLE && status == NB_OK; i++)
        if (strcmp(text, nb_shape_kind_name((nb_shape_kind)i)) == 0)
            return nb_input_fail(&named, "shapes of kind '%s' are not read from files", text);
    return status == NB_OK ? nb_input_choice(&named, "shape", KINDS, kinds, kind) : status;
}

static nb_status read_shape(const nb_input_at *at, nb_world *world) {
    static const char *const of_kind[KINDS][3] = {[NONE] = {"kind"},
                                                  [SPHERE] = {"kind", "radius_m"},
                                                  [HALF_SPACE] = {"kind"},
                                                  [BOX] = {"kind", "half_sizes_m"},
                                                  [ELLIPSOID] = {"kind", "half_axes_m"},
                                                  [POLYHEDRA] = {"kind", "parts"}};
    nb_status status;
    nb_shape *shape = NULL;
    int kind = NONE;
    int32_t index;
    NB_TRY(read_kind(at, &kind));
    NB_TRY(nb_input_object(at, of_kind[kind]));
    NB_TRY(read_measures(at, kind, &shape));
    return nb_world_add_shape(world, shape, &index);
out:
    nb_shape_destroy(shape);
    return status;
}

nb_status nb_scene_read_shapes(const nb_input_at *scene, nb_world *world) {
    const nb_input_at list = nb_input_member(scene, "shapes");
    nb_status status = list.value ? nb_input_array(&list) : NB_OK;
    for (int64_t i = 0; i < nb_input_count(&list) && status == NB_OK; i++) {
        const nb_input_at item = nb_input_item(&list, i);
        status = read_shape(&item, world);
    }
    return status;
}

/* Shapes of scene files. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "file/scene_members.h"
#include "file/scene_parts.h"

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

nb_status nb_scene_read_polyhedron(const nb_input_at *at, nb_shape **shape) {
    nb_status status;
    nb_vec3 *points = NULL;
    faces f = {0};
    *shape = NULL;
    NB_TRY(nb_scene_check_members(at, &nb_scene_polyhedron_members));
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
        NB_TRY(nb_scene_read_polyhedron(&item, i == 0 ? shape : &part));
        if (i > 0) NB_TRY(nb_shape_append(*shape, part, nb_vec3_of(0, 0, 0), nb_quat_identity()));
        NB_TRY(read_normals(&item, &(*shape)->parts[i])); /* again: what is appended is rounded */
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
    case NB_FILE_NONE: NB_TRY(NB_ALLOCATE(1, shape)); break;
    case NB_FILE_SPHERE:
        NB_TRY(nb_scene_real(at, "radius_m", &radius));
        NB_TRY(nb_scene_explain(at, nb_shape_sphere(radius, shape)));
        break;
    case NB_FILE_HALF_SPACE: NB_TRY(nb_shape_half_space(shape)); break;
    case NB_FILE_BOX:
        NB_TRY(nb_scene_vec3(at, "half_sizes_m", &half));
        NB_TRY(nb_scene_explain(at, nb_shape_box(half, shape)));
        break;
    case NB_FILE_ELLIPSOID:
        NB_TRY(nb_scene_vec3(at, "half_axes_m", &half));
        NB_TRY(nb_scene_explain(at, nb_shape_ellipsoid(half, shape)));
        break;
    default: NB_TRY(read_polyhedra(at, shape)); break;
    }
out:
    return status;
}

/* no members but those of its kind, and of a part of a bundle where it is; "solids" replaces all others */
static nb_status check_kind(const nb_input_at *at, int kind, int placed) {
    const char *keys[NB_SCENE_MOST_MEMBERS + 1];
    nb_scene_member m;
    int count = 0;
    const int solids = nb_input_member(at, "solids").value != NULL;
    for (int i = 0; nb_scene_member_at(&nb_scene_shape_members, i, &m); i++) {
        const int of_kind = m.kinds >> kind & 1 && (!solids || strcmp(m.name, "solids") == 0);
        const int of_all = !m.kinds && (placed || strcmp(m.name, "kind") == 0);
        if (of_kind || of_all) keys[count++] = m.name;
    }
    keys[count] = NULL;
    return nb_input_object(at, keys);
}

nb_status nb_scene_read_shape(const nb_input_at *at, int depth, int placed, nb_shape **shape) {
    nb_status status;
    int kind = NB_FILE_NONE;
    const nb_input_at named = nb_input_member(at, "kind");
    *shape = NULL;
    NB_TRY(nb_input_object(at, NULL));
    NB_TRY(nb_input_choice(&named, "shape", NB_FILE_SHAPES, nb_scene_shape_kinds, &kind));
    NB_TRY(check_kind(at, kind, placed));
    if (kind < NB_FILE_SOLID)
        NB_TRY(read_measures(at, kind, shape));
    else
        NB_TRY(nb_scene_read_solid(at, (nb_shape_kind)(NB_SHAPE_CAPSULE + kind - NB_FILE_SOLID), depth, shape));
    return NB_OK;
out:
    nb_shape_destroy(*shape);
    *shape = NULL;
    return status;
}

static nb_status read_shape(const nb_input_at *at, nb_world *world) {
    nb_shape *shape;
    int32_t index;
    nb_status status = nb_scene_read_shape(at, 0, 0, &shape);
    return status == NB_OK ? nb_world_add_shape(world, shape, &index) : status;
}

nb_status nb_scene_read_shapes(const nb_input_at *scene, nb_world *world) {
    return nb_scene_read_list(scene, "shapes", read_shape, world);
}

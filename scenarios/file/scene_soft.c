/* Particles, elements, sheets and cavities of scene files. */
#include <math.h>

#include "base/memory.h"
#include "file/scene_members.h"
#include "file/scene_parts.h"

static int positive(double x) {
    return x > 0 && isfinite(x);
}

/* ---- particles ---- */

static nb_status read_particle(const nb_input_at *at, nb_world *world) {
    nb_status status;
    nb_particle particle = {.kind = NB_BODY_DYNAMIC};
    int32_t index;
    const nb_input_at mass = nb_input_member(at, "mass_kg");
    NB_TRY(nb_scene_fill(at, &nb_scene_particle_members, world, &particle));
    if (particle.kind == NB_BODY_DYNAMIC) NB_TRY(nb_input_real(&mass, &particle.mass));
    NB_TRY(nb_scene_explain(at, nb_world_add_particle(world, &particle, &index)));
out:
    return status;
}

/* where particles are at rest: known when their elements are there */
static nb_status read_rest(const nb_input_at *at, nb_particle *particle) {
    return nb_scene_maybe_vec3(at, "rest_m", &particle->rest);
}

/* ---- elements ---- */

static nb_status read_material(const nb_input_at *at, nb_world *world) {
    nb_status status;
    nb_material material = {0};
    int32_t index;
    NB_TRY(nb_scene_fill(at, &nb_scene_material_members, world, &material));
    NB_TRY(nb_scene_explain(at, nb_world_add_material(world, &material, &index)));
out:
    return status;
}

/* The shape at rest, where the file says it; else it is at rest where its particles are. */
static nb_status take_rest_shape(const nb_input_at *at, nb_rest_shape rest, nb_rest_shape *to) {
    nb_status status;
    const nb_input_at volume = nb_input_member(at, "volume_m3"), gradients = nb_input_member(at, "gradients_1_m");
    if (!volume.value && !gradients.value) return NB_OK;
    NB_TRY(nb_input_real(&volume, &rest.volume));
    NB_TRY(nb_input_array(&gradients));
    if (!positive(rest.volume)) return nb_input_fail(&volume, "%g m^3 must be positive", rest.volume);
    if (!nb_input_member(at, "length_m").value) rest.length = cbrt(6 * rest.volume);
    if (!positive(rest.length)) return nb_input_fail(at, "a length of %g m must be positive", rest.length);
    *to = rest;
out:
    return status;
}

static nb_status read_tetrahedron(const nb_input_at *at, nb_world *world) {
    nb_status status;
    nb_tetrahedron of = {0};
    int32_t index;
    NB_TRY(nb_scene_fill(at, &nb_scene_tetrahedron_members, world, &of));
    NB_TRY(nb_scene_explain(at, nb_world_add_tetrahedron(world, of.particle, of.material, of.activation, &index)));
    NB_TRY(take_rest_shape(at, of.rest, &world->tetrahedra[index].rest));
out:
    return status;
}

static nb_status read_triangle(const nb_input_at *at, nb_world *world) {
    nb_status status;
    nb_triangle triangle;
    int32_t index;
    NB_TRY(nb_scene_fill(at, &nb_scene_triangle_members, world, &triangle));
    NB_TRY(nb_scene_explain(at, nb_world_add_triangle(world, triangle.particle, &index)));
out:
    return status;
}

static nb_status read_spring(const nb_input_at *at, nb_world *world) {
    nb_status status;
    nb_spring spring = {.stiffness = INFINITY};
    int32_t index;
    NB_TRY(nb_scene_fill(at, &nb_scene_spring_members, world, &spring));
    NB_TRY(nb_scene_explain(at, nb_world_add_spring(world, &spring, &index)));
out:
    return status;
}

/* ---- cavities ---- */

static nb_status read_cavity(const nb_input_at *at, nb_world *world) {
    nb_status status;
    nb_volume_law law;
    int32_t *corners = NULL, index;
    NB_TRY(nb_scene_fill(at, &nb_scene_cavity_members, world, &law));
    if (!positive(law.modulus) || !positive(law.rest))
        NB_TRY(nb_input_fail(at, "modulus %g Pa and volume %g m^3 must be positive", law.modulus, law.rest));
    const nb_input_at list = nb_input_member(at, "triangles");
    NB_TRY(nb_input_array(&list));
    const int64_t count = nb_input_count(&list);
    if (count % 3 != 0 || count == 0)
        NB_TRY(nb_input_fail(&list, "has %lld particles; expected three a triangle", (long long)count));
    NB_TRY(NB_ALLOCATE(count, &corners));
    NB_TRY(nb_input_wholes(&list, count, 0, world->particle_count - 1, corners));
    const nb_cavity surface = {(int32_t)(count / 3), corners};
    NB_TRY(nb_scene_explain(at, nb_world_add_cavity(world, &surface, law.model, 1, 0, &index)));
    world->cavities[index].law = law;
out:
    nb_free(corners);
    return status;
}

nb_status nb_scene_read_soft(const nb_input_at *scene, nb_world *world) {
    nb_status status;
    NB_TRY(nb_scene_read_list(scene, "particles", read_particle, world));
    NB_TRY(nb_scene_read_list(scene, "materials", read_material, world));
    NB_TRY(nb_scene_read_list(scene, "tetrahedra", read_tetrahedron, world));
    NB_TRY(nb_scene_read_list(scene, "triangles", read_triangle, world));
    NB_TRY(nb_scene_read_list(scene, "springs", read_spring, world));
    NB_TRY(nb_scene_read_list(scene, "cavities", read_cavity, world));
    const nb_input_at particles = nb_input_member(scene, "particles");
    for (int64_t i = 0; i < nb_input_count(&particles); i++) {
        const nb_input_at item = nb_input_item(&particles, i);
        NB_TRY(read_rest(&item, &world->particles[i]));
    }
out:
    return status;
}

/* Particles, elements, sheets and cavities of scene files. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "file/scene_file.h"
#include "file/scene_parts.h"

static int positive(double x) {
    return x > 0 && isfinite(x);
}

/* ---- particles ---- */

static nb_status read_particle(const nb_input_at *at, nb_world *world) {
    static const char *const keys[] = {"kind",     "mass_kg", "position_m", "velocity_m_s", "force_N", "friction",
                                       "radius_m", "rest_m",  NULL};
    nb_status status;
    nb_particle particle = {.kind = NB_BODY_DYNAMIC};
    int kind = NB_BODY_DYNAMIC;
    int32_t index;
    NB_TRY(nb_input_object(at, keys));
    NB_TRY(nb_scene_maybe_kind(at, 3, nb_scene_body_kinds, &kind));
    particle.kind = (nb_body_kind)kind;
    NB_TRY(kind == NB_BODY_DYNAMIC ? nb_scene_real(at, "mass_kg", &particle.mass)
                                   : nb_scene_maybe_real(at, "mass_kg", &particle.mass));
    NB_TRY(nb_scene_vec3(at, "position_m", &particle.position));
    NB_TRY(nb_scene_maybe_vec3(at, "velocity_m_s", &particle.velocity));
    NB_TRY(nb_scene_maybe_vec3(at, "force_N", &particle.force));
    NB_TRY(nb_scene_maybe_real(at, "friction", &particle.friction));
    NB_TRY(nb_scene_maybe_real(at, "radius_m", &particle.radius));
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
    static const char *const keys[] = {"kind", "young_Pa", "poisson", "density_kg_m3", NULL};
    nb_status status;
    nb_material material = {0};
    int kind = 0;
    int32_t index;
    NB_TRY(nb_input_object(at, keys));
    const nb_input_at named = nb_input_member(at, "kind");
    NB_TRY(nb_input_choice(&named, "material", NB_MATERIAL_KINDS, nb_material_names, &kind));
    material.kind = (nb_material_kind)kind;
    NB_TRY(nb_scene_real(at, "young_Pa", &material.young));
    NB_TRY(nb_scene_real(at, "poisson", &material.poisson));
    NB_TRY(nb_scene_real(at, "density_kg_m3", &material.density));
    NB_TRY(nb_scene_explain(at, nb_world_add_material(world, &material, &index)));
out:
    return status;
}

/* The shape at rest, where the file says it; else it is at rest where its particles are. */
static nb_status read_rest_shape(const nb_input_at *at, nb_rest_shape *rest) {
    nb_status status;
    const nb_input_at volume = nb_input_member(at, "volume_m3"), gradients = nb_input_member(at, "gradients_1_m");
    if (!volume.value && !gradients.value) return NB_OK;
    NB_TRY(nb_input_real(&volume, &rest->volume));
    if (!positive(rest->volume)) return nb_input_fail(&volume, "%g m^3 must be positive", rest->volume);
    rest->length = cbrt(6 * rest->volume);
    NB_TRY(nb_scene_maybe_real(at, "length_m", &rest->length));
    if (!positive(rest->length)) return nb_input_fail(at, "a length of %g m must be positive", rest->length);
    NB_TRY(nb_input_array(&gradients));
    for (int k = 0; k < 4; k++) {
        const nb_input_at item = nb_input_item(&gradients, k);
        NB_TRY(nb_input_vec3(&item, &rest->gradient[k]));
    }
out:
    return status;
}

static nb_status read_tetrahedron(const nb_input_at *at, nb_world *world) {
    static const char *const keys[] = {"particles", "material",   "volume_m3", "gradients_1_m",
                                       "length_m",  "activation", NULL};
    nb_status status;
    int32_t corner[4], material, index;
    double activation[6] = {0};
    NB_TRY(nb_input_object(at, keys));
    const nb_input_at corners = nb_input_member(at, "particles"), of = nb_input_member(at, "material"),
                      active = nb_input_member(at, "activation");
    NB_TRY(nb_input_wholes(&corners, 4, 0, world->particle_count - 1, corner));
    NB_TRY(nb_input_whole(&of, 0, world->material_count - 1, &material));
    if (active.value) NB_TRY(nb_input_reals(&active, 6, activation));
    NB_TRY(nb_scene_explain(at, nb_world_add_tetrahedron(world, corner, material, activation, &index)));
    NB_TRY(read_rest_shape(at, &world->tetrahedra[index].rest));
out:
    return status;
}

static nb_status read_triangle(const nb_input_at *at, nb_world *world) {
    static const char *const keys[] = {"particles", NULL};
    nb_status status;
    int32_t corner[3], index;
    NB_TRY(nb_input_object(at, keys));
    const nb_input_at corners = nb_input_member(at, "particles");
    NB_TRY(nb_input_wholes(&corners, 3, 0, world->particle_count - 1, corner));
    NB_TRY(nb_scene_explain(at, nb_world_add_triangle(world, corner, &index)));
out:
    return status;
}

static nb_status read_spring(const nb_input_at *at, nb_world *world) {
    static const char *const keys[] = {"particles", "length_m", "stiffness_N_m", NULL};
    nb_status status;
    nb_spring spring = {.stiffness = INFINITY};
    int32_t index;
    NB_TRY(nb_input_object(at, keys));
    const nb_input_at ends = nb_input_member(at, "particles");
    NB_TRY(nb_input_wholes(&ends, 2, 0, world->particle_count - 1, spring.particle));
    NB_TRY(nb_scene_real(at, "length_m", &spring.length));
    NB_TRY(nb_scene_maybe_real(at, "stiffness_N_m", &spring.stiffness));
    NB_TRY(nb_scene_explain(at, nb_world_add_spring(world, &spring, &index)));
out:
    return status;
}

/* ---- cavities ---- */

static nb_status read_law(const nb_input_at *at, nb_volume_law *law) {
    nb_status status;
    int model = 0;
    const nb_input_at named = nb_input_member(at, "volume_law");
    NB_TRY(nb_input_choice(&named, "volume law", NB_VOLUME_MODELS, nb_volume_model_names, &model));
    law->model = (nb_volume_model)model;
    NB_TRY(nb_scene_real(at, "modulus_Pa", &law->modulus));
    NB_TRY(nb_scene_real(at, "volume_without_pressure_m3", &law->rest));
    if (!positive(law->modulus) || !positive(law->rest))
        status = nb_input_fail(at, "modulus %g Pa and volume %g m^3 must be positive", law->modulus, law->rest);
out:
    return status;
}

static nb_status read_cavity(const nb_input_at *at, nb_world *world) {
    static const char *const keys[] = {"volume_law", "modulus_Pa", "volume_without_pressure_m3", "triangles", NULL};
    nb_status status;
    nb_volume_law law;
    int32_t *corners = NULL, index;
    NB_TRY(nb_input_object(at, keys));
    NB_TRY(read_law(at, &law));
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

typedef nb_status reader(const nb_input_at *at, nb_world *world);

nb_status nb_scene_read_soft(const nb_input_at *scene, nb_world *world) {
    static const struct {
        const char *key;
        reader *read;
    } lists[] = {{"particles", read_particle}, {"materials", read_material}, {"tetrahedra", read_tetrahedron},
                 {"triangles", read_triangle}, {"springs", read_spring},     {"cavities", read_cavity}};
    nb_status status = NB_OK;
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        const nb_input_at list = nb_input_member(scene, lists[k].key);
        if (list.value) NB_TRY(nb_input_array(&list));
        for (int64_t i = 0; i < nb_input_count(&list); i++) {
            const nb_input_at item = nb_input_item(&list, i);
            NB_TRY(lists[k].read(&item, world));
        }
    }
    const nb_input_at particles = nb_input_member(scene, "particles");
    for (int64_t i = 0; i < nb_input_count(&particles); i++) {
        const nb_input_at item = nb_input_item(&particles, i);
        NB_TRY(read_rest(&item, &world->particles[i]));
    }
out:
    return status;
}

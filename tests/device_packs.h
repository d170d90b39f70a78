/* Scenes with particles and elements on a device, held against this processor: for the emulated one (test_stages.c) and
 * the GPU (gpu_solvers.c). */
#ifndef NB_TEST_DEVICE_PACKS_H
#define NB_TEST_DEVICE_PACKS_H

#include "base/memory.h"
#include "contact/contact.h"
#include "device_cases.h"
#include "soft_mesh.h"

typedef struct pack_scene {
    scene of;
    nb_contacts *contacts;
} pack_scene;

static inline void add_solid_box(nb_world *world, nb_body_kind kind, double mass, nb_vec3 half, nb_vec3 place) {
    nb_shape *shape;
    int32_t index, body;
    CHECK_OK(nb_shape_box(half, &shape));
    CHECK_OK(nb_world_add_shape(world, shape, &index));
    CHECK_OK(nb_world_add_solid(world, kind, index, mass, 0.5, place, nb_quat_identity(), &body));
}

/* Two soft blocks, of a linear material and one that is not, whose every third tetrahedron has three rows, with some
 * particles held, on a fixed box and under two jointed ones; springs between the blocks: six packs. */
static inline void add_soft_blocks(nb_world *world) {
    static const nb_material materials[] = {{NB_MATERIAL_LINEAR, 1e5, 0.3, 1000},
                                            {NB_MATERIAL_NEO_HOOKEAN, 1e5, 0.4, 1000},
                                            {NB_MATERIAL_NEO_HOOKEAN_PRINCIPAL, 1e5, 0.4, 1000}};
    const double compliance[6] = {0};
    int32_t index;
    world->settings.contact_margin = 0.005;
    add_solid_box(world, NB_BODY_DYNAMIC, 2, nb_vec3_of(0.06, 0.08, 0.04), nb_vec3_of(0.1, 0.1, 0.243));
    add_solid_box(world, NB_BODY_DYNAMIC, 3, nb_vec3_of(0.06, 0.08, 0.04), nb_vec3_of(0.5, 0.1, 0.243));
    add_solid_box(world, NB_BODY_FIXED, 0, nb_vec3_of(1, 1, 0.1), nb_vec3_of(0, 0, -0.1));
    CHECK_OK(nb_world_add_joint_at(world, NB_JOINT_SPHERICAL, 0, 1, nb_vec3_of(0.3, 0.1, 0.243), nb_quat_identity(),
                                   compliance, &index));
    for (int i = 0; i < 2; i++) {
        nb_soft_part part;
        CHECK_OK(nb_world_add_material(world, &materials[i], &index));
        CHECK_OK(nb_world_add_soft_box(world, index, nb_vec3_of(0.4 * i, 0, 0.001), nb_vec3_of(0.2, 0.2, 0.2),
                                       (const int32_t[3]){2, 2, 2}, &part));
        nb_soft_part_set_skin(world, &part, 0.5, 0);
        world->particles[part.first_particle].kind = NB_BODY_FIXED;
    }
    CHECK_OK(nb_world_add_material(world, &materials[2], &index));
    for (int32_t i = world->tetrahedron_count / 2; i < world->tetrahedron_count; i += 3)
        world->tetrahedra[i].material = index;
    for (int32_t i = 0; i < 5; i++)
        CHECK_OK(nb_world_add_spring(
            world, &(nb_spring){.particle = {i, 28 + i}, .length = 0.3, .stiffness = i == 2 ? (double)INFINITY : 500},
            &index));
}

/* K of tetrahedra: symmetric, and large enough to show */
static inline void fill_blocks(nb_system *system, uint64_t *seed) {
    const int32_t *start = system->delassus->block_start;
    const nb_sum_view *view = nb_sum_view_of(system->delassus);
    int32_t filled[7] = {0};
    CHECK_OK(nb_system_use_blocks(system));
    for (int32_t p = 0; p < view->sum->packs; p++)
        for (int32_t i = view->first[p];
             view->sum->pack[p]->of_elements && i < view->first[p] + view->end[p] - view->begin[p]; i++) {
            int32_t n = start[i + 1] - start[i];
            real *k = nb_system_diagonal_block(system, i);
            for (int32_t r = 0; n > 1 && r < n; r++) {
                for (int32_t c = 0; c < r; c++) k[n * r + c] = k[n * c + r] = R(test_random(seed, -0.2, 0.2));
                k[(n + 1) * r] = R(test_random(seed, 1, 2));
            }
            filled[n]++;
        }
    assert_true(filled[6] > 0 && filled[3] > 0 && filled[1] > 0);
    system->symmetric = 1;
    nb_system_values_changed(system);
}

static inline void begin_packs(pack_scene *s, uint64_t *seed, int with_blocks) {
    CHECK_OK(nb_world_create(&s->of.world));
    add_soft_blocks(s->of.world);
    CHECK_OK(nb_contacts_create(&s->contacts));
    CHECK_OK(nb_contacts_detect(s->of.world, 0.01, s->contacts));
    begin_step(&s->of, seed, 4, *s->contacts);
    bound_condition(&s->of);
    if (with_blocks) fill_blocks(s->of.system, seed);
}

static inline void end_packs(pack_scene *s) {
    end_scene(&s->of);
    nb_contacts_destroy(s->contacts);
}

static inline int sweeps(const solver_case *c) {
    return strcmp(c->solver, "gauss-seidel") == 0 || (c->preconditioner && strcmp(c->preconditioner, "ssor") == 0);
}

/* every case, iterate by iterate; sweeps are refused by name */
static inline void check_packs(const nb_device *device) {
    static pack_scene s;
    static real x[MOST_ROWS];
    uint64_t seed = 31;
    nb_solve_report report;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int with_blocks = 0; with_blocks < 2; with_blocks++) {
        begin_packs(&s, &seed, with_blocks);
        assert_true(s.contacts->count > 20);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            const nb_linear_solver_class *solver;
            CHECK_OK(nb_linear_solver_find(cases[k].solver, &solver));
            if (!is_offered(&solver)) continue;
            if (!sweeps(&cases[k])) {
                compare(&cases[k], s.of.system, device);
                continue;
            }
            assert_int_equal(run(&cases[k], s.of.system, device, 1, x, &report), NB_ERROR_UNSUPPORTED);
            assert_non_null(strstr(nb_error_message(), "support rigid bodies only"));
        }
        end_packs(&s);
    }
}

/* K of what is no element is refused by name. */
static inline void check_other_blocks(const nb_device *device) {
    static pack_scene s;
    static real x[MOST_ROWS];
    uint64_t seed = 32;
    nb_solve_report report;
    begin_packs(&s, &seed, 1);
    *nb_system_diagonal_block(s.of.system, 0) = 1;
    nb_system_values_changed(s.of.system);
    assert_int_equal(run(&cases[0], s.of.system, device, 1, x, &report), NB_ERROR_UNSUPPORTED);
    assert_non_null(strstr(nb_error_message(), "of elements only"));
    end_packs(&s);
}

#endif

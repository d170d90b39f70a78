/* The pressure of a cavity in the stages of an integrator: a ball that breathes keeps the order. */
#include "staged_scene.h"

#include "soft_mesh.h"

NB_PRECISIONS(f64);

/* the volume after 2 ms of a free ball whose gas widens it, over that at first */
static double breathe(nb_integrator integrator, int steps) {
    scene s;
    nb_soft_part part;
    int32_t index, *inside;
    open_scene(integrator, "newton", "form=condensed damping=1", &s);
    s.request.info.newton_tolerance = 1e-10; /* strains are known to l/h eps */
    const nb_method_settings settings = nb_request_settings(&s.request);
    CHECK_OK(type->configure(s.stepper, "newton", &settings));
    s.world->gravity = nb_vec3_of(0, 0, 0);
    CHECK_OK(nb_world_add_material(s.world, &(nb_material){NB_MATERIAL_NEO_HOOKEAN, 1e5, 0.3, 1000}, &index));
    CHECK_OK(nb_world_add_ball_shell(s.world, 0, nb_vec3_of(0, 0, 0), 0.08, 0.1, 1, 1, &part, &inside));
    const nb_cavity surface = {NB_SHELL_TRIANGLES, inside};
    CHECK_OK(nb_world_add_cavity(s.world, &surface, NB_VOLUME_GAS, 1, 0.05, &index));
    nb_free(inside);
    begin(&s);
    const double first = nb_world_cavity_volume(s.world, 0);
    for (int i = 0; i < steps; i++) step(&s, 2e-3 / steps);
    const double volume = nb_world_cavity_volume(s.world, 0) / first;
    close_scene(&s);
    return volume;
}

TEST(breathing_keeps_the_order) {
    for (int i = 0; i < NB_INTEGRATORS; i++) {
        nb_integrator_stages stages;
        double volume[3];
        nb_integrator_stages_of((nb_integrator)i, 1, &stages);
        for (int k = 0; k < 3; k++) volume[k] = breathe((nb_integrator)i, 32 << k);
        const double order = log2((volume[1] - volume[0]) / (volume[2] - volume[1]));
        print_message("%s: V/V0 %.6f, %.6f, %.6f: order %.3f\n", nb_integrator_names[i], volume[0], volume[1],
                      volume[2], order);
        CHECK_NEAR(order, stages.order, 0.1);
    }
}

RUN_TESTS(breathing_keeps_the_order)

/* A hand of 21 bodies and 21 joints picks up a soft ball from the ground (paper, table 2, "Allegro Ball"; of the scene
 * the paper has no more than the counts). The ball is a cube's faces laid on two spheres about a core, 432 tetrahedra
 * (the paper: 427). At most 33 contacts (the paper: 409), as the hand is of boxes: with ellipsoids a quarter larger of
 * 80, 320 and 1280 triangles each there are 49, 107 and 271. */
#include <math.h>

#include "hand.h"
#include "papers.h"
#include "soft.h"

enum {
    FRICTION,
    GRIP,
    STIFFNESS,
    DAMPING,
    LIFT,
    RADIUS,
    MATERIAL,
    YOUNG,
    POISSON,
    DENSITY
};

static const nb_option parameters[] = {
    [FRICTION] = {"mu", "1", 0.8, 0, 10, 0, NULL, "friction coefficient"},
    [GRIP] = {"grip", "rad", 0.3, 0, 1, 0, NULL, "how far each joint of a finger is driven; the ball stops it before"},
    [STIFFNESS] = {"stiffness", "N m/rad", 3, 1e-6, 1e6, 0, NULL, "of the fingers' motors"},
    [DAMPING] = {"damping", "N m s/rad", 0.1, 0, 1e6, 0, NULL, "damping of the fingers' motors"},
    [LIFT] = {"lift", "m", 0.1, 0, 1, 0, NULL, "how far the palm is lifted"},
    [RADIUS] = {"radius", "m", 0.04, 0.01, 0.046, 0, NULL, "of the ball"},
    [MATERIAL] = {"material", "", 0, 0, 0, 0, nb_material_names, "of the ball"},
    [YOUNG] = {"young", "Pa", 1e5, 1e3, 1e12, 0, NULL, "Young's modulus"},
    [POISSON] = {"poisson", "1", 0.45, -0.9, 0.4999, 0, NULL, "Poisson's ratio"},
    [DENSITY] = {"density", "kg/m^3", 500, 1, 1e5, 0, NULL, "density"},
};

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t ground, hand, index;
    nb_soft_part ball;
    const nb_material material = {(nb_material_kind)p[MATERIAL], p[YOUNG], p[POISSON], p[DENSITY]};
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.003;
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &ground));
    NB_TRY(nb_add_hand(*world, p[FRICTION], p[STIFFNESS], p[DAMPING], &hand));
    NB_TRY(nb_world_add_material(*world, &material, &index));
    NB_TRY(nb_world_add_layered_ball(*world, index, nb_vec3_of(0, 0, p[RADIUS]), p[RADIUS], NB_BALL_CUBE, 3, 2, &ball));
    nb_soft_part_set_skin(*world, &ball, p[FRICTION], 0);
    nb_set_grasp(*world, p[GRIP], p[LIFT]);
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const nb_soft_state ball = nb_soft_state_of(initial, final, 0, initial->particle_count);
    double weight = ball.mass * nb_norm(initial->gravity), risen = ball.middle.z - p[RADIUS];
    nb_checks_add(checks, "vertical force on the ball", "N",
                  nb_force_on_particles(final, 0, initial->particle_count, -1).z, weight + ball.rate.z, 1e-4 * weight);
    nb_checks_add_below(checks, "joint error", "m or rad", nb_joint_error(initial, final), 1e-4);
    const int late = checks->count;
    /* the palm's motor gives way to the weight */
    nb_checks_add(checks, "way of the palm", "m", final->q[7 + 2] - nb_hand_height, p[LIFT], 1e-3);
    if (p[FRICTION] >= 0.8 && p[GRIP] >= 0.3 && p[STIFFNESS] >= 3 && p[RADIUS] >= 0.04 && p[DENSITY] <= 500 &&
        p[YOUNG] >= 1e5) /* a softer ball flows through the fingers */
        nb_checks_add(checks, "way of the ball with the palm", "m", risen, final->q[7 + 2] - nb_hand_height, 0.015);
    if (p[FRICTION] == 0 || p[GRIP] == 0) nb_checks_add(checks, "way of the ball, which slips", "m", risen, 0, 0.005);
    nb_checks_presuppose(checks, late, final->time >= nb_hand_lifted + 0.1, "the palm has been lifted, and held");
}

const nb_scenario_class nb_hand_ball = {
    .name = "hand-ball",
    .summary = "a hand of four fingers picks up a soft ball",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .paper = &nb_paper_macklin,
    .time_step = 0.0083,
    .steps = 150,
    .newton_iterations = 6,
    .linear_iterations = 50,
    .build = build,
    .check = check,
};

/* A hand of 21 bodies and 21 joints picks up an irregular, non-convex object from the ground: four fingers close on it,
 * and the palm lifts. As many bodies and joints as the Allegro hand in the paper's scene with objects of DexNet
 * (section 10.1.3, fig. 10, table 2), in boxes. The object lies loosely in the fingers: its contacts are redundant, and
 * friction alone holds it. */
#include <math.h>

#include "hand.h"
#include "papers.h"

enum {
    MASS,
    FRICTION,
    GRIP,
    STIFFNESS,
    DAMPING,
    LIFT
};

static const nb_option parameters[] = {
    [MASS] = {"object-mass", "kg", 0.15, 1e-6, 1e3, 0, NULL, "mass of the object"},
    [FRICTION] = {"mu", "1", 0.8, 0, 10, 0, NULL, "friction coefficient"},
    [GRIP] = {"grip", "rad", 0.3, 0, 1, 0, NULL,
              "how far each joint of a finger is driven; the object stops it before"},
    [STIFFNESS] = {"stiffness", "N m/rad", 3, 1e-6, 1e6, 0, NULL, "of the fingers' motors"},
    [DAMPING] = {"damping", "N m s/rad", 0.1, 0, 1e6, 0, NULL, "damping of the fingers' motors"},
    [LIFT] = {"lift", "m", 0.1, 0, 1, 0, NULL, "how far the palm is lifted"},
};

enum {
    OBJECT = 1 + NB_HAND_LINKS /* body; the ground is the first */
};

/* three blocks on and beside each other */
static nb_status object_shape(nb_shape **object, nb_vec3 *centre, nb_quat *axes) {
    static const double half[2][3] = {{0.02, 0.03, 0.015}, {0.01, 0.011, 0.02}};
    static const double offset[2][3] = {{0.005, -0.012, 0.035}, {-0.012, 0.031, 0.04}};
    nb_status status;
    nb_shape *block = NULL;
    nb_vec3 moments;
    double volume;
    NB_TRY(nb_shape_box(nb_vec3_of(0.028, 0.045, 0.02), object));
    for (int i = 0; i < 2; i++) {
        NB_TRY(nb_shape_box(nb_vec3_of(half[i][0], half[i][1], half[i][2]), &block));
        status =
            nb_shape_append(*object, block, nb_vec3_of(offset[i][0], offset[i][1], offset[i][2]), nb_quat_identity());
        nb_shape_destroy(block);
        if (status != NB_OK) goto out;
    }
    nb_shape_centre(*object, centre, axes, &moments, &volume);
out:
    if (status != NB_OK) {
        nb_shape_destroy(*object);
        *object = NULL;
    }
    return status;
}

/* it stands on its lowest block */
static nb_status add_object(nb_world *world, const double *p) {
    nb_status status;
    nb_shape *shape = NULL;
    nb_vec3 centre;
    nb_quat axes;
    int32_t index, body;
    NB_TRY(object_shape(&shape, &centre, &axes));
    NB_TRY(nb_world_add_shape(world, shape, &index));
    NB_TRY(nb_world_add_solid(world, NB_BODY_DYNAMIC, index, p[MASS], p[FRICTION],
                              nb_add(centre, nb_vec3_of(0, 0, 0.02)), axes, &body));
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t ground, hand;
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.003;
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &ground));
    NB_TRY(nb_add_hand(*world, p[FRICTION], p[STIFFNESS], p[DAMPING], &hand));
    NB_TRY(add_object(*world, p));
    nb_set_grasp(*world, p[GRIP], p[LIFT]);
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* the contact force on a body [N] */
static nb_vec3 force_on(const nb_snapshot *final, int32_t body) {
    nb_vec3 sum = nb_vec3_of(0, 0, 0);
    for (int32_t i = 0; i < final->contacts; i++)
        for (int side = 0; side < 2; side++)
            if (final->contact_bodies[2 * (int64_t)i + side] == body)
                sum = nb_add_scaled(sum, side ? -1 : 1, nb_snapshot_contact_force(final, i));
    return sum;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double *object = final->q + 7 * (int64_t)OBJECT, *hand = final->q + 7;
    double risen = object[2] - initial->bodies[OBJECT].position.z, weight = p[MASS] * nb_norm(initial->gravity);
    double rate = p[MASS] * (final->u[6 * (int64_t)OBJECT + 2] - final->u_before[6 * (int64_t)OBJECT + 2]);
    nb_checks_add(checks, "vertical force on the object", "N", force_on(final, OBJECT).z,
                  weight + nb_balanced_rate(final, rate / final->time_step, -weight), 1e-4 * weight);
    nb_checks_add_below(checks, "joint error", "m or rad", nb_joint_error(initial, final), 1e-4);
    const int late = checks->count;
    /* the palm's motor gives way to the weight */
    nb_checks_add(checks, "way of the palm", "m", hand[2] - nb_hand_height, p[LIFT], 1e-3);
    /* it may tilt in the grip */
    if (p[FRICTION] >= 0.8 && p[GRIP] >= 0.3 && p[STIFFNESS] >= 3 && p[MASS] <= 0.15)
        nb_checks_add(checks, "way of the object with the palm", "m", risen, hand[2] - nb_hand_height, 0.015);
    if (p[FRICTION] == 0 || p[GRIP] == 0) nb_checks_add(checks, "way of the object, which slips", "m", risen, 0, 0.005);
    nb_checks_presuppose(checks, late, final->time >= nb_hand_lifted + 0.1, "the palm has been lifted, and held");
}

const nb_scenario_class nb_hand_object = {
    .name = "hand-object",
    .summary = "a hand of four fingers picks up an irregular object",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .paper = &nb_paper_macklin,
    .time_step = 0.0083,
    .steps = 150,
    .newton_iterations = 8,
    .linear_iterations = 20,
    .build = build,
    .check = check,
};

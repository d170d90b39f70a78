/* Three soft fingers that curl when they are inflated pick up a ball (paper, section 10.1.4, fig. 2, table 2,
 * "PneuNet"). Each finger is a bar of 750 tetrahedra, 2250 together (the paper: 2241), that hangs from a plate which is
 * lifted. No chamber is modelled, as in the paper: the half of a finger on the outside wants to be longer in all
 * directions by what a pressure would make it, and the other half holds it.
 *
 * At most 97 contacts (the paper: 532): the ball is a sphere, which makes one with a particle, an edge or a face. The
 * paper's is a mesh: with one of 80, 320 and 1280 triangles there are 144, 284 and 516, most of edges with edges. */
#include <math.h>

#include "papers.h"
#include "robot.h"
#include "soft.h"

enum {
    MASS,
    FRICTION,
    PRESSURE,
    LIFT,
    RADIUS,
    YOUNG,
    POISSON,
    DENSITY
};

static const nb_option parameters[] = {
    [MASS] = {"ball-mass", "kg", 0.32, 1e-6, 1e3, 0, NULL, "mass of the ball"},
    [FRICTION] = {"mu", "1", 0.7, 0, 10, 0, NULL, "friction coefficient"},
    [PRESSURE] = {"strain", "1", 0.25, 0, 1, 0, NULL,
                  "of the outer half of a finger in the end, along each axis: p/(3 lambda + 2 mu)"},
    [LIFT] = {"lift", "m", 0.05, 0, 1, 0, NULL, "how far the plate is lifted"},
    [RADIUS] = {"radius", "m", 0.035, 0.005, 0.05, 0, NULL, "of the ball"},
    [YOUNG] = {"young", "Pa", 1e7, 1e3, 1e12, 0, NULL, "Young's modulus"},
    [POISSON] = {"poisson", "1", 0.47, -0.9, 0.4999, 0, NULL, "Poisson's ratio"},
    [DENSITY] = {"density", "kg/m^3", 1200, 1, 1e5, 0, NULL, "density"},
};

enum {
    FINGERS = 3,
    BALL = 1 /* body; the ground is the first */
};

static const int32_t cells[3] = {3, 2, 25}; /* across, towards the ball, along */
static const double length = 0.12, width = 0.02;
static const double inflated = 0.5, begin_to_lift = 0.7, lifted = 1.2; /* [s] */

/* kept in prescribed: strain, lift */
static void inflate(nb_world *world, double h) {
    double rate, t = world->time + h, strain = world->prescribed[0] * nb_ramp(t, 0, inflated, &rate);
    nb_ramp(t - 0.5 * h, begin_to_lift, lifted, &rate);
    for (int32_t i = 0; i < world->tetrahedron_count; i++)
        for (int k = 0; k < 3 && world->tetrahedra[i].material == 1; k++) world->tetrahedra[i].activation[k] = strain;
    for (int32_t i = 0; i < world->particle_count; i++)
        if (world->particles[i].kind == NB_BODY_KINEMATIC) world->particles[i].velocity.z = world->prescribed[1] * rate;
}

static nb_status add_finger(nb_world *world, const double *p, int32_t finger) {
    nb_status status;
    nb_soft_part part;
    const double outward = p[RADIUS] + 0.5 * width + 0.004, top = length + 0.025;
    nb_quat turn = nb_quat_about(nb_vec3_of(0, 0, 1), 2 * acos(-1) * finger / FINGERS);
    NB_TRY(nb_world_add_soft_box(world, 0, nb_vec3_of(-width / 2, -width / 2, 0), nb_vec3_of(width, width, length),
                                 cells, &part));
    /* the outer half, of the cells that are farther from the ball, is of the material that is inflated */
    for (int32_t i = 0; i < part.tetrahedron_count; i++)
        if (i / 5 / cells[0] % cells[1] >= cells[1] / 2) world->tetrahedra[part.first_tetrahedron + i].material = 1;
    for (int32_t i = 0; i < part.particle_count; i++) {
        nb_particle *particle = &world->particles[part.first_particle + i];
        if (particle->position.z > length - 1e-9) particle->kind = NB_BODY_KINEMATIC;
        particle->position = nb_quat_rotate(turn, nb_add(particle->position, nb_vec3_of(0, outward, top - length)));
    }
    /* at rest as they now stand */
    for (int32_t i = 0; i < part.tetrahedron_count; i++) {
        nb_tetrahedron *of = &world->tetrahedra[part.first_tetrahedron + i];
        nb_vec3 corner[4];
        for (int k = 0; k < 4; k++) corner[k] = world->particles[of->particle[k]].position;
        NB_TRY(nb_rest_shape_of(corner, part.first_tetrahedron + i, &of->rest));
    }
    nb_soft_part_set_skin(world, &part, p[FRICTION], 0);
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t ground, index, ball;
    nb_shape *sphere;
    const nb_material material = {NB_MATERIAL_LINEAR, p[YOUNG], p[POISSON], p[DENSITY]};
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.002;
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &ground));
    NB_TRY(nb_shape_sphere(p[RADIUS], &sphere));
    NB_TRY(nb_world_add_shape(*world, sphere, &index));
    NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, index, p[MASS], p[FRICTION], nb_vec3_of(0, 0, p[RADIUS]),
                              nb_quat_identity(), &ball));
    for (int half = 0; half < 2; half++) NB_TRY(nb_world_add_material(*world, &material, &index));
    for (int32_t finger = 0; finger < FINGERS; finger++) NB_TRY(add_finger(*world, p, finger));
    (*world)->prescribed[0] = p[PRESSURE];
    (*world)->prescribed[1] = p[LIFT];
    (*world)->prescribe = inflate;
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    double weight = p[MASS] * nb_norm(initial->gravity), risen = final->q[7 * BALL + 2] - p[RADIUS], force = 0;
    double rate = p[MASS] * (final->u[6 * BALL + 2] - final->u_before[6 * BALL + 2]) / final->time_step, plate = 0;
    for (int32_t i = 0; i < final->contacts; i++)
        for (int side = 0; side < 2; side++)
            if (final->contact_bodies[2 * (int64_t)i + side] == BALL)
                force += (side ? -1 : 1) * nb_snapshot_contact_force(final, i).z;
    nb_checks_add(checks, "vertical force on the ball", "N", force, weight + nb_balanced_rate(final, rate, -weight),
                  1e-4 * weight);
    for (int32_t i = 0; i < initial->particle_count; i++)
        if (initial->particles[i].kind == NB_BODY_KINEMATIC)
            plate = final->particle_x[3 * (int64_t)i + 2] - initial->particles[i].position.z;
    const int late = checks->count;
    nb_checks_add(checks, "way of the plate", "m", plate, p[LIFT], 1e-3 * (1 + p[LIFT]));
    if (p[FRICTION] == 0.7 && p[PRESSURE] == 0.25 && p[RADIUS] == 0.035 && p[MASS] <= 0.32 && p[YOUNG] >= 1e7)
        nb_checks_add(checks, "way of the ball with the plate", "m", risen, plate, 0.01);
    if (p[PRESSURE] == 0) nb_checks_add(checks, "way of the ball, which nothing holds", "m", risen, 0, 1e-4);
    nb_checks_presuppose(checks, late, final->time >= lifted + 0.1, "the plate has been lifted, and held");
}

const nb_scenario_class nb_gripper = {
    .name = "gripper",
    .summary = "three soft fingers that are inflated pick up a ball",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .paper = &nb_paper_macklin,
    .time_step = 0.0083,
    .steps = 170,
    .newton_iterations = 4,
    .linear_iterations = 80,
    .build = build,
    .check = check,
};

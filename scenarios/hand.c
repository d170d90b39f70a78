#include "hand.h"

#include "model/drive.h"

enum {
    FINGERS = 4,
    PHALANGES = 5 /* of a finger: knuckle, three moved phalanges, tip */
};

static const double begin_to_close = 0.1, closed = 0.5; /* [s] */
const double nb_hand_lifted = 1, nb_hand_height = 0.19;

/* a finger that hangs from the palm at (x, y); bends towards x = 0 */
static void make_finger(double stiffness, double damping, double x, double y, nb_link links[PHALANGES], int first) {
    static const double length[PHALANGES] = {0, 0.054, 0.0384, 0.0267, 0.016}; /* of Allegro's fingers [m] */
    nb_vec3 inward = nb_vec3_of(0, x < 0 ? -1 : 1, 0);
    double z = nb_hand_height - 0.025;
    for (int i = 0; i < PHALANGES; i++) {
        double gap = 0.002; /* left out of a phalanx at either end */
        nb_link *link = &links[i];
        *link = (nb_link){.half = nb_vec3_of(0.008, 0.01, i == 0 ? 0.008 : 0.5 * length[i] - gap),
                          .centre = nb_vec3_of(x, y, z - 0.5 * length[i]),
                          .mass = i == 0 ? 0.02 : length[i],
                          .ghost = i == 0,
                          .parent = i == 0 ? 0 : first + i - 1,
                          .anchor = nb_vec3_of(x, y, z),
                          .kind = i == PHALANGES - 1 ? NB_JOINT_FIXED : NB_JOINT_REVOLUTE,
                          .axis = i == 0 ? nb_vec3_of(1, 0, 0) : inward, /* the knuckle spreads the fingers */
                          .stiffness = stiffness,
                          .damping = damping};
        z -= length[i];
    }
}

static void make_links(double stiffness, double damping, nb_link links[NB_HAND_LINKS]) {
    static const double place[FINGERS][2] = {{-0.055, -0.035}, {-0.055, 0}, {-0.055, 0.035}, {0.055, 0}};
    links[0] = (nb_link){.half = nb_vec3_of(0.07, 0.05, 0.012),
                         .centre = nb_vec3_of(0, 0, nb_hand_height),
                         .mass = 0.5,
                         .parent = -1,
                         .anchor = nb_vec3_of(0, 0, nb_hand_height),
                         .kind = NB_JOINT_PRISMATIC,
                         .axis = nb_vec3_of(0, 0, 1),
                         .stiffness = 1e5,
                         .damping = 1e3};
    for (int f = 0; f < FINGERS; f++)
        make_finger(stiffness, damping, place[f][0], place[f][1], links + 1 + PHALANGES * f, 1 + PHALANGES * f);
}

/* kept in prescribed: grip, lift. Motors come in the order of the links: the palm's, then four of each finger, of which
 * the knuckle's first stays. */
static void grasp(nb_world *world, double h) {
    double closing, rising, t = world->time + h;
    double bent = nb_ramp(t, begin_to_close, closed, &closing), high = nb_ramp(t, closed, nb_hand_lifted, &rising);
    world->motors[0].target = world->prescribed[1] * high;
    world->motors[0].rate = world->prescribed[1] * rising;
    for (int32_t m = 1; m < world->motor_count; m++) {
        int moves = (m - 1) % (PHALANGES - 1) != 0;
        world->motors[m].target = moves * world->prescribed[0] * bent;
        world->motors[m].rate = moves * world->prescribed[0] * closing;
    }
}

nb_status nb_add_hand(nb_world *world, double friction, double stiffness, double damping, int32_t *first) {
    nb_status status;
    nb_link links[NB_HAND_LINKS];
    const nb_placed here = {nb_vec3_of(0, 0, 0), nb_quat_identity()};
    make_links(stiffness, damping, links);
    NB_TRY(nb_add_link_shapes(world, links, NB_HAND_LINKS));
    NB_TRY(nb_add_robot(world, links, NB_HAND_LINKS, friction, &here, first));
out:
    return status;
}

void nb_set_grasp(nb_world *world, double grip, double lift) {
    world->prescribed[0] = grip;
    world->prescribed[1] = lift;
    world->prescribe = grasp;
}

#include "measure/infeasibility.h"

#include <math.h>

#include "base/largest.h"

static double joint_error(const nb_world *world, const nb_joint *joint) {
    nb_joint_row rows[NB_JOINT_MAX_ROWS];
    nb_vec3 x[2];
    nb_quat turn[2];
    double largest = 0;
    const int32_t ends[2] = {joint->body_a, joint->body_b};
    for (int i = 0; i < 2; i++) {
        x[i] = ends[i] < 0 ? nb_vec3_of(0, 0, 0) : world->bodies[ends[i]].position;
        turn[i] = ends[i] < 0 ? nb_quat_identity() : world->bodies[ends[i]].orientation;
    }
    int count = nb_joint_evaluate(joint, x[0], turn[0], x[1], turn[1], rows);
    for (int k = 0; k < count; k++)
        if (rows[k].compliance == 0 && nb_norm(rows[k].linear_a) > 0) nb_raise(&largest, fabs(rows[k].value));
    return largest;
}

nb_status nb_infeasibility_of(const nb_world *world, nb_contacts *contacts, nb_infeasibility *infeasibility) {
    *infeasibility = (nb_infeasibility){0, 0};
    nb_status status = nb_contacts_deepest(world, contacts, &infeasibility->penetration);
    if (status != NB_OK) return status;
    for (int32_t j = 0; j < world->joint_count; j++)
        nb_raise(&infeasibility->joints, joint_error(world, &world->joints[j]));
    return NB_OK;
}

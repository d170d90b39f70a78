#include "measure/final_state.h"

#include <math.h>

#include "base/largest.h"
#include "model/coordinate.h"

nb_vec3 nb_force_of_fixed(const nb_world *initial, const nb_snapshot *final) {
    nb_vec3 sum = nb_vec3_of(0, 0, 0);
    for (int32_t i = 0; i < final->contacts; i++)
        for (int side = 0; side < 2; side++) {
            int32_t body = final->contact_bodies[2 * (int64_t)i + side];
            if (body < 0 && nb_snapshot_soft(final, i) >= 0) continue; /* particles */
            if (body < 0 || initial->bodies[body].kind != NB_BODY_DYNAMIC)
                sum = nb_add_scaled(sum, side ? 1 : -1, nb_snapshot_contact_force(final, i));
        }
    return sum;
}

double nb_drift(const nb_world *initial, const nb_snapshot *final) {
    double largest = 0;
    for (int32_t b = 0; b < initial->body_count; b++) {
        if (initial->bodies[b].kind != NB_BODY_DYNAMIC) continue;
        const double *q = final->q + 7 * (int64_t)b;
        nb_raise(&largest, nb_norm(nb_sub(nb_vec3_of(q[0], q[1], q[2]), initial->bodies[b].position)));
    }
    return largest;
}

/* a body's place at the end; of -1 the world's */
static void pose_at_end(const nb_snapshot *final, int32_t body, nb_vec3 *x, nb_quat *turn) {
    const double *q = body < 0 ? NULL : final->q + 7 * (int64_t)body;
    *x = q ? nb_vec3_of(q[0], q[1], q[2]) : nb_vec3_of(0, 0, 0);
    *turn = q ? nb_quat_of(q[3], q[4], q[5], q[6]) : nb_quat_identity();
}

double nb_joint_error(const nb_world *initial, const nb_snapshot *final) {
    double largest = 0;
    for (int32_t j = 0; j < initial->joint_count; j++) {
        const nb_joint *joint = &initial->joints[j];
        nb_joint_row rows[NB_JOINT_MAX_ROWS];
        nb_vec3 xa, xb;
        nb_quat qa, qb;
        pose_at_end(final, joint->body_a, &xa, &qa);
        pose_at_end(final, joint->body_b, &xb, &qb);
        const int count = nb_joint_evaluate(joint, xa, qa, xb, qb, rows), driven = nb_driven_row(initial, j);
        int along;
        for (int k = 0; k < count; k++)
            if (rows[k].compliance == 0 && k != driven) nb_raise(&largest, fabs(rows[k].value));
        const double near = final->joints > j ? final->joint_coordinate[j] : nb_coordinate_near(initial, j);
        nb_raise(&largest, nb_limit_crossed(initial, j, near, xa, qa, xb, qb, &along));
    }
    return largest;
}

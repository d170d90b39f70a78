#include "linkage.h"

#include <math.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "model/drive.h"
#include "model/energy.h"

/* the turn that takes the x axis to this unit direction */
static nb_quat turn_to(nb_vec3 d) {
    if (d.x < -1 + 1e-12) return nb_quat_about(nb_vec3_of(0, 0, 1), 2 * acos(0));
    const double s = 1 / sqrt(2 * (1 + d.x));
    return (nb_quat){s * (1 + d.x), 0, -s * d.z, s * d.y};
}

nb_status nb_add_bar(nb_world *world, nb_vec3 from, nb_vec3 to, double half_y, double half_z, double mass,
                     double friction, int touches, int32_t *body) {
    nb_status status;
    int32_t shape;
    const nb_vec3 way = nb_sub(to, from);
    NB_TRY(nb_add_box_shape(world, nb_vec3_of(0.5 * nb_norm(way), half_y, half_z), &shape));
    NB_TRY(nb_world_add_solid(world, NB_BODY_DYNAMIC, shape, mass, friction, nb_scale(0.5, nb_add(from, to)),
                              turn_to(nb_normalized(way)), body));
    if (!touches) world->bodies[*body].shape = -1;
out:
    return status;
}

nb_status nb_pin(nb_world *world, nb_joint_kind kind, int32_t a, int32_t b, nb_vec3 at, nb_vec3 axis, int32_t *joint) {
    static const double rigid[6] = {0};
    return nb_world_add_joint_at(world, kind, a, b, at, turn_to(axis), rigid, joint);
}

nb_status nb_pin_motor(nb_world *world, int32_t a, int32_t b, nb_vec3 at, nb_vec3 axis) {
    int32_t motor;
    return nb_world_add_motor(world, NB_JOINT_REVOLUTE, a, b, at, turn_to(axis), INFINITY, 0, &motor);
}

/* ---- degrees of freedom ---- */

enum {
    MOST_ROWS = 1000
};

static void put(double *to, nb_vec3 linear, nb_vec3 angular) {
    const double numbers[] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    memcpy(to, numbers, sizeof numbers);
}

/* adds the part of the row that is across the first `rank` of `basis` [..][count], if there is one; returns the rank */
static int32_t add_row(double *basis, int32_t rank, int32_t count, double *row) {
    double was = 0, is = 0;
    for (int32_t k = 0; k < count; k++) was += row[k] * row[k];
    for (int32_t i = 0; i < 2 * rank; i++) { /* twice, for round-off */
        const double *b = basis + (int64_t)(i % rank) * count;
        double along = 0;
        for (int32_t k = 0; k < count; k++) along += b[k] * row[k];
        for (int32_t k = 0; k < count; k++) row[k] -= along * b[k];
    }
    for (int32_t k = 0; k < count; k++) is += row[k] * row[k];
    if (!(is > 1e-16 * was)) return rank;
    for (int32_t k = 0; k < count; k++) basis[(int64_t)rank * count + k] = row[k] / sqrt(is);
    return rank + 1;
}

void nb_check_freedoms(const nb_world *initial, int32_t freedoms, int32_t redundant, nb_checks *checks) {
    nb_status status = NB_OK;
    const int32_t count = 6 * initial->body_count;
    int32_t rows = 0, rank = 0, free = 0;
    double *basis = NULL, *row = NULL;
    for (int32_t i = 0; i < initial->joint_count; i++) rows += nb_joint_rows(initial->joints[i].kind);
    for (int32_t i = 0; i < initial->body_count; i++) free += 6 * (initial->bodies[i].kind == NB_BODY_DYNAMIC);
    if (rows > MOST_ROWS) return;
    NB_TRY(NB_ALLOCATE((int64_t)rows * count, &basis));
    NB_TRY(NB_ALLOCATE(count, &row));
    for (int32_t i = 0; i < initial->joint_count; i++) {
        const nb_joint *joint = &initial->joints[i];
        const int32_t body[2] = {joint->body_a, joint->body_b};
        nb_joint_row of[NB_JOINT_MAX_ROWS];
        nb_vec3 x[2];
        nb_quat q[2];
        for (int k = 0; k < 2; k++) nb_world_pose(initial, body[k], &x[k], &q[k]);
        const int made = nb_joint_evaluate(joint, x[0], q[0], x[1], q[1], of);
        for (int r = 0; r < made; r++) {
            memset(row, 0, (size_t)count * sizeof *row);
            if (body[0] >= 0 && initial->bodies[body[0]].kind == NB_BODY_DYNAMIC)
                put(row + 6 * (ptrdiff_t)body[0], of[r].linear_a, of[r].angular_a);
            if (body[1] >= 0 && initial->bodies[body[1]].kind == NB_BODY_DYNAMIC)
                put(row + 6 * (ptrdiff_t)body[1], of[r].linear_b, of[r].angular_b);
            rank = add_row(basis, rank, count, row);
        }
    }
out:
    nb_free(basis);
    nb_free(row);
    if (status != NB_OK) free = rows = -1; /* which is no count */
    nb_checks_add(checks, "degrees of freedom at the start", "1", free - rank, freedoms, 0);
    nb_checks_add(checks, "redundant rows of joints", "1", rows - rank, redundant, 0);
}

/* ---- the end ---- */

void nb_check_joints(const nb_world *initial, const nb_snapshot *final, double size, nb_checks *checks) {
    double turned = 0;
    if (!nb_takes_all_back(initial)) return;
    for (int32_t b = 0; b < initial->body_count; b++) {
        const double *u = final->u + 6 * (int64_t)b;
        nb_raise(&turned, final->time_step * nb_norm(nb_vec3_of(u[3], u[4], u[5])));
    }
    /* what a linearised step leaves is of second order */
    nb_checks_add_below(checks, "joint error", "m or rad", nb_joint_error(initial, final),
                        2 * fmax(size, 1) * turned * turned + 1e-6 * fmax(size, 1));
}

void nb_check_ground(const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double weight = nb_weight(initial);
    nb_checks_add(checks, "vertical force on the ground", "N", nb_force_of_fixed(initial, final).z,
                  weight + nb_momentum_rate(initial, final), 1e-4 * weight);
}

void nb_check_energy(const nb_world *initial, const nb_snapshot *final, double size, double most, nb_checks *checks) {
    const double start = nb_world_kinetic_energy(initial) + nb_world_potential_energy(initial);
    nb_checks_add_below(checks, "energy gained over the scene's", "1",
                        (nb_energy_at_end(initial, final) - start) / size, most);
}

#include "joint_sweep.h"

#include <string.h>
#include <tgmath.h>

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

nb_status nb_joint_sweep_make(const nb_rigid_rows *rigid, const uint8_t *moves, nb_joint_sweep *sweep) {
    const int32_t rows = rigid->joint_row_count;
    nb_status status;
    *sweep = (nb_joint_sweep){.rows = rigid->joint_rows, .inverse = rigid->inverse, .moves = moves};
    NB_TRY(NB_ALLOCATE(rows, &sweep->answers));
    NB_TRY(NB_ALLOCATE(rows, &sweep->groups));
    for (int32_t i = 0; i < rows;) {
        const nb_jacobian_row *row = &rigid->joint_rows[i];
        int32_t end = i + 1;
        while (end < rows && end - i < NB_JOINT_GROUP && row[end - i].a == row->a && row[end - i].b == row->b) end++;
        sweep->groups[sweep->count++] =
            (nb_joint_group){row->a < 0 ? row->b : row->a, row->b < 0 ? row->a : row->b, i, end - i};
        i = end;
    }
out:
    if (status != NB_OK) nb_joint_sweep_clear(sweep);
    return status;
}

void nb_joint_sweep_clear(nb_joint_sweep *sweep) {
    nb_free(sweep->answers);
    nb_free(sweep->groups);
    *sweep = (nb_joint_sweep){0};
}

/* ---- how rows answer ---- */

/* J and H^-1 J^T of one side */
static void answer_side(const nb_joint_sweep *sweep, int32_t body, const real from[6], real j[6], real out[6]) {
    memset(j, 0, 6 * sizeof *j);
    memset(out, 0, 6 * sizeof *out);
    if (body < 0) return;
    memcpy(j, from, 6 * sizeof *j);
    if (!sweep->moves[body]) return;
    const nb_inverse_mass *inverse = &sweep->inverse[body];
    for (int k = 0; k < 3; k++) out[k] = inverse->mass * j[k];
    nb_symmetric_apply(inverse->inertia, j + 3, out + 3);
}

static void linearise_group(const nb_joint_sweep *sweep, const nb_joint_group *group) {
    nb_joint_answer *answers = sweep->answers + group->first;
    for (int32_t k = 0; k < group->count; k++) {
        const nb_jacobian_row *row = &sweep->rows[group->first + k];
        answer_side(sweep, row->a, row->j, answers[k].j, answers[k].velocity);
        answer_side(sweep, row->b, row->j + 6, answers[k].j + 6, answers[k].velocity + 6);
    }
    for (int32_t k = 0; k < group->count; k++)
        for (int32_t l = 0; l < group->count; l++) {
            answers[k].others[l] = 0;
            for (int n = 0; n < 12; n++) answers[k].others[l] += answers[l].j[n] * answers[k].velocity[n];
        }
}

void nb_joint_sweep_linearise(const nb_joint_sweep *sweep) {
    for (int32_t g = 0; g < sweep->count; g++) linearise_group(sweep, &sweep->groups[g]);
}

/* ---- a sweep ---- */

static inline real row_velocity(const real *restrict j, const real *restrict a, const real *restrict b) {
    real part[6];
    for (int k = 0; k < 6; k++) part[k] = j[k] * a[k] + j[6 + k] * b[k];
    return (part[0] + part[2] + part[4]) + (part[1] + part[3] + part[5]);
}

static inline real relax_group(const nb_joint_sweep *sweep, const nb_joint_group *group, const nb_projected *s,
                               int backward, real omega, real *velocity) {
    const int32_t first = group->first, count = group->count;
    const nb_joint_answer *answers = sweep->answers + first;
    real *a = velocity + (ptrdiff_t)group->a * NB_BODY_STRIDE, *b = velocity + (ptrdiff_t)group->b * NB_BODY_STRIDE;
    real r[NB_JOINT_GROUP] = {0}, moved[12] = {0}, largest = 0;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = first + k;
        r[k] = row_velocity(answers[k].j, a, b) + nb_projected_c(s, i) * s->z[i] + s->q[i];
    }
    for (int32_t n = 0; n < count; n++) {
        const int32_t k = backward ? count - 1 - n : n;
        const real size = fabs(r[k]), dz = -omega * s->eta[first + k] * r[k];
        if (size > largest) largest = size;
        s->z[first + k] += dz;
        for (int l = 0; l < NB_JOINT_GROUP; l++)
            r[l] += answers[k].others[l] * dz; /* of those done it is not asked again */
        for (int l = 0; l < 12; l++) moved[l] += answers[k].velocity[l] * dz;
    }
    for (int l = 0; l < 6; l++) a[l] += moved[l];
    for (int l = 0; l < 6; l++) b[l] += moved[6 + l];
    return largest;
}

real nb_joint_sweep_relax(const nb_joint_sweep *sweep, const nb_projected *problem, int backward, real omega,
                          real *velocity) {
    real largest = 0;
    for (int32_t g = 0; g < sweep->count; g++) {
        const nb_joint_group *group = &sweep->groups[backward ? sweep->count - 1 - g : g];
        const real own = relax_group(sweep, group, problem, backward, omega, velocity);
        if (own > largest) largest = own;
    }
    return largest;
}

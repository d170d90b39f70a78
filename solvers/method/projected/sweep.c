#include "sweep.h"

#include <string.h>
#include <tgmath.h>

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

nb_status nb_sweep_make(nb_projected *problem, int directions, nb_sweep *sweep) {
    nb_status status = NB_OK;
    const nb_delassus *d = problem->p->exact;
    sweep->problem = problem;
    sweep->is_rigid = !problem->eliminated && nb_rigid_rows_of(d, &sweep->rigid);
    if (!problem->matrix && !problem->eliminated)
        NB_TRY(NB_ALLOCATE(nb_nodes_length(d->mass->nodes), &sweep->velocity));
    if (sweep->is_rigid) sweep->moves = d->mass->moves;
    if (sweep->is_rigid) NB_TRY(nb_joint_sweep_make(&sweep->rigid, sweep->moves, directions, &sweep->joints));
out:
    return status;
}

void nb_sweep_clear(nb_sweep *sweep) {
    nb_free(sweep->velocity);
    nb_joint_sweep_clear(&sweep->joints);
    *sweep = (nb_sweep){0};
}

/* by entries of the matrix */
static void matrix_velocity(const nb_projected *s, int32_t first, int count, real *out) {
    const nb_csr *a = s->eliminated ? s->eliminated->reduced : s->matrix;
    for (int j = 0; j < count; j++) {
        out[j] = s->eliminated ? s->eliminated->offset[first + j] : 0;
        for (int64_t k = a->start[first + j]; k < a->start[first + j + 1]; k++)
            out[j] += a->value[k] * nb_projected_s(s, a->column[k]) * s->z[a->column[k]];
    }
}

void nb_sweep_block_velocity(const nb_sweep *sweep, int32_t block, int32_t first, int count, real *out) {
    const nb_projected *s = sweep->problem;
    if (s->matrix || s->eliminated)
        matrix_velocity(s, first, count, out);
    else
        s->p->exact->type->block_velocity(s->p->exact, block, sweep->velocity, out);
}

static real relax_bilateral(const nb_sweep *sweep, int32_t i, real omega) {
    nb_projected *s = sweep->problem;
    real r;
    nb_sweep_block_velocity(sweep, i, i, 1, &r);
    r += nb_projected_c(s, i) * s->z[i] + s->q[i];
    const real dz = -omega * s->eta[i] * r;
    s->z[i] += dz;
    nb_sweep_push(sweep, i, &dz);
    return fabs(r);
}

static real relax_box(const nb_sweep *sweep, int32_t i, real omega) {
    nb_projected *s = sweep->problem;
    const int32_t row = s->contact_end + i, block = s->bilaterals + s->contacts + i;
    const real length = omega * s->eta[block];
    real r;
    nb_sweep_block_velocity(sweep, block, row, 1, &r);
    r += nb_projected_c(s, row) * s->z[row] + s->q[row];
    const real to = nb_projected_clamp(s, row, 1, s->z[row] - length * r), dz = to - s->z[row];
    s->z[row] = to;
    if (dz != 0) nb_sweep_push(sweep, block, &dz);
    return fabs(dz) / length;
}

real nb_sweep_relax_joints(const nb_sweep *sweep, int backward, real omega) {
    const nb_projected *s = sweep->problem;
    const int32_t rows = s->eliminated ? 0 : s->bilaterals, all = rows + s->boxes;
    real largest = 0;
    if (sweep->joints.count > 0) return nb_joint_sweep_relax(&sweep->joints, s, backward, sweep->velocity);
    for (int32_t k = 0; k < all; k++) {
        const int32_t i = backward ? all - 1 - k : k;
        const real met = i < rows ? relax_bilateral(sweep, i, omega) : relax_box(sweep, i - rows, omega);
        largest = nb_sweep_larger(largest, met);
    }
    return largest;
}

void nb_sweep_refresh(const nb_sweep *sweep) {
    const nb_projected *s = sweep->problem;
    if (s->matrix || s->eliminated) return;
    memset(sweep->velocity, 0, (size_t)nb_nodes_length(s->p->exact->mass->nodes) * sizeof *sweep->velocity);
    for (int32_t i = 0; i < s->bilaterals; i++) nb_sweep_push(sweep, i, &s->z[i]);
    for (int32_t i = 0; i < s->contacts; i++) {
        const real *z = s->z + s->bilaterals + 3 * (ptrdiff_t)i;
        if (z[0] == 0 && z[1] == 0 && z[2] == 0) continue;
        const real force[3] = {z[0], z[1], s->ratio * z[2]};
        nb_sweep_push(sweep, s->bilaterals + i, force);
    }
    for (int32_t i = 0; i < s->boxes; i++)
        nb_sweep_push(sweep, s->bilaterals + s->contacts + i, &s->z[s->contact_end + i]);
}

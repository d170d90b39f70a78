#include "penalty_joints.h"

#include <string.h>

#include "base/memory.h"
#include "constraint/bilateral.h"
#include "constraint/step.h"

NB_PRECISIONS(f32, f64);

static const nb_law_range *joints_of(const nb_problem *p) {
    for (int32_t k = 0; k < p->range_count; k++)
        if (p->ranges[k].law->type == &nb_bilateral_class) return &p->ranges[k];
    return NULL;
}

static int is_rigid(const nb_law_range *range, int32_t i) {
    return !(((const nb_bilateral_law *)range->law)->compliance[range->first + i] > 0);
}

void nb_penalty_joints_clear(nb_penalty_joints *j) {
    nb_free(j->z);
    nb_free(j->saved);
    nb_free(j->dz);
    *j = (nb_penalty_joints){0};
}

nb_status nb_penalty_joints_reserve(nb_penalty_joints *j, const nb_problem *p) {
    nb_status status = NB_OK;
    const nb_law_range *range = joints_of(p);
    j->any = 0;
    for (int32_t i = 0; range && i < range->blocks; i++) j->any |= is_rigid(range, i);
    if (!j->any) return NB_OK;
    j->count = p->bilaterals;
    NB_TRY(NB_RESERVE(j->count, &j->capacity[0], &j->z));
    NB_TRY(NB_RESERVE(j->count, &j->capacity[1], &j->saved));
    NB_TRY(NB_RESERVE(j->count, &j->capacity[2], &j->dz));
out:
    return status;
}

void nb_penalty_joints_begin(nb_penalty_joints *j) {
    if (j->any) memset(j->z, 0, (size_t)j->count * sizeof *j->z);
}

/* value + E z of row i of the joints */
static real left_over(const nb_problem *p, const nb_law_range *range, int32_t i, real e) {
    return p->value[range->first_row + i] + e * p->z[range->first_row + i];
}

void nb_penalty_joints_write_impulses(const nb_penalty_joints *j, nb_problem *p, real *z) {
    const nb_law_range *range = joints_of(p);
    if (!j->any) return;
    const int32_t *order = nb_step_bilateral_order(nb_step_of(p));
    for (int32_t i = 0; i < range->blocks; i++)
        if (is_rigid(range, i)) z[range->first_row + i] = j->z[order[i]];
}

double nb_penalty_joints_error(const nb_penalty_joints *j, const nb_penalty_rows *rows, nb_problem *p) {
    const nb_law_range *range = joints_of(p);
    double sum = 0;
    if (!j->any) return 0;
    for (int32_t i = 0; i < range->blocks; i++) {
        const double w = (double)p->w[range->first_row + i];
        const real e = nb_penalty_rows_compliance(rows, p, range, i);
        const double left = is_rigid(range, i) && w > 0 ? (double)left_over(p, range, i, e) : 0;
        if (left != 0) sum += left * left / w;
    }
    return sum;
}

void nb_penalty_joints_pull(const nb_penalty_joints *j, const nb_penalty_rows *rows, nb_problem *p, real *q) {
    const nb_law_range *range = joints_of(p);
    memset(q, 0, (size_t)p->rows * sizeof *q);
    for (int32_t i = 0; j->any && i < range->blocks; i++) {
        const real e = nb_penalty_rows_compliance(rows, p, range, i);
        if (is_rigid(range, i)) q[range->first_row + i] = -left_over(p, range, i, e) / e;
    }
}

void nb_penalty_joints_turn(nb_penalty_joints *j, const nb_penalty_rows *rows, nb_problem *p, const real *du) {
    const nb_law_range *range = joints_of(p);
    if (!j->any) return;
    const int32_t *order = nb_step_bilateral_order(nb_step_of(p));
    memcpy(j->saved, j->z, (size_t)j->count * sizeof *j->z);
    memset(j->dz, 0, (size_t)j->count * sizeof *j->dz);
    for (int32_t i = 0; i < range->blocks; i++) {
        if (!is_rigid(range, i)) continue;
        const real e = nb_penalty_rows_compliance(rows, p, range, i);
        const real along = nb_penalty_rows_along(p, range->first_block + i, du);
        j->dz[order[i]] = -(left_over(p, range, i, e) + along) / e;
    }
}

void nb_penalty_joints_move(nb_penalty_joints *j, real t) {
    for (int32_t i = 0; j->any && i < j->count; i++) j->z[i] = j->saved[i] + t * j->dz[i];
}

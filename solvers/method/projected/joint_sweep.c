#include "joint_sweep.h"

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

/* the first row of each group, and behind them the end of the last one; how many groups there are */
static int32_t find_groups(const nb_rigid_rows *rigid, int32_t *first) {
    const nb_jacobian_row *rows = rigid->joint_rows;
    int32_t count = 0;
    for (int32_t i = 0, begin = 0; i < rigid->joint_row_count; i++)
        if (i == 0 || i - begin == NB_JOINT_GROUP || rows[i].a != rows[begin].a || rows[i].b != rows[begin].b)
            first[count++] = begin = i;
    first[count] = rigid->joint_row_count;
    return count;
}

static nb_joint_group group_of(const nb_rigid_rows *rigid, const int32_t *first) {
    const nb_jacobian_row *row = &rigid->joint_rows[*first];
    return (nb_joint_group){.a = row->a < 0 ? row->b : row->a,
                            .b = row->b < 0 ? row->a : row->b,
                            .first = first[0],
                            .count = first[1] - first[0]};
}

/* place [count] of each group, wave after wave: a group's is the one behind those of all before it that have one of
 * its bodies */
static nb_status find_places(const nb_rigid_rows *rigid, const int32_t *first, int32_t count, int32_t *place) {
    nb_status status;
    int32_t *waves = NULL, *start = NULL; /* [bodies] up to the last of each; [count + 1] */
    NB_TRY(NB_ALLOCATE(rigid->bodies, &waves));
    NB_TRY(NB_ALLOCATE(count + 1, &start));
    for (int32_t g = 0; g < count; g++) {
        const nb_joint_group group = group_of(rigid, first + g);
        place[g] = waves[group.a] > waves[group.b] ? waves[group.a] : waves[group.b];
        waves[group.a] = waves[group.b] = place[g] + 1;
        start[place[g] + 1]++;
    }
    for (int32_t w = 0; w < count; w++) start[w + 1] += start[w];
    for (int32_t g = 0; g < count; g++) place[g] = start[place[g]]++;
out:
    nb_free(waves);
    nb_free(start);
    return status;
}

nb_status nb_joint_sweep_make(const nb_rigid_rows *rigid, const uint8_t *moves, int directions, nb_joint_sweep *sweep) {
    nb_status status;
    int32_t *first = NULL, *place = NULL;
    *sweep = (nb_joint_sweep){
        .kernels = nb_joint_kernels_best(), .rows = rigid->joint_rows, .inverse = rigid->inverse, .moves = moves};
    NB_TRY(NB_ALLOCATE(rigid->joint_row_count + 1, &first));
    const int32_t count = find_groups(rigid, first);
    NB_TRY(NB_ALLOCATE(count, &place));
    NB_TRY(find_places(rigid, first, count, place));
    for (int d = 0; d < directions; d++) {
        NB_TRY(NB_ALLOCATE(count, &sweep->groups[d]));
        for (int32_t g = 0; g < count; g++)
            sweep->groups[d][d ? count - 1 - place[g] : place[g]] = group_of(rigid, first + g);
    }
    sweep->count = count;
out:
    nb_free(first);
    nb_free(place);
    if (status != NB_OK) nb_joint_sweep_clear(sweep);
    return status;
}

void nb_joint_sweep_clear(nb_joint_sweep *sweep) {
    for (int d = 0; d < 2; d++) nb_free(sweep->groups[d]);
    *sweep = (nb_joint_sweep){0};
}

void nb_joint_sweep_linearise(const nb_joint_sweep *sweep, const nb_projected *problem, real omega) {
    const nb_joint_pass pass = {.rows = sweep->rows,
                                .inverse = sweep->inverse,
                                .moves = sweep->moves,
                                .q = problem->q,
                                .eta = problem->eta,
                                .omega = omega};
    for (int d = 0; d < 2 && sweep->groups[d]; d++)
        for (int32_t g = 0; g < sweep->count; g++) sweep->kernels->linearise(&pass, d, &sweep->groups[d][g]);
}

real nb_joint_sweep_relax(const nb_joint_sweep *sweep, const nb_projected *problem, int backward, real *velocity) {
    return sweep->kernels->relax(sweep->groups[backward], sweep->count, problem->c, problem->z, velocity);
}

/* A random contact problem with joints for tests: three bodies, of which the first has no mass. Dense arrays, and the
 * nb_contact_problem that points to them. */
#ifndef NB_TESTS_CONTACT_SCENE_H
#define NB_TESTS_CONTACT_SCENE_H

#include <string.h>

#include "check.h"
#include "contact_problem.h"

enum {
    SCENE_BODIES = 3,
    SCENE_VELOCITIES = 6 * SCENE_BODIES,
    SCENE_JOINT_ROWS = 2,
    SCENE_CONTACTS = 2,
    SCENE_ROWS = SCENE_JOINT_ROWS + 3 * SCENE_CONTACTS
};

typedef struct scene_matrix {
    int64_t start[SCENE_VELOCITIES + 1];
    int32_t column[SCENE_VELOCITIES * SCENE_VELOCITIES];
    double value[SCENE_VELOCITIES * SCENE_VELOCITIES];
} scene_matrix;

typedef struct contact_scene {
    double mass[SCENE_VELOCITIES][SCENE_VELOCITIES], inverse[SCENE_VELOCITIES]; /* M is diagonal, zero at first */
    double j[SCENE_ROWS][SCENE_VELOCITIES], d[SCENE_ROWS][SCENE_ROWS];
    double q[SCENE_ROWS], w[SCENE_ROWS], f[SCENE_VELOCITIES], mu[SCENE_CONTACTS], compliance[SCENE_JOINT_ROWS];
    scene_matrix sparse_mass, sparse_j, sparse_d;
    nb_contact_problem problem;
} contact_scene;

/* the entries of the rows x columns matrix `a` by rows; zeros are left out */
static inline nb_csr_f64 scene_compress(int rows, int columns, const double *a, scene_matrix *to) {
    int64_t count = 0;
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < columns; k++) {
            if (a[i * columns + k] == 0) continue;
            to->column[count] = k;
            to->value[count++] = a[i * columns + k];
        }
        to->start[i + 1] = count;
    }
    return (nb_csr_f64){.rows = rows,
                        .columns = columns,
                        .capacity = count,
                        .start = to->start,
                        .column = to->column,
                        .value = to->value};
}

/* prints the seed; to be given to free() */
static inline contact_scene *contact_scene_make(uint64_t seed, int compliant) {
    uint64_t random = seed;
    contact_scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int i = 6; i < SCENE_VELOCITIES; i++) {
        s->mass[i][i] = test_random(&random, 1, 3);
        s->inverse[i] = 1 / s->mass[i][i];
        s->f[i] = test_random(&random, -1, 1);
    }
    for (int r = 0; r < SCENE_ROWS; r++) {
        s->w[r] = s->q[r] = test_random(&random, -1, 1);
        int first = r % 2 ? 0 : 6; /* every other row acts on the body without mass */
        for (int k = 0; k < 12; k++) s->j[r][first + k] = test_random(&random, -1, 1);
        for (int i = 0; i < SCENE_VELOCITIES; i++) s->q[r] += s->j[r][i] * s->inverse[i] * s->f[i];
    }
    for (int r = 0; r < SCENE_ROWS; r++)
        for (int c = 0; c < SCENE_ROWS; c++)
            for (int i = 0; i < SCENE_VELOCITIES; i++) s->d[r][c] += s->j[r][i] * s->j[c][i] * s->inverse[i];
    for (int i = 0; i < SCENE_CONTACTS; i++) s->mu[i] = test_random(&random, 0, 1);
    for (int i = 0; compliant && i < SCENE_JOINT_ROWS; i++) s->compliance[i] = test_random(&random, 0, 1);
    s->problem = (nb_contact_problem){
        .bilaterals = SCENE_JOINT_ROWS,
        .contacts = SCENE_CONTACTS,
        .rows = SCENE_ROWS,
        .velocities = SCENE_VELOCITIES,
        .time_step = 0.01,
        .delassus = scene_compress(SCENE_ROWS, SCENE_ROWS, &s->d[0][0], &s->sparse_d),
        .mass = scene_compress(SCENE_VELOCITIES, SCENE_VELOCITIES, &s->mass[0][0], &s->sparse_mass),
        .jacobian = scene_compress(SCENE_ROWS, SCENE_VELOCITIES, &s->j[0][0], &s->sparse_j),
        .q = s->q,
        .w = s->w,
        .f = s->f,
        .mu = s->mu,
        .compliance = s->compliance,
    };
    return s;
}

#endif

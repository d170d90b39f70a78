/* A point mass in the grip of two walls that lean by `lean` towards each other, as the data of a problem file: within
 * the friction angle it has no relaxed solution. */
#ifndef NB_TESTS_JAMMED_POINT_H
#define NB_TESTS_JAMMED_POINT_H

#include <math.h>
#include <string.h>

#include "constraint/file_problem.h"

typedef struct jammed_point {
    double value[36], q[6], mu[2];
    int64_t start[7];
    int32_t column[36];
    nb_csr_f64 w;
    nb_file_data data; /* of the members above: not to be copied */
} jammed_point;

static inline void make_jammed_point(double lean, double mu, nb_friction_law law, int32_t facets, jammed_point *p) {
    double rows[6][3];
    int32_t used = 0;
    for (int i = 0; i < 2; i++) {
        const double sign = i ? -1 : 1;
        const double frame[3][3] = {{sign * cos(lean), 0, sin(lean)}, {-sign * sin(lean), 0, cos(lean)}, {0, 1, 0}};
        memcpy(rows[3 * i], frame, sizeof frame);
        p->mu[i] = mu;
    }
    for (int i = 0; i < 6; i++) {
        p->start[i] = used;
        p->q[i] = -0.1 * rows[i][2] - (i % 3 ? 0 : 0.2);
        for (int j = 0; j < 6; j++) {
            p->column[used] = j;
            p->value[used++] = rows[i][0] * rows[j][0] + rows[i][1] * rows[j][1] + rows[i][2] * rows[j][2];
        }
    }
    p->start[6] = used;
    p->w = (nb_csr_f64){.rows = 6, .columns = 6, .start = p->start, .column = p->column, .value = p->value};
    p->data = (nb_file_data){3, 0, 2, &p->w, p->q, p->mu, law, NULL, facets};
}

#endif

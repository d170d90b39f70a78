/* The frictional contact problem of one time step, its geometry frozen at the start of the step: what other programs
 * solve, in double. With impulses z and velocities u of the bodies:
 *
 *     M u = J^T z + f,    c = J u + w,    c_b + E z_b = 0,    contacts: c = (normal, tangent 1, tangent 2)
 *
 * or, without the bodies, c = D z + q. A soft contact's c_n has (e/h^2) z_n besides, which D holds and J does not.
 * Where friction depends on the direction the second tangents are as long as the ratio: z_2/ratio, ratio v_2 stand in
 * all of this, whose cones are circular.
 * Rows: bilaterals first, then three a contact. SI units. */
#ifndef NB_CONTACT_PROBLEM_H
#define NB_CONTACT_PROBLEM_H

#include <stdint.h>

#include "stored_system.h"

typedef struct nb_contact_problem {
    int32_t bilaterals, contacts;
    int64_t rows, velocities; /* velocities: 6 a body, bodies without mass included */
    double time_step;         /* [s] */
    nb_csr_f64 delassus;      /* D = J M^-1 J^T, and `soft` on the normals' diagonal [1/kg] */
    nb_csr_f64 mass;          /* M; the rows of bodies without mass are empty */
    nb_csr_f64 jacobian;      /* J */
    double *q;                /* [rows] = J M^-1 f + w [m/s] */
    double *w;                /* [rows] gap/h, and velocities of bodies that are moved [m/s] */
    double *f;                /* [velocities] M u~, the momentum without constraints; zero without mass [N s] */
    double *mu;               /* [contacts] */
    double *compliance;       /* [bilaterals] E/h^2 [1/kg] */
    double soft;              /* e/h^2 of every contact's normal [1/kg] */
} nb_contact_problem;

extern const nb_members nb_contact_problem_members;

void nb_contact_problem_clear(nb_contact_problem *problem); /* gives back what it holds */

#endif

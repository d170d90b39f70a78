/* Writes contact problems in the format of FCLIB 3.1 (Acary, Bremond et al.), matrices by compressed columns: that of a
 * step (spacedim 3; SI units: velocities in m/s, impulses in N s), or one that was read from a file.
 *
 *     local:   c = W r + V lambda + q,  V^T r + R lambda + s = 0        W, V, R, s: blocks of D + E/h^2 and of q
 *     global:  M v = H r + G lambda + f,  c = H^T v + w,  G^T v + b = 0  bodies without mass left out
 *
 * V, R, s, G and b are left out where there are no joints. */
#ifndef NB_RESULTS_WRITE_FCLIB_H
#define NB_RESULTS_WRITE_FCLIB_H

#include "base/status.h"
#include "contact_problem.h"

/* A problem as the format has it. With rolling friction it stands in a group of its own, /fclib_local_rolling or
 * /fclib_global_rolling. All is borrowed. */
typedef struct nb_fclib_form {
    int32_t dimension; /* rows a contact */
    int32_t bilaterals, contacts;
    int64_t rows;               /* bilaterals + dimension contacts */
    int64_t velocities;         /* of a global one */
    const nb_csr_f64 *delassus; /* the columns of [R V^T; V W] as rows */
    const nb_csr_f64 *mass;     /* the columns of M as rows; bodies without mass have none */
    const nb_csr_f64 *jacobian; /* the columns of [G H] as rows */
    const double *q;            /* [rows] [s; q] */
    const double *w;            /* [rows] [b; w] */
    const double *f;            /* [velocities] */
    const double *mu, *mu_r;    /* [contacts]; mu_r: NULL without rolling friction */
    const double *compliance;   /* [bilaterals] added to the diagonal of R; NULL: none */
    const char *title, *description, *math_info;
} nb_fclib_form;

/* The local form needs `delassus` and `q`, the global one `mass`, `jacobian`, `w` and `f`. NB_ERROR_IO where writing
 * fails; an earlier file is then left as it was. */
nb_status nb_fclib_write_form(const char *path, const nb_fclib_form *form, int global);

/* NB_ERROR_INPUT where the problem has no contacts, NB_ERROR_UNSUPPORTED for a global one with compliant joints or
 * contacts (the format has no place for them), NB_ERROR_IO where writing fails; an earlier file is then left as it was.
 */
nb_status nb_fclib_write(const char *path, const nb_contact_problem *problem, int global, const char *title,
                         const char *description);

#endif

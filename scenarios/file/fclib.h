/* Reads a frictional contact problem in the FCLIB HDF5 format (FCLIB 3.1; Acary, Bremond et al.).
 *
 * Local problems give W, q and mu, and bilateral rows V, R, s. Global ones are condensed:
 *
 *     M v = H r + G lambda + f,   G^T v + b = 0,   u = H^T v + w
 *     W = [G H]^T M^-1 [G H],     q = [b; w] + [G H]^T M^-1 f
 *
 * Contacts with rolling friction (file_data.h) are in /fclib_global_rolling, as newer libraries write them, or in
 * /fclib_local_rolling, both with vectors/mu_r; spacedim 5, or 3 in two dimensions. No library reads a local one: the
 * form is the global's. spacedim 5 in the other two groups is read alike.
 *
 * 2D and 3D; matrices by compressed columns (nz = -1), compressed rows (nz = -2) or triplets (nz >= 0), duplicates
 * summed. Groups /solution and /guesses are not read: those of the published files hold r = 0. */
#ifndef NB_SCENARIOS_FCLIB_H
#define NB_SCENARIOS_FCLIB_H

#include "base/status.h"
#include "file_data.h"

typedef struct nb_fclib_problem {
    nb_file_data data;                     /* the condensed problem; the arrays belong to this struct */
    double norm_q;                         /* ||q||_2 over all rows */
    int rolling;                           /* 1: contacts have rolling friction */
    int global;                            /* 1: condensed from a global problem */
    int ambiguous;                         /* 1: a text that may be a plasticity problem, read as rolling friction */
    int32_t velocities;                    /* of the global problem, else 0 */
    int digits;                            /* 6 where the text had no more of matrices; 0: all that there are */
    char *title, *description, *math_info; /* "" where the file has none */
    /* of a global problem, else NULL: M, K = [G H], f and [b; w], as the file has them */
    nb_csr_f64 *mass, *jacobian;
    double *force, *free_velocity;
    nb_csr_f64 *w; /* private: what `data` points to */
    double *q, *mu, *mu_r;
} nb_fclib_problem;

/* NB_ERROR_IO where the file cannot be read; NB_ERROR_INPUT where it is no FCLIB problem, where a size, an index or a
 * number makes no sense, or where W is too large. One line each. The caller destroys the problem. */
nb_status nb_fclib_read(const char *path, nb_fclib_problem **problem);
/* Points `data` at w, q, mu and mu_r, which were read for a problem of that dimension and as many rows; refuses what is
 * beyond range or indefinite. For other formats' readers (private to scenarios/file); `path` stands in messages. */
nb_status nb_fclib_finish(const char *path, nb_fclib_problem *problem);
/* W = K^T M^-1 K and q = [b; w] + K^T M^-1 f of a global problem, which has these four. Likewise. */
nb_status nb_fclib_condense(const char *path, nb_fclib_problem *problem);

void nb_fclib_destroy(nb_fclib_problem *problem); /* NULL allowed */

#endif

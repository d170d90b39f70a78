/* A discrete frictional contact problem as arrays: what a problem file comes down to, whatever its format.
 *
 *     bilateral rows:  (W z + q) = 0
 *     contacts:        u = W z + q,  u^ = u + (mu |u_T|, 0, 0),  K* contains u^, orthogonal to r in the cone K_mu
 *
 * Rows: bilaterals first, then `dimension` a contact: normal, tangent 1, (3D) tangent 2; contacts in the file's order.
 * Units are the file's own: those of W are velocity over impulse.
 *
 * Contacts with rolling friction have as many rows of rolling as of tangents behind these, u^ = u + (mu |u_T| + mu_r
 * |u_R|, 0, ...), and the cone |r_T| <= mu r_N, |r_R| <= mu_r r_N (rolling_cone.h).
 *
 * W is taken as it stands and need not be symmetric: some published files hold an iteration matrix that is not (entries
 * of Siconos's Capsules problem differ from their transposes by 2 %). */
#ifndef NB_FILE_DATA_H
#define NB_FILE_DATA_H

#include <stdint.h>

#include "base/csr.h"
#include "base/sha256.h"
#include "model/friction_law.h"

typedef struct nb_file_data {
    int32_t dimension; /* rows a contact: 2 or 3; with rolling friction 3 in two dimensions, 5 in three */
    int32_t bilaterals, contacts;
    const nb_csr_f64 *w;          /* [rows][rows] */
    const double *q;              /* [rows] */
    const double *mu;             /* [contacts] at least 0 */
    nb_friction_law friction_law; /* what is to hold of it; files say Coulomb's, as above */
    const double *mu_r;           /* [contacts] at least 0, of rolling friction; NULL: there is none */
    int32_t facets;               /* of the polyhedral laws of friction */
} nb_file_data;

/* bilaterals + dimension * contacts */
int32_t nb_file_data_rows(const nb_file_data *data);

/* u = W z + q; z and u [rows] must not overlap */
void nb_file_data_velocities(const nb_file_data *data, const double *z, double *u);

/* Rows that an nb_problem of it has: three a contact, five with rolling friction, in two dimensions as well; of a
 * contact, and in all. The row there of row i of the file. */
int32_t nb_file_data_contact_rows(const nb_file_data *data);
int64_t nb_file_data_problem_rows(const nb_file_data *data);
int32_t nb_file_data_problem_row(const nb_file_data *data, int32_t i);

/* From these rows to the file's [rows]: drops what 2D problems were given in addition. */
void nb_file_data_from_rows(const nb_file_data *data, const double *problem_rows, double *file_rows);

/* The SHA-256 of the problem's numbers, which no format and no order of storage changes: of 64-bit little-endian
 * integers and IEEE doubles, in this order
 *
 *     dimension, bilaterals, contacts, entries of W
 *     for every entry of W that is not 0, by rows, then columns: row and column from 0, value
 *     q [rows], mu [contacts], and with rolling friction mu_r [contacts]
 *
 * with a zero below zero as zero. Columns of W ascend. */
void nb_file_data_checksum(const nb_file_data *data, char text[NB_SHA256_TEXT]);

#endif

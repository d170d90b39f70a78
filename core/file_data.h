/* A discrete frictional contact problem as arrays: what a problem file comes down to, whatever its format.
 *
 *     bilateral rows:  (W z + q) = 0
 *     contacts:        u = W z + q,  u^ = u + (mu |u_T|, 0, 0),  K* contains u^, orthogonal to r in the cone K_mu
 *
 * Rows: bilaterals first, then `dimension` a contact: normal, tangent 1, (3D) tangent 2; contacts in the file's order.
 * Units are the file's own: those of W are velocity over impulse.
 *
 * W is taken as it stands and need not be symmetric: some published files hold an iteration matrix that is not (entries
 * of Siconos's Capsules problem differ from their transposes by 2 %). */
#ifndef NB_FILE_DATA_H
#define NB_FILE_DATA_H

#include <stdint.h>

#include "base/csr.h"
#include "model/friction_law.h"

typedef struct nb_file_data {
    int32_t dimension; /* rows a contact: 2 or 3 */
    int32_t bilaterals, contacts;
    const nb_csr_f64 *w;          /* [rows][rows] */
    const double *q;              /* [rows] */
    const double *mu;             /* [contacts] at least 0 */
    nb_friction_law friction_law; /* what is to hold of it; files say Coulomb's, as above */
} nb_file_data;

/* bilaterals + dimension * contacts */
int32_t nb_file_data_rows(const nb_file_data *data);

/* u = W z + q; z and u [rows] must not overlap */
void nb_file_data_velocities(const nb_file_data *data, const double *z, double *u);

/* From the rows of an nb_problem, three a contact [bilaterals + 3 contacts], to the file's [rows]: drops what 2D
 * problems were given in addition. */
void nb_file_data_from_rows(const nb_file_data *data, const double *problem_rows, double *file_rows);

#endif

/* A Newton system as a record keeps it: entries in double, by compressed rows. */
#ifndef NB_STORED_SYSTEM_H
#define NB_STORED_SYSTEM_H

#include <stdint.h>

#include "base/csr.h"
#include "base/member.h"

/* One Newton system A x = b, A = S J H^-1 J^T S + C + K, and the factors it came from. J and H are empty where the
 * source has no bodies, K where the system has none; the rows of bodies without mass are empty in H. Where `unknowns`
 * says what x is, A and b are a method's own, in its units, and have no factors: S = 1, C = 0, h = -b. */
typedef struct nb_stored_system {
    int32_t step, newton;
    nb_csr_f64 a, h, j, c, k;
    int64_t rows, velocities;
    char unknowns[256]; /* what x is, where rows are no constraints; else "" */
    char units[2][32];  /* of A and b, where `unknowns` says what x is; else "": 1/kg, m/s */
    double *s;          /* [rows] row weights */
    double *b;          /* [rows] right-hand side */
    double *g;          /* [velocities] momentum residual; NULL where there are no bodies */
    double *residual_h; /* [rows] residual of the weighted rows: b = S J H^-1 g - h */
} nb_stored_system;

extern const nb_members nb_csr_members; /* of an nb_csr_f64, whose capacity is what it holds */
extern const nb_members nb_stored_system_members;

void nb_stored_system_clear(nb_stored_system *system); /* gives back what it holds */

#endif

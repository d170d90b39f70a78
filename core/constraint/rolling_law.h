/* The law of contacts with rolling friction, five rows a block: normal, two tangents, and two rows of rolling, the
 * relative angular velocities about them and the moments that resist. The normal is unilateral, the friction lies in
 * the disc of radius mu z_n and opposes the slip, and the moment lies in that of radius mu_r z_n and opposes the
 * rolling.
 *
 * Source: Acary, Bourrier, 2021 (rolling_cone.h). mu_r is a length where impulses are in N s and moments in N m s. */
#ifndef NB_CONSTRAINT_ROLLING_LAW_H
#define NB_CONSTRAINT_ROLLING_LAW_H

#include "constraint/law.h"

#define nb_rolling_law NB_REAL_NAME(nb_rolling_law)
#define nb_rolling_class NB_REAL_NAME(nb_rolling_class)

enum {
    NB_ROLLING_ROWS = 5
};

typedef struct nb_rolling_law {
    nb_law base;           /* first, of nb_rolling_class */
    const real *mu, *mu_r; /* [blocks]; borrowed */
} nb_rolling_law;

extern const nb_law_class nb_rolling_class;

#endif

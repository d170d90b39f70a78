/* The rows of rigid bodies and of problem files: bilateral ones first, then contacts with friction cones. Code that
 * makes such a problem lays its ranges out here; a method that knows no other laws asks for these, or refuses a
 * problem. */
#ifndef NB_CONSTRAINT_CONE_ROWS_H
#define NB_CONSTRAINT_CONE_ROWS_H

#include "base/status.h"
#include "constraint/bilateral.h"
#include "constraint/box.h"
#include "constraint/cone_law.h"
#include "constraint/problem.h"
#include "model/friction_law.h"

#define nb_cone_laws NB_REAL_NAME(nb_cone_laws)
#define nb_cone_rows NB_REAL_NAME(nb_cone_rows)
#define nb_cone_laws_publish NB_REAL_NAME(nb_cone_laws_publish)
#define nb_cone_rows_of NB_REAL_NAME(nb_cone_rows_of)
#define nb_friction_rows_of NB_REAL_NAME(nb_friction_rows_of)
#define nb_any_friction_rows_of NB_REAL_NAME(nb_any_friction_rows_of)
#define nb_friction_or_rolling_rows_of NB_REAL_NAME(nb_friction_or_rolling_rows_of)
#define nb_friction_or_field_rows_of NB_REAL_NAME(nb_friction_or_field_rows_of)

/* both laws and their ranges, for the code that makes a problem */
typedef struct nb_cone_laws {
    nb_bilateral_law bilateral;
    nb_cone_law cone;
    nb_friction_law friction; /* of the cones */
    nb_law_range range[2];
} nb_cone_laws;

/* The ranges of the problem, whose counts are set, from the laws' parameters; `laws` is borrowed by the problem. */
void nb_cone_laws_publish(nb_cone_laws *laws, nb_problem *problem);

/* both laws of such a problem, without blocks where it has none of one, and the rows of joint coordinates behind them
 */
typedef struct nb_cone_rows {
    const nb_bilateral_law *bilateral;
    const nb_cone_law *cone;
    nb_law_range box; /* of no blocks where there are none */
} nb_cone_rows;

/* NB_ERROR_UNSUPPORTED, with a line that says what `who` ("method interior-point") does not know, where the problem has
 * other laws, or these in another order. Friction is Coulomb's in the first, Coulomb's or relaxed in the second, and of
 * any law of model/friction_law.h in the third, which takes contacts of particles, too, and rows of joint coordinates:
 * contacts of particles follow those between bodies, and are of the same law. */
nb_status nb_cone_rows_of(const nb_problem *problem, const char *who, nb_cone_rows *rows);
nb_status nb_friction_rows_of(const nb_problem *problem, const char *who, nb_cone_rows *rows);
nb_status nb_any_friction_rows_of(const nb_problem *problem, const char *who, nb_cone_rows *rows);

/* The same for one that knows contacts with rolling friction as well: those of a problem are all of one law, and `rows`
 * has no cones then; it also takes contacts of particles and rows of joint coordinates. */
nb_status nb_friction_or_rolling_rows_of(const nb_problem *problem, const char *who, nb_cone_rows *rows);

/* The same for one that knows contacts whose impulses are a function of velocities. */
nb_status nb_friction_or_field_rows_of(const nb_problem *problem, const char *who, nb_cone_rows *rows);

#endif

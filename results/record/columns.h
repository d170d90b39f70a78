/* The columns of a run's rows that the harness fills: of its steps, its Newton iterations and its linear iterations. A
 * new one is a name in the list and a line in the table (columns.c). Those of a method stand in its class (method.h).
 */
#ifndef NB_RESULTS_COLUMNS_H
#define NB_RESULTS_COLUMNS_H

#include "base/member.h"

extern const nb_meaning nb_step_axis; /* of all datasets with a row a step */

/* columns of steps */
typedef enum nb_step_column {
    NB_STEP_TIME,
    NB_STEP_CONTACTS,
    NB_STEP_ROWS,
    NB_STEP_LARGEST_ISLAND,
    NB_STEP_ISLANDS,
    NB_STEP_NEWTON_ITERATIONS,
    NB_STEP_REASON,
    NB_STEP_NATURAL_MAP_ERROR,
    NB_STEP_MAX_PENETRATION,
    NB_STEP_KINETIC_ENERGY,
    NB_STEP_POTENTIAL_ENERGY,
    NB_STEP_DETECT_S,
    NB_STEP_ASSEMBLY_S,
    NB_STEP_SETUP_S,
    NB_STEP_SOLVE_S,
    NB_STEP_STEP_S,
    NB_STEP_NATURAL_MAP_FCLIB,
    NB_STEP_NATURAL_MAP_RELATIVE,
    NB_STEP_NATURAL_MAP_SICONOS, /* problem files, else NaN */
    NB_STEP_OPERATOR_APPLICATIONS,
    NB_STEP_PRECONDITIONER_APPLICATIONS,
    NB_STEP_LIMIT_NORM_A,
    NB_STEP_LIMIT_NORM_A_INVERSE, /* ||A||_inf, ||A^-1|| of the diagonally scaled last system, for (91), (92); NaN where
                                     not asked for */
    NB_STEP_INFEASIBILITY,        /* this and those after it are in a record only where they hold a number */
    NB_STEP_LAW_PENETRATION,
    NB_STEP_CAVITY_VOLUME,
    NB_STEP_CAVITY_PRESSURE,
    NB_STEP_VERIFY_ROUNDS,
    NB_STEP_VERIFY_CONTACTS,
    NB_STEP_VERIFY_OVERLAP,
    NB_STEP_PENETRATION_ALLOWED,
    NB_STEP_BY_BE,
    NB_STEP_ENERGY_ROOM,
    NB_STEP_COLUMNS
} nb_step_column;

/* Columns of an iteration that every method has: the harness's errors of the state it begins at, and times. Behind them
 * stand the method's own. */
typedef enum nb_newton_column {
    NB_NEWTON_CONSTRAINT_ERROR,      /* bilateral |c_b + E lambda|/h and penetration max(0, -C)/h [m/s] */
    NB_NEWTON_COMPLEMENTARITY_ERROR, /* e_n [m/s] */
    NB_NEWTON_FRICTION_ERROR,        /* e_f [m/s] */
    NB_NEWTON_BILATERAL_ERROR,
    NB_NEWTON_MOMENTUM_ERROR,
    NB_NEWTON_NATURAL_MAP_ERROR,    /* [m/s] */
    NB_NEWTON_NATURAL_MAP_RELATIVE, /* of problem files, else NaN */
    NB_NEWTON_VELOCITY_ERROR,
    NB_NEWTON_FORCE_ERROR, /* against the reference, where the step has one, else NaN */
    NB_NEWTON_ASSEMBLY_S,
    NB_NEWTON_SETUP_S,
    NB_NEWTON_SOLVE_S,
    NB_NEWTON_COLUMNS
} nb_newton_column;

typedef enum nb_linear_column {
    NB_LINEAR_RESIDUAL_L2,
    NB_LINEAR_PRECONDITIONED_RESIDUAL,
    NB_LINEAR_ENERGY_ERROR, /* this and those after it are in a record only where they hold a number */
    NB_LINEAR_ENERGY_BOUND,
    NB_LINEAR_OWN_NORM,
    NB_LINEAR_COLUMNS
} nb_linear_column;

extern const nb_column nb_step_columns[NB_STEP_COLUMNS];
extern const nb_column nb_newton_columns[NB_NEWTON_COLUMNS];
extern const nb_column nb_linear_columns[NB_LINEAR_COLUMNS];

/* Behind a method's own columns where a reference was asked for: how far an iterate's velocities are from each of the
 * last step's two solutions. NaN where one alone is known. */
enum {
    NB_SOLUTION_COLUMNS = 2
};
extern const nb_column nb_solution_columns[NB_SOLUTION_COLUMNS];

/* Behind all others of a contact problem: where the natural map is largest (measure/largest_error.h), and how many
 * contacts are open, stick, slide, and do another thing than an iteration ago. */
typedef enum nb_place_column {
    NB_PLACE_KIND,
    NB_PLACE_ROW,
    NB_PLACE_INDEX,
    NB_PLACE_NODE_A,
    NB_PLACE_NODE_B,
    NB_PLACE_OPEN, /* this and the next two in the order of nb_contact_mode */
    NB_PLACE_STICKING,
    NB_PLACE_SLIDING,
    NB_PLACE_CHANGED,
    NB_PLACE_COLUMNS
} nb_place_column;
extern const nb_column nb_place_columns[NB_PLACE_COLUMNS];

/* contacts of recorded states */
typedef enum nb_frame_contact_column {
    NB_FRAME_CONTACT_BODY_A,
    NB_FRAME_CONTACT_BODY_B,
    NB_FRAME_CONTACT_NORMAL_ERROR,
    NB_FRAME_CONTACT_FRICTION_ERROR,
    NB_FRAME_CONTACT_POINT,                               /* three: x, y, z */
    NB_FRAME_CONTACT_NORMAL = NB_FRAME_CONTACT_POINT + 3, /* likewise, as the next two */
    NB_FRAME_CONTACT_FORCE = NB_FRAME_CONTACT_NORMAL + 3,
    NB_FRAME_CONTACT_SLIP = NB_FRAME_CONTACT_FORCE + 3,
    NB_FRAME_CONTACT_GAP = NB_FRAME_CONTACT_SLIP + 3,
    NB_FRAME_CONTACT_MODE,
    NB_FRAME_CONTACT_COLUMNS
} nb_frame_contact_column;
extern const nb_column nb_frame_contact_columns[NB_FRAME_CONTACT_COLUMNS];

/* of the iterates of recorded states */
extern const nb_column nb_iterate_column;

/* Behind a method's own columns where the run's friction is not Coulomb's: the natural-map error by Coulomb's law. For
 * Coulomb's law it is natural_map_error. */
extern const nb_column nb_coulomb_column;

#endif

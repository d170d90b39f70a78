/* The NCP of one time step, as methods see it.
 *
 *     g(u, z) = M (u - u~) - J^T z = 0
 *     bilateral:  c_b/h + (E/h^2) z_b = 0
 *     normal:     0 <= a  _|_  z_n >= 0,      a = C_n/h + (e/h^2) z_n
 *     friction:   z_f in the disc of radius mu z_n, opposing the slip v_t; for a ratio other than 1 this holds of
 *                 (z_1, z_2/ratio) and (v_1, ratio v_2): an ellipse, and the most power taken
 *
 * or whatever else the laws of its rows say (law.h),
 *
 * with impulses z = h lambda. A problem comes from a world and its contacts (core/constraint/step.h; a, v_t and c_b
 * then depend on u as nb_geometry says) or from a file (core/constraint/file_problem.h; the
 * velocities are those of the rows). Their rows: bilaterals first, then three a contact: normal, tangent 1, tangent 2
 * (2D problems are given a second tangent row that is coupled with nothing).
 *
 * Source: Macklin et al. 2019, eq. (46)-(60), in impulses. */
#ifndef NB_NCP_PROBLEM_H
#define NB_NCP_PROBLEM_H

#include <float.h>
#include <stdint.h>

#include "base/real.h"
#include "base/status.h"
#include "constraint/law.h"
#include "contact/detection.h"
#include "operator/system.h"

#define nb_problem NB_REAL_NAME(nb_problem)
#define nb_problem_class NB_REAL_NAME(nb_problem_class)
#define nb_problem_detect NB_REAL_NAME(nb_problem_detect)
#define nb_problem_verify NB_REAL_NAME(nb_problem_verify)
#define nb_problem_velocity_scale NB_REAL_NAME(nb_problem_velocity_scale)
#define nb_problem_state NB_REAL_NAME(nb_problem_state)

typedef struct nb_problem nb_problem;

typedef struct nb_problem_class {
    /* Brings value, momentum, and (unless all rows are linear) the Delassus operator up to date with (u, z);
     * `force_weight` [rows] multiplies z in J^T z (NULL: 1), for the paper's literal row scaling. */
    void (*evaluate)(nb_problem *problem, const real *force_weight);
    /* The same in its two parts, for impulses that are functions of the values: what does not depend on z, and the
     * momentum. NULL where it is one. */
    void (*evaluate_values)(nb_problem *problem);
    void (*evaluate_momentum)(nb_problem *problem, const real *force_weight);
    /* out = J H^-1 g [rows], from the last evaluate */
    void (*momentum_rows)(const nb_problem *problem, real *out);
    /* du = H^-1 (J^T y - g) [velocities] for the row impulses y [rows] (weights already applied). NULL
     * stands for 0, where there is evaluate_values. */
    void (*velocity_step)(const nb_problem *problem, const real *y, real *du);
    /* out = J du [rows] */
    void (*rows_of_velocity)(const nb_problem *problem, const real *du, real *out);
    /* largest |H^-1 g| of the last evaluate [m/s], rates of rotation times the body's radius of gyration; 0 where there
     * are no velocities */
    double (*momentum_error)(const nb_problem *problem);
    /* The Delassus operator of one island, borrowed, valid until the pattern changes; `ranges` (NULL, or [range_count])
     * receives its share of each of the problem's ranges, of no blocks where it has none: its rows are theirs, one
     * after the other. NULL where islands are not offered. */
    const nb_delassus *(*island)(const nb_problem *problem, int32_t island, nb_law_range *ranges);
    /* The same of islands first .. end - 1 together, in two pieces of memory that the caller gives back with nb_free:
     * the operator, and its block_start. NULL where `island` is. */
    nb_status (*islands)(const nb_problem *problem, int32_t first, int32_t end, nb_law_range *ranges,
                         nb_delassus **delassus);
    /* See nb_problem_detect. NULL where there is nothing to detect. */
    nb_status (*detect)(nb_problem *problem, int32_t *added);
    /* See nb_problem_verify. NULL likewise. */
    nb_status (*verify)(nb_problem *problem, double most, nb_verify_mode mode, nb_overlap *overlap);
    /* For geometric stiffness; NULL where particles are not known. */
    /* out = J^T z [velocities], with J as it is */
    void (*row_forces)(const nb_problem *problem, const real *z, real *out);
    /* H = M + shift on the diagonals of particles, shift [velocities] >= 0, NULL for none; D and w follow. M stays what
     * momentum is of. */
    void (*stiffen)(nb_problem *problem, const real *shift);
} nb_problem_class;

struct nb_problem {
    const nb_problem_class *type;
    const nb_delassus *delassus; /* D = J H^-1 J^T over all rows */
    const nb_delassus *exact;    /* D as it stands: `delassus`, unless a file's W is not symmetric */
    const nb_law_range *ranges;  /* [range_count] what holds in the rows, in their order; none is empty */
    int32_t range_count;
    int32_t bilaterals, contacts; /* how many rows and blocks there are of these laws, for the record */
    int32_t rows;
    int32_t velocities;    /* of the nodes; one a row for files */
    const nb_nodes *nodes; /* what the velocities are of; NULL for files */
    real h;                /* [s]; 1 for files */
    double place_speed;    /* the largest coordinate, or 1 with joints, over h [m/s]; 0 for files */
    int frozen;            /* 1: all rows are linear in u (set before the first evaluate) */
    int contacts_linear;   /* 1: those of contacts are; others may not be */
    /* NULL, or the problem that this one stands for, with rows of it eliminated: its iterate, which follows this one's
     * wherever velocity_step is called, is what the harness measures */
    nb_problem *whole;
    int64_t pattern_epoch; /* grows when the rows or their bodies changed: a new step */
    int64_t value_epoch;   /* grows when J changed */
    /* the iterate: methods read and write it */
    real *u; /* [velocities] */
    real *z; /* [rows] impulses [N s] */
    /* the outcome of the last evaluate */
    real *value;            /* [rows] c_b/h, C_n/h (both without compliance), v_t [m/s] */
    real *momentum;         /* [velocities] g [N s, N m s] */
    real *w;                /* [rows] diagonal of J M^-1 J^T; friction rows hold the contact's mean [1/kg] */
    int32_t island_count;   /* groups of rows that share no body with other rows */
    int32_t largest_island; /* contacts in the island that has most */
};

/* Looks for contacts again, where the iterate's velocities lead: x + h u (contact/detection.h). Those that are new get
 * rows of the problem, and `added` says how many there are; no contact leaves. With none, nothing has changed, bit by
 * bit. Else rows are in another order, islands another, every array of the problem is in another place, and the pattern
 * epoch has grown: whatever was made for the old rows is to be made again. u is kept, z of the rows that were there,
 * too; that of new contacts is zero; the problem is evaluated there. The harness's measure must be given the same rows:
 * call nb_measure_detect (measure/iterate.h), which does both.
 * NB_ERROR_UNSUPPORTED where there is nothing to detect: problem files have rows and no bodies. After another fault the
 * step is to be begun again. */
nb_status nb_problem_detect(nb_problem *problem, int32_t *added);

/* Looks how deep bodies are in each other where the iterate's velocities lead, and for bodies that flew past each other
 * (contact/detection.h). Where two bodies overlap by more than `most` > 0 [m], and by more than at the start of the
 * step, their contacts at the end come in or are taken anew, and the problem has other rows, as after
 * nb_problem_detect. Where no contact did, nothing has changed. NB_VERIFY_TURNING leaves out what flew past. Call
 * nb_measure_verify (measure/iterate.h), which does it for the harness's measure, too. NB_ERROR_UNSUPPORTED for problem
 * files, particles, and contacts that are not linear. */
nb_status nb_problem_verify(nb_problem *problem, double most, nb_verify_mode mode, nb_overlap *overlap);

/* the problem whose iterate the harness measures */
static inline nb_problem *nb_problem_whole(nb_problem *problem) {
    return problem->whole ? problem->whole : problem;
}

/* what laws see of it */
nb_law_state nb_problem_state(const nb_problem *problem);

/* The largest velocity that stands in a row or that an impulse makes there, max(|value|, w |z|) [m/s]: what an error at
 * round-off is small against. NaN where the iterate holds one. */
double nb_problem_velocity_scale(const nb_problem *problem);

/* What rows are off by [m/s] whatever the iterate is: gaps and position errors are differences of coordinates, which
 * are in double precision and off by a few units of round-off each. */
static inline double nb_problem_position_error(const nb_problem *problem) {
    return 8 * DBL_EPSILON * problem->place_speed;
}

#endif

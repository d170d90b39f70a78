/* One problem in the variables in which its laws (constraint/law.h) read the same in all rows, and the linear systems
 * of the methods that work on it (private to solvers/method/interior_point).
 *
 *     impulses z = unit S x,   v = S D S x + C x + q,   natural map F = x - P(x - y) = 0
 *
 * Each law has its S, C and F. Contacts have y = v + |v_T| e_N and the cone K = {x_N >= |x_T|}, that contains x and y,
 * x.y = 0, with S = diag(d/mu, d, d), d = tr(W'_ii/3)^(-1/2) for W' = T^-1 W T^-1, T = diag(mu, 1, 1), so that the
 * diagonal blocks of S D S have the size 1; |q| is the root of the number of contacts. A contact without friction has
 * S = (d, 0, 0) and x_T = 0. The problem is linear in x: that of the geometry at which it was linearised.
 *
 * All its linear systems have the form (S D S + C + shift + K) dx = b with one dense block of K a block of rows.
 * Sources: Acary, Cadoux, Lemarechal, Malick, 2011; robust scaling and phases: interior-point.md. */
#ifndef NB_INTERIOR_POINT_SCALED_PROBLEM_H
#define NB_INTERIOR_POINT_SCALED_PROBLEM_H

#include "base/arena.h"
#include "base/real.h"
#include "constraint/parts.h"
#include "method.h"
#include "operator/solve.h"
#include "step/columns.h"

#define nb_scaled_problem NB_REAL_NAME(nb_scaled_problem)
#define nb_scaled_problem_create NB_REAL_NAME(nb_scaled_problem_create)
#define nb_scaled_problem_begin_step NB_REAL_NAME(nb_scaled_problem_begin_step)
#define nb_scaled_problem_create_part NB_REAL_NAME(nb_scaled_problem_create_part)
#define nb_scaled_problem_destroy NB_REAL_NAME(nb_scaled_problem_destroy)
#define nb_scaled_problem_linearise NB_REAL_NAME(nb_scaled_problem_linearise)
#define nb_scaled_problem_set NB_REAL_NAME(nb_scaled_problem_set)
#define nb_scaled_problem_make_frictionless NB_REAL_NAME(nb_scaled_problem_make_frictionless)
#define nb_scaled_problem_restore_friction NB_REAL_NAME(nb_scaled_problem_restore_friction)
#define nb_scaled_problem_read NB_REAL_NAME(nb_scaled_problem_read)
#define nb_scaled_problem_follow NB_REAL_NAME(nb_scaled_problem_follow)
#define nb_scaled_problem_write NB_REAL_NAME(nb_scaled_problem_write)
#define nb_scaled_problem_velocity NB_REAL_NAME(nb_scaled_problem_velocity)
#define nb_scaled_problem_free_velocity NB_REAL_NAME(nb_scaled_problem_free_velocity)
#define nb_scaled_problem_is_at_round_off NB_REAL_NAME(nb_scaled_problem_is_at_round_off)
#define nb_scaled_problem_first NB_REAL_NAME(nb_scaled_problem_first)
#define nb_scaled_problem_natural NB_REAL_NAME(nb_scaled_problem_natural)
#define nb_scaled_problem_begin NB_REAL_NAME(nb_scaled_problem_begin)
#define nb_scaled_problem_block NB_REAL_NAME(nb_scaled_problem_block)
#define nb_scaled_problem_box_entry NB_REAL_NAME(nb_scaled_problem_box_entry)
#define nb_scaled_problem_bounds NB_REAL_NAME(nb_scaled_problem_bounds)
#define nb_scaled_problem_set_matrix NB_REAL_NAME(nb_scaled_problem_set_matrix)
#define nb_scaled_problem_solve NB_REAL_NAME(nb_scaled_problem_solve)
#define nb_scaled_problem_conclude NB_REAL_NAME(nb_scaled_problem_conclude)
#define nb_scaled_problem_count_time NB_REAL_NAME(nb_scaled_problem_count_time)
#define nb_scaled_problem_judge NB_REAL_NAME(nb_scaled_problem_judge)
#define nb_scaled_problem_end NB_REAL_NAME(nb_scaled_problem_end)

/* what kind of iteration it is */
typedef enum nb_phase {
    NB_PHASE_NONE,
    NB_PHASE_INTERIOR_POINT,
    NB_PHASE_SEMISMOOTH,
    NB_PHASE_PROXIMAL,
    NB_PHASE_CERTIFICATE, /* looks for a proof that there is no solution; the state stays */
    NB_PHASE_ISLAND_LOOP  /* island_phase.h */
} nb_phase;

/* Where the method's columns have what is told of an iteration here, besides NB_COLUMNS_OF_SOLVES; -1: nowhere. */
typedef struct nb_scaled_columns {
    int finish; /* 1 */
    int phase, step_length, factorisations;
} nb_scaled_columns;

typedef struct nb_scaled_problem {
    nb_problem *p; /* borrowed, as all up to the laws */
    nb_measure *measure;
    const nb_method_settings *settings;
    const nb_observer *observer;
    const struct nb_scaled_problem *whole; /* of which this is a part; NULL: this is one */
    const nb_part *part;                   /* where it is */
    const nb_delassus *delassus;           /* its D */
    const nb_law_range *ranges;            /* [range_count] its laws */
    int32_t range_count;
    nb_step_outcome *outcome; /* counts, times, and the reason to stop: the phases return once it is set */
    int32_t rows;
    int32_t bilaterals, contacts; /* rows of contacts begin behind as many rows, in problems of cones, */
    int32_t contact_rows;         /* so many a contact */
    nb_law_range box;             /* rows of joint coordinates, behind those; of no blocks where there are none */
    int32_t count;                /* blocks whose law is no equation, or rows where there are none */
    nb_scaled_columns columns;    /* nowhere; the caller may change it */
    double unit;
    double share; /* of the whole's rows: what factorisations and products count; 1 for a whole */
    real *z;      /* [rows] of a part: the impulses of the last x that an iteration began at, or of the conclusion */
    real *s, *c;  /* [rows] S; C */
    real *shift;  /* [rows] b of the laws [m/s], which q has */
    double *d;    /* [rows] unit f/d is a velocity [m/s] for a residual f */
    double *q;    /* [rows] */
    double *best; /* [rows] the x that met the tolerance, else that of the least error since the linearisation: by
                     the harness's measure, or by the linearised problem's where that is not the problem itself */
    double error; /* that error */
    nb_errors errors;    /* the harness's of it */
    double target;       /* the linearised problem is solved at this natural map [m/s]; 0: by the settings alone */
    double enough;       /* of a whole with a target: or at this share of the problem's own natural map */
    const uint8_t *held; /* [velocities] 1: one that stays as it is, of an island in no part; NULL: none. Borrowed */
    int solved;          /* it is, or outcome->reason is set */
    nb_newton_report report; /* of the iteration under way */
    /* private */
    nb_system *system;
    nb_solve *solve;
    double *f;                     /* [rows] */
    real *value, *w;               /* [rows] of a part */
    double norm_q, largest_q;      /* |q| of the rows as they are, in units of the largest entry */
    double mark;                   /* the least error when it was last halved */
    int idle;                      /* iterations since then */
    double since;                  /* clock up to which times were shared out */
    double not_own;                /* since then: the harness's measures, and the linear solver's times */
    int moved;                     /* S or D changed since the last matrix */
    int told;                      /* the observer was handed the present matrix */
    real *in, *out, *u_start, *du; /* [rows], [rows], [velocities] */
    nb_arena arena;                /* holds the vectors */
} nb_scaled_problem;

/* For one step's problem, with the solver of the settings, both borrowed. The caller destroys it. */
nb_status nb_scaled_problem_create(nb_problem *p, const nb_method_settings *settings, nb_scaled_problem **problem);
void nb_scaled_problem_destroy(nb_scaled_problem *problem); /* NULL allowed */

/* For a part of a whole (constraint/parts.h), both borrowed: linearised after the whole is, in a unit of its own. The
 * harness's measures are of wholes: a part judges itself by the same formulas, with `measure` NULL, and is solved where
 * the whole would be if all parts were like it. It leaves the problem as it is; its impulses are in `z`. */
nb_status nb_scaled_problem_create_part(const nb_scaled_problem *whole, const nb_part *part,
                                        nb_scaled_problem **problem);

/* Names who measures and listens, and where counts and times go, from here on; comes before all of what follows. */
void nb_scaled_problem_begin_step(nb_scaled_problem *problem, nb_measure *measure, const nb_observer *observer,
                                  nb_step_outcome *outcome);

/* Linearises the problem at its present velocities, and forgets the best x. */
void nb_scaled_problem_linearise(nb_scaled_problem *problem);

/* In the place of the linearisation, at the geometry of the problem's last evaluation: v = N z + compliance z + q, with
 * compliance [1/kg] and q [m/s] of the problem's rows. */
void nb_scaled_problem_set(nb_scaled_problem *problem, const double *compliance, const double *q);

/* Takes the friction out of a linearised problem, as mu = 0 would; brings it back. */
void nb_scaled_problem_make_frictionless(nb_scaled_problem *problem);
void nb_scaled_problem_restore_friction(nb_scaled_problem *problem);

/* x [rows] of the problem's impulses; impulses and velocities of x, for a whole */
void nb_scaled_problem_read(const nb_scaled_problem *problem, double *x);
void nb_scaled_problem_write(nb_scaled_problem *problem, const double *x);
/* the velocities of the impulses that are there */
void nb_scaled_problem_follow(nb_scaled_problem *problem);

/* v = S D S x + C x + q */
void nb_scaled_problem_velocity(nb_scaled_problem *problem, const double *x, double *v);

/* Whether no digit is left to gain from `best`, whose velocities are v: by the largest velocity and by their norm, its
 * error is round-off of what its impulses make of them, and half the digits of velocities without impulses. */
int nb_scaled_problem_is_at_round_off(nb_scaled_problem *problem, const double *v);

/* the largest velocity that a row has without impulses [m/s] */
double nb_scaled_problem_free_velocity(const nb_scaled_problem *problem);

/* the first row of contact i */
int32_t nb_scaled_problem_first(const nb_scaled_problem *problem, int32_t i);

/* The laws' natural map F [rows], with weight rho; returns |F|. */
double nb_scaled_problem_natural(const nb_scaled_problem *problem, double rho, const double *x, const double *v,
                                 double *f);

/* Begins an iteration of a phase at x, whose velocities are v: measures it, keeps it where it is the best, and sets
 * outcome->reason where it meets the tolerance, is as good as this precision can tell, or no iteration is left. In the
 * phase of certificates x is no state of the problem: the best one is reported. */
void nb_scaled_problem_begin(nb_scaled_problem *problem, nb_phase phase, const double *x, const double *v);

/* The block of K of contact i [contact_rows][contact_rows]; rows and columns of friction that is not there are left
 * out. */
void nb_scaled_problem_block(nb_scaled_problem *problem, int32_t i, const double *block);
/* The entry of K of row i of `box`. */
void nb_scaled_problem_box_entry(nb_scaled_problem *problem, int32_t i, double entry);
/* Bounds of x of row i of `box`; may be infinite. */
void nb_scaled_problem_bounds(const nb_scaled_problem *problem, int32_t i, double bounds[2]);

/* Takes over the blocks, with `shift` on the whole diagonal: the matrix of the solves that follow. */
void nb_scaled_problem_set_matrix(nb_scaled_problem *problem, double shift);

/* dx of the matrix and b [rows]; *solved = 0 where the solver could not. May be called several times for one matrix. */
nb_status nb_scaled_problem_solve(nb_scaled_problem *problem, const double *b, double *dx, int *solved);

/* Ends the iteration, which moved x by t dx: counts it and tells the observer. */
nb_status nb_scaled_problem_end(nb_scaled_problem *problem, double t, const double *dx);

/* What the method took since the last iteration goes to the outcome. */
void nb_scaled_problem_count_time(nb_scaled_problem *problem);

/* Measures a whole as its parts left it. */
void nb_scaled_problem_judge(nb_scaled_problem *problem);

/* Leaves `best` in the problem, and its errors in the outcome. All times since nb_scaled_problem_begin_step are then in
 * the outcome, but for what the harness took to measure and to record. */
void nb_scaled_problem_conclude(nb_scaled_problem *problem);

#endif

/* A step of a world with its complementarity smoothed: contacts on the central path, z o v = rho (private to
 * solvers). In double, whatever the precision of the step.
 *
 *     M (u - u~) - J^T z = 0,   bilateral: c_b/h + E z_b = 0,
 *     contact:  x(w) = (mu z_n, z_t)/s,  y(w) = s (a/mu + |v_t|, v_t),  x o y = rho e,  x - y = w  (smoothed_cone.h)
 *
 * with unknowns u, z_b and w, s^2 an effective mass, which makes x and y roots of joules and does not matter, and
 * without |v_t| where the law is the relaxed one. A contact without friction has numbers in the place of vectors, and
 * so have rows of joint coordinates, with x between bounds. Where bodies move, all of J and a does: the linear systems
 * are those of the exact derivative,
 *
 *     K = [ A  -J^T T ]   A = M - d(J^T z)/du,     Q = d(c_b/h)/du or dy/du,  C = E or 1 - V,  T = 1 or dz/dw
 *         [ Q    C    ]
 *
 * whose rows are eliminated block by block, and the velocities that remain (six a body) are solved for by an LU
 * factorisation (smoothed_matrix.h). A step or two of refinement with K undo what the elimination loses: rigid
 * joints are eliminated as if they gave way a little. */
#ifndef NB_GRADIENT_SMOOTHED_STEP_H
#define NB_GRADIENT_SMOOTHED_STEP_H

#include "base/arena.h"
#include "cone/smoothed_cone.h"
#include "constraint/problem.h"
#include "derivative/contact_rows.h"
#include "model/coordinate.h"
#include "model/world.h"
#include "smoothed_matrix.h"

#define nb_smoothed_contact NB_REAL_NAME(nb_smoothed_contact)
#define nb_smoothed_joint NB_REAL_NAME(nb_smoothed_joint)
#define nb_smoothed_term NB_REAL_NAME(nb_smoothed_term)
#define nb_smoothed_coordinate NB_REAL_NAME(nb_smoothed_coordinate)
#define nb_smoothed_coordinate_begin NB_REAL_NAME(nb_smoothed_coordinate_begin)
#define nb_smoothed_coordinate_start NB_REAL_NAME(nb_smoothed_coordinate_start)
#define nb_smoothed_coordinate_evaluate NB_REAL_NAME(nb_smoothed_coordinate_evaluate)
#define nb_smoothed_coordinate_add_residual NB_REAL_NAME(nb_smoothed_coordinate_add_residual)
#define nb_smoothed_coordinate_linearise NB_REAL_NAME(nb_smoothed_coordinate_linearise)
#define nb_smoothed_coordinate_assemble NB_REAL_NAME(nb_smoothed_coordinate_assemble)
#define nb_smoothed_coordinate_eliminate NB_REAL_NAME(nb_smoothed_coordinate_eliminate)
#define nb_smoothed_coordinate_recover NB_REAL_NAME(nb_smoothed_coordinate_recover)
#define nb_smoothed_coordinate_change NB_REAL_NAME(nb_smoothed_coordinate_change)
#define nb_smoothed_coordinate_back NB_REAL_NAME(nb_smoothed_coordinate_back)
#define nb_smoothed_block NB_REAL_NAME(nb_smoothed_block)
#define nb_smoothed_step NB_REAL_NAME(nb_smoothed_step)
#define nb_smoothed_step_create NB_REAL_NAME(nb_smoothed_step_create)
#define nb_smoothed_step_destroy NB_REAL_NAME(nb_smoothed_step_destroy)
#define nb_smoothed_step_centre NB_REAL_NAME(nb_smoothed_step_centre)
#define nb_smoothed_step_evaluate NB_REAL_NAME(nb_smoothed_step_evaluate)
#define nb_smoothed_step_evaluate_again NB_REAL_NAME(nb_smoothed_step_evaluate_again)
#define nb_smoothed_step_linearise NB_REAL_NAME(nb_smoothed_step_linearise)
#define nb_smoothed_step_pose NB_REAL_NAME(nb_smoothed_step_pose)
#define nb_smoothed_step_motion NB_REAL_NAME(nb_smoothed_step_motion)
#define nb_smoothed_step_solve NB_REAL_NAME(nb_smoothed_step_solve)

/* the numbers of a block of rows in K */
typedef struct nb_smoothed_block {
    int32_t body[2], slot[2]; /* slot -1: nothing that moves */
    int32_t rows, first;
    double *j, *q;       /* [rows][12] J, of a contact as last evaluated, and Q over the velocities of a and b */
    double *t, *c;       /* [rows][rows] T, C */
    double *e, *inverse; /* [rows][rows] T C^-1, C^-1, with a little more than C in rigid joints */
    double *k;           /* [12][12] -d(J^T z)/du of a joint; NULL: that of a contact is in `inertia` */
} nb_smoothed_block;

typedef struct nb_smoothed_contact {
    nb_contact contact;
    nb_contact_rows_at rows;
    double mu, s;
    nb_smoothed_cone pair;
    double z[3];
    double slip[2]; /* the direction of v_t, 0 where it has none */
} nb_smoothed_contact;

typedef struct nb_smoothed_joint {
    const nb_joint *joint;                /* of `copy` */
    nb_joint_row rows[NB_JOINT_MAX_ROWS]; /* where it is linearised */
    double value[NB_JOINT_MAX_ROWS];      /* c_b/h [m/s or rad/s] */
    /* of a motor: the coordinate that it drives, and the change of what it holds by s at the start of the step */
    nb_coordinate driven;
    double by_start;
} nb_smoothed_joint;

/* one of the coordinates of a row, factor s */
typedef struct nb_smoothed_term {
    nb_coordinate coordinate;
    double factor;
    nb_joint_row start;       /* at the start of the step */
    int32_t body[2], slot[2]; /* slot -1: nothing that moves */
    double j[12], q[12];      /* J as last evaluated, Q: over the velocities of a and b */
    double k[144];            /* -d(J^T z)/du */
} nb_smoothed_term;

typedef struct nb_smoothed_coordinate {
    nb_coordinate_kind kind;
    int32_t row, terms;
    nb_smoothed_term *term;
    nb_coordinate_start from;
    double s, z;
    double value, by_apart; /* of the row [m/s or rad/s]; its derivative by the sum of factor s */
    nb_smoothed_box pair;
    double t, c, inverse; /* T, C, and C^-1 with a little more than C in a row that hardly gives way */
} nb_smoothed_coordinate;

typedef struct nb_smoothed_step {
    nb_world copy; /* of the world at the start of the step: its bodies and joints; no more of it is looked at */
    const nb_world *world;
    double h, rho;
    int frozen, relaxed; /* all rows are linear; the law is the relaxed one */
    int contacts_linear;
    double soft; /* compliance of contacts e/h^2 [1/kg] */
    int32_t bodies, joints, contact_count, coordinates, terms, joint_rows, rows;
    nb_smoothed_block *block;           /* [joints + contacts] */
    nb_smoothed_contact *contact;       /* [contacts] */
    nb_contact_features *features;      /* [contacts] */
    nb_smoothed_joint *joint;           /* [joints] */
    nb_smoothed_coordinate *coordinate; /* [coordinates] */
    nb_smoothed_term *term;             /* [terms] */
    nb_body_turn *turn;                 /* [bodies] */
    nb_mat3 *moments;                   /* [bodies] inertia at the start of the step, in the world */
    double *inertia;                    /* [bodies][36] the diagonal blocks of A */
    double *u, *free;                   /* [bodies][6] the iterate; the velocities without constraints u~ */
    double *zeta;                       /* [rows] z_b, w */
    double *weight;                     /* [rows] effective inverse masses */
    double *ru, *rz;                    /* [bodies][6], [rows] the residual */
    double *du, *dz, *change, *force, *try_u, *try_z, *best_u, *best_z;
    double *x;                  /* [velocities of nodes with mass] */
    nb_smoothed_matrix *matrix; /* held */
    int near;                   /* 1: its factors, if of this step, are of an iterate near this one */
    nb_arena arena;
} nb_smoothed_step;

/* From a step's problem and its present iterate, near a solution. *kept: NULL at first, then what steps that follow one
 * another have in common, for the caller to release in the end. Refuses what nb_check_differentiable does. */
nb_status nb_smoothed_step_create(nb_smoothed_matrix **kept, nb_problem *problem, double rho, nb_smoothed_step **step);
void nb_smoothed_step_destroy(nb_smoothed_step *step); /* NULL allowed */

/* The residual at the iterate; returns its norm [root of J]. */
double nb_smoothed_step_evaluate(nb_smoothed_step *step);
/* The same at an iterate that was evaluated, or with which the step was created, for another rho. */
double nb_smoothed_step_evaluate_again(nb_smoothed_step *step);

/* Where a body is at the end of the step, or at its start where all rows are linear; the world where it is -1. */
void nb_smoothed_step_pose(const nb_smoothed_step *step, int32_t body, nb_vec3 *x, nb_quat *q);

/* The small motion of the end of the step that velocity k of a body makes; none of the world, -1. */
void nb_smoothed_step_motion(const nb_smoothed_step *step, int32_t body, int k, nb_vec3 *move, nb_vec3 *turn);

/* K at the iterate, which was evaluated. `near` 1: it is hardly another one than K was factorised at last, whose
 * factors may do for one solution. */
void nb_smoothed_step_linearise(nb_smoothed_step *step, int near);

/* (du, dz) of K or its transpose for (ru, rz): arrays over all bodies and rows, none of them the step's own. Factorises
 * where that was not done since, or the factors became another step's. Refined until that much of the right-hand side
 * is left. */
nb_status nb_smoothed_step_solve(nb_smoothed_step *step, int transposed, const double *ru, const double *rz,
                                 double enough, double *du, double *dz);

/* Solves the smoothed equations by Newton's method from the iterate. *residual: what is left, relative; *iterations.
 * NB_ERROR_NUMERIC where it does not get there. */
nb_status nb_smoothed_step_centre(nb_smoothed_step *step, double *residual, int32_t *iterations);

/* ---- rows of joint coordinates: over the bodies of one joint, or of all that a coupling has ---- */

/* All of them from the problem; the first is row `first`. */
void nb_smoothed_coordinate_begin(nb_smoothed_step *step, nb_problem *problem, int32_t first);
/* w of row i of the iterate, which was evaluated. */
void nb_smoothed_coordinate_start(nb_smoothed_step *step, int32_t i);

/* J and the value of row i at the iterate; then its residual and impulse. */
void nb_smoothed_coordinate_evaluate(nb_smoothed_step *step, int32_t i);
void nb_smoothed_coordinate_add_residual(nb_smoothed_step *step, int32_t i);
void nb_smoothed_coordinate_linearise(nb_smoothed_step *step, int32_t i);
void nb_smoothed_coordinate_assemble(nb_smoothed_step *step, int32_t i);

/* right-hand sides and solutions, over all bodies and rows */
typedef struct nb_smoothed_solution {
    int transposed; /* 1: of K^T */
    double *u, *z, *ru, *rz;
} nb_smoothed_solution;

/* force += what row i leaves where it is eliminated. */
void nb_smoothed_coordinate_eliminate(const nb_smoothed_step *step, int32_t i, const nb_smoothed_solution *x,
                                      double *force);
/* dz of row i, where velocities change by du, into z, and (ru, rz) -= K (du, dz). */
void nb_smoothed_coordinate_recover(const nb_smoothed_step *step, int32_t i, const double *du,
                                    const nb_smoothed_solution *x);

/* fu -= and fz = - what inputs [bodies][NB_INPUTS] change of row i. */
void nb_smoothed_coordinate_change(const nb_smoothed_step *step, int32_t i, const double *inputs, double *fu,
                                   double *fz);
/* by_inputs -= its share in the derivatives of a number by -J^T z (by_u) and by the rows (by_rows). */
void nb_smoothed_coordinate_back(const nb_smoothed_step *step, int32_t i, const double *by_u, const double *by_rows,
                                 double *by_inputs);

#endif

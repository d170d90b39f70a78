/* The state of method smoothed, and Newton's method on one system of its rows (private to methods). What leads there,
 * step by step, is smoothed.c. */
#ifndef NB_SMOOTHED_NEWTON_H
#define NB_SMOOTHED_NEWTON_H

#include "base/arena.h"
#include "method.h"
#include "penalty_cavities.h"
#include "penalty_contacts.h"
#include "penalty_joints.h"
#include "penalty_lag.h"
#include "penalty_matrix.h"
#include "penalty_options.h"
#include "penalty_rows.h"
#include "step/columns.h"

#define nb_smoothed NB_REAL_NAME(nb_smoothed)
#define nb_smoothed_columns NB_REAL_NAME(nb_smoothed_columns)
#define nb_smoothed_evaluate NB_REAL_NAME(nb_smoothed_evaluate)
#define nb_smoothed_may_be_round_off NB_REAL_NAME(nb_smoothed_may_be_round_off)
#define nb_smoothed_is_heard NB_REAL_NAME(nb_smoothed_is_heard)
#define nb_smoothed_begin_row NB_REAL_NAME(nb_smoothed_begin_row)
#define nb_smoothed_is_solved NB_REAL_NAME(nb_smoothed_is_solved)
#define nb_smoothed_newton NB_REAL_NAME(nb_smoothed_newton)

enum {
    NB_SMOOTHED_STIFFNESS = NB_COLUMN_OWN,
    NB_SMOOTHED_REPEATS,
    NB_SMOOTHED_PASS,
    NB_SMOOTHED_STARTS,
    NB_SMOOTHED_LEAST_GAP,
    NB_SMOOTHED_FORCING_TERM,
    NB_SMOOTHED_STEP_LENGTH,
    NB_SMOOTHED_LAG,
    NB_SMOOTHED_DETECTIONS,
    NB_SMOOTHED_DETECTION_RESIDUAL,
    NB_SMOOTHED_CREEP,
    NB_SMOOTHED_CREEP_BOUND,
    NB_SMOOTHED_STRIBECK_STEP,
    NB_SMOOTHED_COLUMNS
};

extern const nb_column nb_smoothed_columns[NB_SMOOTHED_COLUMNS];

typedef struct nb_smoothed {
    nb_method base;
    nb_method_settings settings;
    double values[NB_PENALTY_OPTIONS];
    double kappa; /* [N/m] from step to step; 0: none was taken */
    nb_penalty_rows rows;
    nb_penalty_matrix matrix;
    nb_penalty_cavities cavities;
    nb_solve *solve;
    nb_arena arena;
    real *pull; /* [rows] scratch */
    int64_t pull_capacity;
    real *start, *saved, *du, *force; /* [velocities] */
    real *padded;                     /* [2 nb_nodes_length] scratch */
    double *fall;                     /* [nodes] scratch of smoothed.c */
    nb_penalty_lag lag;
    nb_penalty_joints joints;     /* the rigid ones */
    nb_penalty_contacts contacts; /* found at the iterate */
    nb_penalty_basis basis;
    int with_basis;       /* 1: the next systems have it */
    double stribeck_step; /* [s] the least of all steps so far; 0: none was made */
    /* of the present step */
    nb_problem *p;
    nb_measure *measure;
    const nb_observer *observer;
    nb_step_outcome *outcome;
    nb_newton_report report;
    double damping;        /* Rayleigh's alpha times the step's length [1] */
    double mass;           /* [kg] of all that moves */
    double residual;       /* [m/s] sqrt((g . M^-1 g + nb_penalty_joints_error)/mass) */
    double found_residual; /* [m/s] of the contacts that were found last */
    double since;          /* clock at the row's begin */
    double deepest;        /* [m] gap before the last repeat */
    int32_t jams;          /* repeats in a row that left it so */
    int32_t repeats, pass, starts, detections;
    int stalled; /* 1: no step made the residual smaller */
} nb_smoothed;

/* Impulses and momentum of the iterate, and its residual. */
void nb_smoothed_evaluate(nb_smoothed *m);

/* whether the residual is small enough to be round-off */
int nb_smoothed_may_be_round_off(const nb_smoothed *m);

/* Whether the residual is within its tolerance, of the whole mass and, tenfold, of each node: light ones are little of
 * the whole. A node's may be round-off before. Then it is enough that an iteration did not halve the whole; `before`:
 * the residual before that, or 0. */
int nb_smoothed_is_solved(const nb_smoothed *m, double before);

/* whether somebody listens to iterations */
int nb_smoothed_is_heard(const nb_smoothed *m);

/* A row of the record begins, of the iterate as it is. */
void nb_smoothed_begin_row(nb_smoothed *m);

/* At most `most` Newton iterations from the iterate, until it is solved, to round-off at worst; stalled, or with a
 * reason to stop. */
nb_status nb_smoothed_newton(nb_smoothed *m, int32_t most);

#endif

/* The first phase of method interior-point: every island of a step by the loop of island_loop.h (private to
 * solvers/method/interior_point).
 *
 * It is for steps of rigid bodies whose rows are contacts with Coulomb friction alone, in islands of at most
 * NB_BODY_LU_MOST bodies, in f64. Islands are shared out to the threads; their results do not depend on how many there
 * are. Told as islands' iterations are (island_iterations.h), but that all time is `assembly_s`. */
#ifndef NB_INTERIOR_POINT_ISLAND_PHASE_H
#define NB_INTERIOR_POINT_ISLAND_PHASE_H

#include "base/arena.h"
#include "base/real.h"
#include "constraint/step.h"
#include "island_loop.h"
#include "method.h"

#define nb_island_phase NB_REAL_NAME(nb_island_phase)
#define nb_island_phase_applies NB_REAL_NAME(nb_island_phase_applies)
#define nb_island_phase_run NB_REAL_NAME(nb_island_phase_run)
#define nb_island_phase_clear NB_REAL_NAME(nb_island_phase_clear)

/* {0} is an empty one; keeps its memory from step to step */
typedef struct nb_island_phase {
    nb_problem *p; /* borrowed, of the present step */
    nb_step_arrays step;
    int32_t count;          /* islands that have contacts */
    int32_t bodies;         /* of all of them, island by island */
    int32_t *body;          /* [bodies] which of the step's each one is */
    int32_t *contact;       /* [count] its first contact among the step's */
    int32_t *local;         /* [bodies of the step] its number in its island; -1: nothing moves it */
    real *kept;             /* [velocities + rows] what the step began with */
    int64_t places;         /* of all islands' nb_body_lu.place */
    nb_island *island;      /* [count] */
    nb_island whole;        /* arrays of all bodies and contacts, of which each island has its share */
    nb_arena arena, blocks; /* hold the arrays */
} nb_island_phase;

/* Whether the problem is one that the phase is for. */
int nb_island_phase_applies(nb_problem *problem);

/* Solves the islands to `tolerance` [m/s] by the harness's measure, in at most `most` iterations each. Where all were,
 * *solved = 1. The problem is left with the solutions of those that were, and as it was in the others; bodies without
 * contacts move freely. The outcome's iterations and times grow. */
nb_status nb_island_phase_run(nb_island_phase *phase, nb_problem *problem, double tolerance, int32_t most,
                              nb_measure *measure, const nb_observer *observer, nb_step_outcome *outcome, int *solved);

void nb_island_phase_clear(nb_island_phase *phase);

#endif

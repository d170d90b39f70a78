/* The first phase of method interior-point: islands of a step by the loop of island_loop.h (private to
 * solvers/method/interior_point).
 *
 * It is for steps of rigid bodies in f64, whose rows are joints and contacts with Coulomb friction. It takes the
 * islands of at most NB_BODY_LU_MOST bodies without joints; other islands are left to the other phases. Islands are
 * shared out to the threads; their results do not depend on how many there are. Told as islands' iterations are
 * (island_iterations.h), but that all time is `assembly_s`. */
#ifndef NB_INTERIOR_POINT_ISLAND_PHASE_H
#define NB_INTERIOR_POINT_ISLAND_PHASE_H

#include "base/arena.h"
#include "base/real.h"
#include "constraint/step.h"
#include "island_polish.h"
#include "method.h"

#define nb_island_phase NB_REAL_NAME(nb_island_phase)
#define nb_island_phase_applies NB_REAL_NAME(nb_island_phase_applies)
#define nb_island_phase_polishes NB_REAL_NAME(nb_island_phase_polishes)
#define nb_island_phase_run NB_REAL_NAME(nb_island_phase_run)
#define nb_island_phase_clear NB_REAL_NAME(nb_island_phase_clear)

/* {0} is an empty one; keeps its memory from step to step */
typedef struct nb_island_phase {
    nb_problem *p; /* borrowed, of the present step */
    nb_step_arrays step;
    const nb_law_range *range; /* of the contacts */
    int32_t count;             /* islands that it takes */
    int32_t bodies;            /* of all of them, island by island */
    int32_t contacts;          /* of all of them */
    int32_t contact_blocks;    /* nb_island_block */
    int32_t *number;           /* [count] which of the problem's islands each one is */
    int32_t *body;             /* [bodies] which of the step's each one is */
    int32_t *contact;          /* [count] its first contact among the step's */
    int32_t *local;            /* [bodies of the step] its number in its island; -1: in none; -2: in one not taken */
    int32_t done_count;        /* islands that it solved */
    uint8_t *done;             /* [islands of the problem] 1: solved */
    uint8_t *held;             /* [velocities] 1: of a body of such an island */
    real *kept;                /* [velocities + rows] what the step began with */
    int64_t places;            /* of all islands' nb_body_lu.place */
    nb_island_contact *given;  /* [contacts] */
    nb_island *island;         /* [count] */
    nb_island whole;           /* arrays of all bodies and contacts, of which each island has its share */
    nb_arena arena, contact_arena, blocks; /* hold the arrays */
    double start_tau, near;                /* of warm islands; an error at which islands wait [m/s] */
} nb_island_phase;

/* Whether the problem is one that the phase is for, with an island that it takes. */
int nb_island_phase_applies(nb_problem *problem);

/* Whether the polish follows the loop: contacts are linear in the step. */
int nb_island_phase_polishes(const nb_problem *problem);

/* Solves islands to `tolerance` [m/s] by the harness's measure, in at most half of `most` iterations each, all of them
 * near a solution. Where all islands of the problem were solved, *solved = 1. The problem is left with the solutions of
 * those that were, and as it was in the others, or with their best where all of `most` are spent; bodies without joints
 * and contacts move freely. The outcome's iterations and times grow. `halfway`, or NULL, looks once, when no island has
 * a larger error than its `near` or it has ended. */
nb_status nb_island_phase_run(nb_island_phase *phase, nb_problem *problem, double tolerance, int32_t most,
                              nb_measure *measure, const nb_observer *observer, const nb_halfway *halfway,
                              nb_step_outcome *outcome, int *solved);

void nb_island_phase_clear(nb_island_phase *phase);

#endif

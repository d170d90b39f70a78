/* MuJoCo's pass without slip: sweeps over friction alone, after a step with contacts that give way (--noslip). */
#ifndef NB_STEP_NO_SLIP_H
#define NB_STEP_NO_SLIP_H

#include "constraint/problem.h"

#define nb_no_slip NB_REAL_NAME(nb_no_slip)

/* From the problem's iterate (u, z), which becomes that of the end: at most so many projected Gauss-Seidel sweeps over
 *
 *     v_t + b_t = 0, or |z_t| = mu z_n and opposes it
 *
 * of contacts, with their normal impulses held and R_t left out. Each contact's two rows are solved exactly. It ends
 * where no impulse changes to round-off. Contacts are linear in the step. Takes memory.
 *
 * NB_ERROR_UNSUPPORTED for joints, whose sweeps would converge too slowly to hold them, elements and a friction ratio.
 * Source: MuJoCo's documentation, "Computation", "noslip". */
nb_status nb_no_slip(nb_problem *problem, int32_t sweeps);

#endif

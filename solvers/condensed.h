/* The condensed form of a Newton system with elements (operator/form.h): the rows of elements are folded into the mass,
 * the others keep their unknowns. With e the rows of elements, c the others, and T = (C + K)_e^-1,
 *
 *     H_e = H + J_e^T S T S J_e,    f = J_e^T S T b_e - g,    D_e = J_c H_e^-1 J_c^T
 *
 *     (S D_e S + C + K) y_c = b_c - S J_c H_e^-1 f,    du = H_e^-1 (f + J_c^T S y_c),    y_e = T (b_e - S J_e du)
 *
 * H_e couples nodes: it is a sparse mass (sparse_mass.h) with a Cholesky factor, made anew for new values and analysed
 * once for all steps that have the same elements. A product with D_e takes one solve with it. Without other rows a
 * solve with H_e is all there is; with them, an iterative solver's count does not depend on how stiff elements are, or
 * how little their volume may change.
 *
 * Where H itself has dense rows (operator/low_rank_mass.h), as cavities give it, the sparse mass is that of the rest,
 * and the dense rows stand over it.
 *
 * The diagonal of D_e takes a solve a row. What preconditioners get in its place is J_n B^-1 J_n^T, summed over the
 * nodes n of a block with their blocks B of H_e: it is not above the diagonal of a mass without couplings, and zero
 * where the diagonal is.
 *
 * Source: Macklin et al. 2019, eq. (56), of which elements alone are eliminated as in (64). */
#ifndef NB_SOLVERS_CONDENSED_H
#define NB_SOLVERS_CONDENSED_H

#include "operator/form.h"

#define nb_condensed_form NB_REAL_NAME(nb_condensed_form)

/* Unknowns: y of the rows that are of no element, in their order. Takes systems over a step with elements, whose packs
 * say so (operator/pack.h); every block of their rows needs a compliance that can be inverted. */
extern const nb_form_class nb_condensed_form;

#endif

/* A proof by cases that Coulomb's law has no solution (private to solvers/method/interior_point). A contact is open
 * (x = 0), sticks (v = 0, x in the cone) or slides (v_N = 0, friction against v_T, whose direction lies in a sector).
 * With polygons for cones and sectors each case is a set of linear inequalities G x <= h, E x = f in the impulses. By
 * Farkas's lemma it is empty where
 *
 *     G^T y + E^T z = 0,   h.y + f.z = -1,   y >= 0
 *
 * which nonnegative least squares find. A case that is not empty is split: a contact that was left open to all, or the
 * widest sector. The proof is complete where all cases are empty.
 *
 * Source: Lawson, Hanson, "Solving least squares problems", 1974, chapter 23 (least squares). */
#ifndef NB_INTERIOR_POINT_CASES_H
#define NB_INTERIOR_POINT_CASES_H

#include "scaled_problem.h"

#define nb_cases_refute NB_REAL_NAME(nb_cases_refute)

/* *found = 1 where the linearised problem, of six contacts at most, joint rows and Coulomb's law, has no solution with
 * impulses below 1e11 times the scaled problem's unit; *count: its cases. 0: unknown, as in f32 and for other laws.
 * Takes memory. */
nb_status nb_cases_refute(nb_scaled_problem *problem, int *found, int32_t *count);

#endif

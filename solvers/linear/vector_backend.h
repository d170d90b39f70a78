/* The vectors of Krylov methods on one device: the operator, the preconditioner, and the handful of operations that the
 * methods are made of, fused into the passes that they need. One Krylov source serves every backend, so that a
 * comparison of devices compares devices and not two spellings of a method.
 *
 * Where it is, its kind says (vector_backend_class.h): this processor's memory, or the device of the system
 * (nb_system.device).
 *
 * A vector is nb_vector_backend_length long and has an order of its own: take and give convert. Over bodies it is that
 * of the fast kernels (core/operator/kernels.h) or of the device; over a stored matrix, that of the rows. A
 * preconditioner that is a diagonal is taken into the operator, P^1/2 A P^1/2: its P is then the identity, and r . r
 * there is r . P r of the system.
 *
 * A product comes in two halves, as y . A y is known after the first. Sums are taken in double in every precision;
 * in `mixed` (base/storage.h) vectors are f32, and over bodies the operator is as well.
 *
 * A backend may be part of one that several processes share (device.h): vectors then hold the rows of this process,
 * sums are over those of all. So the methods take no sum over entries but by the functions below. */
#ifndef NB_LINEAR_VECTOR_BACKEND_H
#define NB_LINEAR_VECTOR_BACKEND_H

#include "base/storage.h"
#include "linear/pcr_run.h"
#include "linear_solver.h"

#define nb_vector_backend NB_STORAGE_NAME(nb_vector_backend)
#define nb_vector_backend_create NB_STORAGE_NAME(nb_vector_backend_create)
#define nb_vector_backend_destroy NB_STORAGE_NAME(nb_vector_backend_destroy)
#define nb_vector_backend_set_pattern NB_STORAGE_NAME(nb_vector_backend_set_pattern)
#define nb_vector_backend_set_values NB_STORAGE_NAME(nb_vector_backend_set_values)
#define nb_vector_backend_set_weights NB_STORAGE_NAME(nb_vector_backend_set_weights)
#define nb_vector_backend_set_weights_apart NB_STORAGE_NAME(nb_vector_backend_set_weights_apart)
#define nb_vector_backend_mirror NB_STORAGE_NAME(nb_vector_backend_mirror)
#define nb_vector_backend_set_mirrored NB_STORAGE_NAME(nb_vector_backend_set_mirrored)
#define nb_vector_backend_fault NB_STORAGE_NAME(nb_vector_backend_fault)
#define nb_vector_backend_set_vectors NB_STORAGE_NAME(nb_vector_backend_set_vectors)
#define nb_vector_backend_vector NB_STORAGE_NAME(nb_vector_backend_vector)
#define nb_vector_backend_length NB_STORAGE_NAME(nb_vector_backend_length)
#define nb_vector_backend_bytes NB_STORAGE_NAME(nb_vector_backend_bytes)
#define nb_vector_backend_has_identity NB_STORAGE_NAME(nb_vector_backend_has_identity)
#define nb_vector_backend_has_no_preconditioner NB_STORAGE_NAME(nb_vector_backend_has_no_preconditioner)
#define nb_vector_backend_take NB_STORAGE_NAME(nb_vector_backend_take)
#define nb_vector_backend_give NB_STORAGE_NAME(nb_vector_backend_give)
#define nb_vector_backend_begin_product NB_STORAGE_NAME(nb_vector_backend_begin_product)
#define nb_vector_backend_finish_product NB_STORAGE_NAME(nb_vector_backend_finish_product)
#define nb_vector_backend_finish_pcr NB_STORAGE_NAME(nb_vector_backend_finish_pcr)
#define nb_vector_backend_run_pcr NB_STORAGE_NAME(nb_vector_backend_run_pcr)
#define nb_vector_backend_finish_pcg NB_STORAGE_NAME(nb_vector_backend_finish_pcg)
#define nb_vector_backend_precondition NB_STORAGE_NAME(nb_vector_backend_precondition)
#define nb_vector_backend_take_sweeps NB_STORAGE_NAME(nb_vector_backend_take_sweeps)
#define nb_vector_backend_start_sweep NB_STORAGE_NAME(nb_vector_backend_start_sweep)
#define nb_vector_backend_sweep NB_STORAGE_NAME(nb_vector_backend_sweep)
#define nb_vector_backend_dot NB_STORAGE_NAME(nb_vector_backend_dot)
#define nb_vector_backend_dots NB_STORAGE_NAME(nb_vector_backend_dots)
#define nb_vector_backend_axpys NB_STORAGE_NAME(nb_vector_backend_axpys)
#define nb_vector_backend_residual NB_STORAGE_NAME(nb_vector_backend_residual)
#define nb_vector_backend_weighted_norm NB_STORAGE_NAME(nb_vector_backend_weighted_norm)
#define nb_vector_backend_is_round_off NB_STORAGE_NAME(nb_vector_backend_is_round_off)
#define nb_vector_backend_norm NB_STORAGE_NAME(nb_vector_backend_norm)
#define nb_vector_backend_clear NB_STORAGE_NAME(nb_vector_backend_clear)
#define nb_vector_backend_copy NB_STORAGE_NAME(nb_vector_backend_copy)
#define nb_vector_backend_axpy NB_STORAGE_NAME(nb_vector_backend_axpy)
#define nb_vector_backend_combine NB_STORAGE_NAME(nb_vector_backend_combine)
#define nb_vector_backend_solver_create NB_STORAGE_NAME(nb_vector_backend_solver_create)
#define nb_vector_backend_solver_set_up_values NB_STORAGE_NAME(nb_vector_backend_solver_set_up_values)
#define nb_vector_backend_solver_destroy NB_STORAGE_NAME(nb_vector_backend_solver_destroy)

typedef struct nb_vector_backend nb_vector_backend;

nb_status nb_vector_backend_create(nb_vector_backend **backend);
void nb_vector_backend_destroy(nb_vector_backend *backend);

/* A new pattern; the system is borrowed until the next one. Only this allocates. */
nb_status nb_vector_backend_set_pattern(nb_vector_backend *backend, nb_system *system);
/* new values of D */
nb_status nb_vector_backend_set_values(nb_vector_backend *backend);
/* new s and c of the system, and the preconditioner (class NULL: none) */
nb_status nb_vector_backend_set_weights(nb_vector_backend *backend, const nb_preconditioner_class *preconditioner,
                                        void *preconditioner_state);
/* and the preconditioner as it is: a diagonal one taken into the operator would change the residual's norm */
nb_status nb_vector_backend_set_weights_apart(nb_vector_backend *backend, const nb_preconditioner_class *preconditioner,
                                              void *preconditioner_state);

/* From here on the operator, and residuals of b - A x, have rows from `mirrored` on times -1 (system.h; 0: none), until
 * this is called again. Only over a stored matrix. */
void nb_vector_backend_set_mirrored(nb_vector_backend *backend, int32_t mirrored);
/* those rows of v times -1 */
void nb_vector_backend_mirror(const nb_vector_backend *backend, storage *v);

/* What failed on the system's device since the pattern was set; the functions below do nothing from then on, and sums
 * are NAN. To be asked before a result is taken. */
nb_status nb_vector_backend_fault(nb_vector_backend *backend);

int64_t nb_vector_backend_length(const nb_vector_backend *backend);
/* `count` vectors in the device's memory, in place of those that were; they hold anything. Only vectors of this
 * processor may be read other than by the functions below. */
nb_status nb_vector_backend_set_vectors(nb_vector_backend *backend, int64_t count);
storage *nb_vector_backend_vector(const nb_vector_backend *backend, int64_t i);
/* What one product, or one iteration of PCR with a diagonal preconditioner, moves to and from memory where nothing of
 * it stays in caches between its passes [bytes]. */
double nb_vector_backend_bytes(const nb_vector_backend *backend, int pcr);
/* whether P is the identity in this backend */
int nb_vector_backend_has_identity(const nb_vector_backend *backend);
/* and was from the start: no diagonal was taken in */
int nb_vector_backend_has_no_preconditioner(const nb_vector_backend *backend);

/* v = the residual or right-hand side given by rows [rows] */
void nb_vector_backend_take(nb_vector_backend *backend, const real *rows, storage *v);
/* rows = the iterate x + a d (d NULL: x) */
void nb_vector_backend_give(nb_vector_backend *backend, const storage *x, double a, const storage *d, real *rows);

/* y = a x + b y (x NULL: y as it is) and the first half of A y; sums = y . y and y . A y (sums NULL, where
 * x is: not asked for) */
void nb_vector_backend_begin_product(nb_vector_backend *backend, double a, const storage *x, double b, storage *y,
                                     double sums[2]);
/* the second half for the y that was begun: out = A y */
void nb_vector_backend_finish_product(nb_vector_backend *backend, const storage *y, storage *out);
/* or x += alpha d, d = y + beta d, ad = A y + beta ad; returns ad . ad (with_sum 0: anything, as nobody waits for it)
 */
double nb_vector_backend_finish_pcr(nb_vector_backend *backend, const storage *y, double alpha, double beta, storage *x,
                                    storage *d, storage *ad, int with_sum);
/* Where the device can run PCR by itself: iterations on from this state, for which the first half of A z was made,
 * until there is a reason to stop; elsewhere nothing. */
void nb_vector_backend_run_pcr(nb_vector_backend *backend, nb_pcr_state *pcr, const nb_pcr_run *run);
/* or x += alpha y, r -= alpha A y; returns r . r, likewise; r may be y itself */
double nb_vector_backend_finish_pcg(nb_vector_backend *backend, const storage *y, double alpha, storage *x, storage *r,
                                    int with_sum);

/* Block Gauss-Seidel on the system's device, on the weights set last. From start_sweep on, which x = 0 goes with, the
 * device carries the velocities of x along; a sweep, forward or backward, is x_B += omega A_BB^-1 (b - A x)_B block
 * after block, and returns the energy r . A_BB^-1 r of the residuals that it meets on its way forward. The colouring is
 * borrowed as long as there are sweeps. */
nb_status nb_vector_backend_take_sweeps(nb_vector_backend *backend, const nb_sweeps *sweeps);
void nb_vector_backend_start_sweep(nb_vector_backend *backend);
double nb_vector_backend_sweep(nb_vector_backend *backend, int backward, const storage *b, storage *x);

/* z = P r */
void nb_vector_backend_precondition(nb_vector_backend *backend, const storage *r, storage *z);
double nb_vector_backend_dot(nb_vector_backend *backend, const storage *x, const storage *y);
/* sums[i] = x[i] . y[i] of `count` pairs of vectors: one wait for all of them, where a device is waited for */
void nb_vector_backend_dots(nb_vector_backend *backend, int32_t count, const storage *const *x, const storage *const *y,
                            double *sums);
/* y += the sum of a[i] x[i]: y is read and written once where it can be */
void nb_vector_backend_axpys(nb_vector_backend *backend, int32_t count, const double *a, const storage *const *x,
                             storage *y);
/* r = b - A x for b given by rows [rows]; returns |r|. `ax` is scratch. */
double nb_vector_backend_residual(nb_vector_backend *backend, const real *b, storage *x, storage *r, storage *ax);
/* The residual's norm from v = P^1/2 r, a diagonal P having been taken in: |r|, without rows in which P is zero, |P r|
 * or, naturally, |v|. */
double nb_vector_backend_norm(nb_vector_backend *backend, nb_linear_norm norm, const storage *v);
/* |W x| of the iterate x and a diagonal W given by rows [rows] */
double nb_vector_backend_weighted_norm(nb_vector_backend *backend, const real *weights, const storage *x);
/* Whether a residual b - A x of norm `residual`, `start` at x = 0, is no more than rounding makes of a product with x.
 * The diagonal of A tells the size of that. */
int nb_vector_backend_is_round_off(nb_vector_backend *backend, const storage *x, double residual, double start);
void nb_vector_backend_clear(nb_vector_backend *backend, storage *x);
/* y = x */
void nb_vector_backend_copy(nb_vector_backend *backend, const storage *x, storage *y);
/* y += a x */
void nb_vector_backend_axpy(nb_vector_backend *backend, double a, const storage *x, storage *y);
/* y = a x + b y */
void nb_vector_backend_combine(nb_vector_backend *backend, double a, const storage *x, double b, storage *y);

/* create, set_up_values and destroy of a linear solver (linear_solver.h) without options, whose state is a backend */
nb_status nb_vector_backend_solver_create(const double *values, void **state);
nb_status nb_vector_backend_solver_set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome);
void nb_vector_backend_solver_destroy(void *state);

#endif

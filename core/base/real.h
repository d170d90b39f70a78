/* One source, two precisions.
 *
 * A source file that works on `real` is compiled twice, with NB_REAL_BITS 32 and 64 (CMake does this for the folders
 * core/system, core/ncp and solvers/). Each public name of such a file is given its precision where it is declared:
 *
 *     #define nb_system_apply NB_REAL_NAME(nb_system_apply)    -> nb_system_apply_f32, nb_system_apply_f64
 *
 * so that code reads the same in both. Use <tgmath.h> for sqrt, fabs, ..., and R(0.75) for constants. */
#ifndef NB_BASE_REAL_H
#define NB_BASE_REAL_H

#ifndef NB_REAL_BITS
#define NB_REAL_BITS 64
#endif

#if NB_REAL_BITS == 32
typedef float real;
#define NB_REAL_NAME(name) name##_f32
#define NB_REAL_EPSILON 1.1920928955078125e-07f /* 2^-23 */
#define NB_REAL_NAMED "f32"
#else
typedef double real;
#define NB_REAL_NAME(name) name##_f64
#define NB_REAL_EPSILON 2.220446049250313e-16 /* 2^-52 */
#define NB_REAL_NAMED "f64"
#endif

#define R(x) ((real)(x))

#endif

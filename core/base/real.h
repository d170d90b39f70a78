/* One source, several precisions.
 *
 * A source file that works on `real` says behind its includes in which precisions it is compiled:
 *
 *     NB_PRECISIONS(f32, f64);
 *
 * CMake reads that line, and compiles the file once for each of them: f32, f64, or mixed (base/storage.h). Each public
 * name of such a file is given its precision where it is declared:
 *
 *     #define nb_system_apply NB_REAL_NAME(nb_system_apply)    -> nb_system_apply_f32, nb_system_apply_f64
 *
 * so that code reads the same in all. Use <tgmath.h> for sqrt, fabs, ..., and R(0.75) for constants. A file without
 * the line is compiled once, and cannot include this one. */
#ifndef NB_BASE_REAL_H
#define NB_BASE_REAL_H

#include <assert.h>

#ifndef NB_REAL_BITS
#error "Say in which precisions this source is compiled: NB_PRECISIONS(f64); behind its includes"
#endif
#ifndef NB_STORAGE_BITS
#define NB_STORAGE_BITS NB_REAL_BITS
#endif

/* NB_PRECISIONS_READ: what CMake read, the sum of these */
#define NB_PRECISION_none 0
#define NB_PRECISION_f32 1
#define NB_PRECISION_f64 2
#define NB_PRECISION_mixed 4
#define NB_PRECISIONS(...) NB_PRECISIONS_NAMED(__VA_ARGS__, none, none, none)
#define NB_PRECISIONS_NAMED(a, b, c, ...)                                                           \
    static_assert((NB_PRECISION_##a | NB_PRECISION_##b | NB_PRECISION_##c) == (NB_PRECISIONS_READ), \
                  "this line has changed: run cmake again")

#if NB_REAL_BITS == 32
typedef float real;
#define NB_REAL_NAME(name) name##_f32
#define NB_REAL_EPSILON 1.1920928955078125e-07f /* 2^-23 */
#define NB_REAL_TINY 1.0842021724855044e-19f    /* 2^-63: its square is a normal number */
#define NB_REAL_NAMED "f32"
#else
typedef double real;
#define NB_REAL_NAME(name) name##_f64
#define NB_REAL_EPSILON 2.220446049250313e-16 /* 2^-52 */
#define NB_REAL_TINY 1.4916681462400413e-154  /* 2^-511 */
#define NB_REAL_NAMED "f64"
#endif

#define R(x) ((real)(x))

#endif

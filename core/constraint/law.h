/* Laws: what holds between the velocities and the impulses of the rows of a problem (problem.h).
 *
 * Rows come in blocks of 1 to NB_BLOCK_ROWS; neighbouring blocks of one law make a range. What laws differ in stands in
 * their class: a method loops over the ranges of a problem and asks each law for its part. A method that works with
 * some laws only refuses the others by name (cone_rows.h). A new law is a struct that begins with an nb_law, and a
 * class: one file; bilateral.c and unilateral.c are the smallest.
 *
 * The functions take a range, whose law is theirs, and arrays over all rows of the problem. Velocities in m/s, impulses
 * in N s, inverse masses and compliances in 1/kg. */
#ifndef NB_CONSTRAINT_LAW_H
#define NB_CONSTRAINT_LAW_H

#include <stdint.h>

#include "base/real.h"
#include "constraint/ncp.h"
#include "operator/block.h"

#define nb_law NB_REAL_NAME(nb_law)
#define nb_law_class NB_REAL_NAME(nb_law_class)
#define nb_law_range NB_REAL_NAME(nb_law_range)
#define nb_law_state NB_REAL_NAME(nb_law_state)
#define nb_linearisation NB_REAL_NAME(nb_linearisation)
#define nb_newton_weights NB_REAL_NAME(nb_newton_weights)
#define nb_law_scale NB_REAL_NAME(nb_law_scale)
#define nb_natural_point NB_REAL_NAME(nb_natural_point)
#define nb_law_noise NB_REAL_NAME(nb_law_noise)

typedef struct nb_law_class nb_law_class;

/* what every law begins with; its parameters follow */
typedef struct nb_law {
    const nb_law_class *type;
} nb_law;

typedef struct nb_law_range {
    const nb_law *law;   /* borrowed */
    int32_t blocks;      /* how many, of law->type->rows rows each */
    int32_t first_block; /* the first one's number in the problem */
    int32_t first_row;   /* its first row there */
    int32_t first;       /* its number among the blocks that the law has parameters of */
} nb_law_range;

/* a problem's state; [rows] each */
typedef struct nb_law_state {
    real h;            /* [s] */
    const real *value; /* velocities, gaps and joint values over h, all without compliance */
    const real *z;     /* impulses */
    const real *w;     /* effective inverse masses */
} nb_law_state;

/* how Newton's method linearises complementarity */
typedef struct nb_linearisation {
    nb_ncp_function function;
    nb_ncp_scaling scaling;
    int paper_row_scaling; /* 1: alpha on row and force as printed; 0: its root on row and unknown */
    real alpha_minimum;    /* the least alpha; smaller ones are raised to it where alpha is taken as its root */
} nb_linearisation;

/* A Newton system's rows: (S D S + C + K) y = b + S (momentum's part), dz = update y; [rows] each */
typedef struct nb_newton_weights {
    real *s, *c, *b, *update;
    /* K (operator/system.h), and where each of the problem's blocks starts in it; NULL unless a law of the problem has
     * full blocks */
    real *k;
    const int64_t *k_place;
} nb_newton_weights;

/* A scaled problem (solvers/method/interior_point/scaled_problem.h) has impulses x and velocities v,
 *
 *     z = unit s x,   v = s (value + b + E z)/unit,   E the compliances: c = s E s
 *
 * with b [m/s] as `shift` and s so that what the law says reads the same of x and v, and the diagonal of s D s + c is
 * near 1. [rows] each */
typedef struct nb_law_scale {
    real *s, *c;
    real *shift; /* zero where the law writes none */
    double *d;   /* unit f/d is a velocity [m/s] for a residual f of the natural map */
} nb_law_scale;

/* a state of a scaled problem; [rows] each */
typedef struct nb_natural_point {
    const real *s;
    const double *x, *v;
    double unit;
    double rho;   /* weight of velocities against impulses */
    double floor; /* least slope of a projection, so that it has an inverse */
} nb_natural_point;

/* the largest errors of rows, in the harness's measures (measure/measure.h); a law counts in the measure that comes
 * nearest to it */
typedef struct nb_law_errors {
    double bilateral, complementarity, friction; /* [m/s] */
    double penetration;                          /* [m] */
} nb_law_errors;

enum {
    NB_LAW_CONES = 2 /* of a block at most */
};

/* What a velocity, one of whose terms is what the row's own impulse makes of it, w z, is known to by no more than
 * [m/s]: an error of a row that it carries is at least that. Impulses that cancel may leave no digit of a velocity. */
static inline double nb_law_noise(double made) {
    return (double)NB_REAL_EPSILON * (made < 0 ? -made : made);
}

struct nb_law_class {
    const char *name;
    int32_t rows;    /* of a block */
    int full_blocks; /* 1: `linearise` fills blocks of K as well */
    /* NULL, or the law that this one relaxes, which has the same parameters: what a user of its solutions is told of */
    const nb_law_class *relaxes;
    /* The second-order cones x_N >= |x_T| that the impulses of a scaled problem's block lie in, all of them, each by
     * its normal's row within the block and those of its tangents: what an interior point works with. Velocities then
     * have |v_T| of each added to its normal. 0: the law has no such form. */
    int32_t cones;
    int32_t cone[NB_LAW_CONES][3];
    /* The range's part of a Newton system; NULL where the law has none, and Newton's method refuses it by name. */
    void (*linearise)(const nb_law_range *range, const nb_law_state *at, const nb_linearisation *how,
                      const nb_newton_weights *weights);
    /* For methods on a scaled problem; all NULL where the law has none, and such methods refuse it by name. */
    /* Scales the range's rows, from the inverse masses of the state alone. */
    void (*scale)(const nb_law_range *range, const nb_law_state *at, const nb_law_scale *scale);
    /* The natural map F = x - P(x - rho y) of the range: zero where the law holds. P projects on the impulses admitted,
     * and y is v, with |v_T| added to a contact's normal (De Saxce). An equation v = 0 may have F = v. */
    void (*natural)(const nb_law_range *range, const nb_natural_point *at, double *f);
    /* Its generalised Jacobian at a point of residual f, solved for the velocities: dx of (dv/dx + K) dx = b takes F to
     * zero to first order. K is a block a block, each by rows, the range's first one at `k`. A row whose s is zero
     * keeps b = 0, and nothing in K. */
    void (*jacobian)(const nb_law_range *range, const nb_natural_point *at, const double *f, double *b, real *k);
    /* Takes the range's impulses to the nearest ones that the law admits at any velocity. */
    void (*project)(const nb_law_range *range, real *z);
    /* Raises the errors by the range's; NaN where its state holds one. */
    void (*error)(const nb_law_range *range, const nb_law_state *at, nb_law_errors *errors);
};

/* how many rows a range has */
static inline int32_t nb_law_range_rows(const nb_law_range *range) {
    return range->blocks * range->law->type->rows;
}

#endif

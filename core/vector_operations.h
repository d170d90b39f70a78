/* Operations on vectors of a system's rows, with which a preconditioner is written once for this processor and for
 * devices.
 *
 * A vector is opaque: `real` [rows] in the order of the rows, where `by_rows` is 1, or whatever a device makes of its
 * rows. Vectors must not overlap, but where one is both operand and result by name. Numbers are computed in the
 * precision of the vectors, sums in double, over the rows of all processes. None of these allocates.
 *
 * A device's faults come late: after one nothing is done and sums are NAN (`failed`). */
#ifndef NB_VECTOR_OPERATIONS_H
#define NB_VECTOR_OPERATIONS_H

enum {
    NB_WORK_VECTORS = 8 /* at most */
};

typedef struct nb_vector_operations {
    void *state;
    void *const *vector; /* to work in, as many as nb_preconditioner_parts.vectors says; they hold anything */
    double epsilon;      /* round-off of a vector's numbers */
    int by_rows;         /* 1: vectors of this processor, and none of the operations below `combine` */
    void (*load)(void *state, const void *rows, void *v); /* v = `real` numbers by rows */
    /* out = A y; returns y . A y (with_sum 0: anything) */
    double (*product)(void *state, const void *y, void *out, int with_sum);
    double (*dot)(void *state, const void *x, const void *y);
    void (*copy)(void *state, const void *x, void *y);                        /* y = x */
    void (*axpy)(void *state, double a, const void *x, void *y);              /* y += a x */
    void (*combine)(void *state, double a, const void *x, double b, void *y); /* y = a x + b y */
    /* out = M x, or M^T x; M is the matrix of the parts */
    void (*multiply)(void *state, int transposed, const void *x, void *out);
    /* With z = 0, d = 0 and k = 0, 1, ..., count - 1: d = a[k] d + b[k] M (r - A z), z += d; so z = p(M A) M r for a
     * polynomial p. Overwrites vector[0]. Returns 0, and does nothing, where the other operations do it as fast. */
    int (*iterate)(void *state, int count, const double *a, const double *b, const void *r, void *z);
    /* With A = L + D + L^T in the order of the sweeps of the parts: z = (D + omega L)^-1 r forward; backward
     * z = omega (2 - omega) (z - omega D^-1 L^T z), which is (D + omega L^T)^-1 D of it, row after row. */
    void (*triangle)(void *state, int backward, const void *r, void *z);
    int (*failed)(void *state); /* whether the device did */
} nb_vector_operations;

#endif

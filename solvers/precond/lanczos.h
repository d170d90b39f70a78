/* The largest eigenvalue of M A, from conjugate gradients for A x = r preconditioned by M: their numbers make the
 * Lanczos matrix, whose largest eigenvalue is below it, by some percent after so few steps. x itself is never formed.
 *
 *     z = M r, d = z;  begin(r . z)
 *     while goes_on:  alpha = step(d . A d), 0: end;  r -= alpha A d;  z = M r;  d = z + turn(r . z) d
 *
 * One source for this processor and devices, which bring their own vectors. Saad 2003, section 6.7.3. */
#ifndef NB_PRECOND_LANCZOS_H
#define NB_PRECOND_LANCZOS_H

enum {
    NB_LANCZOS_PRODUCTS = 11 /* at most */
};

typedef struct nb_lanczos {
    int products;                                                      /* made */
    int count;                                                         /* rows of the matrix */
    double diagonal[NB_LANCZOS_PRODUCTS], square[NB_LANCZOS_PRODUCTS]; /* of what is beside it */
    double alpha, beta, rz, least;                                     /* r . z at which r is round-off */
} nb_lanczos;

/* from r . M r, in a precision whose round-off is `epsilon` */
nb_lanczos nb_lanczos_begin(double rz, double epsilon);
int nb_lanczos_goes_on(const nb_lanczos *lanczos);
/* The step along d of this d . A d, which counts a product; 0 where there is none. Where A is indefinite, d . A d may
 * be negative, which does no harm. */
double nb_lanczos_step(nb_lanczos *lanczos, double curvature);
/* the share of d in the next direction, from the new r . M r */
double nb_lanczos_turn(nb_lanczos *lanczos, double rz);
/* a tenth more than the eigenvalue; 1.1 where no step was made */
double nb_lanczos_top(const nb_lanczos *lanczos);

#endif

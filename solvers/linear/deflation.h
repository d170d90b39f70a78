/* Deflation of a conjugate method (conjugate.c) by what earlier systems left: a basis W of directions that P A makes
 * small, and the projection that takes them out of the residual,
 *
 *     x += W E^-1 W^T r,  r -= A W E^-1 W^T r,  z = (1 - W E^-1 (A W)^T) P r + W E^-1 W^T r,   E = W^T A W
 *
 * so that W^T r stays zero, and the method sees the rest of the spectrum alone (Saad, Yeung, Erhel, Guyomarc'h 2000).
 * The last term of z takes out what rounding leaves of W^T r (A-DEF2 of Tang, Nabben, Vuik, Erlangga 2009). Without it
 * a basis that a system is far from makes it stagnate.
 *
 * The next basis is made of W and of the solve's first WINDOW directions V, which are A-orthogonal to W and to each
 * other: harmonic Ritz vectors, the least of y^T F y / y^T G y with Z = [W V], G = Z^T A Z and F = (A Z)^T P (A Z). The
 * method's own scalars give the parts of F that V has. Those of W take a product with A and one with P a vector, once a
 * solve.
 *
 * A basis is kept by rows, for systems of as many rows: another Newton iteration, or in velocities another step.
 * Private to solvers/linear. */
#ifndef NB_LINEAR_DEFLATION_H
#define NB_LINEAR_DEFLATION_H

#include "linear/vector_backend.h"

#define nb_deflation NB_STORAGE_NAME(nb_deflation)
#define nb_deflation_create NB_STORAGE_NAME(nb_deflation_create)
#define nb_deflation_destroy NB_STORAGE_NAME(nb_deflation_destroy)
#define nb_deflation_vectors NB_STORAGE_NAME(nb_deflation_vectors)
#define nb_deflation_set_pattern NB_STORAGE_NAME(nb_deflation_set_pattern)
#define nb_deflation_begin NB_STORAGE_NAME(nb_deflation_begin)
#define nb_deflation_start NB_STORAGE_NAME(nb_deflation_start)
#define nb_deflation_projection NB_STORAGE_NAME(nb_deflation_projection)
#define nb_deflation_project NB_STORAGE_NAME(nb_deflation_project)
#define nb_deflation_add_direction NB_STORAGE_NAME(nb_deflation_add_direction)
#define nb_deflation_finish NB_STORAGE_NAME(nb_deflation_finish)

enum {
    NB_DEFLATION_MOST = 100 /* vectors of a basis */
};

typedef struct nb_deflation {
    int32_t size;       /* of a basis, at most */
    int32_t count;      /* of the basis that there is */
    int32_t used;       /* of it in the solve; dependent vectors are left out */
    int32_t directions; /* collected in the solve so far */
    int collects;       /* 1: the next one is A-orthogonal to them */
    int dropped;        /* 1: a basis was, since it had another size; until the next solve has said so */
    double *image;      /* [used] (A W)^T P v of the last projection of P v */
    storage *spare;     /* scratch vector */
    /* private */
    nb_vector_backend *backend;                /* borrowed from the last set_pattern on */
    int32_t rows;                              /* of the basis */
    int64_t first;                             /* vector of the backend */
    real *basis;                               /* [count][rows] */
    int32_t *kept;                             /* [used] which of them are */
    double *e, *f;                             /* [used][used] Cholesky factor of E below its diagonal; F of W */
    double *square, *diagonal, *above, *cross; /* of each direction d: d.A d; its part of F, with the one before, with
                                                  W [used] */
    double *log, *images;                      /* of a device (nb_pcr_projection) */
    const storage **list[2];                   /* arguments of nb_vector_backend_dots and _axpys */
    double *work;                              /* of the eigenproblem */
    int *integers;
    int64_t basis_capacity;
} nb_deflation;

nb_status nb_deflation_create(int32_t size, nb_deflation **deflation);
void nb_deflation_destroy(nb_deflation *deflation); /* NULL allowed */

/* how many vectors of the backend it takes */
int64_t nb_deflation_vectors(const nb_deflation *deflation);
/* Vectors of the backend from `first` on are its own, for a system of this pattern. A basis of another size is dropped.
 */
nb_status nb_deflation_set_pattern(nb_deflation *deflation, nb_vector_backend *backend, int32_t rows, int64_t first);

/* A solve begins: A W, E and F, with the weights set last, which are apart (nb_vector_backend_set_weights_apart). */
void nb_deflation_begin(nb_deflation *deflation);
/* x and r = b - A x so that W^T r = 0; returns by how much that lowers e^T A e */
double nb_deflation_start(nb_deflation *deflation, storage *x, storage *r);
/* z = P v, projected */
void nb_deflation_project(nb_deflation *deflation, const storage *v, storage *z);
/* the same for a device that does it by itself, of v into z; valid until the next call of another function */
nb_pcr_projection nb_deflation_projection(nb_deflation *deflation, const storage *v, const storage *z);
/* A direction d (NULL: it is in its place) with d.A d = square > 0: its d A P A d, that with the one before, and (A
 * W)^T P A d = a image + b before [used], where `before` is an earlier image. */
void nb_deflation_add_direction(nb_deflation *deflation, const storage *v, double square, double diagonal, double above,
                                const double *cross);
/* The solve ends: the next basis. Allocates nothing. */
void nb_deflation_finish(nb_deflation *deflation);

#endif

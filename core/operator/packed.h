/* A = S D S + C over rigid bodies in the layout of the fast kernels (kernels.h), for solvers that only need products.
 *
 * Contacts between the same two bodies with one frame, up to four, make a *pair*; NB_LANES pairs with equally many
 * contacts make a *block*, and so do joints with equally many rows. Within a block every number is a vector register of
 * one entry a pair: the frame (n, t1; t2 = n x t1), the arms of both bodies in that frame, the row weights, and the
 * rows of every vector. Bodies are numbered as the view lists them (near ones follow each other), their velocities and
 * forces padded to 8 numbers, so that NB_LANES of them are loaded whole and transposed in registers.
 *
 * Vectors live in *packed order*, nb_packed.length long; rows that pad a block stay zero in all of them. A diagonal
 * preconditioner P is taken into the operator, P^1/2 A P^1/2, so that Krylov methods need no vector of their own for
 * it.
 *
 * Source: design of the operator after Macklin et al. 2019, eq. (55); the layout is our own. */
#ifndef NB_SYSTEM_PACKED_H
#define NB_SYSTEM_PACKED_H

#include "base/status.h"
#include "base/storage.h"
#include "operator/sum.h"

#define nb_packed NB_STORAGE_NAME(nb_packed)
#define nb_packed_block NB_STORAGE_NAME(nb_packed_block)
#define nb_packed_create NB_STORAGE_NAME(nb_packed_create)
#define nb_packed_destroy NB_STORAGE_NAME(nb_packed_destroy)
#define nb_packed_fits NB_STORAGE_NAME(nb_packed_fits)
#define nb_packed_set_pattern NB_STORAGE_NAME(nb_packed_set_pattern)
#define nb_packed_set_values NB_STORAGE_NAME(nb_packed_set_values)
#define nb_packed_set_weights NB_STORAGE_NAME(nb_packed_set_weights)
#define nb_packed_take NB_STORAGE_NAME(nb_packed_take)
#define nb_packed_give NB_STORAGE_NAME(nb_packed_give)

enum {
    NB_LANES = 64 / (int)sizeof(storage), /* pairs a block: one 64-byte register a number */
    NB_PAIR_CONTACTS = 4,                 /* most contacts a pair */
    NB_FRAME_NUMBERS = 6,                 /* n, t1 */
    NB_ARM_NUMBERS = 6,                   /* arm of a, arm of b */
    NB_JOINT_ROW_NUMBERS = 12
};

/* NB_LANES pairs of `contacts` contacts each, or NB_LANES joints of `rows` rows each (contacts 0) */
typedef struct nb_packed_block {
    int32_t contacts, rows; /* of each pair */
    int64_t geometry;       /* where its geometry starts */
    int64_t vector;         /* where its rows start in a vector */
} nb_packed_block;

typedef struct nb_packed {
    int32_t rows;   /* of the system */
    int64_t length; /* length of a vector in packed order */
    int64_t *place; /* [rows] the place of each row in packed order */
    int parts;      /* threads that share a product; 1 for small systems */
    int32_t block_count;
    nb_packed_block *blocks; /* [block_count] */
    int32_t *block_bodies;   /* [block_count][2][NB_LANES] packed number of bodies a and b */
    storage *geometry;       /* see above; 64-byte aligned like all that follow */
    int64_t geometry_length;
    storage *s, *c;                    /* [length] weights and diagonal, with the preconditioner taken in */
    real *root;                        /* [rows] square root of the preconditioner's diagonal */
    int32_t body_count;                /* a multiple of NB_LANES; NB_LANES idle ones at the end stand for the world */
    real *inverse_mass;                /* [body_count / NB_LANES][8][NB_LANES] 1/m, inertia xx yy zz xy xz yz, unused */
    real *force;                       /* [parts][body_count][NB_BODY_STRIDE], zero between products */
    real *velocity;                    /* [body_count][NB_BODY_STRIDE] H^-1 J^T of the last vector */
    const nb_delassus *source;         /* borrowed */
    nb_rigid_rows rigid;               /* its rows */
    struct nb_packed_scratch *scratch; /* private */
} nb_packed;

nb_status nb_packed_create(nb_packed **packed);
void nb_packed_destroy(nb_packed *packed);

/* Whether this source is rows between rigid bodies alone. */
int nb_packed_fits(const nb_delassus *delassus);

/* Orders the rows of a source that fits, and takes its masses and frames. Allocates where it has to grow. */
nb_status nb_packed_set_pattern(nb_packed *packed, const nb_delassus *delassus);

/* Takes the arms and the joints' rows, which change with the iterate. */
void nb_packed_set_values(nb_packed *packed);

/* Takes the weights s and the diagonal c [rows], and the diagonal of the preconditioner (NULL: 1). */
void nb_packed_set_weights(nb_packed *packed, const real *s, const real *c, const real *diagonal);

/* v = P^1/2 rows, in packed order */
void nb_packed_take(const nb_packed *packed, const real *rows, storage *v);
/* rows = P^1/2 (v + a w); w NULL for none */
void nb_packed_give(const nb_packed *packed, const storage *v, real a, const storage *w, real *rows);

#endif

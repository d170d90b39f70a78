/* The operator A = S D S + C over rigid bodies as the device's kernels see it: structures of arrays in device memory.
 *
 * A vector is in *device order*: the normal rows of all contacts, their first and their second tangent rows, then the
 * joint rows, each of these padded to whole warps, so that a warp does one kind of constraint:
 *
 *     row k of contact i:  k * contact_stride + i           joint row j:  3 * contact_stride + j
 *
 * Padding stays zero in every vector. Contacts go by the lower of their bodies, those of a pair as neighbours; bodies
 * go as the source lists them (near ones follow each other), number `bodies` being the world, whose velocity is zero.
 * A contact keeps n and t1, and t2 = n x t1. Each body has the list of its contacts' sides and of its joint rows'
 * sides, with a copy of that side's arm or half row in the order of the lists, so that a body gathers its force: no
 * atomics, and the same bits every time.
 *
 * Behind these rows lie those of other packs (core/operator/pack.h), row k of block i of a pack at row + k stride + i.
 * A thread does a block. Its Jacobian is made of *pieces*, the three velocities of a particle, or half of a body's six:
 * it leaves the force on each piece, which nodes gather by lists of their own. Tetrahedra are done from 30 numbers, all
 * others from the entries of their Jacobian. A particle stands among the bodies, with no inertia.
 *
 * Memory holds numbers of type storage, real is computed with (base/storage.h). */
#ifndef NB_CUDA_VIEW_H
#define NB_CUDA_VIEW_H

#include <stdint.h>

#include "base/features.h"
#include "base/storage.h"
#include "linear/pcr.h"

#include "operator/block.h"
#include "operator/rows.h"
#include "stop.h"

#define nb_view NB_STORAGE_NAME(nb_view)
#define nb_pass NB_STORAGE_NAME(nb_pass)
#define nb_pcr_slot NB_STORAGE_NAME(nb_pcr_slot)

enum {
    NB_WARP = 32,
    NB_THREADS = 256,        /* of a block at most, and of all but those of sweeps */
    NB_MOST_BLOCKS = 1024,   /* of a pass; a fixed number, so that sums do not depend on the device */
    NB_BODY_LANES = 8,       /* threads that gather a body's force */
    NB_VELOCITY_NUMBERS = 8, /* a body: 6 used */
    NB_SUMS = 5,
    NB_REDUCED = 3, /* of them, that this processor is told */
    NB_MASS_NUMBERS = 9,
    NB_VIEW_PACKS = 7,
    NB_PAIRS = 200,         /* of vectors whose products are taken at once */
    NB_PAIR_GROUP = 4,      /* of these a block's */
    NB_PAIR_BLOCKS = 128,   /* at most, of a group */
    NB_ELEMENT_NUMBERS = 30 /* of a tetrahedron: gradients 9, R 9, S 6, turn 6 */
};

/* the blocks of a pack other than contacts and joint rows */
typedef struct nb_view_pack {
    int32_t blocks, stride;   /* how many; padded to whole warps */
    int32_t rows, pieces;     /* of a block at most; what a block has less is zero, or the world's */
    int32_t tetrahedra, lane; /* 1: of stretch; the first element's lane in its group */
    int32_t coupled;          /* 1: a full block K of each is added */
    int32_t first_row;        /* in the system, where `coupled` */
    int64_t row;              /* the place of its first row in a vector */
    int64_t number;           /* where its numbers begin, number e of block i at number + e stride + i */
    int64_t piece;            /* the same of pieces */
    int64_t k, k_source;      /* of K; of K by blocks, as the system has it */
    int64_t source;           /* where what the host sends begins [bytes] */
} nb_view_pack;

/* PCR that the device runs by itself. Two slots: a pass reads one, and its first block leaves the state after the
 * pass's decision in the other, so that no block reads what another writes. */
typedef struct nb_pcr_slot {
    nb_pcr_state state;
    int32_t pending; /* the sums of a residual wait for nb_pcr_advance */
} nb_pcr_slot;

/* A matrix by blocks of rows (nb_block_matrix of preconditioner.h, or its transpose). Block b has the rows from
 * first[b] to first[b + 1] - 1 and the columns from column[start[b]] to column[start[b + 1] - 1], which the lanes of a
 * warp share. Its numbers begin at value[place[b]], row by row. Without columns they are the factor of a block that is
 * to be inverted, and a thread does it. */
typedef struct nb_view_rows {
    int32_t blocks;
    int64_t entries; /* of columns, */
    int64_t numbers; /* and of values */
    int32_t *first;  /* [blocks + 1] */
    int64_t *start;  /* [blocks + 1] */
    int64_t *place;  /* [blocks] */
    int32_t *column; /* [entries] places in a vector */
    real *value;     /* [numbers] */
} nb_view_rows;

typedef struct nb_view {
    int32_t rows; /* of the system */
    int32_t contacts, joint_rows, bodies;
    int32_t contact_stride, joint_stride, body_stride; /* padded to whole warps */
    int32_t contact_sides, joint_sides;                /* entries of the bodies' lists */
    int32_t packs;                                     /* other packs than contacts and joint rows */
    int32_t pack_items;                                /* their blocks, padded */
    int32_t piece_sides;                               /* entries of the nodes' lists of pieces */
    int64_t pack_length;                               /* of their part of a vector */
    int64_t numbers, pieces, k_length, k_source_length, source_bytes;
    nb_view_pack pack[NB_VIEW_PACKS];

    int32_t *place;                    /* [rows] where each row lies in a vector */
    int32_t *contact_a, *contact_b;    /* [contact_stride] bodies */
    int32_t *contact_source;           /* [contact_stride] number among the source's contacts */
    int32_t *joint_a, *joint_b;        /* [joint_stride] */
    int32_t *contact_start;            /* [bodies + 1] of each body's list */
    int32_t *contact_list;             /* [contact_sides] 2 * contact, + 1 for body b's side */
    int32_t *joint_start, *joint_list; /* as of contacts */
    nb_view_rows matrix[2];            /* the preconditioner's, and its transpose */
    real *contact_factors; /* [6][contact_stride] lower triangles by rows, where each contact is a block of it */
    /* sweeps in colour order: groups of neighbouring constraints between the same two bodies, by colour */
    int32_t *colour_start; /* [colours + 1] */
    int32_t *group_first;  /* [groups] item of an UPDATE: a contact, or contact_stride + a joint row */
    int32_t *group_count;
    real *pivots; /* [6][contact_stride], [joint_stride]: see PIVOTS */

    nb_contact_rows *contact_rows;     /* [contacts] as the source has them */
    nb_jacobian_row *joint_row_source; /* [joint_rows] */
    /* [NB_MASS_NUMBERS][body_stride] 1/m, inverse inertia xx yy zz xy xz yz; with packs, 1/m along y and along z */
    real *inverse_mass;
    int32_t *piece_place; /* [pieces] of each piece's velocities */
    int32_t *piece_start; /* [bodies + 1] of each node's list */
    int32_t *piece_list;  /* [piece_sides] 2 * piece, + 1 for the angular half of a body */

    storage *frame;       /* [6][contact_stride] n, t1 */
    storage *arm;         /* [6][contact_stride] of a, of b, in the world's axes */
    storage *row;         /* [12][joint_stride] */
    storage *side_arm;    /* [3][contact_sides] in the order of the lists */
    storage *side_row;    /* [6][joint_sides] */
    storage *s, *c;       /* [length] weights and diagonal, with the preconditioner's diagonal taken in */
    real *root;           /* [rows] its square root */
    real *force;          /* [3][contact_stride] of each contact on body a in the world's axes, [joint_stride] s y */
    real *velocity;       /* [bodies + 1][NB_VELOCITY_NUMBERS] H^-1 J^T S y */
    real *row_values[3];  /* [rows] vectors in the order of the rows, on their way in and out */
    char *pack_source;    /* [source_bytes] numbers of packs as the host sends them: groups of tetrahedra, Jacobians */
    real *k_source;       /* [k_source_length] */
    storage *number, *k;  /* [numbers], [k_length] */
    real *piece_force;    /* [3][pieces] */
    nb_pcr_slot *slots;   /* [2] */
    nb_pcr_slot *told;    /* how far it came, in memory that the host reads as well */
    double *partial_sums; /* [NB_SUMS][NB_MOST_BLOCKS] */
    double *sums;         /* [NB_REDUCED + NB_PAIRS] in memory that the host reads as well */
    const storage **pair_x, **pair_y, **axpy_x; /* [NB_PAIRS] lists of vectors */
    real *axpy_a;                               /* [NB_PAIRS] */
    double *pair_sums;                          /* [NB_PAIRS][NB_PAIR_BLOCKS] partial ones */
    double *products;                           /* [NB_PAIRS] of pairs, for OWN_PROJECT */
    double *factor;                             /* [stride][stride] (nb_pcr_projection) */
    double *log, *images;
    int32_t factor_stride;
} nb_view;

/* length of a vector */
NB_FN int64_t nb_view_length(const nb_view *v) {
    return 3 * (int64_t)v->contact_stride + v->joint_stride + v->pack_length;
}

/* what a pass does; its items are dealt to threads in turn */
typedef enum nb_pass_kind {
    NB_PASS_VALUES,  /* geometry from the source's rows: contacts, joint rows and sides at once */
    NB_PASS_WEIGHTS, /* rows: s, c and a diagonal (row_values[0 to 2]) into the operator */
    NB_PASS_TAKE,    /* rows: y = root row_values[0] */
    NB_PASS_GIVE,    /* rows: row_values[0] = root (x + a d), d NULL: root x */
    NB_PASS_UPDATE,  /* constraints: y = a x + b y (x NULL: as it is), force = S y; y . y and y . C y */
    NB_PASS_BODY,    /* bodies, NB_BODY_LANES threads each: velocity = H^-1 J^T force; force . velocity */
    NB_PASS_PRODUCT, /* constraints: out = A y, from the velocities */
    NB_PASS_PCR,     /* constraints: x += a d, d = y + b d, ad = A y + b ad; ad . ad */
    NB_PASS_PCG,     /* constraints: x += a y, r -= a A y; r . r */
    NB_PASS_BLOCKS,  /* blocks: out = M x by their factors */
    NB_PASS_ROWS,    /* blocks of rows: out = M x; backward: M^T x */
    NB_PASS_FACTORS, /* blocks of contacts: their factors in the order of contacts */
    NB_PASS_START,   /* constraints: y = b M x, force = S y; M: the diagonal `ad`, or NULL: the contacts' factors */
    NB_PASS_STEP,    /* constraints: d = a d + b M (x - A y) from the velocities, y += d, force = S y; the first takes y
                        for the d before; the last leaves neither d nor force, nor does such a START */
    NB_PASS_PIVOTS,  /* constraints: the block A_BB of each, by rows up to its diagonal: factorised as
                        nb_block_factorize_symmetric does, or, by_rows, as it is but with 1/|a| on the diagonal */
    NB_PASS_RELAX,   /* groups of some colours: x_B += a A_BB^-1 (b - A x)_B, x in `out` and b in `x`; |residual|^2 */
    NB_PASS_TRIANGLE, /* groups of some colours: z = (D + a L)^-1 r forward, z -= a D^-1 L^T z backward and then z *= b,
                         r in `x` and z in `out` */
    NB_PASS_DOT,      /* numbers: x . y */
    NB_PASS_SCALED,   /* rows: |Q x|^2, Q = root, or its inverse */
    NB_PASS_COPY,     /* numbers: y = x */
    NB_PASS_AXPY,     /* numbers: y += a x */
    NB_PASS_COMBINE,  /* numbers: y = a x + b y */
    NB_PASS_AXPYS,    /* numbers: y += the sum of counts[0] vectors of axpy_x by axpy_a */
    NB_PASS_PAIRS,    /* groups of counts[0] pairs: partial sums of pair_x . pair_y, */
    NB_PASS_PAIR_SUMS, /* and a block a pair: what they add up to, behind the sums of REDUCE, or into `products` */
    NB_PASS_REDUCE,    /* one block: sums from the partial ones, in a fixed order */
    /* iterations of PCR without the host, with the numbers of a slot; `counts` as of REDUCE, of sums to decide by */
    NB_PASS_OWN_PROJECT,  /* one block: axpy_a of AXPYS from `products` by `factor`; counts: of the basis, the first
                             iteration and how many are logged */
    NB_PASS_OWN_COLLECT,  /* numbers: y = x / sqrt(zaz), in one of the vectors from y on; counts: the first iteration,
                             how many, numbers of a vector */
    NB_PASS_OWN_RESIDUAL, /* numbers: y -= alpha x of slot 0; y . y, or d . d where it is not `inverse`; y . d */
    NB_PASS_OWN_PCR,      /* decides on the residual's sums; PCR with its alpha and beta; slot 0 to slot 1 */
    NB_PASS_OWN_UPDATE,   /* the next alpha from ad . P ad; UPDATE with it; slot 1 to slot 0 */
    NB_PASS_OWN_DECIDE,   /* one block: decides as OWN_PCR will; slot 0 to `told` */
    NB_PASS_KINDS
} nb_pass_kind;

/* a step of a polynomial, as passes know it; a pass is 128 bytes at most, or compilers keep a copy of it in memory */
enum {
    NB_STEP_FIRST = 1,
    NB_STEP_LAST = 2
};

/* one pass over all items; which of these mean something, the kind says */
typedef struct nb_pass {
    nb_pass_kind kind;
    int slot;                /* not 0: does nothing where slot number `slot` - 1 has a reason to stop */
    int with_sums;           /* partial sums are wanted */
    int first_sum;           /* where the first of them goes */
    int take_diagonal;       /* WEIGHTS: there is one */
    int by_rows;             /* PIVOTS */
    int inverse;             /* SCALED, OWN_RESIDUAL */
    int ends;                /* START, STEP: NB_STEP_FIRST, NB_STEP_LAST */
    nb_linear_norm norm;     /* RELAX: of the residuals */
    int32_t counts[NB_SUMS]; /* AXPYS, PAIRS: how many. REDUCE: blocks that made each sum; 0: none. RELAX: of the sums
                                before, to be added to */
    int32_t colours[2];      /* RELAX, TRIANGLE: from the first of these to the one before the second */
    int32_t largest;         /* groups of the largest colour; where there are several colours, one block does all */
    int backward;            /* RELAX, TRIANGLE, ROWS */
    real a, b;
    const storage *x;
    storage *y, *out, *d, *ad;
} nb_pass;

/* where sums are among the partial ones, while the device runs by itself */
enum {
    NB_SUM_OF_NORM = 0,     /* the square of the norm that the state's bound is of */
    NB_SUM_OF_RESIDUAL = 1, /* r . z */
    NB_SUM_OF_ENERGY = 2,   /* two: z . C z, force . velocity */
    NB_SUM_OF_AD = 4
};

/* sums that a pass makes */
NB_CONSTANT_FN int nb_pass_sum_count(nb_pass_kind kind) {
    switch (kind) {
    case NB_PASS_UPDATE:
    case NB_PASS_OWN_RESIDUAL:
    case NB_PASS_OWN_UPDATE: return 2;
    case NB_PASS_BODY:
    case NB_PASS_OWN_PCR:
    case NB_PASS_PCR:
    case NB_PASS_PCG:
    case NB_PASS_RELAX:
    case NB_PASS_SCALED:
    case NB_PASS_DOT: return 1;
    default: return 0;
    }
}

/* how many items a pass has, threads that share a body counted one by one */
NB_FN int64_t nb_pass_items(nb_pass_kind kind, const nb_view *v) {
    int64_t most;
    switch (kind) {
    case NB_PASS_VALUES:
        most = v->contact_sides > v->joint_sides ? v->contact_sides : v->joint_sides;
        if (most < v->contacts) most = v->contacts;
        if (most < v->pack_items) most = v->pack_items;
        return most < v->joint_rows ? v->joint_rows : most;
    case NB_PASS_WEIGHTS: return v->rows < v->pack_items ? v->pack_items : v->rows;
    case NB_PASS_TAKE:
    case NB_PASS_SCALED:
    case NB_PASS_GIVE: return v->rows;
    case NB_PASS_PIVOTS: return (int64_t)v->contact_stride + v->joint_stride;
    case NB_PASS_UPDATE:
    case NB_PASS_PRODUCT:
    case NB_PASS_PCR:
    case NB_PASS_START:
    case NB_PASS_STEP:
    case NB_PASS_OWN_PCR:
    case NB_PASS_OWN_UPDATE:
    case NB_PASS_PCG: return (int64_t)v->contact_stride + v->joint_stride + v->pack_items;
    case NB_PASS_BODY: return (int64_t)NB_BODY_LANES * v->bodies;
    case NB_PASS_ROWS: return (int64_t)NB_WARP * v->matrix[0].blocks;
    case NB_PASS_FACTORS:
    case NB_PASS_BLOCKS: return v->matrix[0].blocks;
    case NB_PASS_OWN_DECIDE:
    case NB_PASS_OWN_PROJECT:
    case NB_PASS_REDUCE: return NB_THREADS;
    default: return nb_view_length(v);
    }
}

/* blocks of so many threads for so many items: each thread does every (blocks * threads)th one */
NB_FN int32_t nb_blocks_for(int64_t items, int32_t threads) {
    int64_t blocks = (items + threads - 1) / threads;
    return blocks < 1 ? 1 : blocks > NB_MOST_BLOCKS ? NB_MOST_BLOCKS : (int32_t)blocks;
}

/* blocks of a pass, but of RELAX and TRIANGLE */
NB_FN int32_t nb_pass_blocks(nb_pass_kind kind, const nb_view *v) {
    return nb_blocks_for(nb_pass_items(kind, v), NB_THREADS);
}

/* whether the pass goes through groups, colour after colour */
NB_FN int nb_pass_is_sweep(nb_pass_kind kind) {
    return kind == NB_PASS_RELAX || kind == NB_PASS_TRIANGLE;
}

/* Threads of a block of such a pass. A thread reads far from its neighbours, which keeps a multiprocessor busy with few
 * warps: a colour is spread over as many as there are, in blocks of a warp. Several colours are one block's. */
NB_FN int32_t nb_sweep_threads(const nb_pass *p) {
    int several = p->colours[1] - p->colours[0] > 1;
    return !several && p->largest <= NB_WARP * NB_MOST_BLOCKS ? NB_WARP : NB_THREADS;
}

/* blocks of such a pass */
NB_FN int32_t nb_sweep_blocks(const nb_pass *p) {
    return p->colours[1] - p->colours[0] > 1 ? 1 : nb_blocks_for(p->largest, nb_sweep_threads(p));
}

/* blocks that share a group of pairs */
NB_FN int32_t nb_pair_chunks(const nb_view *v) {
    int32_t blocks = nb_blocks_for(nb_view_length(v), NB_THREADS);
    return blocks < NB_PAIR_BLOCKS ? blocks : NB_PAIR_BLOCKS;
}

/* blocks that a pass is launched with */
NB_FN int32_t nb_launch_blocks(const nb_pass *p, const nb_view *v) {
    switch (p->kind) {
    case NB_PASS_RELAX:
    case NB_PASS_TRIANGLE: return nb_sweep_blocks(p);
    case NB_PASS_PAIRS: return (p->counts[0] + NB_PAIR_GROUP - 1) / NB_PAIR_GROUP * nb_pair_chunks(v);
    case NB_PASS_PAIR_SUMS: return p->counts[0];
    case NB_PASS_OWN_DECIDE:
    case NB_PASS_OWN_PROJECT:
    case NB_PASS_REDUCE: return 1;
    default: return nb_pass_blocks(p->kind, v);
    }
}

/* whether the device has stopped by itself, and the pass is in vain */
NB_FN int nb_pass_is_over(const nb_view *v, const nb_pass *p) {
    return p->slot > 0 && v->slots[p->slot - 1].state.reason != NB_REASON_NONE;
}

/* the colour that comes as number `turn` of the pass */
NB_FN int32_t nb_sweep_colour(const nb_pass *p, int32_t turn) {
    return p->backward ? p->colours[1] - 1 - turn : p->colours[0] + turn;
}

#endif

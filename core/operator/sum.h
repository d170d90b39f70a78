/* The operator D = J H^-1 J^T over nodes: the sum of its packs (pack.h) over one mass (mass.h), without forming it
 * (private to core, and to sources that bring a layout of their own).
 *
 * Rows of a view go pack after pack, in each one from its begin to its end: joints, then contacts, and whatever else
 * the maker of the sum has. */
#ifndef NB_OPERATOR_SUM_H
#define NB_OPERATOR_SUM_H

#include "operator/pack.h"
#include "operator/rows.h"
#include "operator/system.h"

#define nb_sum NB_REAL_NAME(nb_sum)
#define nb_sum_view NB_REAL_NAME(nb_sum_view)
#define nb_sum_class NB_REAL_NAME(nb_sum_class)
#define nb_sum_class_for NB_REAL_NAME(nb_sum_class_for)
#define nb_sum_view_of NB_REAL_NAME(nb_sum_view_of)
#define nb_sum_add_forces NB_REAL_NAME(nb_sum_add_forces)
#define nb_sum_row_velocities NB_REAL_NAME(nb_sum_row_velocities)
#define nb_sum_whole_jacobian NB_REAL_NAME(nb_sum_whole_jacobian)
#define nb_sum_block_diagonal NB_REAL_NAME(nb_sum_block_diagonal)
#define nb_rigid_rows NB_REAL_NAME(nb_rigid_rows)
#define nb_rigid_rows_of NB_REAL_NAME(nb_rigid_rows_of)
#define nb_island_rows NB_REAL_NAME(nb_island_rows)
#define nb_island_rows_make NB_REAL_NAME(nb_island_rows_make)
#define nb_sum_find_leads NB_REAL_NAME(nb_sum_find_leads)
#define nb_island_rows_clear NB_REAL_NAME(nb_island_rows_clear)
#define nb_sum_rows NB_REAL_NAME(nb_sum_rows)
#define nb_sum_rows_of NB_REAL_NAME(nb_sum_rows_of)

enum {
    NB_SUM_PACKS = 10 /* most packs of a sum */
};

/* shared by the whole system and its islands */
typedef struct nb_sum {
    const nb_mass *mass;
    int32_t packs;
    const nb_pack *pack[NB_SUM_PACKS];
    int32_t first_row[NB_SUM_PACKS]; /* of each pack in the whole system */
    real *force;                     /* [padded] scratch */
    real *velocity;                  /* [padded] scratch; always zero for nodes without mass */
    const real *diagonal;            /* [rows] of D; over a mass that couples nodes it may be an estimate */
} nb_sum;

/* Over a mass that couples nodes: the rows of a view by islands, which H does not couple either. Entries of D take a
 * solve with H a row; rows of several islands, one of each, take the same. */
typedef struct nb_island_rows {
    int32_t islands;
    int32_t *begin; /* [islands + 1] into */
    int32_t *row;   /* [rows] ascending in each island */
} nb_island_rows;   /* starts as all zeros */

/* A range of rows with the nodes they touch, and all that H couples with these: the whole system, or one island. */
typedef struct nb_sum_view {
    nb_delassus base; /* first: a view is a Delassus operator */
    const nb_sum *sum;
    int32_t begin[NB_SUM_PACKS], end[NB_SUM_PACKS]; /* blocks of each pack */
    int32_t first[NB_SUM_PACKS];                    /* number of the first of them in the view (nb_sum_count_blocks) */
    const int32_t *dynamic;                         /* [dynamic_count] the nodes with mass */
    int32_t dynamic_count;
    const nb_island_rows *island_rows; /* of its rows; NULL: they are taken for one island */
} nb_sum_view;

/* Of a sum over a mass that has blocks. */
extern const nb_delassus_class nb_sum_class;

/* The class of a sum over this mass: nb_sum_class, or where H couples nodes one without blocks (system.h), whose
 * entries and diagonal take a solve with H for every row. */
const nb_delassus_class *nb_sum_class_for(const nb_mass *mass);

/* The source as a view of a sum; NULL where it is not one. */
const nb_sum_view *nb_sum_view_of(const nb_delassus *delassus);

/* Fills first[] of a view whose sum, begin and end are set; returns the number of its blocks. */
static inline int32_t nb_sum_count_blocks(nb_sum_view *view) {
    int32_t count = 0;
    for (int32_t k = 0; k < view->sum->packs; k++) {
        view->first[k] = count;
        count += view->end[k] - view->begin[k];
    }
    return count;
}

/* Where H couples nodes: lead[i], the first of those coupled with node i, directly or through others. A block acts on
 * all of them, so that its list of nodes is that of the leads. NULL where every node is on its own. The caller frees
 * it. */
nb_status nb_sum_find_leads(const nb_mass *mass, int32_t **lead);

/* Fills *island_rows for the rows of a view over such a mass; what it held is cleared. The caller clears it, on a fault
 * too. */
nb_status nb_island_rows_make(const nb_sum_view *view, nb_island_rows *island_rows);
void nb_island_rows_clear(nb_island_rows *island_rows);

/* force += J^T (s * x), s NULL for 1; rows in the view's order */
void nb_sum_add_forces(const nb_sum_view *view, const real *s, const real *x, real *force);
/* y = J velocity */
void nb_sum_row_velocities(const nb_sum_view *view, const real *velocity, real *y);
/* the diagonal of D for the view's blocks begin .. end - 1, from the first one's first row on */
void nb_sum_block_diagonal(const nb_sum_view *view, int32_t begin, int32_t end, real *diagonal);
/* J of block i, [rows of the block][columns], over all nodes that it names, those without mass too; columns: their
 * velocities one after the other. Returns the number of nodes. */
int nb_sum_whole_jacobian(const nb_sum_view *view, int32_t i, int32_t node[NB_BLOCK_NODES], real *out);

/* The view as rows between rigid bodies, for layouts that know nothing else: joints first, then contacts. */
typedef struct nb_rigid_rows {
    int32_t bodies;                    /* of the world: nodes are numbered below this */
    const nb_inverse_mass *inverse;    /* [bodies] */
    const nb_jacobian_row *joint_rows; /* [joint_row_count] of the view */
    const nb_contact_rows *contacts;   /* [contact_count] of the view */
    int32_t joint_row_count, contact_count;
    const int32_t *dynamic; /* [dynamic_count] as in the view */
    int32_t dynamic_count;
} nb_rigid_rows;

/* Fills *rows; 0 where the operator is not a sum, or one with anything else in it. */
int nb_rigid_rows_of(const nb_delassus *delassus, nb_rigid_rows *rows);

/* The view as rows between rigid bodies and other packs behind them, for layouts that know both. */
typedef struct nb_sum_rows {
    const nb_sum_view *view;
    nb_rigid_rows rigid; /* nodes are numbered below mass->nodes->count, and `dynamic` lists all with mass */
    int32_t packs;
    int32_t pack[NB_SUM_PACKS];      /* [packs] numbers of the others in the sum; none is empty */
    int32_t first_row[NB_SUM_PACKS]; /* [packs] of each in the view */
} nb_sum_rows;

/* Fills *rows; 0 where the operator is not a sum over a block-diagonal mass of bodies and particles. */
int nb_sum_rows_of(const nb_delassus *delassus, nb_sum_rows *rows);

#endif

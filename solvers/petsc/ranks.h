/* Several processes, which mpirun started, solve one system: that of a folder of `export --format petsc`, whose factors
 * A = S J H^-1 J^T S + C + K each rank reads. Rows go by bodies, which METIS shares out (rank_factors.c): a rank has
 * the contacts and joints of its bodies, and all bodies that these touch. A product adds up the impulses on a rank's
 * own rows, exchanges those on bodies that other ranks touch, too, and sums them in the order of ranks: the same bits
 * on each (rank_rows.c). Rank 0 is the program as ever; the others repeat its calls of the solver, each on its own rows
 * (rank_calls.c). Functions return NULL, or one line that says what failed. */
#ifndef NB_PETSC_RANKS_H
#define NB_PETSC_RANKS_H

#include <mpi.h>
#include <petscksp.h>
#include <stdlib.h>

#include "petsc/parts.h"

enum {
    NB_PETSC_MOST_DOFS = 6 /* of a node: a body's; a particle has three */
};

#define ROOM(count, pointer) (*(pointer) = calloc((size_t)(count) + 1, sizeof **(pointer)))

/* the factors as the files have them, on every rank while it joins */
typedef struct nb_petsc_factors {
    Mat j, h, c, k; /* k: NULL where there is none */
    Vec s;
    const PetscInt *start, *column; /* of J */
    PetscInt rows, columns, bodies, nodes;
    int32_t *group; /* [groups + 1] first rows: consecutive rows of the same nodes */
    int32_t groups;
    char *heavy;    /* [nodes] 1: it has mass */
    int32_t *owner; /* [groups] the rank of its rows */
} nb_petsc_factors;

/* Reads the files of `folder`, and finds the owner of each row. All ranks call it together; the caller frees the
 * factors, also after a fault. */
const char *nb_petsc_read_factors(const char *folder, nb_petsc_factors *f);
void nb_petsc_free_factors(nb_petsc_factors *f);

/* the next node of a row, from entry *e on; -1: there is none */
int32_t nb_petsc_next_node(const nb_petsc_factors *f, int32_t row, PetscInt *e);
PetscInt nb_petsc_first_dof(const nb_petsc_factors *f, PetscInt node);

extern struct nb_petsc_ranks {
    int count, rank, joined;
    char about[256];             /* for the record */
    int32_t rows, nodes, dofs;   /* of this rank; nodes with mass that it touches */
    int32_t all_rows, *place;    /* [all_rows] where the file's row stands in the order of ranks */
    int *row_count, *row_start;  /* [count] of the ranks */
    int32_t *start, *column;     /* J by own rows and own dofs */
    double *value, *s, *c;       /* s and c [rows] */
    int32_t *k_start, *k_column; /* K by own rows; NULL: there is none */
    double *k_value;
    int32_t *node_dof;                                          /* [nodes + 1] */
    double (*inverse)[NB_PETSC_MOST_DOFS * NB_PETSC_MOST_DOFS]; /* [nodes] of the mass */
    int neighbours, *neighbour;                                 /* ranks with common nodes */
    int32_t *out_start, *out;                                   /* [neighbours + 1]; dofs whose sums a neighbour gets */
    int32_t shared, *shared_dof;                                /* dofs that other ranks touch, too */
    int32_t *part_start, *part; /* [shared + 1]; where their sums stand in `sum`, in the order of ranks */
    double *sum, *sent, *v;     /* sum: own [dofs], then what came in */
    double *b, *x, *all;        /* [rows], [rows], and on rank 0 [all_rows] twice */
    MPI_Request *requests;
    ncpbench_system_f64 system;
    const ncpbench_request_f64 *request; /* of the program, on rank 0 */
    ncpbench_request_f64 own_request;
} nb_petsc_ranks;

/* Fills rows, exchange and system of this rank. All ranks call it together. */
const char *nb_petsc_take_rows(const nb_petsc_factors *f);

#endif

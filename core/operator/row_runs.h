/* A sparse matrix as runs of rows that have the same columns, and the product with it: nodes, or contacts, in a pattern
 * of blocks. x is gathered once a run, then each of its rows is a dense product, several columns at a time
 * (lanes/row_runs.c, compiled for every instruction set and picked like kernels.h). */
#ifndef NB_OPERATOR_ROW_RUNS_H
#define NB_OPERATOR_ROW_RUNS_H

#include "base/csr.h"
#include "base/real.h"

#define nb_row_runs NB_REAL_NAME(nb_row_runs)
#define nb_row_runs_make NB_REAL_NAME(nb_row_runs_make)
#define nb_row_runs_clear NB_REAL_NAME(nb_row_runs_clear)
#define nb_row_runs_apply NB_REAL_NAME(nb_row_runs_apply)
#define nb_row_run_product NB_REAL_NAME(nb_row_run_product)
#define nb_row_run_product_of NB_REAL_NAME(nb_row_run_product_of)

enum {
    NB_ROW_RUNS_LEAST = 200000 /* entries of a thread's part of a product */
};

typedef struct nb_row_runs {
    int32_t count;
    int32_t *row;    /* [count + 1] first row of each: 1, 3 or 6 of them */
    int64_t *place;  /* [count + 1] in `column` */
    int32_t *column; /* [place[count]] of a run that comes in threes, the first of each three; else every one */
    uint8_t *threes; /* [count] 1: its columns do */
} nb_row_runs;

/* y = A x of the runs begin .. end - 1 */
typedef void nb_row_run_product(const nb_row_runs *runs, const nb_csr *a, const real *x, real *y, int32_t begin,
                                int32_t end);

/* that of an instruction set, by its number (base/instruction_set.h) */
nb_row_run_product *nb_row_run_product_of(int set);

/* Of a pattern that is final. *runs is zero, or was filled before. The caller clears it, on a fault too. */
nb_status nb_row_runs_make(nb_row_runs *runs, const nb_csr *a);
void nb_row_runs_clear(nb_row_runs *runs);

/* y = A x, x and y apart; on several threads (base/threads.h) with the same bits. Allocates nothing. */
void nb_row_runs_apply(const nb_row_runs *runs, const nb_csr *a, const real *x, real *y);

#endif

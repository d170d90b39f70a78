#include "linear/row_matching.h"

#include <math.h>

#include "base/interrupt.h"
#include "base/memory.h"

NB_PRECISIONS(f32, f64);

int nb_row_matching_wanted(const nb_lu_matrix *a) {
    for (SuiteSparse_long i = 0; i < a->rows; i++) {
        SuiteSparse_long k = a->start[i];
        while (k < a->start[i + 1] && a->column[k] != i) k++;
        if (k == a->start[i + 1]) return 1;
    }
    return 0;
}

typedef struct matching {
    const nb_lu_matrix *a;
    double *size;           /* [entries] of each entry, 0 to 1 */
    int32_t *row, *column;  /* [rows] of a column, of a row; -1: none yet */
    int32_t *seen;          /* [rows] the last search that came to a column */
    int32_t *path;          /* [rows] rows on the way */
    SuiteSparse_long *next; /* [rows] the entry that a row on the way goes on with */
} matching;

static void release(matching *m) {
    nb_free(m->size);
    nb_free(m->column);
    nb_free(m->seen);
    nb_free(m->path);
    nb_free(m->next);
}

static nb_status find_sizes(matching *m) {
    const nb_lu_matrix *a = m->a;
    double *largest = NULL;
    nb_status status = NB_ALLOCATE(a->rows, &largest);
    if (status != NB_OK) return status;
    for (SuiteSparse_long k = 0; k < a->start[a->rows]; k++)
        largest[a->column[k]] = fmax(largest[a->column[k]], fabs(a->value[k]));
    for (SuiteSparse_long i = 0; i < a->rows; i++) {
        double most = 0;
        for (SuiteSparse_long k = a->start[i]; k < a->start[i + 1]; k++) {
            m->size[k] = a->value[k] != 0 ? fabs(a->value[k]) / largest[a->column[k]] : 0;
            most = fmax(most, m->size[k]);
        }
        for (SuiteSparse_long k = a->start[i]; k < a->start[i + 1]; k++) m->size[k] /= most > 0 ? most : 1;
    }
    nb_free(largest);
    return NB_OK;
}

/* A free column for a row, over entries of at least `least`: along rows that give up theirs for it. 1 where there is
 * one. */
static int augment(matching *m, int32_t row, double least) {
    const nb_lu_matrix *a = m->a;
    int32_t depth = 0;
    m->path[0] = row;
    m->next[0] = a->start[row];
    while (depth >= 0) {
        const int32_t i = m->path[depth];
        SuiteSparse_long k = m->next[depth];
        while (k < a->start[i + 1] && (m->size[k] < least || m->seen[a->column[k]] == row)) k++;
        m->next[depth] = k + 1;
        if (k == a->start[i + 1]) {
            depth--;
            continue;
        }
        const int32_t j = (int32_t)a->column[k], other = m->row[j];
        m->seen[j] = row;
        if (other >= 0) {
            m->path[++depth] = other;
            m->next[depth] = a->start[other];
            continue;
        }
        for (; depth >= 0; depth--) { /* each row on the way takes the column that it went on with */
            const int32_t taken = (int32_t)a->column[m->next[depth] - 1];
            m->row[taken] = m->path[depth];
            m->column[m->path[depth]] = taken;
        }
        return 1;
    }
    return 0;
}

/* rows without a column to columns without a row */
static int32_t match_the_rest(const matching *m) {
    int32_t unmatched = -1, i = 0;
    for (int32_t j = 0; j < m->a->rows; j++) {
        if (m->row[j] >= 0) continue;
        while (m->column[i] >= 0) i++;
        m->row[j] = i++;
        unmatched = j;
    }
    return unmatched;
}

nb_status nb_row_matching_find(const nb_lu_matrix *a, int32_t *row, int32_t *unmatched) {
    static const double levels[] = {0.5, 0.1, 1e-2, 1e-4, 1e-8, 1e-300};
    matching m = {.a = a, .row = row};
    nb_status status;
    const int32_t rows = (int32_t)a->rows;
    NB_TRY(NB_ALLOCATE(a->start[rows], &m.size));
    NB_TRY(NB_ALLOCATE(rows, &m.column));
    NB_TRY(NB_ALLOCATE(rows, &m.seen));
    NB_TRY(NB_ALLOCATE(rows, &m.path));
    NB_TRY(NB_ALLOCATE(rows, &m.next));
    NB_TRY(find_sizes(&m));
    for (int32_t i = 0; i < rows; i++) row[i] = m.column[i] = -1;
    int32_t left = rows;
    for (size_t level = 0; left > 0 && level < sizeof levels / sizeof *levels; level++) {
        for (int32_t i = 0; i < rows; i++) m.seen[i] = -1;
        for (int32_t i = 0; i < rows; i++) {
            NB_TRY(nb_interrupt_check());
            if (m.column[i] < 0) left -= augment(&m, i, levels[level]);
        }
    }
    *unmatched = match_the_rest(&m);
out:
    release(&m);
    return status;
}

#include "condense.h"

#include <umfpack.h>

#include "base/dense_room.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/union_find.h"

/* the blocks of M, and room for the largest of them */
typedef struct blocks {
    const nb_csr_f64 *m, *k;
    nb_csr_f64 *kt; /* K^T */
    int32_t count;
    int32_t *block;          /* [n] the block of a velocity */
    int32_t *first;          /* [count + 1] its place in `member` */
    int32_t *member;         /* [n] velocities by block, ascending */
    int32_t *local;          /* [n] index within the block */
    int32_t *start, *column; /* one block of M by compressed rows */
    double *value, *b, *x;
    void *numeric;                   /* its factors */
    int32_t *touched, touched_count; /* [c] columns of K with entries in the block */
    int32_t *mark;                   /* [c] the stamp of the last block that touched the column */
    double *sum;                     /* [c] K^T x */
} blocks;

static void release(blocks *s) {
    nb_csr_destroy_f64(s->kt);
    nb_free(s->block);
    nb_free(s->first);
    nb_free(s->member);
    nb_free(s->local);
    nb_free(s->start);
    nb_free(s->column);
    nb_free(s->value);
    nb_free(s->b);
    nb_free(s->x);
    nb_free(s->touched);
    nb_free(s->mark);
    nb_free(s->sum);
    umfpack_di_free_numeric(&s->numeric);
}

/* numbers the blocks and lists their members; `local` serves as the union-find's parents first */
static void find_blocks(blocks *s) {
    int32_t n = s->m->rows;
    for (int32_t i = 0; i < n; i++) s->local[i] = i;
    for (int32_t i = 0; i < n; i++)
        for (int64_t k = s->m->start[i]; k < s->m->start[i + 1]; k++) nb_unite(s->local, i, s->m->column[k]);
    for (int32_t i = 0; i < n; i++) { /* a root comes before its members */
        int32_t root = nb_root(s->local, i);
        s->block[i] = root == i ? s->count++ : s->block[root];
    }
    for (int32_t i = 0; i < n; i++) s->first[s->block[i] + 1]++;
    for (int32_t c = 0; c < s->count; c++) s->first[c + 1] += s->first[c];
    for (int32_t i = n; i-- > 0;) { /* from behind: first[c] moves down to the block's begin, first[c + 1] to its end */
        int32_t place = --s->first[s->block[i] + 1];
        s->member[place] = i;
    }
    for (int32_t c = 0; c < s->count; c++) s->first[c] = s->first[c + 1];
    s->first[s->count] = n;
    for (int32_t c = 0; c < s->count; c++)
        for (int32_t i = s->first[c]; i < s->first[c + 1]; i++) s->local[s->member[i]] = i - s->first[c];
}

static nb_status prepare(blocks *s) {
    nb_status status;
    int32_t n = s->m->rows;
    int64_t nonzeros = s->m->start[n];
    if (nonzeros > INT32_MAX) return nb_fail(NB_ERROR_INPUT, "M has more than 2^31 - 1 entries");
    NB_TRY(nb_csr_transpose_f64(s->k, &s->kt));
    NB_TRY(NB_ALLOCATE(n, &s->block));
    NB_TRY(NB_ALLOCATE((int64_t)n + 1, &s->first));
    NB_TRY(NB_ALLOCATE(n, &s->member));
    NB_TRY(NB_ALLOCATE(n, &s->local));
    NB_TRY(NB_ALLOCATE((int64_t)n + 1, &s->start));
    NB_TRY(NB_ALLOCATE(nonzeros, &s->column));
    NB_TRY(NB_ALLOCATE(nonzeros, &s->value));
    NB_TRY(NB_ALLOCATE(n, &s->b));
    NB_TRY(NB_ALLOCATE(n, &s->x));
    NB_TRY(NB_ALLOCATE(s->k->columns, &s->touched));
    NB_TRY(NB_ALLOCATE(s->k->columns, &s->mark));
    NB_TRY(NB_ALLOCATE(s->k->columns, &s->sum));
    find_blocks(s);
out:
    return status;
}

static nb_status umfpack_fault(int code, int32_t velocity) {
    if (code == UMFPACK_ERROR_out_of_memory) return nb_fail(NB_ERROR_MEMORY, "out of memory in the factorisation of M");
    return nb_fail(NB_ERROR_INPUT, "M is singular in the block of velocity %d", (int)velocity);
}

/* factorises block c; UMFPACK's columns are M's rows, so that solves are with the transpose */
static nb_status factorize(blocks *s, int32_t c) {
    int32_t size = s->first[c + 1] - s->first[c], count = 0;
    void *symbolic = NULL;
    for (int32_t i = 0; i < size; i++) {
        int32_t row = s->member[s->first[c] + i];
        for (int64_t k = s->m->start[row]; k < s->m->start[row + 1]; k++) {
            s->column[count] = s->local[s->m->column[k]];
            s->value[count++] = s->m->value[k];
        }
        s->start[i + 1] = count;
    }
    nb_status status = nb_dense_room();
    if (status != NB_OK) return status;
    umfpack_di_free_numeric(&s->numeric);
    int code = umfpack_di_symbolic(size, size, s->start, s->column, s->value, &symbolic, NULL, NULL);
    if (code == UMFPACK_OK) code = umfpack_di_numeric(s->start, s->column, s->value, symbolic, &s->numeric, NULL, NULL);
    umfpack_di_free_symbolic(&symbolic);
    return code == UMFPACK_OK ? NB_OK : umfpack_fault(code, s->member[s->first[c]]);
}

/* x = M^-1 b in the factorised block c, then sum = K^T x over its members; sum must be zero where touched */
static nb_status solve(blocks *s, int32_t c) {
    int32_t begin = s->first[c], size = s->first[c + 1] - begin;
    int code = umfpack_di_solve(UMFPACK_Aat, s->start, s->column, s->value, s->x, s->b, s->numeric, NULL, NULL);
    if (code != UMFPACK_OK) return umfpack_fault(code, s->member[begin]);
    for (int32_t i = 0; i < size; i++) {
        int32_t row = s->member[begin + i];
        for (int64_t k = s->k->start[row]; k < s->k->start[row + 1]; k++)
            s->sum[s->k->column[k]] += s->k->value[k] * s->x[i];
    }
    return NB_OK;
}

/* lists the columns of K that touch block c; `stamp` marks them, another number each call */
static void find_touched(blocks *s, int32_t c, int32_t stamp) {
    s->touched_count = 0;
    for (int32_t i = s->first[c]; i < s->first[c + 1]; i++)
        for (int64_t k = s->k->start[s->member[i]]; k < s->k->start[s->member[i] + 1]; k++) {
            int32_t j = s->k->column[k];
            if (s->mark[j] == stamp) continue;
            s->mark[j] = stamp;
            s->touched[s->touched_count++] = j;
        }
}

/* how many entries W's blocks have together */
static nb_status count_entries(blocks *s, int64_t *entries) {
    *entries = 0;
    for (int32_t c = 0; c < s->count; c++) {
        find_touched(s, c, -1 - c);
        *entries += (int64_t)s->touched_count * s->touched_count;
        if (*entries > INT32_MAX) return nb_fail(NB_ERROR_INPUT, "W = H^T M^-1 H has more than 2^31 - 1 entries");
    }
    return NB_OK;
}

/* W's entries through block c, and its part of q */
static nb_status add_block(blocks *s, int32_t c, const double *f, double *q, int64_t *count, int32_t *row,
                           int32_t *column, double *value) {
    nb_status status;
    int32_t size = s->first[c + 1] - s->first[c];
    find_touched(s, c, 1 + c);
    NB_TRY(factorize(s, c));                          /* a singular block is told of even where no contact touches it */
    for (int32_t t = -1; t < s->touched_count; t++) { /* f first, then the columns of K */
        for (int32_t i = 0; i < size; i++) s->b[i] = t < 0 ? f[s->member[s->first[c] + i]] : 0;
        if (t >= 0)
            for (int64_t k = s->kt->start[s->touched[t]]; k < s->kt->start[s->touched[t] + 1]; k++)
                if (s->block[s->kt->column[k]] == c) s->b[s->local[s->kt->column[k]]] = s->kt->value[k];
        NB_TRY(nb_interrupt_check());
        NB_TRY(solve(s, c));
        for (int32_t i = 0; i < s->touched_count; i++) {
            int32_t j = s->touched[i];
            if (t < 0) {
                q[j] += s->sum[j];
            } else {
                row[*count] = j;
                column[*count] = s->touched[t];
                value[(*count)++] = s->sum[j];
            }
            s->sum[j] = 0;
        }
    }
out:
    return status;
}

nb_status nb_condense(const nb_csr_f64 *m, const nb_csr_f64 *k, const double *f, double *q, nb_csr_f64 **w) {
    nb_status status;
    blocks s = {.m = m, .k = k};
    int64_t entries, count = 0;
    int32_t *row = NULL, *column = NULL;
    double *value = NULL;
    *w = NULL;
    NB_TRY(prepare(&s));
    NB_TRY(count_entries(&s, &entries));
    NB_TRY(NB_ALLOCATE(entries, &row));
    NB_TRY(NB_ALLOCATE(entries, &column));
    NB_TRY(NB_ALLOCATE(entries, &value));
    for (int32_t c = 0; c < s.count; c++) NB_TRY(add_block(&s, c, f, q, &count, row, column, value));
    NB_TRY(nb_csr_from_triplets_f64(k->columns, k->columns, count, row, column, value, w));
out:
    release(&s);
    nb_free(row);
    nb_free(column);
    nb_free(value);
    return status;
}

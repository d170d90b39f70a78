#include "cholmod_analysis.h"

#include <string.h>

typedef SuiteSparse_long whole;

typedef struct analysis {
    cholmod_sparse *matrix;
    cholmod_common *common;
    whole count;           /* of groups */
    whole *group;          /* [rows] group of each row */
    whole *first;          /* [count + 1] its first row */
    whole *place, *order;  /* [count] of each group in the order of elimination; [rows] the order by rows */
    cholmod_sparse *graph; /* of groups, its upper triangle by rows */
} analysis;

static whole *take(analysis *a, whole count) {
    return cholmod_l_malloc((size_t)count, sizeof(whole), a->common);
}

static void give_back(analysis *a, whole **numbers, whole count) {
    *numbers = cholmod_l_free((size_t)count, sizeof(whole), *numbers, a->common);
}

/* sets group[i] to 1 where row i does not have the neighbours of row i - 1, to 0 elsewhere */
static void find_changes(analysis *a) {
    const whole rows = (whole)a->matrix->nrow, *start = a->matrix->p, *column = a->matrix->i;
    whole *change = a->group;
    memset(change, 0, (size_t)rows * sizeof *change);
    for (whole i = 0; i < rows; i++) {
        const whole *row = column + start[i], length = start[i + 1] - start[i];
        whole last = i;
        const int diagonal = length > 0 && row[0] == i;
        if (i == 0 || !diagonal) change[i] = 1;
        for (whole k = diagonal; k < length; last = row[k++])
            if (row[k] != last + 1) change[row[k]] = change[last + 1] = 1;
        if (last + 1 < rows) change[last + 1] = 1;
        if (i + 1 < rows && (!diagonal || start[i + 2] - start[i + 1] != length - 1 ||
                             memcmp(row + length, row + 1, (size_t)(length - 1) * sizeof *row) != 0))
            change[i + 1] = 1;
    }
}

/* `group` and `count` */
static void find_groups(analysis *a) {
    const whole rows = (whole)a->matrix->nrow;
    whole size = 0;
    find_changes(a);
    a->count = 0;
    for (whole i = 0; i < rows; i++) {
        if (a->group[i] || size == NB_CHOLMOD_GROUP) {
            a->count++;
            size = 0;
        }
        a->group[i] = a->count - 1;
        size++;
    }
}

/* `first` and `graph`; 0: out of memory */
static int make_graph(analysis *a) {
    const whole rows = (whole)a->matrix->nrow, *start = a->matrix->p, *column = a->matrix->i;
    whole entries = 0, last = -1;
    a->first = take(a, a->count + 1);
    a->place = take(a, a->count);
    a->order = take(a, rows);
    if (!a->first || !a->place || !a->order) return 0;
    for (whole i = rows - 1; i >= 0; i--) a->first[a->group[i]] = i;
    a->first[a->count] = rows;
    for (whole g = 0; g < a->count; g++) entries += start[a->first[g] + 1] - start[a->first[g]];
    a->graph = cholmod_l_allocate_sparse((size_t)a->count, (size_t)a->count, (size_t)entries, 1, 1, -1, CHOLMOD_PATTERN,
                                         a->common);
    if (!a->graph) return 0;
    whole *begin = a->graph->p, *neighbour = a->graph->i, used = 0;
    for (whole g = 0; g < a->count; g++, last = -1) {
        begin[g] = used;
        for (whole k = start[a->first[g]]; k < start[a->first[g] + 1]; k++)
            if (a->group[column[k]] != last) neighbour[used++] = last = a->group[column[k]];
    }
    begin[a->count] = used;
    return 1;
}

/* `place` and `order` by one of CHOLMOD's orderings; 0: out of memory */
static int order_groups(analysis *a, int ordering) {
    a->common->method[0].ordering = ordering;
    a->common->supernodal = CHOLMOD_SIMPLICIAL; /* only its order is wanted */
    cholmod_factor *of = cholmod_l_analyze(a->graph, a->common);
    if (!of) return 0;
    const whole *order = of->Perm;
    for (whole k = 0, used = 0; k < a->count; k++) {
        const whole g = order ? order[k] : k;
        a->place[g] = k;
        for (whole i = a->first[g]; i < a->first[g + 1]; i++) a->order[used++] = i;
    }
    cholmod_l_free_factor(&of, a->common);
    return 1;
}

/* The entries that have the fill of the matrix: of each group, its first row with the rows of the group and of its
 * later neighbours. NULL: out of memory. */
static cholmod_sparse *thin_matrix(analysis *a) {
    const whole rows = (whole)a->matrix->nrow, *begin = a->graph->p, *neighbour = a->graph->i, *first = a->first;
    whole entries = rows, used = 0;
    for (whole g = 0; g < a->count; g++)
        for (whole k = begin[g]; k < begin[g + 1]; k++) {
            const whole h = neighbour[k], later = a->place[g] < a->place[h] ? h : g;
            entries += first[later + 1] - first[later];
        }
    cholmod_sparse *thin =
        cholmod_l_allocate_sparse((size_t)rows, (size_t)rows, (size_t)entries, 1, 1, -1, CHOLMOD_PATTERN, a->common);
    if (!thin) return NULL;
    whole *start = thin->p, *column = thin->i;
    for (whole g = 0; g < a->count; g++)
        for (whole i = first[g]; i < first[g + 1]; i++) {
            const whole end = i == first[g] ? first[g + 1] : i + 1;
            start[i] = used;
            for (whole c = i; c < end; c++) column[used++] = c;
            for (whole k = begin[g]; k < begin[g + 1]; k++) {
                const whole h = neighbour[k], before = a->place[g] < a->place[h];
                if (h == g || (before && i > first[g])) continue;
                for (whole c = first[h]; c < (before ? first[h + 1] : first[h] + 1); c++) column[used++] = c;
            }
        }
    start[rows] = used;
    return thin;
}

/* the factor in an order of groups by one of CHOLMOD's orderings */
static cholmod_factor *analyse_by(analysis *a, int ordering) {
    const int supernodal = a->common->supernodal;
    if (!order_groups(a, ordering)) return NULL;
    cholmod_sparse *thin = thin_matrix(a);
    if (!thin) return NULL;
    a->common->method[0].ordering = CHOLMOD_GIVEN;
    a->common->supernodal = supernodal;
    cholmod_factor *factor = cholmod_l_analyze_p(thin, a->order, NULL, 0, a->common);
    cholmod_l_free_sparse(&thin, a->common);
    return factor;
}

/* by minimum degree, and where CHOLMOD would (cholmod_analyze.c) by METIS as well; the one with less fill */
static cholmod_factor *analyse_groups(analysis *a) {
    cholmod_factor *factor = analyse_by(a, CHOLMOD_AMD);
    const double operations = a->common->fl, numbers = a->common->lnz;
    if (!factor || operations < 500 * numbers || numbers < 5 * (double)a->matrix->nzmax) return factor;
    cholmod_factor *other = analyse_by(a, CHOLMOD_METIS);
    if (!other || a->common->lnz < numbers) {
        cholmod_l_free_factor(&factor, a->common);
        return other;
    }
    cholmod_l_free_factor(&other, a->common);
    a->common->fl = operations;
    a->common->lnz = numbers;
    return factor;
}

cholmod_factor *nb_cholmod_analyse(cholmod_sparse *matrix, cholmod_common *common) {
    const whole rows = (whole)matrix->nrow;
    analysis a = {.matrix = matrix, .common = common, .group = NULL};
    cholmod_factor *factor = NULL;
    a.group = take(&a, rows);
    if (!a.group) return NULL;
    find_groups(&a);
    if (2 * a.count >= rows) {
        factor = cholmod_l_analyze(matrix, common);
    } else {
        const int methods = common->nmethods, ordering = common->method[0].ordering, supernodal = common->supernodal;
        common->nmethods = 1;
        if (make_graph(&a)) factor = analyse_groups(&a);
        common->nmethods = methods;
        common->method[0].ordering = ordering;
        common->supernodal = supernodal;
    }
    cholmod_l_free_sparse(&a.graph, common);
    give_back(&a, &a.group, rows);
    give_back(&a, &a.first, a.count + 1);
    give_back(&a, &a.place, a.count);
    give_back(&a, &a.order, rows);
    return factor;
}

/* A rank's own rows, what it exchanges with the others, and its product. */
#include "petsc/ranks.h"

#include <stdio.h>
#include <string.h>

/* a node that a rank touches and another rank of those that touch it, too */
typedef struct touch {
    int32_t node, rank;
} touch;

/* ---- the rows of this rank ---- */

static const char *place_rows(const nb_petsc_factors *f) {
    nb_petsc_ranks.all_rows = (int32_t)f->rows;
    if (!ROOM(f->rows, &nb_petsc_ranks.place) || !ROOM(nb_petsc_ranks.count, &nb_petsc_ranks.row_count) ||
        !ROOM(nb_petsc_ranks.count, &nb_petsc_ranks.row_start))
        return "out of memory";
    for (int32_t g = 0; g < f->groups; g++) nb_petsc_ranks.row_count[f->owner[g]] += f->group[g + 1] - f->group[g];
    for (int r = 1; r < nb_petsc_ranks.count; r++)
        nb_petsc_ranks.row_start[r] = nb_petsc_ranks.row_start[r - 1] + nb_petsc_ranks.row_count[r - 1];
    for (int32_t g = 0; g < f->groups; g++)
        for (int32_t i = f->group[g]; i < f->group[g + 1]; i++)
            nb_petsc_ranks.place[i] = nb_petsc_ranks.row_start[f->owner[g]]++;
    for (int r = 0; r < nb_petsc_ranks.count; r++) nb_petsc_ranks.row_start[r] -= nb_petsc_ranks.row_count[r];
    nb_petsc_ranks.rows = nb_petsc_ranks.row_count[nb_petsc_ranks.rank];
    return NULL;
}

static int compare_touches(const void *left, const void *right) {
    const touch *a = left, *b = right;
    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* which ranks touch which nodes with mass, by nodes, then ranks, each pair once */
static const char *list_touches(const nb_petsc_factors *f, touch **list, int64_t *count) {
    int64_t most = 0;
    for (int pass = 0; pass < 2; pass++) {
        *count = 0;
        for (int32_t g = 0; g < f->groups; g++) {
            PetscInt e = f->start[f->group[g]];
            for (int32_t node = nb_petsc_next_node(f, f->group[g], &e); node >= 0;
                 node = nb_petsc_next_node(f, f->group[g], &e)) {
                if (!f->heavy[node]) continue;
                if (pass) (*list)[*count] = (touch){node, f->owner[g]};
                ++*count;
            }
        }
        if (!pass && !ROOM(*count, list)) return "out of memory";
    }
    qsort(*list, (size_t)*count, sizeof **list, compare_touches);
    for (int64_t k = 0; k < *count; k++)
        if (k == 0 || compare_touches(&(*list)[most - 1], &(*list)[k]) != 0) (*list)[most++] = (*list)[k];
    *count = most;
    return NULL;
}

/* the inverse of a symmetric positive definite matrix, in place, without pivots */
static const char *invert(int n, double *a) {
    for (int k = 0; k < n; k++) {
        const double pivot = a[k * n + k];
        if (!(pivot > 0)) return "H is not positive definite";
        a[k * n + k] = 1;
        for (int j = 0; j < n; j++) a[k * n + j] /= pivot;
        for (int i = 0; i < n; i++) {
            const double factor = a[i * n + k];
            if (i == k) continue;
            a[i * n + k] = 0;
            for (int j = 0; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return NULL;
}

/* the nodes of this rank with their masses; local [columns of J]: which of its velocities each is, or -1 */
static const char *take_nodes(const nb_petsc_factors *f, const touch *touches, int64_t count, int32_t *local) {
    for (PetscInt i = 0; i < f->columns; i++) local[i] = -1;
    if (!ROOM(f->nodes + 1, &nb_petsc_ranks.node_dof) || !ROOM(f->nodes, &nb_petsc_ranks.inverse))
        return "out of memory";
    for (int64_t k = 0; k < count; k++) {
        if (touches[k].rank != nb_petsc_ranks.rank) continue;
        const int n = touches[k].node < f->bodies ? 6 : 3;
        const PetscInt first = nb_petsc_first_dof(f, touches[k].node);
        double *block = nb_petsc_ranks.inverse[nb_petsc_ranks.nodes++];
        for (int i = 0; i < n; i++) {
            PetscInt entries;
            const PetscInt *column;
            const PetscScalar *value;
            local[first + i] = nb_petsc_ranks.dofs++;
            TRY(MatGetRow(f->h, first + i, &entries, &column, &value));
            for (PetscInt e = 0; e < entries; e++) block[n * i + (column[e] - first)] = value[e];
            TRY(MatRestoreRow(f->h, first + i, &entries, &column, &value));
        }
        const char *text = invert(n, block);
        if (text) return text;
        nb_petsc_ranks.node_dof[nb_petsc_ranks.nodes] = nb_petsc_ranks.dofs;
    }
    return NULL;
}

/* rows of J, S, C and K in the order of ranks */
static const char *take_rows(const nb_petsc_factors *f, const int32_t *local) {
    const int32_t first = nb_petsc_ranks.row_start[nb_petsc_ranks.rank];
    const PetscScalar *j, *s;
    PetscScalar c;
    int32_t used = 0, k_used = 0, entries = 0;
    for (PetscInt i = 0; i < f->rows; i++)
        if (nb_petsc_ranks.place[i] >= first && nb_petsc_ranks.place[i] < first + nb_petsc_ranks.rows)
            entries += f->start[i + 1] - f->start[i];
    if (!ROOM(nb_petsc_ranks.rows + 1, &nb_petsc_ranks.start) || !ROOM(entries, &nb_petsc_ranks.column) ||
        !ROOM(entries, &nb_petsc_ranks.value) || !ROOM(nb_petsc_ranks.rows, &nb_petsc_ranks.s) ||
        !ROOM(nb_petsc_ranks.rows, &nb_petsc_ranks.c))
        return "out of memory";
    if (f->k) {
        MatInfo info;
        TRY(MatGetInfo(f->k, MAT_LOCAL, &info));
        if (!ROOM(nb_petsc_ranks.rows + 1, &nb_petsc_ranks.k_start) || !ROOM(info.nz_used, &nb_petsc_ranks.k_column) ||
            !ROOM(info.nz_used, &nb_petsc_ranks.k_value))
            return "out of memory";
    }
    TRY(MatSeqAIJGetArrayRead(f->j, &j));
    TRY(VecGetArrayRead(f->s, &s));
    for (PetscInt i = 0; i < f->rows; i++) { /* own rows come in their order */
        const int32_t own = nb_petsc_ranks.place[i] - first;
        if (own < 0 || own >= nb_petsc_ranks.rows) continue;
        nb_petsc_ranks.s[own] = s[i];
        TRY(MatGetValues(f->c, 1, &i, 1, &i, &c));
        nb_petsc_ranks.c[own] = c;
        for (PetscInt e = f->start[i]; e < f->start[i + 1]; e++) {
            if (local[f->column[e]] < 0) continue; /* of a body without mass */
            nb_petsc_ranks.column[used] = local[f->column[e]];
            nb_petsc_ranks.value[used++] = j[e];
        }
        nb_petsc_ranks.start[own + 1] = used;
        if (!f->k) continue;
        PetscInt count;
        const PetscInt *column;
        const PetscScalar *value;
        TRY(MatGetRow(f->k, i, &count, &column, &value));
        for (PetscInt e = 0; e < count; e++) {
            const int32_t other = nb_petsc_ranks.place[column[e]] - first;
            if (other < 0 || other >= nb_petsc_ranks.rows) return "K couples rows of two processes";
            nb_petsc_ranks.k_column[k_used] = other;
            nb_petsc_ranks.k_value[k_used++] = value[e];
        }
        nb_petsc_ranks.k_start[own + 1] = k_used;
        TRY(MatRestoreRow(f->k, i, &count, &column, &value));
    }
    TRY(VecRestoreArrayRead(f->s, &s));
    TRY(MatSeqAIJRestoreArrayRead(f->j, &j));
    return NULL;
}

/* What neighbours get and send, in the order of nodes; and in which order sums are summed. */
static const char *plan_exchange(const nb_petsc_factors *f, const touch *touches, int64_t count, const int32_t *local,
                                 int32_t *nodes) {
    int32_t *number = NULL, came = 0, parts = 0;
    if (!ROOM(nb_petsc_ranks.count, &number) || !ROOM(nb_petsc_ranks.count, &nb_petsc_ranks.neighbour) ||
        !ROOM(nb_petsc_ranks.count + 1, &nb_petsc_ranks.out_start) || !ROOM(6 * count, &nb_petsc_ranks.out) ||
        !ROOM(nb_petsc_ranks.dofs, &nb_petsc_ranks.shared_dof) ||
        !ROOM(nb_petsc_ranks.dofs + 1, &nb_petsc_ranks.part_start) || !ROOM(6 * count, &nb_petsc_ranks.part))
        return "out of memory";
    for (int r = 0; r < nb_petsc_ranks.count; r++) { /* in the order of ranks */
        for (int64_t k = 0; k < count && r != nb_petsc_ranks.rank; k++) {
            const PetscInt first = nb_petsc_first_dof(f, touches[k].node);
            if (touches[k].rank != r || local[first] < 0) continue;
            for (int i = 0; i < (touches[k].node < f->bodies ? 6 : 3); i++)
                nb_petsc_ranks.out[came++] = local[first + i];
        }
        if (came == nb_petsc_ranks.out_start[nb_petsc_ranks.neighbours]) continue;
        number[r] = nb_petsc_ranks.neighbours;
        nb_petsc_ranks.neighbour[nb_petsc_ranks.neighbours++] = r;
        nb_petsc_ranks.out_start[nb_petsc_ranks.neighbours] = came;
    }
    int32_t *next = NULL; /* of each neighbour: what it sends comes in the order in which it gets */
    if (!ROOM(nb_petsc_ranks.count, &next)) return "out of memory";
    for (int n = 0; n < nb_petsc_ranks.neighbours; n++) next[n] = nb_petsc_ranks.dofs + nb_petsc_ranks.out_start[n];
    *nodes = 0;
    for (int64_t k = 0, end = 0; k < count; k = end) {
        const PetscInt first = nb_petsc_first_dof(f, touches[k].node);
        const int n = touches[k].node < f->bodies ? 6 : 3;
        for (end = k; end < count && touches[end].node == touches[k].node; end++) continue;
        *nodes += end > k + 1;
        if (end == k + 1 || local[first] < 0) continue;
        for (int i = 0; i < n; i++) {
            for (int64_t t = k; t < end; t++)
                nb_petsc_ranks.part[parts++] =
                    touches[t].rank == nb_petsc_ranks.rank ? local[first + i] : next[number[touches[t].rank]]++;
            nb_petsc_ranks.shared_dof[nb_petsc_ranks.shared++] = local[first + i];
            nb_petsc_ranks.part_start[nb_petsc_ranks.shared] = parts;
        }
    }
    free(number);
    free(next);
    return ROOM(nb_petsc_ranks.dofs + came, &nb_petsc_ranks.sum) && ROOM(came, &nb_petsc_ranks.sent) &&
                   ROOM(nb_petsc_ranks.dofs, &nb_petsc_ranks.v) &&
                   ROOM(2 * nb_petsc_ranks.neighbours, &nb_petsc_ranks.requests) &&
                   ROOM(nb_petsc_ranks.rows, &nb_petsc_ranks.b) && ROOM(nb_petsc_ranks.rows, &nb_petsc_ranks.x) &&
                   ROOM(nb_petsc_ranks.rank == 0 ? 2 * (size_t)nb_petsc_ranks.all_rows : 0, &nb_petsc_ranks.all)
               ? NULL
               : "out of memory";
}

/* ---- the product ---- */

static void apply(void *host, const double *x, double *y) {
    const int32_t *start = nb_petsc_ranks.start, *column = nb_petsc_ranks.column, *out = nb_petsc_ranks.out_start;
    double *sum = nb_petsc_ranks.sum, *v = nb_petsc_ranks.v;
    (void)host;
    memset(sum, 0, (size_t)nb_petsc_ranks.dofs * sizeof *sum);
    for (int32_t i = 0; i < nb_petsc_ranks.rows; i++) {
        const double weighted = nb_petsc_ranks.s[i] * x[i];
        for (int32_t e = start[i]; e < start[i + 1]; e++) sum[column[e]] += nb_petsc_ranks.value[e] * weighted;
    }
    for (int32_t k = 0; k < out[nb_petsc_ranks.neighbours]; k++) nb_petsc_ranks.sent[k] = sum[nb_petsc_ranks.out[k]];
    for (int n = 0; n < nb_petsc_ranks.neighbours; n++) {
        const int count = out[n + 1] - out[n];
        MPI_Irecv(sum + nb_petsc_ranks.dofs + out[n], count, MPI_DOUBLE, nb_petsc_ranks.neighbour[n], 0, MPI_COMM_WORLD,
                  &nb_petsc_ranks.requests[2 * n]);
        MPI_Isend(nb_petsc_ranks.sent + out[n], count, MPI_DOUBLE, nb_petsc_ranks.neighbour[n], 0, MPI_COMM_WORLD,
                  &nb_petsc_ranks.requests[2 * n + 1]);
    }
    MPI_Waitall(2 * nb_petsc_ranks.neighbours, nb_petsc_ranks.requests, MPI_STATUSES_IGNORE);
    for (int32_t k = 0; k < nb_petsc_ranks.shared; k++) {
        double all = 0;
        for (int32_t p = nb_petsc_ranks.part_start[k]; p < nb_petsc_ranks.part_start[k + 1]; p++)
            all += sum[nb_petsc_ranks.part[p]];
        sum[nb_petsc_ranks.shared_dof[k]] = all;
    }
    for (int32_t m = 0; m < nb_petsc_ranks.nodes; m++) {
        const int32_t first = nb_petsc_ranks.node_dof[m], n = nb_petsc_ranks.node_dof[m + 1] - first;
        for (int32_t i = 0; i < n; i++) {
            v[first + i] = 0;
            for (int32_t j = 0; j < n; j++) v[first + i] += nb_petsc_ranks.inverse[m][n * i + j] * sum[first + j];
        }
    }
    for (int32_t i = 0; i < nb_petsc_ranks.rows; i++) {
        double u = 0;
        for (int32_t e = start[i]; e < start[i + 1]; e++) u += nb_petsc_ranks.value[e] * v[column[e]];
        y[i] = nb_petsc_ranks.s[i] * u + nb_petsc_ranks.c[i] * x[i];
        for (int32_t e = nb_petsc_ranks.k_start ? nb_petsc_ranks.k_start[i] : 0,
                     end = nb_petsc_ranks.k_start ? nb_petsc_ranks.k_start[i + 1] : 0;
             e < end; e++)
            y[i] += nb_petsc_ranks.k_value[e] * x[nb_petsc_ranks.k_column[e]];
    }
}

static void diagonal(void *host, double *to) {
    (void)host;
    int32_t *node = calloc((size_t)nb_petsc_ranks.dofs + 1, sizeof *node);
    for (int32_t m = 0; node && m < nb_petsc_ranks.nodes; m++)
        for (int32_t d = nb_petsc_ranks.node_dof[m]; d < nb_petsc_ranks.node_dof[m + 1]; d++) node[d] = m;
    for (int32_t i = 0; node && i < nb_petsc_ranks.rows; i++) {
        double sum = 0;
        for (int32_t e = nb_petsc_ranks.start[i]; e < nb_petsc_ranks.start[i + 1]; e++)
            for (int32_t d = nb_petsc_ranks.start[i]; d < nb_petsc_ranks.start[i + 1]; d++) {
                const int32_t m = node[nb_petsc_ranks.column[e]], first = nb_petsc_ranks.node_dof[m],
                              n = nb_petsc_ranks.node_dof[m + 1] - first;
                if (node[nb_petsc_ranks.column[d]] == m)
                    sum += nb_petsc_ranks.value[e] * nb_petsc_ranks.value[d] *
                           nb_petsc_ranks
                               .inverse[m][n * (nb_petsc_ranks.column[e] - first) + (nb_petsc_ranks.column[d] - first)];
            }
        to[i] = nb_petsc_ranks.s[i] * nb_petsc_ranks.s[i] * sum + nb_petsc_ranks.c[i];
        for (int32_t e = nb_petsc_ranks.k_start ? nb_petsc_ranks.k_start[i] : 0,
                     end = nb_petsc_ranks.k_start ? nb_petsc_ranks.k_start[i + 1] : 0;
             e < end; e++)
            if (nb_petsc_ranks.k_column[e] == i) to[i] += nb_petsc_ranks.k_value[e];
    }
    free(node);
}

/* ---- all of it ---- */

/* for the record, from what all ranks have */
static void describe(int32_t nodes) {
    const double own[2] = {8.0 * nb_petsc_ranks.out_start[nb_petsc_ranks.neighbours], nb_petsc_ranks.neighbours};
    double most[2], all[2];
    MPI_Allreduce(own, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    snprintf(nb_petsc_ranks.about, sizeof nb_petsc_ranks.about,
             "%d ranks, %d shared bodies; a product sends %.0f bytes in %.0f messages, a rank at most %.0f in %.0f",
             nb_petsc_ranks.count, (int)nodes, all[0], all[1], most[0], most[1]);
}

const char *nb_petsc_take_rows(const nb_petsc_factors *f) {
    touch *touches = NULL;
    int64_t count = 0;
    int32_t *local = NULL, nodes = 0;
    const char *text = place_rows(f);
    if (!text && !ROOM(f->columns, &local)) text = "out of memory";
    if (!text) text = list_touches(f, &touches, &count);
    if (!text) text = take_nodes(f, touches, count, local);
    if (!text) text = take_rows(f, local);
    if (!text) text = plan_exchange(f, touches, count, local, &nodes);
    if (!text) describe(nodes);
    free(touches);
    free(local);
    nb_petsc_ranks.system = (ncpbench_system_f64){.size = sizeof nb_petsc_ranks.system,
                                                  .rows = nb_petsc_ranks.rows,
                                                  .host = &nb_petsc_ranks,
                                                  .apply = apply,
                                                  .diagonal = diagonal,
                                                  .b = nb_petsc_ranks.b};
    return text;
}

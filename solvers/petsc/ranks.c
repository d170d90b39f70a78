/* Several processes, which mpirun started, solve one system: that of a folder of `export --format petsc`, whose factors
 * A = S J H^-1 J^T S + C + K each rank reads. Rows go by bodies, which METIS shares out: a rank has the contacts and
 * joints of its bodies, and all bodies that these touch. A product adds up the impulses on a rank's own rows, exchanges
 * those on bodies that other ranks touch, too, and sums them in the order of ranks: the same bits on each.
 *
 * Rank 0 is the program as ever. The others repeat its calls of the solver (nb_petsc_lead), each on its own rows. */
#include <dlfcn.h>
#include <mpi.h>
#include <petscksp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "petsc/parts.h"

enum {
    MOST_DOFS = 6, /* of a node: a body's; a particle has three */
    MOST_PATH = 4096
};

/* the factors as the files have them, on every rank while it joins */
typedef struct factors {
    Mat j, h, c, k; /* k: NULL where there is none */
    Vec s;
    const PetscInt *start, *column; /* of J */
    PetscInt rows, columns, bodies, nodes;
    int32_t *group; /* [groups + 1] first rows: consecutive rows of the same nodes */
    int32_t groups;
    char *heavy;    /* [nodes] 1: it has mass */
    int32_t *owner; /* [groups] the rank of its rows */
} factors;

/* a node that a rank touches and another rank of those that touch it, too */
typedef struct touch {
    int32_t node, rank;
} touch;

static struct ranks {
    int count, rank, joined;
    char about[256];             /* for the record */
    int32_t rows, nodes, dofs;   /* of this rank; nodes with mass that it touches */
    int32_t all_rows, *place;    /* [all_rows] where the file's row stands in the order of ranks */
    int *row_count, *row_start;  /* [count] of the ranks */
    int32_t *start, *column;     /* J by own rows and own dofs */
    double *value, *s, *c;       /* s and c [rows] */
    int32_t *k_start, *k_column; /* K by own rows; NULL: there is none */
    double *k_value;
    int32_t *node_dof;                        /* [nodes + 1] */
    double (*inverse)[MOST_DOFS * MOST_DOFS]; /* [nodes] of the mass */
    int neighbours, *neighbour;               /* ranks with common nodes */
    int32_t *out_start, *out;                 /* [neighbours + 1]; dofs whose sums a neighbour gets */
    int32_t shared, *shared_dof;              /* dofs that other ranks touch, too */
    int32_t *part_start, *part;               /* [shared + 1]; where their sums stand in `sum`, in the order of ranks */
    double *sum, *sent, *v;                   /* sum: own [dofs], then what came in */
    double *b, *x, *all;                      /* [rows], [rows], and on rank 0 [all_rows] twice */
    MPI_Request *requests;
    ncpbench_system_f64 system;
    const ncpbench_request_f64 *request; /* of the program, on rank 0 */
    ncpbench_request_f64 own_request;
} ranks = {.count = 1};

#define ROOM(count, pointer) (*(pointer) = calloc((size_t)(count) + 1, sizeof **(pointer)))

/* ---- the files ---- */

static const char *load(const char *folder, const char *name, Mat *matrix, Vec *vector) {
    char path[MOST_PATH];
    PetscViewer viewer;
    snprintf(path, sizeof path, "%s/%s.petsc", folder, name);
    if (access(path, R_OK) != 0) {
        snprintf(nb_petsc_fault, sizeof nb_petsc_fault,
                 "'%.120s' has no factors (%s.petsc); several processes require those of export --format petsc", folder,
                 name);
        return nb_petsc_fault;
    }
    TRY(PetscViewerBinaryOpen(PETSC_COMM_SELF, path, FILE_MODE_READ, &viewer));
    if (vector) {
        TRY(VecCreateSeq(PETSC_COMM_SELF, PETSC_DECIDE, vector));
        TRY(VecLoad(*vector, viewer));
    } else {
        TRY(MatCreate(PETSC_COMM_SELF, matrix));
        TRY(MatSetType(*matrix, MATSEQAIJ));
        TRY(MatLoad(*matrix, viewer));
    }
    TRY(PetscViewerDestroy(&viewer));
    return NULL;
}

/* how many of the nodes are bodies, of six velocities each; the others are particles of three */
static const char *count_bodies(const char *folder, PetscInt *bodies) {
    char path[MOST_PATH], text[4096];
    snprintf(path, sizeof path, "%s/system.json", folder);
    FILE *file = fopen(path, "r");
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
    if (file) fclose(file);
    const char *at = strstr(text, "\"bodies\": ");
    if (at) *bodies = (PetscInt)strtol(at + strlen("\"bodies\": "), NULL, 10);
    return at ? NULL : "system.json has no number of bodies: export the system again";
}

static const char *read_factors(const char *folder, factors *f) {
    char path[MOST_PATH];
    PetscInt h_rows, c_rows, s_rows;
    PetscBool done;
    const char *text = load(folder, "J", &f->j, NULL);
    if (!text) text = load(folder, "H", &f->h, NULL);
    if (!text) text = load(folder, "C", &f->c, NULL);
    if (!text) text = load(folder, "S", NULL, &f->s);
    snprintf(path, sizeof path, "%s/K.petsc", folder);
    if (!text && access(path, F_OK) == 0) text = load(folder, "K", &f->k, NULL);
    if (!text) text = count_bodies(folder, &f->bodies);
    if (text) return text;
    TRY(MatGetSize(f->j, &f->rows, &f->columns));
    TRY(MatGetSize(f->h, &h_rows, NULL));
    TRY(MatGetSize(f->c, &c_rows, NULL));
    TRY(VecGetSize(f->s, &s_rows));
    TRY(MatGetRowIJ(f->j, 0, PETSC_FALSE, PETSC_FALSE, &f->rows, &f->start, &f->column, &done));
    if (h_rows != f->columns || c_rows != f->rows || s_rows != f->rows || f->bodies < 0 || 6 * f->bodies > f->columns ||
        (f->columns - 6 * f->bodies) % 3 != 0)
        return "the sizes of J, H, C and S do not fit";
    f->nodes = f->bodies + (f->columns - 6 * f->bodies) / 3;
    return NULL;
}

static PetscInt node_of(const factors *f, PetscInt dof) {
    return dof < 6 * f->bodies ? dof / 6 : f->bodies + (dof - 6 * f->bodies) / 3;
}

static PetscInt first_dof(const factors *f, PetscInt node) {
    return node < f->bodies ? 6 * node : 6 * f->bodies + 3 * (node - f->bodies);
}

/* the next node of the row, from entry *e on; -1: there is none */
static int32_t next_node(const factors *f, int32_t row, PetscInt *e) {
    if (*e >= f->start[row + 1]) return -1;
    const PetscInt node = node_of(f, f->column[*e]);
    while (*e < f->start[row + 1] && node_of(f, f->column[*e]) == node) ++*e;
    return (int32_t)node;
}

static int same_nodes(const factors *f, int32_t a, int32_t b) {
    PetscInt ea = f->start[a], eb = f->start[b];
    for (;;) {
        const int32_t na = next_node(f, a, &ea), nb = next_node(f, b, &eb);
        if (na != nb || na < 0) return na == nb;
    }
}

/* ---- who has what ---- */

static const char *find_groups(factors *f) {
    if (!ROOM(f->rows + 1, &f->group) || !ROOM(f->nodes, &f->heavy)) return "out of memory";
    for (int32_t i = 0; i < f->rows; i++)
        if (i == 0 || !same_nodes(f, i - 1, i)) f->group[f->groups++] = i;
    f->group[f->groups] = (int32_t)f->rows;
    for (PetscInt dof = 0; dof < f->columns; dof++) {
        PetscInt entries;
        const PetscInt *column;
        TRY(MatGetRow(f->h, dof, &entries, &column, NULL));
        for (PetscInt e = 0; e < entries; e++)
            if (node_of(f, column[e]) != node_of(f, dof))
                return "H couples bodies, which several processes cannot have";
        if (entries > 0) f->heavy[node_of(f, dof)] = 1;
        TRY(MatRestoreRow(f->h, dof, &entries, &column, NULL));
    }
    return NULL;
}

/* an edge of the graph of bodies */
typedef struct edge {
    int32_t from, to, weight;
} edge;

static int compare_edges(const void *left, const void *right) {
    const edge *a = left, *b = right;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

/* pairs of nodes with mass in each group, both ways; returns how many, also where `edges` is NULL */
static int64_t list_edges(const factors *f, const int32_t *vertex, edge *edges) {
    int64_t count = 0;
    for (int32_t g = 0; g < f->groups; g++) {
        const int32_t row = f->group[g], weight = f->group[g + 1] - row;
        PetscInt e = f->start[row];
        for (int32_t a = next_node(f, row, &e); a >= 0; a = next_node(f, row, &e)) {
            PetscInt rest = f->start[row];
            for (int32_t b = next_node(f, row, &rest); b >= 0; b = next_node(f, row, &rest)) {
                if (a == b || !f->heavy[a] || !f->heavy[b]) continue;
                if (edges) edges[count] = (edge){vertex[a], vertex[b], weight};
                count++;
            }
        }
    }
    return count;
}

/* METIS's functions, by its manual (version 5), with idx_t of 32 bits as is looked at; PETSc brings the library, but
 * its headers are not needed for it */
typedef int metis_partition(int32_t *vertices, int32_t *constraints, int32_t *start, int32_t *neighbour,
                            int32_t *vertex_weight, int32_t *size, int32_t *edge_weight, int32_t *parts, float *share,
                            float *imbalance, int32_t *options, int32_t *cut, int32_t *part);
typedef int metis_defaults(int32_t *options);

static const char *call_metis(int32_t vertices, int32_t *start, int32_t *neighbour, int32_t *weight, int32_t *load,
                              int32_t *part) {
    enum {
        OPTIONS = 40 /* METIS_NOPTIONS */
    };
    int32_t options[2 * OPTIONS] = {0}, one = 1, parts = ranks.count, cut;
    metis_partition *partition = NULL;
    metis_defaults *defaults = NULL;
    void *library = dlopen("libmetis.so.5", RTLD_NOW | RTLD_LOCAL);
    if (library) {
        *(void **)&partition = dlsym(library, "METIS_PartGraphKway");
        *(void **)&defaults = dlsym(library, "METIS_SetDefaultOptions");
    }
    if (!partition || !defaults) return "several processes require libmetis.so.5";
    defaults(options);
    for (int i = 0; i < OPTIONS; i++)
        if (options[i] != -1 || options[OPTIONS + i] != 0)
            return "libmetis.so.5 has whole numbers of other than 32 bits";
    return partition(&vertices, &one, start, neighbour, load, NULL, weight, &parts, NULL, NULL, options, &cut, part) ==
                   1
               ? NULL
               : "METIS does not find a partition";
}

/* part [nodes with mass] */
static const char *share_out(const factors *f, int32_t vertices, const int32_t *vertex, int32_t *part) {
    const char *text = "out of memory";
    const int64_t count = list_edges(f, vertex, NULL);
    edge *edges = NULL;
    int32_t *start = NULL, *neighbour = NULL, *weight = NULL, *load = NULL, merged = 0;
    if (ROOM(count, &edges) && ROOM(vertices + 1, &start) && ROOM(count, &neighbour) && ROOM(count, &weight) &&
        ROOM(vertices, &load)) {
        list_edges(f, vertex, edges);
        qsort(edges, (size_t)count, sizeof *edges, compare_edges);
        for (int64_t k = 0; k < count; k++) {
            if (k == 0 || compare_edges(&edges[k - 1], &edges[k]) != 0) {
                neighbour[merged++] = edges[k].to;
                start[edges[k].from + 1] = merged;
            }
            weight[merged - 1] += edges[k].weight;
            load[edges[k].from] += edges[k].weight;
        }
        for (int32_t i = 0; i < vertices; i++) {
            if (start[i + 1] < start[i]) start[i + 1] = start[i];
            load[i]++;
        }
        text = call_metis(vertices, start, neighbour, weight, load, part);
    }
    free(edges);
    free(start);
    free(neighbour);
    free(weight);
    free(load);
    return text;
}

/* rows go to the rank of their first body with mass; those of none to rank 0 */
static const char *find_owners(factors *f) {
    const char *text = NULL;
    int32_t *vertex = NULL, *part = NULL, vertices = 0, fine = 1;
    if (!ROOM(f->nodes, &vertex) || !ROOM(f->groups, &f->owner)) return "out of memory";
    for (PetscInt i = 0; i < f->nodes; i++) vertex[i] = f->heavy[i] ? vertices++ : -1;
    if (vertices < ranks.count) {
        snprintf(nb_petsc_fault, sizeof nb_petsc_fault, "%d processes require as many bodies (the system has %d)",
                 ranks.count, (int)vertices);
        free(vertex);
        return nb_petsc_fault;
    }
    if (!ROOM(vertices, &part)) text = "out of memory";
    if (!text && ranks.rank == 0) text = share_out(f, vertices, vertex, part); /* the same on every machine */
    fine = !text;
    MPI_Bcast(&fine, 1, MPI_INT32_T, 0, MPI_COMM_WORLD);
    if (!fine && !text) text = "rank 0 cannot share the bodies out";
    if (fine && part) MPI_Bcast(part, vertices, MPI_INT32_T, 0, MPI_COMM_WORLD);
    for (int32_t g = 0; g < f->groups && !text; g++) {
        PetscInt e = f->start[f->group[g]];
        int32_t node = next_node(f, f->group[g], &e);
        while (node >= 0 && !f->heavy[node]) node = next_node(f, f->group[g], &e);
        f->owner[g] = node >= 0 ? part[vertex[node]] : 0;
    }
    free(vertex);
    free(part);
    return text;
}

/* ---- the rows of this rank ---- */

static const char *place_rows(const factors *f) {
    ranks.all_rows = (int32_t)f->rows;
    if (!ROOM(f->rows, &ranks.place) || !ROOM(ranks.count, &ranks.row_count) || !ROOM(ranks.count, &ranks.row_start))
        return "out of memory";
    for (int32_t g = 0; g < f->groups; g++) ranks.row_count[f->owner[g]] += f->group[g + 1] - f->group[g];
    for (int r = 1; r < ranks.count; r++) ranks.row_start[r] = ranks.row_start[r - 1] + ranks.row_count[r - 1];
    for (int32_t g = 0; g < f->groups; g++)
        for (int32_t i = f->group[g]; i < f->group[g + 1]; i++) ranks.place[i] = ranks.row_start[f->owner[g]]++;
    for (int r = 0; r < ranks.count; r++) ranks.row_start[r] -= ranks.row_count[r];
    ranks.rows = ranks.row_count[ranks.rank];
    return NULL;
}

static int compare_touches(const void *left, const void *right) {
    const touch *a = left, *b = right;
    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* which ranks touch which nodes with mass, by nodes, then ranks, each pair once */
static const char *list_touches(const factors *f, touch **list, int64_t *count) {
    int64_t most = 0;
    for (int pass = 0; pass < 2; pass++) {
        *count = 0;
        for (int32_t g = 0; g < f->groups; g++) {
            PetscInt e = f->start[f->group[g]];
            for (int32_t node = next_node(f, f->group[g], &e); node >= 0; node = next_node(f, f->group[g], &e)) {
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
static const char *take_nodes(const factors *f, const touch *touches, int64_t count, int32_t *local) {
    for (PetscInt i = 0; i < f->columns; i++) local[i] = -1;
    if (!ROOM(f->nodes + 1, &ranks.node_dof) || !ROOM(f->nodes, &ranks.inverse)) return "out of memory";
    for (int64_t k = 0; k < count; k++) {
        if (touches[k].rank != ranks.rank) continue;
        const int n = touches[k].node < f->bodies ? 6 : 3;
        const PetscInt first = first_dof(f, touches[k].node);
        double *block = ranks.inverse[ranks.nodes++];
        for (int i = 0; i < n; i++) {
            PetscInt entries;
            const PetscInt *column;
            const PetscScalar *value;
            local[first + i] = ranks.dofs++;
            TRY(MatGetRow(f->h, first + i, &entries, &column, &value));
            for (PetscInt e = 0; e < entries; e++) block[n * i + (column[e] - first)] = value[e];
            TRY(MatRestoreRow(f->h, first + i, &entries, &column, &value));
        }
        const char *text = invert(n, block);
        if (text) return text;
        ranks.node_dof[ranks.nodes] = ranks.dofs;
    }
    return NULL;
}

/* rows of J, S, C and K in the order of ranks */
static const char *take_rows(const factors *f, const int32_t *local) {
    const int32_t first = ranks.row_start[ranks.rank];
    const PetscScalar *j, *s;
    PetscScalar c;
    int32_t used = 0, k_used = 0, entries = 0;
    for (PetscInt i = 0; i < f->rows; i++)
        if (ranks.place[i] >= first && ranks.place[i] < first + ranks.rows) entries += f->start[i + 1] - f->start[i];
    if (!ROOM(ranks.rows + 1, &ranks.start) || !ROOM(entries, &ranks.column) || !ROOM(entries, &ranks.value) ||
        !ROOM(ranks.rows, &ranks.s) || !ROOM(ranks.rows, &ranks.c))
        return "out of memory";
    if (f->k) {
        MatInfo info;
        TRY(MatGetInfo(f->k, MAT_LOCAL, &info));
        if (!ROOM(ranks.rows + 1, &ranks.k_start) || !ROOM(info.nz_used, &ranks.k_column) ||
            !ROOM(info.nz_used, &ranks.k_value))
            return "out of memory";
    }
    TRY(MatSeqAIJGetArrayRead(f->j, &j));
    TRY(VecGetArrayRead(f->s, &s));
    for (PetscInt i = 0; i < f->rows; i++) { /* own rows come in their order */
        const int32_t own = ranks.place[i] - first;
        if (own < 0 || own >= ranks.rows) continue;
        ranks.s[own] = s[i];
        TRY(MatGetValues(f->c, 1, &i, 1, &i, &c));
        ranks.c[own] = c;
        for (PetscInt e = f->start[i]; e < f->start[i + 1]; e++) {
            if (local[f->column[e]] < 0) continue; /* of a body without mass */
            ranks.column[used] = local[f->column[e]];
            ranks.value[used++] = j[e];
        }
        ranks.start[own + 1] = used;
        if (!f->k) continue;
        PetscInt count;
        const PetscInt *column;
        const PetscScalar *value;
        TRY(MatGetRow(f->k, i, &count, &column, &value));
        for (PetscInt e = 0; e < count; e++) {
            const int32_t other = ranks.place[column[e]] - first;
            if (other < 0 || other >= ranks.rows) return "K couples rows of two processes";
            ranks.k_column[k_used] = other;
            ranks.k_value[k_used++] = value[e];
        }
        ranks.k_start[own + 1] = k_used;
        TRY(MatRestoreRow(f->k, i, &count, &column, &value));
    }
    TRY(VecRestoreArrayRead(f->s, &s));
    TRY(MatSeqAIJRestoreArrayRead(f->j, &j));
    return NULL;
}

/* What neighbours get and send, in the order of nodes; and in which order sums are summed. */
static const char *plan_exchange(const factors *f, const touch *touches, int64_t count, const int32_t *local,
                                 int32_t *nodes) {
    int32_t *number = NULL, came = 0, parts = 0;
    if (!ROOM(ranks.count, &number) || !ROOM(ranks.count, &ranks.neighbour) ||
        !ROOM(ranks.count + 1, &ranks.out_start) || !ROOM(6 * count, &ranks.out) ||
        !ROOM(ranks.dofs, &ranks.shared_dof) || !ROOM(ranks.dofs + 1, &ranks.part_start) ||
        !ROOM(6 * count, &ranks.part))
        return "out of memory";
    for (int r = 0; r < ranks.count; r++) { /* in the order of ranks */
        for (int64_t k = 0; k < count && r != ranks.rank; k++) {
            const PetscInt first = first_dof(f, touches[k].node);
            if (touches[k].rank != r || local[first] < 0) continue;
            for (int i = 0; i < (touches[k].node < f->bodies ? 6 : 3); i++) ranks.out[came++] = local[first + i];
        }
        if (came == ranks.out_start[ranks.neighbours]) continue;
        number[r] = ranks.neighbours;
        ranks.neighbour[ranks.neighbours++] = r;
        ranks.out_start[ranks.neighbours] = came;
    }
    int32_t *next = NULL; /* of each neighbour: what it sends comes in the order in which it gets */
    if (!ROOM(ranks.count, &next)) return "out of memory";
    for (int n = 0; n < ranks.neighbours; n++) next[n] = ranks.dofs + ranks.out_start[n];
    *nodes = 0;
    for (int64_t k = 0, end = 0; k < count; k = end) {
        const PetscInt first = first_dof(f, touches[k].node);
        const int n = touches[k].node < f->bodies ? 6 : 3;
        for (end = k; end < count && touches[end].node == touches[k].node; end++) continue;
        *nodes += end > k + 1;
        if (end == k + 1 || local[first] < 0) continue;
        for (int i = 0; i < n; i++) {
            for (int64_t t = k; t < end; t++)
                ranks.part[parts++] =
                    touches[t].rank == ranks.rank ? local[first + i] : next[number[touches[t].rank]]++;
            ranks.shared_dof[ranks.shared++] = local[first + i];
            ranks.part_start[ranks.shared] = parts;
        }
    }
    free(number);
    free(next);
    return ROOM(ranks.dofs + came, &ranks.sum) && ROOM(came, &ranks.sent) && ROOM(ranks.dofs, &ranks.v) &&
                   ROOM(2 * ranks.neighbours, &ranks.requests) && ROOM(ranks.rows, &ranks.b) &&
                   ROOM(ranks.rows, &ranks.x) && ROOM(ranks.rank == 0 ? 2 * (size_t)ranks.all_rows : 0, &ranks.all)
               ? NULL
               : "out of memory";
}

/* ---- the product ---- */

static void apply(void *host, const double *x, double *y) {
    const int32_t *start = ranks.start, *column = ranks.column, *out = ranks.out_start;
    double *sum = ranks.sum, *v = ranks.v;
    (void)host;
    memset(sum, 0, (size_t)ranks.dofs * sizeof *sum);
    for (int32_t i = 0; i < ranks.rows; i++) {
        const double weighted = ranks.s[i] * x[i];
        for (int32_t e = start[i]; e < start[i + 1]; e++) sum[column[e]] += ranks.value[e] * weighted;
    }
    for (int32_t k = 0; k < out[ranks.neighbours]; k++) ranks.sent[k] = sum[ranks.out[k]];
    for (int n = 0; n < ranks.neighbours; n++) {
        const int count = out[n + 1] - out[n];
        MPI_Irecv(sum + ranks.dofs + out[n], count, MPI_DOUBLE, ranks.neighbour[n], 0, MPI_COMM_WORLD,
                  &ranks.requests[2 * n]);
        MPI_Isend(ranks.sent + out[n], count, MPI_DOUBLE, ranks.neighbour[n], 0, MPI_COMM_WORLD,
                  &ranks.requests[2 * n + 1]);
    }
    MPI_Waitall(2 * ranks.neighbours, ranks.requests, MPI_STATUSES_IGNORE);
    for (int32_t k = 0; k < ranks.shared; k++) {
        double all = 0;
        for (int32_t p = ranks.part_start[k]; p < ranks.part_start[k + 1]; p++) all += sum[ranks.part[p]];
        sum[ranks.shared_dof[k]] = all;
    }
    for (int32_t m = 0; m < ranks.nodes; m++) {
        const int32_t first = ranks.node_dof[m], n = ranks.node_dof[m + 1] - first;
        for (int32_t i = 0; i < n; i++) {
            v[first + i] = 0;
            for (int32_t j = 0; j < n; j++) v[first + i] += ranks.inverse[m][n * i + j] * sum[first + j];
        }
    }
    for (int32_t i = 0; i < ranks.rows; i++) {
        double u = 0;
        for (int32_t e = start[i]; e < start[i + 1]; e++) u += ranks.value[e] * v[column[e]];
        y[i] = ranks.s[i] * u + ranks.c[i] * x[i];
        for (int32_t e = ranks.k_start ? ranks.k_start[i] : 0, end = ranks.k_start ? ranks.k_start[i + 1] : 0; e < end;
             e++)
            y[i] += ranks.k_value[e] * x[ranks.k_column[e]];
    }
}

static void diagonal(void *host, double *to) {
    (void)host;
    int32_t *node = calloc((size_t)ranks.dofs + 1, sizeof *node);
    for (int32_t m = 0; node && m < ranks.nodes; m++)
        for (int32_t d = ranks.node_dof[m]; d < ranks.node_dof[m + 1]; d++) node[d] = m;
    for (int32_t i = 0; node && i < ranks.rows; i++) {
        double sum = 0;
        for (int32_t e = ranks.start[i]; e < ranks.start[i + 1]; e++)
            for (int32_t d = ranks.start[i]; d < ranks.start[i + 1]; d++) {
                const int32_t m = node[ranks.column[e]], first = ranks.node_dof[m], n = ranks.node_dof[m + 1] - first;
                if (node[ranks.column[d]] == m)
                    sum += ranks.value[e] * ranks.value[d] *
                           ranks.inverse[m][n * (ranks.column[e] - first) + (ranks.column[d] - first)];
            }
        to[i] = ranks.s[i] * ranks.s[i] * sum + ranks.c[i];
        for (int32_t e = ranks.k_start ? ranks.k_start[i] : 0, end = ranks.k_start ? ranks.k_start[i + 1] : 0; e < end;
             e++)
            if (ranks.k_column[e] == i) to[i] += ranks.k_value[e];
    }
    free(node);
}

/* ---- joining ---- */

/* for the record, from what all ranks have */
static void describe(int32_t nodes) {
    const double own[2] = {8.0 * ranks.out_start[ranks.neighbours], ranks.neighbours};
    double most[2], all[2];
    MPI_Allreduce(own, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    snprintf(ranks.about, sizeof ranks.about,
             "%d ranks, %d shared bodies; a product sends %.0f bytes in %.0f messages, a rank at most %.0f in %.0f",
             ranks.count, (int)nodes, all[0], all[1], most[0], most[1]);
}

static const char *join(const char *folder, factors *f) {
    touch *touches = NULL;
    int64_t count = 0;
    int32_t *local = NULL, nodes = 0;
    const char *text = read_factors(folder, f);
    if (!text) text = find_groups(f);
    if (!text) text = find_owners(f);
    if (!text) text = place_rows(f);
    if (!text && !ROOM(f->columns, &local)) text = "out of memory";
    if (!text) text = list_touches(f, &touches, &count);
    if (!text) text = take_nodes(f, touches, count, local);
    if (!text) text = take_rows(f, local);
    if (!text) text = plan_exchange(f, touches, count, local, &nodes);
    if (!text) describe(nodes);
    free(touches);
    free(local);
    ranks.system = (ncpbench_system_f64){.size = sizeof ranks.system,
                                         .rows = ranks.rows,
                                         .host = &ranks,
                                         .apply = apply,
                                         .diagonal = diagonal,
                                         .b = ranks.b};
    return text;
}

/* what a call of rank 0 is, for the others */
typedef struct call {
    int32_t function, set, iterations, monitored;
    double tolerance;
} call;
enum {
    CREATE,
    SET_UP_PATTERN,
    SET_UP_VALUES,
    SOLVE,
    DESTROY,
    LEAVE
};

static void tell(call c) {
    if (ranks.rank == 0) MPI_Bcast(&c, sizeof c, MPI_BYTE, 0, MPI_COMM_WORLD);
}

NCPBENCH_EXPORT const char *ncpbench_petsc_join(const char *folder);
NCPBENCH_EXPORT void ncpbench_petsc_serve(void);
NCPBENCH_EXPORT void ncpbench_petsc_leave(void);

const char *ncpbench_petsc_join(const char *folder) {
    factors f = {.bodies = 0};
    const char *text = nb_petsc_start(1);
    if (text) return text;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks.count);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
    text = join(folder, &f);
    MatDestroy(&f.j);
    MatDestroy(&f.h);
    MatDestroy(&f.c);
    MatDestroy(&f.k);
    VecDestroy(&f.s);
    free(f.group);
    free(f.heavy);
    free(f.owner);
    ranks.joined = !text;
    return text;
}

void ncpbench_petsc_leave(void) {
    tell((call){.function = LEAVE});
    PetscFinalize();
}

int nb_petsc_joined(void) {
    return ranks.joined;
}

const char *nb_petsc_ranks_about(void) {
    return ranks.about;
}

double nb_petsc_sum(double own) {
    double all = own;
    if (ranks.joined) MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* ---- solving together ---- */

/* rank 0 has all rows in the file's order (others: NULL), and ranks.all has room for them in that of ranks */
static void scatter(const double *b) {
    for (int32_t i = 0; b && i < ranks.all_rows; i++) ranks.all[ranks.place[i]] = b[i];
    MPI_Scatterv(ranks.all, ranks.row_count, ranks.row_start, MPI_DOUBLE, ranks.b, ranks.rows, MPI_DOUBLE, 0,
                 MPI_COMM_WORLD);
}

static void gather(const double *x, double *all) {
    MPI_Gatherv(x, ranks.rows, MPI_DOUBLE, ranks.all, ranks.row_count, ranks.row_start, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int32_t i = 0; all && i < ranks.all_rows; i++) all[i] = ranks.all[ranks.place[i]];
}

static void monitor(void *host, int32_t iteration, const double *x) {
    (void)host;
    double *all = ranks.rank == 0 ? ranks.all + ranks.all_rows : NULL;
    gather(x, all);
    if (ranks.rank == 0) ranks.request->monitor(ranks.request->host, iteration, all);
}

static void own_norm(void *host, double norm) {
    (void)host;
    if (ranks.rank == 0) ranks.request->own_norm(ranks.request->host, norm);
}

static const char *solve_own(void *own, const call *c, ncpbench_outcome *outcome) {
    ranks.own_request = (ncpbench_request_f64){.size = sizeof ranks.own_request,
                                               .iterations = c->iterations,
                                               .tolerance = c->tolerance,
                                               .monitor = c->monitored ? monitor : NULL,
                                               .own_norm = own_norm};
    memset(ranks.x, 0, (size_t)ranks.rows * sizeof *ranks.x);
    return nb_petsc_functions.solve(own, &ranks.system, &ranks.own_request, ranks.x, outcome);
}

void nb_petsc_tell_create(int set) {
    if (ranks.joined) tell((call){.function = CREATE, .set = set});
}

void nb_petsc_tell_destroy(void) {
    if (ranks.joined) tell((call){.function = DESTROY});
}

static const char *lead_pattern(void *own, const ncpbench_system_f64 *system) {
    if (!ranks.joined) return nb_petsc_functions.set_up_pattern(own, system);
    if (system->rows != ranks.all_rows) return "A has other rows than J";
    tell((call){.function = SET_UP_PATTERN});
    return nb_petsc_functions.set_up_pattern(own, &ranks.system);
}

static const char *lead_values(void *own, const ncpbench_system_f64 *system, ncpbench_outcome *outcome) {
    if (!ranks.joined) return nb_petsc_functions.set_up_values(own, system, outcome);
    tell((call){.function = SET_UP_VALUES});
    return nb_petsc_functions.set_up_values(own, &ranks.system, outcome);
}

static const char *lead_solve(void *own, const ncpbench_system_f64 *system, const ncpbench_request_f64 *request,
                              double *x, ncpbench_outcome *outcome) {
    if (!ranks.joined) return nb_petsc_functions.solve(own, system, request, x, outcome);
    const call c = {SOLVE, 0, request->iterations, request->monitor != NULL, request->tolerance};
    ranks.request = request;
    tell(c);
    scatter(system->b);
    const char *text = solve_own(own, &c, outcome);
    if (!text) gather(ranks.x, x);
    return text;
}

const ncpbench_solver_f64 nb_petsc_lead = {
    .size = sizeof nb_petsc_lead, .set_up_pattern = lead_pattern, .set_up_values = lead_values, .solve = lead_solve};

/* the calls of rank 0, until it leaves; their faults are its own as well */
void ncpbench_petsc_serve(void) {
    void *own = NULL;
    call c = {.function = LEAVE};
    do {
        ncpbench_outcome outcome = {.size = sizeof outcome};
        const char *text = NULL;
        MPI_Bcast(&c, sizeof c, MPI_BYTE, 0, MPI_COMM_WORLD);
        const double values[] = {c.set};
        switch (c.function) {
        case CREATE: nb_petsc_create_shell(values, 64, &own); break;
        case SET_UP_PATTERN: nb_petsc_functions.set_up_pattern(own, &ranks.system); break;
        case SET_UP_VALUES: nb_petsc_functions.set_up_values(own, &ranks.system, &outcome); break;
        case SOLVE:
            scatter(NULL);
            text = solve_own(own, &c, &outcome);
            if (!text) gather(ranks.x, NULL);
            break;
        case DESTROY:
            nb_petsc_destroy(own);
            own = NULL;
            break;
        default: break;
        }
    } while (c.function != LEAVE);
    PetscFinalize();
}

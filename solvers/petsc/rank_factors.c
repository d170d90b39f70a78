/* The factors of an exported system, and which rank has which of its rows. */
#include "petsc/ranks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_PATH = 4096
};

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

static const char *read_files(const char *folder, nb_petsc_factors *f) {
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

static PetscInt node_of(const nb_petsc_factors *f, PetscInt dof) {
    return dof < 6 * f->bodies ? dof / 6 : f->bodies + (dof - 6 * f->bodies) / 3;
}

PetscInt nb_petsc_first_dof(const nb_petsc_factors *f, PetscInt node) {
    return node < f->bodies ? 6 * node : 6 * f->bodies + 3 * (node - f->bodies);
}

int32_t nb_petsc_next_node(const nb_petsc_factors *f, int32_t row, PetscInt *e) {
    if (*e >= f->start[row + 1]) return -1;
    const PetscInt node = node_of(f, f->column[*e]);
    while (*e < f->start[row + 1] && node_of(f, f->column[*e]) == node) ++*e;
    return (int32_t)node;
}

static int same_nodes(const nb_petsc_factors *f, int32_t a, int32_t b) {
    PetscInt ea = f->start[a], eb = f->start[b];
    for (;;) {
        const int32_t na = nb_petsc_next_node(f, a, &ea), nb = nb_petsc_next_node(f, b, &eb);
        if (na != nb || na < 0) return na == nb;
    }
}

/* ---- who has what ---- */

static const char *find_groups(nb_petsc_factors *f) {
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
static int64_t list_edges(const nb_petsc_factors *f, const int32_t *vertex, edge *edges) {
    int64_t count = 0;
    for (int32_t g = 0; g < f->groups; g++) {
        const int32_t row = f->group[g], weight = f->group[g + 1] - row;
        PetscInt e = f->start[row];
        for (int32_t a = nb_petsc_next_node(f, row, &e); a >= 0; a = nb_petsc_next_node(f, row, &e)) {
            PetscInt rest = f->start[row];
            for (int32_t b = nb_petsc_next_node(f, row, &rest); b >= 0; b = nb_petsc_next_node(f, row, &rest)) {
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
    int32_t options[2 * OPTIONS] = {0}, one = 1, parts = nb_petsc_ranks.count, cut;
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
static const char *share_out(const nb_petsc_factors *f, int32_t vertices, const int32_t *vertex, int32_t *part) {
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
static const char *find_owners(nb_petsc_factors *f) {
    const char *text = NULL;
    int32_t *vertex = NULL, *part = NULL, vertices = 0, fine = 1;
    if (!ROOM(f->nodes, &vertex) || !ROOM(f->groups, &f->owner)) return "out of memory";
    for (PetscInt i = 0; i < f->nodes; i++) vertex[i] = f->heavy[i] ? vertices++ : -1;
    if (vertices < nb_petsc_ranks.count) {
        snprintf(nb_petsc_fault, sizeof nb_petsc_fault, "%d processes require as many bodies (the system has %d)",
                 nb_petsc_ranks.count, (int)vertices);
        free(vertex);
        return nb_petsc_fault;
    }
    if (!ROOM(vertices, &part)) text = "out of memory";
    if (!text && nb_petsc_ranks.rank == 0) text = share_out(f, vertices, vertex, part); /* the same on every machine */
    fine = !text;
    MPI_Bcast(&fine, 1, MPI_INT32_T, 0, MPI_COMM_WORLD);
    if (!fine && !text) text = "rank 0 cannot share the bodies out";
    if (fine && part) MPI_Bcast(part, vertices, MPI_INT32_T, 0, MPI_COMM_WORLD);
    for (int32_t g = 0; g < f->groups && !text; g++) {
        PetscInt e = f->start[f->group[g]];
        int32_t node = nb_petsc_next_node(f, f->group[g], &e);
        while (node >= 0 && !f->heavy[node]) node = nb_petsc_next_node(f, f->group[g], &e);
        f->owner[g] = node >= 0 ? part[vertex[node]] : 0;
    }
    free(vertex);
    free(part);
    return text;
}
const char *nb_petsc_read_factors(const char *folder, nb_petsc_factors *f) {
    const char *text = read_files(folder, f);
    if (!text) text = find_groups(f);
    if (!text) text = find_owners(f);
    return text;
}

void nb_petsc_free_factors(nb_petsc_factors *f) {
    MatDestroy(&f->j);
    MatDestroy(&f->h);
    MatDestroy(&f->c);
    MatDestroy(&f->k);
    VecDestroy(&f->s);
    free(f->group);
    free(f->heavy);
    free(f->owner);
}

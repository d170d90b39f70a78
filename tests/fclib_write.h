/* Writes small FCLIB files for tests with plain HDF5: dense matrices in any of the format's storage kinds. */
#ifndef NB_TESTS_FCLIB_WRITE_H
#define NB_TESTS_FCLIB_WRITE_H

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum {
    BY_COLUMNS = -1,
    BY_ROWS = -2,
    TRIPLETS = 0,       /* in a scrambled order */
    SPLIT_TRIPLETS = 1, /* each entry in two halves, to be summed */
    MOST_ENTRIES = 4096
};

static inline void write_set(hid_t at, const char *name, hid_t type, hid_t memory, hsize_t count, const void *values) {
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    if (count > 0) assert_true(H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static inline void write_integers(hid_t at, const char *name, int count, const int *values) {
    write_set(at, name, H5T_STD_I32LE, H5T_NATIVE_INT, (hsize_t)count, values);
}

static inline void write_integer(hid_t at, const char *name, int value) {
    write_integers(at, name, 1, &value);
}

static inline void write_numbers(hid_t at, const char *name, int count, const double *values) {
    write_set(at, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, (hsize_t)count, values);
}

static inline void write_text(hid_t at, const char *name, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    hid_t set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
}

static inline hid_t make_group(hid_t at, const char *name) {
    hid_t group = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(group >= 0);
    return group;
}

/* the group NAME with the rows x columns matrix `a`, its zeros left out */
static inline void write_matrix(hid_t at, const char *name, int rows, int columns, const double *a, int kind) {
    static int p[MOST_ENTRIES], index[MOST_ENTRIES];
    static double x[MOST_ENTRIES];
    int count = 0, outer = kind == BY_COLUMNS ? columns : rows, inner = kind == BY_COLUMNS ? rows : columns;
    hid_t group = make_group(at, name);
    for (int o = 0; o < outer; o++) {
        if (kind < 0) p[o] = count;
        for (int k = 0; k < inner; k++) {
            int i = kind == BY_COLUMNS ? k : o, j = kind == BY_COLUMNS ? o : k;
            if (kind >= 0) { /* scrambled */
                i = rows - 1 - i;
                j = (j * 7 + 3) % columns;
                if (columns % 7 == 0) j = columns - 1 - k;
            }
            if (a[i * columns + j] == 0) continue;
            for (int part = 0; part <= (kind == SPLIT_TRIPLETS); part++) {
                assert_true(count < MOST_ENTRIES - 1);
                x[count] = kind == SPLIT_TRIPLETS ? a[i * columns + j] / 2 : a[i * columns + j];
                if (kind >= 0) p[count] = j;
                index[count++] = kind == BY_ROWS ? j : i;
            }
        }
    }
    if (kind < 0) p[outer] = count;
    write_integer(group, "nzmax", count + 5);
    write_integer(group, "m", rows);
    write_integer(group, "n", columns);
    write_integer(group, "nz", kind < 0 ? kind : count);
    write_integers(group, "p", kind < 0 ? outer + 1 : count, p);
    write_integers(group, "i", count, index);
    write_numbers(group, "x", count, x);
    H5Gclose(group);
}

static inline hid_t create_file(const char *path) {
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

/* a local problem; p = 0 leaves V, R and s out */
static inline void write_local(const char *path, int dimension, int contacts, int p, const double *w, const double *v,
                               const double *r, const double *q, const double *s, const double *mu, int kind) {
    int m = dimension * contacts;
    hid_t file = create_file(path), local = make_group(file, "fclib_local");
    write_integer(local, "spacedim", dimension);
    write_matrix(local, "W", m, m, w, kind);
    hid_t vectors = make_group(local, "vectors");
    write_numbers(vectors, "q", m, q);
    write_numbers(vectors, "mu", contacts, mu);
    if (p > 0) {
        write_matrix(local, "V", m, p, v, kind);
        write_matrix(local, "R", p, p, r, kind);
        write_numbers(vectors, "s", p, s);
    }
    H5Gclose(vectors);
    H5Gclose(local);
    H5Fclose(file);
}

/* a global problem; p = 0 leaves G and b out */
static inline void write_global(const char *path, int dimension, int contacts, int n, int p, const double *mass,
                                const double *h, const double *g, const double *f, const double *w, const double *b,
                                const double *mu, int kind) {
    int m = dimension * contacts;
    hid_t file = create_file(path), global = make_group(file, "fclib_global");
    write_integer(global, "spacedim", dimension);
    write_matrix(global, "M", n, n, mass, kind);
    write_matrix(global, "H", n, m, h, kind);
    hid_t vectors = make_group(global, "vectors");
    write_numbers(vectors, "f", n, f);
    write_numbers(vectors, "w", m, w);
    write_numbers(vectors, "mu", contacts, mu);
    if (p > 0) {
        write_matrix(global, "G", n, p, g, kind);
        write_numbers(vectors, "b", p, b);
    }
    H5Gclose(vectors);
    H5Gclose(global);
    H5Fclose(file);
}

#endif

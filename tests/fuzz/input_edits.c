#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

enum {
    MOST_OBJECTS = 512,
    MOST_EDITS = 6,
    MOST_BASES = 4
};

/* what there is to edit: every object of a good file, and every attribute as OBJECT and NAME */
typedef struct place {
    char object[128], attribute[64];
} place;

/* a good file */
typedef struct base {
    unsigned char *bytes;
    size_t size;
    place places[MOST_OBJECTS];
    int place_count;
} base;
static base bases[MOST_BASES];
static int base_count;

/* what is left of the fuzzer's bytes */
typedef struct source {
    const uint8_t *bytes;
    size_t left;
} source;

static unsigned take_byte(source *s) {
    if (s->left == 0) return 0;
    s->left--;
    return *s->bytes++;
}

static uint64_t take_number(source *s) {
    uint64_t x = 0;
    for (int i = 0; i < 8; i++) x = x << 8 | take_byte(s);
    return x;
}

/* numbers at which sizes and indices go wrong, small ones, or any */
static int64_t take_integer(source *s) {
    static const int64_t odd[] = {-1,        INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1LL << 32, (1LL << 31) + 1,
                                  (1 << 24), 65536,     -2,        1LL << 40, 9999,      10000,     1LL << 62};
    unsigned pick = take_byte(s);
    if (pick < sizeof odd / sizeof *odd) return odd[pick];
    return pick < 200 ? (int64_t)pick - 32 : (int64_t)take_number(s);
}

static void add_place(base *to, const char *object, const char *attribute) {
    if (to->place_count == MOST_OBJECTS) return;
    place *p = &to->places[to->place_count++];
    snprintf(p->object, sizeof p->object, "%s", object);
    snprintf(p->attribute, sizeof p->attribute, "%s", attribute);
}

/* an attribute of the object that was noted last */
static herr_t note_attribute(hid_t object, const char *name, const H5A_info_t *info, void *path) {
    (void)object, (void)info;
    if (strcmp(name, "units") != 0 && strcmp(name, "long_name") != 0) add_place(&bases[base_count], path, name);
    return 0;
}

static herr_t note_object(hid_t file, const char *name, const H5O_info_t *info, void *context) {
    char path[128];
    (void)info, (void)context;
    snprintf(path, sizeof path, "%s", name);
    if (strcmp(name, ".") != 0) add_place(&bases[base_count], path, "");
    H5Aiterate_by_name(file, name, H5_INDEX_NAME, H5_ITER_INC, NULL, note_attribute, path, H5P_DEFAULT);
    return 0;
}

static void read_base(const char *path) {
    base *b = &bases[base_count];
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) abort();
    b->size = (size_t)ftell(file);
    rewind(file);
    b->bytes = malloc(b->size);
    if (!b->bytes || fread(b->bytes, 1, b->size, file) != b->size) abort();
    fclose(file);
    hid_t opened = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (opened < 0) abort();
    H5Ovisit(opened, H5_INDEX_NAME, H5_ITER_INC, note_object, NULL);
    H5Fclose(opened);
    if (b->place_count == 0) abort();
    base_count++;
}

/* the good files: those of FUZZ_GOOD, divided by colons */
static void read_bases(void) {
    char list[] = FUZZ_GOOD, *rest = list;
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (char *path; base_count < MOST_BASES && (path = strsep(&rest, ":"));) read_base(path);
}

/* ---- edits ---- */

static hid_t take_type(source *s) {
    hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F32BE, H5T_STD_I32LE,      H5T_STD_I64BE,
                     H5T_STD_U64LE,  H5T_STD_I8LE,   H5T_NATIVE_LDOUBLE, H5T_STD_REF_OBJ};
    unsigned pick = take_byte(s) % 12;
    if (pick < 8) return H5Tcopy(types[pick]);
    if (pick == 11) return H5Tcreate(H5T_OPAQUE, 8);
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, pick == 8 ? H5T_VARIABLE : 1 + take_byte(s));
    if (pick == 10) H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

/* at most `most` elements where the data are to be written */
static hid_t take_space(source *s, int64_t most, hsize_t *elements) {
    hsize_t dims[4];
    int rank = (int)(take_byte(s) % 6);
    *elements = 1;
    if (rank == 5) return *elements = 0, H5Screate(H5S_NULL);
    if (rank == 0) return H5Screate(H5S_SCALAR);
    if (rank == 4) rank = 1; /* the commonest */
    for (int i = 0; i < rank; i++) {
        int64_t n = take_integer(s);
        if (n < 0 || n > (most > 0 ? most / (int64_t)*elements : INT64_MAX)) n = 1;
        dims[i] = (hsize_t)n;
        *elements *= dims[i] > 0 ? dims[i] : 1;
    }
    for (int i = 0; i < rank; i++)
        if (dims[i] == 0) *elements = 0;
    return H5Screate_simple(rank, dims, NULL);
}

static void fill(source *s, double *x, size_t count) {
    int pick = (int)(take_byte(s) % 4);
    for (size_t i = 0; i < count; i++) {
        int64_t n = pick == 0 ? (int64_t)i : take_integer(s);
        if (pick == 1)
            memcpy(&x[i], &n, sizeof n);
        else
            x[i] = (double)n;
    }
}

/* a text of the fuzzer's bytes; for fixed lengths as well, of which HDF5 takes as many bytes as they have */
static const char *take_text(source *s) {
    static char text[512];
    size_t length = take_byte(s);
    memset(text, 0, sizeof text);
    for (size_t i = 0; i < length; i++) text[i] = (char)take_byte(s);
    return text;
}

static void edit_attribute(source *s, hid_t file, const place *p) {
    hsize_t elements;
    double values[64] = {0};
    if (H5Adelete_by_name(file, p->object, p->attribute, H5P_DEFAULT) < 0 || take_byte(s) % 4 == 0) return;
    hid_t type = take_type(s), space = take_space(s, 64, &elements);
    hid_t attribute =
        H5Acreate_by_name(file, p->object, p->attribute, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute >= 0 && H5Tget_class(type) == H5T_STRING) {
        const char *text = take_text(s), *texts[64];
        for (int i = 0; i < 64; i++) texts[i] = text;
        if (H5Tis_variable_str(type) > 0)
            H5Awrite(attribute, type, texts);
        else if (elements <= 1)
            H5Awrite(attribute, type, text);
    } else if (attribute >= 0 && H5Tget_class(type) != H5T_REFERENCE && elements <= 64) {
        fill(s, values, (size_t)elements);
        H5Awrite(attribute, H5Tget_class(type) == H5T_OPAQUE ? type : H5T_NATIVE_DOUBLE, values);
    }
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

/* other numbers in a data set as it stands: a few of them, or all */
static void edit_values(source *s, hid_t file, const char *path) {
    static double x[1 << 14];
    hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT), space = dataset < 0 ? -1 : H5Dget_space(dataset);
    hssize_t count = space < 0 ? 0 : H5Sget_simple_extent_npoints(space);
    if (count > 0 && count <= 1 << 14 && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0) {
        int changes = 1 + (int)(take_byte(s) % 4);
        for (int i = 0; i < changes; i++) fill(s, &x[take_number(s) % (uint64_t)count], 1);
        H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
    }
    if (space >= 0) H5Sclose(space);
    if (dataset >= 0) H5Dclose(dataset);
}

/* a data set of another type and shape, perhaps one that claims more than the file has */
static void replace_dataset(source *s, hid_t file, const char *path) {
    hsize_t elements;
    double values[64] = {0};
    int claims = take_byte(s) % 4;
    hid_t type = take_type(s), space = take_space(s, claims ? 64 : 0, &elements);
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(properties, H5D_ALLOC_TIME_LATE);
    H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
    hsize_t chunk[3] = {4, 4, 4};
    int rank = H5Sget_simple_extent_ndims(space);
    if (claims == 1 && rank > 0) {
        H5Pset_chunk(properties, rank, chunk);
        H5Pset_deflate(properties, 1);
    } else if (claims == 2) {
        H5Pset_external(properties, "/dev/zero", 0, H5F_UNLIMITED);
    }
    H5Ldelete(file, path, H5P_DEFAULT);
    hid_t dataset = H5Dcreate2(file, path, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    int number = H5Tget_class(type) == H5T_FLOAT || H5Tget_class(type) == H5T_INTEGER;
    if (dataset >= 0 && number && claims && claims != 2 && elements > 0 && elements <= 64) {
        fill(s, values, (size_t)elements);
        H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    }
    if (dataset >= 0) H5Dclose(dataset);
    H5Pclose(properties);
    H5Sclose(space);
    H5Tclose(type);
}

/* a link to something else: of the file, of another file, to nothing, or round in a circle */
static void relink(source *s, const base *from, hid_t file, const char *path) {
    const place *other = &from->places[take_number(s) % (uint64_t)from->place_count];
    H5Ldelete(file, path, H5P_DEFAULT);
    switch (take_byte(s) % 5) {
    case 0: return;
    case 1: H5Lcreate_soft(other->object, file, path, H5P_DEFAULT, H5P_DEFAULT); return;
    case 2: H5Lcreate_external("/etc/hostname", other->object, file, path, H5P_DEFAULT, H5P_DEFAULT); return;
    case 3: H5Lcreate_hard(file, "/", file, path, H5P_DEFAULT, H5P_DEFAULT); return;
    default: H5Lcreate_hard(file, other->object, file, path, H5P_DEFAULT, H5P_DEFAULT);
    }
}

static void edit(source *s, const base *from, hid_t file) {
    unsigned high = take_byte(s) << 8;
    const place *p = &from->places[(high | take_byte(s)) % (unsigned)from->place_count];
    if (*p->attribute) {
        edit_attribute(s, file, p);
        return;
    }
    switch (take_byte(s) % 6) {
    case 0: relink(s, from, file, p->object); return;
    case 1:
    case 2: replace_dataset(s, file, p->object); return;
    default: edit_values(s, file, p->object);
    }
}

const char *fuzz_input(const uint8_t *bytes, size_t size) {
    source s = {bytes, size};
    if (base_count == 0) read_bases();
    const base *from = &bases[take_byte(&s) % (unsigned)base_count];
    const char *path = fuzz_file(from->bytes, from->size);
    if (!path) return NULL;
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (file < 0) abort();
    for (int i = 0; i < MOST_EDITS && s.left > 0; i++) edit(&s, from, file);
    herr_t closed = H5Fclose(file);
    H5Eclear2(H5E_DEFAULT);
    return closed < 0 ? NULL : path;
}

void fuzz_check_closed(void) {
    hid_t open_ones[8];
    char name[128];
    ssize_t count = H5Fget_obj_ids(H5F_OBJ_ALL, H5F_OBJ_ALL, 8, open_ones);
    for (ssize_t i = 0; i < count; i++)
        if (H5Iget_name(open_ones[i], name, sizeof name) >= 0) fprintf(stderr, "left open: %s\n", name);
    if (count > 0) abort();
}

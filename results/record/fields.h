/* The scalar attributes of a record, in one table: for its writer and its reader, and for
 * figures, which choose runs by them. */
#ifndef NB_RESULTS_FIELDS_H
#define NB_RESULTS_FIELDS_H

#include <stddef.h>

#include "record/record.h"

typedef enum nb_field_kind {
    NB_FIELD_TEXT,   /* char [size] */
    NB_FIELD_REAL,   /* double */
    NB_FIELD_INT32,  /* int32_t */
    NB_FIELD_UINT64, /* uint64_t */
} nb_field_kind;

typedef struct nb_field {
    const char *name;
    nb_field_kind kind;
    size_t offset, size;
} nb_field;

extern const nb_field nb_info_fields[]; /* of nb_run_info, as attributes of /runs/NNNN */
extern const int nb_info_field_count;
/* Those that are options of the method, of the same name (with -); an integer is the place of a choice. All other
 * options of methods stand in the parameters. NULL-terminated. */
extern const char *const nb_info_method_options[];
extern const nb_field nb_usage_fields[]; /* of nb_run_usage, likewise; all NB_FIELD_REAL */
extern const int nb_usage_field_count;
extern const nb_field nb_provenance_fields[]; /* of nb_provenance, as attributes of /provenance */
extern const int nb_provenance_field_count;

extern const nb_field
    nb_reference_solution_fields[]; /* of nb_reference_solution, as attributes of /runs/NNNN/reference */
extern const int nb_reference_solution_field_count;

/* The attribute of `owner` (an nb_run_info or nb_provenance) as text; a real with at most `digits` digits. */
void nb_field_text(const nb_field *field, const void *owner, int digits, char *text, size_t size);

/* A checksum of the owner's texts: HDF5 has none for texts of any length. With `checksum` NB_CHECKSUM_OF_NOTHING, or
 * that of other texts. */
uint64_t nb_fields_checksum(uint64_t checksum, const nb_field *fields, int count, const void *owner);
uint64_t nb_text_checksum(uint64_t checksum, const char *text);

/* One array of `final/`: shape [bodies | bilaterals | contacts][width]. */
typedef enum nb_final_extent {
    NB_FINAL_BODIES,
    NB_FINAL_BILATERALS,
    NB_FINAL_CONTACTS
} nb_final_extent;

typedef struct nb_final_array {
    const char *name, *units, *long_name;
    nb_final_extent extent;
    int width, inner; /* [extent][width], or [extent][width][inner] where inner > 0 */
    int integer;      /* int32 instead of double */
    size_t offset;    /* of the pointer in nb_snapshot */
} nb_final_array;

extern const nb_final_array nb_final_arrays[];
extern const int nb_final_array_count;

#endif

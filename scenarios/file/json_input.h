/* JSON files that are read: parsed by Jansson, with faults that name the line and the place, "'a.json', line 12:
 * bodies[3].shape: ...", and of what is no JSON line and column. Members that nobody asks for, or that stand twice, are
 * faults. At most 256 MiB, and 2048 levels (Jansson's own limit). A file that begins as one of gzip does is expanded
 * first, by its beginning and not by its name. All faults of a file are NB_ERROR_INPUT; NB_ERROR_IO where it cannot be
 * read. */
#ifndef NB_FILE_JSON_INPUT_H
#define NB_FILE_JSON_INPUT_H

#include <stdint.h>

#include "base/status.h"
#include "base/vec3.h"

struct json_t;

typedef struct nb_json_file {
    char *path, *text; /* owned */
    int64_t size;      /* of the text, expanded [bytes] */
    uint64_t checksum; /* FNV-1a of the text */
    struct json_t *root;
} nb_json_file;

/* The caller destroys *file. */
nb_status nb_json_file_read(const char *path, nb_json_file **file);
/* The same of a text in memory, which is copied; `path` stands in messages. */
nb_status nb_json_file_parse(const char *path, const char *text, int64_t size, nb_json_file **file);
void nb_json_file_destroy(nb_json_file *file); /* NULL allowed */

/* A place in a file, on the stack of whoever reads: it points to that which holds it, up to the root. */
typedef struct nb_input_at {
    const nb_json_file *file;
    const struct nb_input_at *parent;
    const char *key; /* NULL: item `index` of an array, or the root */
    int64_t index;
    const struct json_t *value; /* NULL: there is no such member */
} nb_input_at;

nb_input_at nb_input_root(const nb_json_file *file);
/* A member of an object; absent ones, and `null`, have no value. */
nb_input_at nb_input_member(const nb_input_at *object, const char *key);
/* An item of an array of nb_input_count, which is 0 of a place without value. */
nb_input_at nb_input_item(const nb_input_at *array, int64_t index);
int64_t nb_input_count(const nb_input_at *array);
/* Member i of an object, in the order of the file: whether there is one. */
int nb_input_entry(const nb_input_at *object, int64_t i, nb_input_at *member);

/* Fails with the line and the path of the place and this message. */
nb_status nb_input_fail(const nb_input_at *at, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What the place must hold; a place without value is a fault, too ("is missing"). */
nb_status nb_input_real(const nb_input_at *at, double *x);
nb_status nb_input_reals(const nb_input_at *at, int64_t count, double *x);
nb_status nb_input_vec3(const nb_input_at *at, nb_vec3 *v);
nb_status nb_input_quat(const nb_input_at *at, nb_quat *q);
nb_status nb_input_whole(const nb_input_at *at, int64_t least, int64_t most, int32_t *x);
nb_status nb_input_wholes(const nb_input_at *at, int64_t count, int64_t least, int64_t most, int32_t *x);
int nb_input_is_text(const nb_input_at *at);
nb_status nb_input_text(const nb_input_at *at, const char **text); /* of the file's own */
/* the index of the text among `count` names; "no such WHAT 'cone'; box, sphere, ..." */
nb_status nb_input_choice(const nb_input_at *at, const char *what, int count, const char *const *names, int *chosen);
/* An object with no members but these, up to NULL (keys NULL: with any); an array. */
nb_status nb_input_object(const nb_input_at *at, const char *const *keys);
/* Fails for a member that is none of these, up to NULL: with the nearest of them, or all where none is near. */
nb_status nb_input_unknown(const nb_input_at *at, const char *const *keys);
nb_status nb_input_array(const nb_input_at *at);

#endif

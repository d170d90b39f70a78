/* Vectors, and lines of arrays, in the JSON of exported scenes. */
#ifndef NB_PROGRAM_EXPORT_VALUES_H
#define NB_PROGRAM_EXPORT_VALUES_H

#include "base/vec3.h"
#include "text/json.h"

static inline void nb_write_numbers(nb_json *json, const char *name, int count, const double *x) {
    nb_json_array(json, name);
    for (int i = 0; i < count; i++) nb_json_number(json, NULL, x[i]);
    nb_json_end(json);
}

static inline void nb_write_vec3(nb_json *json, const char *name, nb_vec3 v) {
    nb_write_numbers(json, name, 3, (const double[3]){v.x, v.y, v.z});
}

static inline void nb_write_quat(nb_json *json, const char *name, nb_quat q) {
    nb_write_numbers(json, name, 4, (const double[4]){q.w, q.x, q.y, q.z});
}

/* an element of an array on a line of its own */
static inline void nb_begin_line(nb_json *json) {
    nb_json_object(json, NULL);
    json->indent = 0;
}

static inline void nb_end_line(nb_json *json) {
    nb_json_end(json);
    json->indent = 1;
}

#endif

/* Values, objects and lines of arrays in the JSON of exported scenes. */
#ifndef NB_PROGRAM_EXPORT_VALUES_H
#define NB_PROGRAM_EXPORT_VALUES_H

#include "base/vec3.h"
#include "file/scene_members.h"
#include "text/json.h"

void nb_write_numbers(nb_json *json, const char *name, int count, const double *x);
void nb_write_vec3(nb_json *json, const char *name, nb_vec3 v);
void nb_write_quat(nb_json *json, const char *name, nb_quat q);

/* an element of an array on a line of its own */
void nb_begin_line(nb_json *json);
void nb_end_line(nb_json *json);

/* The members that the structure has, by the table. Numbers that are not finite are left out. */
void nb_write_members(nb_json *json, const nb_scene_object *object, const void *of);
/* An array of structures of `size` bytes, a line each. */
void nb_write_lines(nb_json *json, const char *name, const nb_scene_object *object, int32_t count, const void *of,
                    size_t size);

/* The JSON Schema of scene files. */
void nb_write_scene_schema(FILE *stream);

#endif

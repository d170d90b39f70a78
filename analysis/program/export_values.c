#include "export_values.h"

#include <math.h>
#include <string.h>

void nb_write_numbers(nb_json *json, const char *name, int count, const double *x) {
    nb_json_array(json, name);
    for (int i = 0; i < count; i++) nb_json_number(json, NULL, x[i]);
    nb_json_end(json);
}

void nb_write_vec3(nb_json *json, const char *name, nb_vec3 v) {
    nb_write_numbers(json, name, 3, (const double[3]){v.x, v.y, v.z});
}

void nb_write_quat(nb_json *json, const char *name, nb_quat q) {
    nb_write_numbers(json, name, 4, (const double[4]){q.w, q.x, q.y, q.z});
}

void nb_begin_line(nb_json *json) {
    nb_json_object(json, NULL);
    json->indent = 0;
}

void nb_end_line(nb_json *json) {
    nb_json_end(json);
    json->indent = 1;
}

/* ---- members of the tables ---- */

/* Writes the value from extent `level` of its shape on, and moves *of behind it. */
static void write_value(nb_json *json, const char *name, const nb_scene_member *m, int level, const char **of) {
    if (level < NB_SCENE_RANK && m->shape[level] > 0) {
        nb_json_array(json, name);
        for (int i = 0; i < m->shape[level]; i++) write_value(json, NULL, m, level + 1, of);
        nb_json_end(json);
        return;
    }
    double number;
    int32_t whole;
    const char *text;
    switch (m->value) {
    case NB_VALUE_NUMBER:
        memcpy(&number, *of, sizeof number);
        *of += sizeof number;
        if (level > 0 || isfinite(number)) nb_json_number(json, name, number);
        return;
    case NB_VALUE_TEXT:
        memcpy((void *)&text, *of, sizeof text);
        nb_json_text(json, name, text);
        return;
    default:
        memcpy(&whole, *of, sizeof whole);
        *of += sizeof whole;
        if (m->value == NB_VALUE_CHOICE)
            nb_json_text(json, name, m->choices[whole]);
        else
            nb_json_number(json, name, whole);
    }
}

void nb_write_members(nb_json *json, const nb_scene_object *object, const void *of) {
    nb_scene_member m;
    for (int i = 0; nb_scene_member_at(object, i, &m); i++) {
        const char *at = (const char *)of + m.offset;
        if (m.in) write_value(json, m.name, &m, 0, &at);
    }
}

void nb_write_lines(nb_json *json, const char *name, const nb_scene_object *object, int32_t count, const void *of,
                    size_t size) {
    nb_json_array(json, name);
    for (int32_t i = 0; i < count; i++) {
        nb_begin_line(json);
        nb_write_members(json, object, (const char *)of + (size_t)i * size);
        nb_end_line(json);
    }
    nb_json_end(json);
}

/* ---- the schema ---- */

static void write_reference(nb_json *json, const nb_scene_object *object) {
    char path[64];
    snprintf(path, sizeof path, "#/$defs/%s", object->name);
    nb_json_text(json, "$ref", path);
}

static void write_types(nb_json *json, const char *type, const char *word) {
    if (!word) {
        nb_json_text(json, "type", type);
        return;
    }
    nb_json_array(json, "type");
    nb_json_text(json, NULL, type);
    nb_json_text(json, NULL, "string");
    nb_json_end(json);
}

static void write_bounds(nb_json *json, const nb_scene_member *m) {
    const int from = m->bound == NB_BOUND_FROM || m->value == NB_VALUE_INDEX || m->least != 0 || m->most > 0;
    if (m->bound == NB_BOUND_ABOVE)
        nb_json_number(json, "exclusiveMinimum", m->least);
    else if (from)
        nb_json_number(json, "minimum", m->least);
    if (m->most > 0) nb_json_number(json, "maximum", m->most);
}

static void write_scalar(nb_json *json, const nb_scene_member *m) {
    switch (m->value) {
    case NB_VALUE_TEXT: nb_json_text(json, "type", "string"); return;
    case NB_VALUE_OBJECT:
        if (m->object->open)
            nb_json_text(json, "type", "object");
        else
            write_reference(json, m->object);
        return;
    case NB_VALUE_CHOICE:
        nb_json_array(json, "enum");
        for (int i = 0; m->choices[i]; i++) nb_json_text(json, NULL, m->choices[i]);
        nb_json_end(json);
        return;
    default: write_types(json, m->value == NB_VALUE_NUMBER ? "number" : "integer", m->word); write_bounds(json, m);
    }
}

static void write_shape(nb_json *json, const nb_scene_member *m, int level) {
    if (level == NB_SCENE_RANK || m->shape[level] == 0) {
        write_scalar(json, m);
        return;
    }
    const int64_t exact = m->shape[level] > 0 ? m->shape[level] : 0,
                  least = level == 0 && !exact ? m->least_items : exact,
                  most = level == 0 && !exact ? m->most_items : exact;
    nb_json_text(json, "type", "array");
    nb_json_object(json, "items");
    write_shape(json, m, level + 1);
    nb_json_end(json);
    if (least > 0) nb_json_number(json, "minItems", (double)least);
    if (most > 0) nb_json_number(json, "maxItems", (double)most);
}

static void write_member(nb_json *json, const nb_scene_member *m) {
    nb_json_object(json, m->name);
    json->indent = 0;
    write_shape(json, m, 0);
    nb_json_text(json, "description", m->summary);
    if (m->unit) nb_json_text(json, "x-unit", m->unit);
    if (m->standard && *m->standard) nb_json_text(json, "x-default", m->standard);
    if (m->frame) nb_json_text(json, "x-frame", m->frame);
    nb_end_line(json);
}

static void write_object(nb_json *json, const nb_scene_object *object) {
    nb_scene_member m;
    nb_json_text(json, "description", object->summary);
    nb_json_text(json, "type", "object");
    nb_json_flag(json, "additionalProperties", 0);
    nb_json_array(json, "required");
    for (int i = 0; nb_scene_member_at(object, i, &m); i++)
        if (!m.standard) nb_json_text(json, NULL, m.name);
    nb_json_end(json);
    nb_json_object(json, "properties");
    for (int i = 0; nb_scene_member_at(object, i, &m); i++) write_member(json, &m);
    nb_json_end(json);
}

/* the objects that members hold, each once: `known` [count] so far */
static int list_objects(const nb_scene_object *object, const nb_scene_object **known, int count) {
    nb_scene_member m;
    for (int i = 0; nb_scene_member_at(object, i, &m); i++) {
        int k = 0;
        if (m.value != NB_VALUE_OBJECT || m.object->open) continue;
        while (k < count && known[k] != m.object) k++;
        if (k < count) continue;
        known[count++] = m.object;
        count = list_objects(m.object, known, count);
    }
    return count;
}

void nb_write_scene_schema(FILE *stream) {
    nb_json json = {.stream = stream, .indent = 1};
    const nb_scene_object *known[NB_SCENE_MOST_MEMBERS];
    const int count = list_objects(&nb_scene_members, known, 0);
    nb_json_object(&json, NULL);
    nb_json_text(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    nb_json_text(&json, "title", "A scene of ncpbench");
    write_object(&json, &nb_scene_members);
    nb_json_object(&json, "$defs");
    for (int i = 0; i < count; i++) {
        nb_json_object(&json, known[i]->name);
        write_object(&json, known[i]);
        nb_json_end(&json);
    }
    nb_json_end(&json);
    nb_json_end(&json);
}

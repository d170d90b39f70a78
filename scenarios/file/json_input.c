#include "file/json_input.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/stream.h"
#include "file/gzip.h"

enum {
    MOST_BYTES = 256 << 20
};
static const size_t MOST_MEMORY = (size_t)1
                                  << 30; /* of a file's values: those of scenes take some 4 bytes a byte of text */

/* ---- files ---- */

/* in place of the file's bytes what they are compressed from */
static nb_status expand(nb_json_file *file) {
    char *text;
    if (!nb_gzip_is(file->text, file->size)) return NB_OK;
    nb_status status = nb_gzip_expand(file->path, file->text, file->size, MOST_BYTES, &text, &file->size);
    if (status != NB_OK) return status;
    nb_free(file->text);
    file->text = text;
    return NB_OK;
}

/* jansson takes the memory of values from here: it says nothing of its own when there is none, and a small text, more
 * so a compressed one, may stand for any number of them */
static _Thread_local struct {
    size_t taken; /* since the last file was begun */
    int failed;
} values;

static void *take(size_t bytes) {
    void *memory = bytes <= MOST_MEMORY - values.taken ? malloc(bytes) : NULL;
    if (memory)
        values.taken += bytes;
    else
        values.failed = 1;
    return memory;
}

static nb_status parse(nb_json_file *file) {
    json_error_t error;
    nb_status status = expand(file);
    if (status != NB_OK) return status;
    file->checksum = nb_checksum(NB_CHECKSUM_OF_NOTHING, file->text, (size_t)file->size);
    values.taken = 0;
    values.failed = 0;
    json_set_alloc_funcs(take, free);
    file->root = json_loadb(file->text, (size_t)file->size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    if (file->root) return NB_OK;
    if (values.failed)
        return nb_fail(NB_ERROR_MEMORY, "'%.200s': out of memory for its values, after %.3g MB (at most %.3g MB)",
                       file->path, 1e-6 * (double)values.taken, 1e-6 * (double)MOST_MEMORY);
    return nb_fail(NB_ERROR_INPUT, "'%.200s', line %d, column %d: %.200s", file->path, error.line, error.column,
                   error.text);
}

static nb_status create(const char *path, int64_t size, nb_json_file **file) {
    nb_status status;
    NB_TRY(NB_ALLOCATE(1, file));
    NB_TRY(nb_copy_text(path, &(*file)->path));
    NB_TRY(NB_ALLOCATE(size + 1, &(*file)->text));
    (*file)->size = size;
out:
    return status;
}

static nb_status read_text(FILE *stream, nb_json_file *file) {
    const size_t got = fread(file->text, 1, (size_t)file->size, stream);
    if (got == (size_t)file->size) return NB_OK;
    return nb_fail(NB_ERROR_IO, "cannot read '%.300s': %s", file->path,
                   ferror(stream) ? strerror(errno) : "it became shorter");
}

static nb_status open_file(const char *path, FILE **stream, int64_t *size) {
    struct stat info;
    nb_status status = nb_file_open(path, 'r', stream);
    if (status != NB_OK) return status;
    if (fstat(fileno(*stream), &info) != 0)
        return nb_fail(NB_ERROR_IO, "cannot read '%.300s': %s", path, strerror(errno));
    if (info.st_size > MOST_BYTES)
        return nb_fail(NB_ERROR_INPUT, "'%.300s' has %lld bytes; a scene file has %d at most", path,
                       (long long)info.st_size, (int)MOST_BYTES);
    *size = info.st_size;
    return NB_OK;
}

nb_status nb_json_file_read(const char *path, nb_json_file **file) {
    nb_status status;
    FILE *stream = NULL;
    int64_t size = 0;
    *file = NULL;
    NB_TRY(open_file(path, &stream, &size));
    NB_TRY(create(path, size, file));
    NB_TRY(read_text(stream, *file));
    NB_TRY(parse(*file));
out:
    if (stream) fclose(stream);
    if (status != NB_OK) {
        nb_json_file_destroy(*file);
        *file = NULL;
    }
    return status;
}

nb_status nb_json_file_parse(const char *path, const char *text, int64_t size, nb_json_file **file) {
    nb_status status;
    *file = NULL;
    NB_TRY(create(path, size, file));
    memcpy((*file)->text, text, (size_t)size);
    NB_TRY(parse(*file));
out:
    if (status != NB_OK) {
        nb_json_file_destroy(*file);
        *file = NULL;
    }
    return status;
}

void nb_json_file_destroy(nb_json_file *file) {
    if (!file) return;
    json_decref(file->root);
    nb_free(file->path);
    nb_free(file->text);
    nb_free(file);
}

/* ---- places ---- */

nb_input_at nb_input_root(const nb_json_file *file) {
    return (nb_input_at){.file = file, .value = file->root};
}

nb_input_at nb_input_member(const nb_input_at *object, const char *key) {
    const json_t *value = json_object_get(object->value, key);
    return (nb_input_at){object->file, object, key, 0, json_is_null(value) ? NULL : value};
}

nb_input_at nb_input_item(const nb_input_at *array, int64_t index) {
    return (nb_input_at){array->file, array, NULL, index, json_array_get(array->value, (size_t)index)};
}

int64_t nb_input_count(const nb_input_at *array) {
    return (int64_t)json_array_size(array->value);
}

int nb_input_entry(const nb_input_at *object, int64_t i, nb_input_at *member) {
    json_t *of = (json_t *)(void *)(uintptr_t)object->value; /* which changes nothing */
    void *at = json_object_iter(of);
    for (; at && i > 0; i--) at = json_object_iter_next(of, at);
    if (at) *member = nb_input_member(object, json_object_iter_key(at));
    return at != NULL;
}

/* ---- the line of a place: the text is known to be JSON ---- */

typedef struct scan {
    const char *at, *end;
} scan;

static void skip_space(scan *s) {
    while (s->at < s->end && strchr(" \t\r\n", *s->at)) s->at++;
}

static void skip_text(scan *s) { /* from its first quote */
    for (s->at++; s->at < s->end && *s->at != '"'; s->at++) s->at += *s->at == '\\';
    s->at++;
}

static void skip_value(scan *s) {
    for (int depth = 0; s->at < s->end;) {
        const char c = *s->at;
        if (depth == 0 && (c == ',' || c == ']' || c == '}')) return;
        if (c == '"') {
            skip_text(s);
            continue;
        }
        depth += c == '[' || c == '{';
        depth -= c == ']' || c == '}';
        s->at++;
    }
}

/* from a key on to its value; whether it is this key */
static int take_key(scan *s, const char *key) {
    const char *first = s->at + 1;
    skip_text(s);
    const size_t length = (size_t)(s->at - 1 - first);
    const int same = length == strlen(key) && strncmp(first, key, length) == 0;
    skip_space(s);
    s->at++; /* the colon */
    skip_space(s);
    return same;
}

/* to the place, or to the innermost that holds it */
static void find(scan *s, const nb_input_at *at) {
    if (!at->parent) {
        skip_space(s);
        return;
    }
    find(s, at->parent);
    const scan whole = *s;
    s->at++;
    for (int64_t i = 0; s->at < s->end; i++) {
        skip_space(s);
        if (s->at >= s->end || *s->at == ']' || *s->at == '}') break;
        if (at->key ? take_key(s, at->key) : i == at->index) return;
        skip_value(s);
        skip_space(s);
        if (s->at < s->end && *s->at == ',') s->at++;
    }
    *s = whole;
}

static int line_of(const nb_input_at *at) {
    scan s = {at->file->text, at->file->text + at->file->size};
    int line = 1;
    find(&s, at);
    for (const char *c = at->file->text; c < s.at && c < s.end; c++) line += *c == '\n';
    return line;
}

/* "bodies[3].shape" */
static void write_path(const nb_input_at *at, char *text, size_t size) {
    if (!at->parent) {
        *text = '\0';
        return;
    }
    write_path(at->parent, text, size);
    const size_t used = strlen(text);
    if (at->key)
        snprintf(text + used, size - used, "%s%.60s", used ? "." : "", at->key);
    else
        snprintf(text + used, size - used, "[%lld]", (long long)at->index);
}

nb_status nb_input_fail(const nb_input_at *at, const char *format, ...) {
    char path[300], message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    write_path(at, path, sizeof path);
    return nb_fail(NB_ERROR_INPUT, "'%.200s', line %d: %s%s%s", at->file->path, line_of(at), path, *path ? ": " : "",
                   message);
}

/* ---- what places hold ---- */

static const char *kind_of(const json_t *value) {
    static const char *const kinds[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a text", [JSON_INTEGER] = "a number",
        [JSON_REAL] = "a number",    [JSON_TRUE] = "true",      [JSON_FALSE] = "false",   [JSON_NULL] = "null"};
    return kinds[json_typeof(value)];
}

static nb_status expect(const nb_input_at *at, int is, const char *what) {
    if (!at->value) return nb_input_fail(at, "is missing; expected %s", what);
    return is ? NB_OK : nb_input_fail(at, "expected %s, not %s", what, kind_of(at->value));
}

nb_status nb_input_real(const nb_input_at *at, double *x) {
    nb_status status = expect(at, json_is_real(at->value), "a number");
    if (status == NB_OK) *x = json_real_value(at->value);
    return status;
}

nb_status nb_input_array(const nb_input_at *at) {
    return expect(at, json_is_array(at->value), "an array");
}

static nb_status expect_count(const nb_input_at *at, int64_t count) {
    nb_status status = nb_input_array(at);
    if (status == NB_OK && nb_input_count(at) != count)
        status = nb_input_fail(at, "expected %lld numbers, not %lld", (long long)count, (long long)nb_input_count(at));
    return status;
}

nb_status nb_input_reals(const nb_input_at *at, int64_t count, double *x) {
    nb_status status = expect_count(at, count);
    for (int64_t i = 0; i < count && status == NB_OK; i++) {
        const nb_input_at item = nb_input_item(at, i);
        status = nb_input_real(&item, &x[i]);
    }
    return status;
}

nb_status nb_input_vec3(const nb_input_at *at, nb_vec3 *v) {
    double x[3];
    nb_status status = nb_input_reals(at, 3, x);
    if (status == NB_OK) *v = nb_vec3_of(x[0], x[1], x[2]);
    return status;
}

nb_status nb_input_quat(const nb_input_at *at, nb_quat *q) {
    double x[4];
    nb_status status = nb_input_reals(at, 4, x);
    if (status == NB_OK) *q = (nb_quat){x[0], x[1], x[2], x[3]};
    return status;
}

nb_status nb_input_whole(const nb_input_at *at, int64_t least, int64_t most, int32_t *x) {
    double real;
    nb_status status = nb_input_real(at, &real);
    if (status != NB_OK) return status;
    if (!(real >= (double)least && real <= (double)most) || real != floor(real))
        return nb_input_fail(at, "%g is out of range (whole numbers from %lld to %lld)", real, (long long)least,
                             (long long)most);
    *x = (int32_t)real;
    return NB_OK;
}

nb_status nb_input_wholes(const nb_input_at *at, int64_t count, int64_t least, int64_t most, int32_t *x) {
    nb_status status = expect_count(at, count);
    for (int64_t i = 0; i < count && status == NB_OK; i++) {
        const nb_input_at item = nb_input_item(at, i);
        status = nb_input_whole(&item, least, most, &x[i]);
    }
    return status;
}

int nb_input_is_text(const nb_input_at *at) {
    return json_is_string(at->value);
}

nb_status nb_input_text(const nb_input_at *at, const char **text) {
    nb_status status = expect(at, json_is_string(at->value), "a text");
    if (status == NB_OK) *text = json_string_value(at->value);
    return status;
}

nb_status nb_input_choice(const nb_input_at *at, const char *what, int count, const char *const *names, int *chosen) {
    const char *text;
    char list[300] = "";
    nb_status status = nb_input_text(at, &text);
    if (status != NB_OK) return status;
    for (*chosen = 0; *chosen < count; ++*chosen)
        if (strcmp(names[*chosen], text) == 0) return NB_OK;
    for (int i = 0; i < count; i++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", names[i]);
    }
    return nb_input_fail(at, "no such %s '%.60s'; %s", what, text, list);
}

static const char *key_at(const void *keys, int i) {
    return ((const char *const *)keys)[i];
}

nb_status nb_input_unknown(const nb_input_at *at, const char *const *keys) {
    enum {
        ROOM = 240
    };
    char hint[ROOM + 16];
    int count = 0;
    while (keys[count]) count++;
    nb_name_hint("", at->key, count, key_at, keys, hint, sizeof hint);
    if (*hint) return nb_input_fail(at, "there is no such member%s", hint);
    for (int i = 0, used = 0; i < count && used < ROOM; i++) {
        const int fits = used + (int)strlen(keys[i]) + 2 < ROOM;
        used += snprintf(hint + used, sizeof hint - (size_t)used, "%s%s", i ? ", " : "", fits ? keys[i] : "...");
        if (!fits) break;
    }
    return nb_input_fail(at, "there is no such member (known: %s)", hint);
}

nb_status nb_input_object(const nb_input_at *at, const char *const *keys) {
    const char *key;
    json_t *value;
    int count = 0;
    nb_status status = expect(at, json_is_object(at->value), "an object");
    if (status != NB_OK) return status;
    if (!keys) return NB_OK;
    while (keys[count]) count++;
    json_object_foreach((json_t *)(void *)(uintptr_t)at->value, key, value) { /* which changes nothing */
        if (nb_name_find(key, count, key_at, keys) >= 0) continue;
        const nb_input_at unknown = nb_input_member(at, key);
        return nb_input_unknown(&unknown, keys);
    }
    return NB_OK;
}

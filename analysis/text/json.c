#include "text/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "text/plain.h"

/* What is no character becomes U+FFFD; what is not printable, \uXXXX. */
static void write_text(FILE *stream, const char *text) {
    fputc('"', stream);
    while (*text) {
        uint32_t code;
        int length = nb_text_character(text, &code);
        if (*text == '"' || *text == '\\')
            fprintf(stream, "\\%c", *text);
        else if (length == 0 || (code > 0xffff && !nb_text_printable(code)))
            fputs("\\ufffd", stream);
        else if (!nb_text_printable(code))
            fprintf(stream, "\\u%04x", (unsigned)code);
        else
            fwrite(text, 1, (size_t)length, stream);
        text += length ? length : 1;
    }
    fputc('"', stream);
}

/* what stands before a member: a comma, its line, its name */
static void begin_member(nb_json *json, const char *name) {
    if (json->depth > 0) {
        if (json->members[json->depth - 1]++) fputs(json->indent ? "," : ", ", json->stream);
        if (json->indent) fprintf(json->stream, "\n%*s", 2 * json->depth, "");
    }
    if (name) {
        write_text(json->stream, name);
        fputs(": ", json->stream);
    }
}

static void open_level(nb_json *json, const char *name, char opening, char closing) {
    begin_member(json, name);
    fputc(opening, json->stream);
    json->closing[json->depth] = closing;
    json->members[json->depth] = 0;
    json->depth++;
}

void nb_json_object(nb_json *json, const char *name) {
    open_level(json, name, '{', '}');
}

void nb_json_array(nb_json *json, const char *name) {
    open_level(json, name, '[', ']');
}

void nb_json_end(nb_json *json) {
    json->depth--;
    if (json->indent && json->members[json->depth]) fprintf(json->stream, "\n%*s", 2 * json->depth, "");
    fputc(json->closing[json->depth], json->stream);
    if (json->indent && json->depth == 0) fputc('\n', json->stream);
}

void nb_json_text(nb_json *json, const char *name, const char *text) {
    begin_member(json, name);
    write_text(json->stream, text);
}

void nb_json_number(nb_json *json, const char *name, double x) {
    char text[32] = "null";
    for (int digits = 15; isfinite(x) && digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x) break;
    }
    begin_member(json, name);
    fputs(text, json->stream);
}

void nb_json_flag(nb_json *json, const char *name, int flag) {
    begin_member(json, name);
    fputs(flag ? "true" : "false", json->stream);
}

void nb_json_options(nb_json *json, const char *prefix, const nb_option *options, int count, const double *values) {
    for (int i = 0; i < count; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s%s", prefix, options[i].name);
        if (options[i].choices)
            nb_json_text(json, name, options[i].choices[(int)values[i]]);
        else
            nb_json_number(json, name, values[i]);
    }
}

/* The reader: `at` is the next character, `out` the room for decoded text. */
typedef struct reader {
    const char *at;
    char *out;
} reader;

static nb_status malformed(const reader *r, const char *expected) {
    return nb_fail(NB_ERROR_INPUT, "malformed JSON: %s expected before '%.20s'", expected, r->at);
}

static void skip_space(reader *r) {
    r->at += strspn(r->at, " \t\r\n");
}

/* the four digits of \uXXXX as UTF-8; surrogates are not put together, they become '?' */
static nb_status read_code_point(reader *r) {
    unsigned code = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        const char *digits = "0123456789abcdef", *digit = *r->at ? strchr(digits, *r->at | 0x20) : NULL;
        if (!digit) return malformed(r, "a hexadecimal digit");
        code = 16 * code + (unsigned)(digit - digits);
    }
    if (code == 0 || (code >= 0xd800 && code < 0xe000)) code = '?';
    if (code < 0x80) {
        *r->out++ = (char)code;
    } else if (code < 0x800) {
        *r->out++ = (char)(0xc0 | code >> 6);
        *r->out++ = (char)(0x80 | (code & 0x3f));
    } else {
        *r->out++ = (char)(0xe0 | code >> 12);
        *r->out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *r->out++ = (char)(0x80 | (code & 0x3f));
    }
    return NB_OK;
}

static nb_status read_text(reader *r) {
    if (*r->at != '"') return malformed(r, "'\"'");
    r->at++;
    while (*r->at != '"') {
        if ((unsigned char)*r->at < 0x20) return malformed(r, "'\"'");
        if (*r->at != '\\') {
            *r->out++ = *r->at++;
            continue;
        }
        const char *escapes = "\"\\/bfnrt", *meanings = "\"\\/\b\f\n\r\t";
        char escape = *++r->at;
        const char *found = escape ? strchr(escapes, escape) : NULL;
        if (!found && escape != 'u') return malformed(r, "an escape");
        r->at++;
        if (found) {
            *r->out++ = meanings[found - escapes];
        } else {
            nb_status status = read_code_point(r);
            if (status != NB_OK) return status;
        }
    }
    r->at++;
    *r->out++ = '\0';
    return NB_OK;
}

static nb_status read_literal(reader *r) {
    size_t length = strcspn(r->at, " \t\r\n,}[]{\":");
    static const char *const words[] = {"true", "false", "null"};
    memcpy(r->out, r->at, length);
    r->out[length] = '\0';
    char *end;
    strtod(r->out, &end);
    int known = length > 0 && strchr("-0123456789", *r->out) && !*end;
    for (int i = 0; i < 3; i++) known = known || strcmp(r->out, words[i]) == 0;
    if (!known) return malformed(r, "a number or a string");
    r->at += length;
    r->out += length + 1;
    return NB_OK;
}

static nb_status read_member(reader *r, char *room, nb_json_member *member, void *context) {
    nb_status status;
    r->out = room;
    NB_TRY(read_text(r));
    char *value = r->out;
    skip_space(r);
    if (*r->at++ != ':') return r->at--, malformed(r, "':'");
    skip_space(r);
    NB_TRY(*r->at == '"' ? read_text(r) : read_literal(r));
    skip_space(r);
    status = member(context, room, value);
out:
    return status;
}

nb_status nb_json_read(const char *text, nb_json_member *member, void *context) {
    reader r = {.at = text};
    char *room = NULL;
    nb_status status;
    NB_TRY(NB_ALLOCATE((int64_t)strlen(text) + 1, &room)); /* no decoded text is longer than its code */
    skip_space(&r);
    if (*r.at != '{') NB_TRY(malformed(&r, "'{'"));
    r.at++;
    skip_space(&r);
    for (int first = 1; *r.at != '}'; first = 0) {
        if (!first && *r.at++ != ',')
            r.at--, status = malformed(&r, "',' or '}'");
        else
            status = NB_OK;
        NB_TRY(status);
        skip_space(&r);
        NB_TRY(read_member(&r, room, member, context));
    }
    r.at++;
    skip_space(&r);
    if (*r.at) NB_TRY(malformed(&r, "the end"));
out:
    nb_free(room);
    return status;
}

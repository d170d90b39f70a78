#include "text/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/named_values.h"
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
    char text[NB_NUMBER_TEXT];
    nb_number_text(x, text);
    begin_member(json, name);
    fputs(isfinite(x) ? text : "null", json->stream);
}

void nb_json_flag(nb_json *json, const char *name, int flag) {
    begin_member(json, name);
    fputs(flag ? "true" : "false", json->stream);
}

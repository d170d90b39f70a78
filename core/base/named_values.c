#include "base/named_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* what is escaped, and the letter for it behind a backslash */
static const char special[] = "\\\n=:", letters[] = "\\nec";

void nb_number_text(double x, char text[NB_NUMBER_TEXT]) {
    int digits = 15;
    do snprintf(text, NB_NUMBER_TEXT, "%.*g", digits, x);
    while (isfinite(x) && strtod(text, NULL) != x && digits++ < 17);
}

static void write_escaped(FILE *stream, const char *text) {
    for (; *text; text++) {
        const char *found = strchr(special, *text);
        if (found) fputc('\\', stream);
        fputc(found ? letters[found - special] : *text, stream);
    }
}

static void write_line(FILE *stream, const char *prefix, const char *name, char sign, const char *text) {
    write_escaped(stream, prefix);
    write_escaped(stream, name);
    fputc(sign, stream);
    write_escaped(stream, text);
    fputc('\n', stream);
}

void nb_named_number_write(FILE *stream, const char *prefix, const char *name, double x) {
    char text[NB_NUMBER_TEXT];
    nb_number_text(x, text);
    write_line(stream, prefix, name, '=', text);
}

void nb_named_text_write(FILE *stream, const char *prefix, const char *name, const char *text) {
    write_line(stream, prefix, name, ':', text);
}

void nb_named_options_write(FILE *stream, const char *prefix, const nb_option *options, int count,
                            const double *values) {
    for (int i = 0; i < count; i++)
        if (options[i].choices)
            nb_named_text_write(stream, prefix, options[i].name, options[i].choices[(int)values[i]]);
        else
            nb_named_number_write(stream, prefix, options[i].name, values[i]);
}

static int compare(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

nb_status nb_named_values_sort(const char *lines, char **sorted) {
    nb_status status;
    char *text = NULL, *to, **line = NULL;
    int64_t count = 0, n = 0;
    for (const char *c = lines; *c; c++) count += *c == '\n';
    *sorted = NULL;
    NB_TRY(nb_copy_text(lines, &text));
    NB_TRY(nb_copy_text(lines, sorted));
    NB_TRY(NB_ALLOCATE(count + 1, &line));
    for (char *at = text; *at && n < count; at++) {
        line[n++] = at;
        at += strcspn(at, "\n");
        *at = '\0';
    }
    qsort(line, (size_t)n, sizeof *line, compare);
    to = *sorted;
    for (int64_t i = 0; i < n; i++) {
        to = stpcpy(to, line[i]);
        *to++ = '\n';
    }
    *to = '\0';
out:
    nb_free(text);
    nb_free(line);
    if (status == NB_OK) return NB_OK;
    nb_free(*sorted);
    *sorted = NULL;
    return status;
}

/* the escapes of a text, in its place */
static void unescape(char *text) {
    char *to = text;
    for (const char *from = text; *from; from++) {
        const char *found = from[0] == '\\' && from[1] ? strchr(letters, from[1]) : NULL;
        *to++ = found ? special[found - letters] : *from;
        from += found != NULL;
    }
    *to = '\0';
}

nb_status nb_named_values_read(const char *values, nb_named_value_take *take, void *context) {
    nb_status status;
    char *text, *next;
    if (!values) return NB_OK;
    NB_TRY(nb_copy_text(values, &text));
    for (char *line = text; *line && status == NB_OK; line = next) {
        const size_t length = strcspn(line, "\n"), name = strcspn(line, "=:\n");
        nb_named_value value = {.name = line, .text = "", .is_number = line[name] == '='};
        next = line + length + (line[length] == '\n');
        line[length] = '\0';
        if (name < length) {
            value.text = line + name + 1;
            unescape(line + name + 1);
        }
        line[name] = '\0';
        unescape(line);
        status = take(context, &value);
    }
    nb_free(text);
out:
    return status;
}

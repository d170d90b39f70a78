#include "text/html.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

/* ---- text ---- */

/* how many bytes the UTF-8 sequence at `c` has; 0 where there is none */
static int sequence(const unsigned char *c) {
    int length = c[0] < 0x80 ? 1 : c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : c[0] < 0xe0 ? 0 : c[0] < 0xf0 ? 3 : 4;
    if (c[0] > 0xf4) return 0;
    for (int i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;                                      /* the end of the text, too */
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90)) return 0; /* longer than need be */
    if ((c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f)) return 0; /* no characters */
    return length;
}

void nb_html_text(FILE *page, const char *text) {
    const unsigned char *c = (const unsigned char *)text;
    while (*c) {
        int length = sequence(c);
        if (*c == '&')
            fputs("&amp;", page);
        else if (*c == '<')
            fputs("&lt;", page);
        else if (*c == '>')
            fputs("&gt;", page);
        else if (*c == '"')
            fputs("&quot;", page);
        else if (*c == '\'')
            fputs("&#39;", page);
        else if (length == 0 || (*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f)
            fputs("\xef\xbf\xbd", page);
        else
            fwrite(c, 1, (size_t)length, page);
        c += length ? length : 1;
    }
}

void nb_html_format(FILE *page, const char *format, ...) {
    char text[2001];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    nb_html_text(page, text);
}

/* ---- drawings ---- */

/* a piece of the drawing's text */
typedef struct span {
    const char *start;
    size_t length;
} span;

static int is(span s, const char *text) {
    return s.length == strlen(text) && strncmp(s.start, text, s.length) == 0;
}

static int begins(span s, const char *text) {
    return s.length >= strlen(text) && strncmp(s.start, text, strlen(text)) == 0;
}

static int element_draws(span name) {
    static const char *const names[] = {"svg",     "g",        "defs",   "path",    "use",    "polygon",
                                        "line",    "polyline", "rect",   "circle",  "text",   "ellipse",
                                        "tspan",   "image",    "filter", "feFlood", "stop",   "feComposite",
                                        "pattern", "clipPath", "mask",   "symbol",  "marker", "linearGradient"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is(name, names[i])) return 1;
    return 0;
}

static nb_status refuse(const char *what, span s) {
    int length = s.length < 60 ? (int)s.length : 60;
    return nb_fail(NB_ERROR_INPUT, "the drawing holds %s '%.*s', which a page does not take", what, length, s.start);
}

static const char *skip_blanks(const char *c) {
    return c + strspn(c, " \t\r\n");
}

static int is_reference(span name) {
    return is(name, "href") || is(name, "xlink:href");
}

/* The next attribute of a tag; `value` is within its quotes. *c moves behind it; *found is 0 at the tag's end. */
static nb_status next_attribute(const char **c, span *name, span *value, int *found) {
    *c = skip_blanks(*c);
    *found = 0;
    if (**c == '/' || **c == '>') return NB_OK;
    *name = (span){*c, strcspn(*c, "= \t\r\n<>/'\"")};
    *c = skip_blanks(*c + name->length);
    if (name->length == 0 || **c != '=') return refuse("the broken attribute", *name);
    *c = skip_blanks(*c + 1);
    char quote = **c;
    const char *end = quote == '"' || quote == '\'' ? strchr(*c + 1, quote) : NULL;
    if (!end) return refuse("the broken attribute", *name);
    *value = (span){*c + 1, (size_t)(end - *c - 1)};
    *c = end + 1;
    *found = 1;
    return NB_OK;
}

/* `name` draws, and `value` refers to nothing outside */
static nb_status check_attribute(span name, span value) {
    if (strncasecmp(name.start, "on", 2) == 0 || memchr(value.start, '<', value.length))
        return refuse("the attribute", name);
    if (is_reference(name) && !begins(value, "#") && !begins(value, "data:image/png;base64,"))
        return refuse("a reference to", value);
    for (size_t i = 0; i + 4 < value.length; i++)
        if (strncmp(value.start + i, "url(", 4) == 0 && value.start[i + 4] != '#')
            return refuse("a reference to", value);
    return NB_OK;
}

/* namespaces are known in a page, and the ids of a plot's parts, which recur, are referred to by nothing */
static int left_out(span name, span value) {
    return begins(name, "xmlns") || is(name, "version") || (is(name, "id") && begins(value, "gnuplot_"));
}

static void write_attribute(FILE *page, span name, span value, const char *prefix) {
    char quote = value.start[-1];
    fprintf(page, " %.*s=%c", (int)name.length, name.start, quote);
    if (is(name, "id")) fputs(prefix, page);
    for (size_t i = 0; i < value.length; i++) {
        fputc(value.start[i], page);
        int target = value.start[i] == '#' &&
                     ((i == 0 && is_reference(name)) || (i >= 4 && strncmp(value.start + i - 4, "url(", 4) == 0));
        if (target) fputs(prefix, page);
    }
    fputc(quote, page);
}

/* What stands behind the end of a title or description, which a browser would show over the whole drawing. */
static const char *skip_element(const char *c, span name) {
    char end[16];
    snprintf(end, sizeof end, "</%.*s", (int)name.length, name.start);
    c = strstr(c, end);
    c = c ? strchr(c, '>') : NULL;
    return c ? c + 1 : NULL;
}

/* One tag, from its '<'; *c moves behind it, and *depth tells how many elements are open. Nothing is written where
 * `page` is NULL. */
static nb_status copy_tag(FILE *page, const char **c, const char *prefix, int *depth) {
    const char *at = *c + 1;
    int closes = *at == '/', found = 1;
    at += closes;
    span name = {at, strcspn(at, " \t\r\n/><")}, attribute, value;
    at += name.length;
    if (!closes && (is(name, "title") || is(name, "desc"))) {
        *c = skip_element(at, name);
        return *c ? NB_OK : refuse("the unfinished element", name);
    }
    if (!element_draws(name)) return refuse("the element", name);
    if (page) fprintf(page, "<%s%.*s", closes ? "/" : "", (int)name.length, name.start);
    while (found) {
        nb_status status = next_attribute(&at, &attribute, &value, &found);
        if (status == NB_OK && found) status = check_attribute(attribute, value);
        if (status != NB_OK) return status;
        if (page && found && !left_out(attribute, value)) write_attribute(page, attribute, value, prefix);
    }
    int empty = *at == '/';
    at += empty;
    if (*at != '>') return refuse("the unfinished element", name);
    if (page) fputs(empty ? "/>" : ">", page);
    *c = at + 1;
    *depth += closes ? -1 : !empty;
    return NB_OK;
}

/* copies, or only looks where `page` is NULL */
static nb_status copy(FILE *page, const char *svg, const char *prefix) {
    nb_status status = NB_OK;
    const char *c = svg;
    int depth = 0;
    do { /* to the end of the outermost element: what comes after is no part of it */
        int length = sequence((const unsigned char *)c);
        if (*c == '<') {
            status = copy_tag(page, &c, prefix, &depth);
        } else {
            if (page) fprintf(page, "%.*s", length ? length : 3, length ? c : "\xef\xbf\xbd");
            c += length ? length : 1;
        }
    } while (status == NB_OK && *c && depth > 0);
    if (status == NB_OK && depth != 0) status = refuse("the unfinished element", (span){"svg", 3});
    return status;
}

static nb_status read_file(const char *path, char **text) {
    nb_status status = NB_OK;
    long size = -1;
    *text = NULL;
    FILE *file = fopen(path, "rb");
    if (file && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
    if (size < 0 || fseek(file, 0, SEEK_SET) != 0)
        status = nb_fail(NB_ERROR_IO, "cannot read '%.300s': %s", path, strerror(errno));
    if (status == NB_OK) status = NB_ALLOCATE(size + 1, text); /* zeroed: it ends */
    if (status == NB_OK && fread(*text, 1, (size_t)size, file) != (size_t)size)
        status = nb_fail(NB_ERROR_IO, "cannot read '%.300s'", path);
    if (file) fclose(file);
    return status;
}

nb_status nb_html_drawing(FILE *page, const char *path, const char *prefix) {
    nb_status status;
    char *text = NULL;
    NB_TRY(read_file(path, &text));
    const char *svg = strstr(text, "<svg");
    if (!svg) NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.300s' is no SVG drawing", path));
    NB_TRY(copy(NULL, svg, prefix));
    NB_TRY(copy(page, svg, prefix));
out:
    nb_free(text);
    return status;
}

#include "text/html.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define LOST "\xef\xbf\xbd" /* U+FFFD, in the place of what is no text */

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
            fputs(LOST, page);
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

/* what has a meaning in a URL or in an attribute, and control characters: a URL's line breaks would be lost */
static int is_encoded(unsigned char c) {
    return c < ' ' || c == 0x7f || strchr("%#\"&<>", c);
}

static void write_url(FILE *page, const char *text) {
    const unsigned char *c = (const unsigned char *)text;
    while (*c) {
        int length = sequence(c);
        if (is_encoded(*c))
            fprintf(page, "%%%02X", *c);
        else
            fwrite(length ? (const void *)c : LOST, 1, length ? (size_t)length : strlen(LOST), page);
        c += length ? length : 1;
    }
}

nb_status nb_html_drawing(FILE *page, const char *path, const char *title) {
    char *svg = NULL;
    nb_status status = read_file(path, &svg);
    if (status != NB_OK) return status;
    fputs("<img alt=\"", page);
    nb_html_text(page, title);
    fputs("\" src=\"data:image/svg+xml,", page);
    write_url(page, svg);
    fputs("\">", page);
    nb_free(svg);
    return NB_OK;
}

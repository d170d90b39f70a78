#include "text/html.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "text/plain.h"

#define LOST "\xef\xbf\xbd" /* U+FFFD, in the place of what is no text */

/* ---- text ---- */

/* how many bytes the character at `c` has; 0 where there is none */
static int sequence(const unsigned char *c) {
    uint32_t code;
    return nb_text_character((const char *)c, &code);
}

/* whether that character may stand in a page: not among those that no reader sees, but for blanks */
static int is_shown(const unsigned char *c) {
    uint32_t code;
    return nb_text_character((const char *)c, &code) > 0 && (nb_text_printable(code) || code == '\n' || code == '\t');
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
        else if (!is_shown(c))
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

#include "figure_sheet.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

#define POINTS_PER_MM (72 / 25.4)

enum {
    PNG_DPI = 300,
    PNG_HEAD = 33, /* bytes: signature and IHDR, after which the size on paper stands */
    PATH_LENGTH = 4700
};

typedef enum format {
    SVG,
    PDF,
    PNG,
    FORMATS
} format;

static const char *const endings[FORMATS] = {".svg", ".pdf", ".png"};

/* what a whole file ends in, but for white space */
static const char *const trailers[FORMATS] = {"</svg>", "%%EOF", "IEND\xae\x42\x60\x82"};

nb_figure_style nb_sheet_style(const nb_figure_style *style) {
    nb_figure_style s = {0};
    if (style) s = *style;
    if (!(s.width_mm > 0)) s.width_mm = NB_FIGURE_WIDTH;
    if (!(s.font_size > 0)) s.font_size = NB_FIGURE_FONT_SIZE;
    if (!*s.font) snprintf(s.font, sizeof s.font, "DejaVu Sans");
    return s;
}

int nb_sheet_points(const nb_figure_style *style) {
    return (int)lround(style->width_mm * POINTS_PER_MM);
}

static int format_of(const char *path) {
    size_t length = strlen(path);
    for (int f = 0; f < FORMATS; f++)
        if (length > 4 && strcmp(path + length - 4, endings[f]) == 0) return f;
    return -1;
}

/* A line of width 1 is a point wide in all of them, and a letter of 8 points 8/72 inch high: gnuplot takes a pdf's
 * letters by 4/3 of fontscale, its lines by half a point, and a png's by 96 to the inch. */
nb_status nb_sheet_terminal(const char *path, const nb_figure_style *style, char *terminal, size_t size) {
    int points = nb_sheet_points(style);
    double inches = points / 72.0, dots = PNG_DPI / 72.0;
    switch (format_of(path)) {
    case SVG:
        snprintf(terminal, size, "svg size %d,FIGURE_HEIGHT fixed font '%s,%g' background '#ffffff'", points,
                 style->font, style->font_size);
        return NB_OK;
    case PDF:
        snprintf(terminal, size, "pdfcairo size %.6fin,(FIGURE_HEIGHT/72.0)in font '%s,%g' fontscale 0.75 linewidth 2",
                 inches, style->font, style->font_size);
        return NB_OK;
    case PNG:
        snprintf(terminal, size,
                 "pngcairo size %d,int(FIGURE_HEIGHT*%.6f) font '%s,%g' fontscale %.6f linewidth %.4f pointscale %.4f",
                 (int)lround(inches * PNG_DPI), dots, style->font, style->font_size, 0.75 * dots, dots, dots);
        return NB_OK;
    default: return nb_fail(NB_ERROR_USAGE, "cannot draw '%.200s': its name must end in .svg, .pdf or .png", path);
    }
}

/* ---- files ---- */

typedef struct bytes {
    char *at; /* [count + 1], a zero after them; owned */
    size_t count;
} bytes;

static nb_status read_bytes(const char *path, bytes *b) {
    nb_status status = NB_OK;
    FILE *file = fopen(path, "rb");
    if (!file) return nb_fail(NB_ERROR_IO, "cannot read '%.300s': %s", path, strerror(errno));
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (end < 0) NB_TRY(nb_fail(NB_ERROR_IO, "cannot read '%.300s': %s", path, strerror(errno)));
    rewind(file);
    NB_TRY(nb_allocate((int64_t)end + 1, 1, &b->at));
    b->count = fread(b->at, 1, (size_t)end, file);
out:
    fclose(file);
    return status;
}

/* writes beside the place and renames: all of it or nothing */
static nb_status write_bytes(const char *path, const bytes *parts, int count) {
    char partial[PATH_LENGTH];
    if ((size_t)snprintf(partial, sizeof partial, "%s.partial", path) >= sizeof partial)
        return nb_fail(NB_ERROR_USAGE, "the path '%.100s...' is too long", path);
    FILE *file = fopen(partial, "wb");
    if (!file) return nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(errno));
    int failed = 0;
    for (int i = 0; i < count && !failed; i++) failed = fwrite(parts[i].at, 1, parts[i].count, file) != parts[i].count;
    int reason = errno;
    if (fclose(file) != 0 && !failed) {
        failed = 1;
        reason = errno;
    }
    if (!failed && rename(partial, path) != 0) {
        failed = 1;
        reason = errno;
    }
    if (!failed) return NB_OK;
    unlink(partial);
    return nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(reason));
}

/* ---- sizes on paper ---- */

static int is_whole(const bytes *b, format f) {
    size_t count = b->count, length = strlen(trailers[f]);
    while (f != PNG && count > 0 && strchr(" \n\r", b->at[count - 1])) count--;
    return count >= length && memcmp(b->at + count - length, trailers[f], length) == 0;
}

static uint32_t checksum(const unsigned char *data, size_t count) {
    uint32_t c = 0xffffffff;
    for (size_t i = 0; i < count; i++) {
        c ^= data[i];
        for (int bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >> 1) : c >> 1;
    }
    return ~c;
}

static void put_word(unsigned char *at, uint32_t word) {
    for (int i = 0; i < 4; i++) at[i] = (unsigned char)(word >> (24 - 8 * i));
}

/* PNG's chunk of the size on paper: dots a metre both ways */
static void write_density(unsigned char chunk[21]) {
    uint32_t dots = (uint32_t)lround(PNG_DPI / 0.0254);
    put_word(chunk, 9);
    memcpy(chunk + 4, "pHYs", 4);
    put_word(chunk + 8, dots);
    put_word(chunk + 12, dots);
    chunk[16] = 1;
    put_word(chunk + 17, checksum(chunk + 4, 13));
}

static nb_status finish_png(const bytes *b, const char *path) {
    char chunk[21];
    write_density((unsigned char *)chunk);
    const bytes parts[] = {{b->at, PNG_HEAD}, {chunk, sizeof chunk}, {b->at + PNG_HEAD, b->count - PNG_HEAD}};
    return write_bytes(path, parts, 3);
}

/* gnuplot gives the size in pixels; a reader that lacks the font shall take another without serifs */
static nb_status finish_svg(const bytes *b, const char *path, const nb_figure_style *style) {
    nb_status status;
    char *at = strstr(b->at, " width=\""), named[NB_FIGURE_FONT_LENGTH + 32];
    bytes out = {0};
    double width, height;
    int length = 0;
    if (!at || sscanf(at, " width=\"%lf\" height=\"%lf\"%n", &width, &height, &length) != 2 || length == 0)
        return nb_fail(NB_ERROR_IO, "cannot write '%.300s': gnuplot's drawing has no size", path);
    snprintf(named, sizeof named, "font-family=\"%s\"", style->font);
    size_t fonts = 0;
    for (const char *f = b->at; (f = strstr(f, named)) != NULL; f++) fonts++;
    NB_TRY(nb_allocate((int64_t)(b->count + 12 * fonts + 64), 1, &out.at));
    char *end = out.at;
    memcpy(end, b->at, (size_t)(at - b->at));
    end += at - b->at;
    end += sprintf(end, " width=\"%gmm\" height=\"%.2fmm\"", style->width_mm, height * style->width_mm / width);
    for (const char *from = at + length;;) {
        const char *next = strstr(from, named);
        size_t part = next ? (size_t)(next - from) + strlen(named) - 1 : strlen(from);
        memcpy(end, from, part);
        end += part;
        if (!next) break;
        end += sprintf(end, ", sans-serif\"");
        from += part + 1;
    }
    out.count = (size_t)(end - out.at);
    NB_TRY(write_bytes(path, &out, 1));
out:
    nb_free(out.at);
    return status;
}

nb_status nb_sheet_finish(const char *drawn, const char *path, const nb_figure_style *style) {
    nb_status status;
    bytes b = {0};
    int f = format_of(path);
    NB_TRY(read_bytes(drawn, &b));
    if (f < 0 || !is_whole(&b, (format)f))
        NB_TRY(nb_fail(
            NB_ERROR_IO,
            "cannot write '%.300s': gnuplot could not write all of it into the temporary folder (TMPDIR); is the "
            "disk full?",
            path));
    if (f == SVG)
        status = finish_svg(&b, path, style);
    else if (f == PNG)
        status = finish_png(&b, path);
    else
        status = write_bytes(path, &b, 1);
out:
    nb_free(b.at);
    return status;
}

/* ---- the text beside a figure ---- */

static nb_status text_path(const char *path, char *text_at, size_t size) {
    const char *ending = strrchr(path, '.');
    if ((size_t)snprintf(text_at, size, "%.*s.txt", (int)(ending - path), path) >= size)
        return nb_fail(NB_ERROR_USAGE, "the path '%.100s...' is too long", path);
    return NB_OK;
}

nb_status nb_sheet_check_text(const char *path, const char *text) {
    char at[PATH_LENGTH], start[64];
    size_t length = strcspn(text, " ") + 1;
    nb_status status = text_path(path, at, sizeof at);
    if (status != NB_OK) return status;
    FILE *file = fopen(at, "r");
    if (!file) return NB_OK;
    size_t count = fread(start, 1, length < sizeof start ? length : sizeof start, file);
    fclose(file);
    if (count == 0 || strncmp(start, text, length) == 0) return NB_OK;
    return nb_fail(NB_ERROR_IO,
                   "'%.300s' is not a figure's text, and stays: draw to another name, or with --caption off", at);
}

nb_status nb_sheet_write_text(const char *path, const char *text) {
    char at[PATH_LENGTH], *copy = NULL;
    nb_status status;
    NB_TRY(text_path(path, at, sizeof at));
    NB_TRY(nb_copy_text(text, &copy));
    const bytes whole = {copy, strlen(copy)};
    NB_TRY(write_bytes(at, &whole, 1));
out:
    nb_free(copy);
    return status;
}

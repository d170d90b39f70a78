#include "figure/page.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "text/markup.h"
#include "text/plain.h"

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
    TEX,
    FORMATS
} format;

static const char *const endings[FORMATS] = {".svg", ".pdf", ".png", ".tex"};

/* what a whole file ends in, but for white space */
static const char *const trailers[FORMATS] = {"</svg>", "%%EOF", "IEND\xae\x42\x60\x82", "\\endgroup"};

nb_figure_style nb_page_style(const nb_figure_style *style) {
    nb_figure_style s = {0};
    if (style) s = *style;
    if (!(s.width_mm > 0)) s.width_mm = NB_FIGURE_WIDTH;
    if (!(s.font_size > 0)) s.font_size = NB_FIGURE_FONT_SIZE;
    if (!*s.font) snprintf(s.font, sizeof s.font, "DejaVu Sans");
    return s;
}

int nb_page_points(const nb_figure_style *style) {
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
static const char not_for_latex[] = "\\{}%#$&~^\"";

/* whether LaTeX can name what is drawn to `path` */
static int names_picture(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (int length; *name; name += length) {
        uint32_t code;
        length = nb_text_character(name, &code);
        if (length == 0 || !nb_text_printable(code) || strchr(not_for_latex, *name)) return 0;
    }
    return 1;
}

nb_status nb_page_terminal(const char *path, const nb_figure_style *style, char *terminal, size_t size) {
    int points = nb_page_points(style);
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
    case TEX: /* LaTeX sets the letters, in its document's font */
        if (!names_picture(path))
            return nb_fail(NB_ERROR_USAGE,
                           "cannot draw '%.200s': LaTeX reads the name of the drawing, and takes none with "
                           "control characters or one of %s",
                           path, not_for_latex);
        snprintf(terminal, size,
                 "cairolatex pdf input colortext size %.6fin,(FIGURE_HEIGHT/72.0)in font ',%g' linewidth 2 header "
                 "'\\fontsize{%g}{%g}\\selectfont'",
                 inches, style->font_size, style->font_size, 1.2 * style->font_size);
        return NB_OK;
    default:
        return nb_fail(NB_ERROR_USAGE, "cannot draw '%.200s': its name must end in .svg, .pdf, .png or .tex", path);
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

/* ---- sizes on paper ---- */

/* a table is set by LaTeX alone */
static const char table_start[] = "% GNUPLOT: LaTeX table", table_end[] = "\\end{tabular}";

static int is_table(const bytes *b) {
    return strncmp(b->at, table_start, strlen(table_start)) == 0;
}

static int is_whole(const bytes *b, format f) {
    const char *trailer = is_table(b) ? table_end : trailers[f];
    size_t count = b->count, length = strlen(trailer);
    while (f != PNG && count > 0 && strchr(" \n\r", b->at[count - 1])) count--;
    return count >= length && memcmp(b->at + count - length, trailer, length) == 0;
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
    memcpy(chunk + 4, (const unsigned char[4]){'p', 'H', 'Y', 's'}, 4);
    put_word(chunk + 8, dots);
    put_word(chunk + 12, dots);
    chunk[16] = 1;
    put_word(chunk + 17, checksum(chunk + 4, 13));
}

static nb_status size_png(bytes *b) {
    bytes out = {0};
    nb_status status = nb_allocate((int64_t)b->count + 21, 1, &out.at);
    if (status != NB_OK) return status;
    memcpy(out.at, b->at, PNG_HEAD);
    write_density((unsigned char *)out.at + PNG_HEAD);
    memcpy(out.at + PNG_HEAD + 21, b->at + PNG_HEAD, b->count - PNG_HEAD);
    nb_free(b->at);
    *b = (bytes){out.at, b->count + 21};
    return NB_OK;
}

/* gnuplot gives the size in pixels; a reader that lacks the font shall take another without serifs */
static nb_status size_svg(bytes *b, const nb_figure_style *style) {
    char *at = strstr(b->at, " width=\""), named[NB_FIGURE_FONT_LENGTH + 32];
    bytes out = {0};
    double width, height;
    int length = 0;
    if (!at || sscanf(at, " width=\"%lf\" height=\"%lf\"%n", &width, &height, &length) != 2 || length == 0)
        return nb_fail(NB_ERROR_IO, "gnuplot's drawing has no size");
    snprintf(named, sizeof named, "font-family=\"%s\"", style->font);
    size_t fonts = 0;
    for (const char *f = b->at; (f = strstr(f, named)) != NULL; f++) fonts++;
    nb_status status = nb_allocate((int64_t)(b->count + 12 * fonts + 64), 1, &out.at);
    if (status != NB_OK) return status;
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
    nb_free(b->at);
    *b = out;
    return NB_OK;
}

/* ---- LaTeX ---- */

/* A label ends before the braces of the boxes that it stands in; one of a decade has braces of its own. */
static const char *label_end(const char *start, const char *end) {
    int open = 0;
    for (const char *c = start; c < end; c++) open += (*c == '{') - (*c == '}');
    return open < 0 ? end + open : end;
}

/* Lines of cells with tabs between become rows; others are LaTeX already. */
static void translate_table(const char *text, FILE *file) {
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        const char *end = text + length, *tab = memchr(text, '\t', length);
        if (!tab) fwrite(text, 1, length, file);
        for (const char *cell = text; tab; cell = tab + 1, tab = memchr(cell, '\t', (size_t)(end - cell))) {
            nb_tex_write(cell, (size_t)(tab - cell), file);
            fputs(" & ", file);
            if (!memchr(tab + 1, '\t', (size_t)(end - tab - 1))) {
                nb_tex_write(tab + 1, (size_t)(end - tab - 1), file);
                fputs(" \\\\", file);
            }
        }
        fputc('\n', file);
    }
}

/* Labels stand as \strut{}LABEL}}% at the ends of lines; the picture is named as `path` is, without its ending. */
static nb_status translate_tex(bytes *b, const char *path) {
    static const char strut[] = "\\strut{}", closing[] = "}}%\n", picture[] = "{drawn}";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file) return nb_fail(NB_ERROR_MEMORY, "out of memory for a drawing");
    int table = is_table(b);
    if (table) translate_table(b->at, file);
    for (const char *at = table ? "" : b->at; *at;) {
        const char *end = strncmp(at, strut, strlen(strut)) == 0 ? strstr(at, closing) : NULL;
        if (end) {
            end = label_end(at + strlen(strut), end);
            fputs(strut, file);
            nb_tex_write(at + strlen(strut), (size_t)(end - at) - strlen(strut), file);
            at = end;
        } else if (strncmp(at, picture, strlen(picture)) == 0) {
            fprintf(file, "{%.*s}", (int)(strlen(name) - 4), name);
            at += strlen(picture);
        } else
            fputc(*at++, file);
    }
    if (fclose(file) != 0) {
        free(text);
        return nb_fail(NB_ERROR_MEMORY, "out of memory for a drawing");
    }
    nb_free(b->at);
    *b = (bytes){0};
    nb_status status = nb_copy_text(text, &b->at);
    if (status == NB_OK) b->count = strlen(b->at);
    free(text); /* the C library's own */
    return status;
}

/* ---- the drawing ---- */

static nb_status read_whole(const char *drawn, format f, const char *path, bytes *b) {
    nb_status status = read_bytes(drawn, b);
    if (status != NB_OK || is_whole(b, f)) return status;
    return nb_fail(NB_ERROR_IO,
                   "cannot write '%.300s': gnuplot could not write all of it into the temporary folder (TMPDIR): the "
                   "disk may be full",
                   path);
}

nb_status nb_page_take_drawing(nb_figure_files *files, const char *drawn, const char *path,
                               const nb_figure_style *style) {
    nb_status status;
    bytes b = {0};
    char beside[2][PATH_LENGTH];
    format f = (format)format_of(path);
    NB_TRY(read_whole(drawn, f, path, &b));
    if (f == SVG) NB_TRY(size_svg(&b, style));
    if (f == PNG) NB_TRY(size_png(&b));
    if (f == TEX) NB_TRY(translate_tex(&b, path));
    NB_TRY(nb_figure_files_add(files, path, &b.at, b.count));
    if (f == TEX && !is_table(&(bytes){files->file[files->count - 1].bytes, 0})) { /* its lines and areas */
        snprintf(beside[0], PATH_LENGTH, "%.*s.pdf", (int)strlen(drawn) - 4, drawn);
        snprintf(beside[1], PATH_LENGTH, "%.*s.pdf", (int)strlen(path) - 4, path);
        NB_TRY(read_whole(beside[0], PDF, path, &b));
        NB_TRY(nb_figure_files_add(files, beside[1], &b.at, b.count));
    }
out:
    nb_free(b.at);
    return status;
}

#include "text/plain.h"

#include <limits.h>
#include <string.h>

enum {
    PIECE = 20 /* bytes of a character spelled out, and more */
};

int nb_text_character(const char *c, uint32_t *code) {
    const unsigned char *byte = (const unsigned char *)c;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* longer than need be is none */
    int length = *byte < 0x80 ? 1 : *byte < 0xc0 ? 0 : *byte < 0xe0 ? 2 : *byte < 0xf0 ? 3 : *byte < 0xf8 ? 4 : 0;
    *code = length == 1 ? *byte : *byte & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        if ((byte[i] & 0xc0) != 0x80) return 0; /* the end of the text, too */
        *code = *code << 6 | (byte[i] & 0x3f);
    }
    int surrogate = *code >= 0xd800 && *code < 0xe000;
    return *code < least[length] || *code > 0x10ffff || surrogate ? 0 : length;
}

int nb_text_printable(uint32_t code) {
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return 0;
    if ((code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)) return 0;
    return (code & 0xfffe) != 0xfffe;
}

/* the next piece of plain text, its length returned; *text moves on */
static int take_plain(const char **text, char piece[PIECE]) {
    static const char letters[] = "abtnvfr"; /* of \a (7) to \r (13) */
    uint32_t code;
    int length = nb_text_character(*text, &code), used = 0;
    if (length > 0 && nb_text_printable(code)) {
        memcpy(piece, *text, (size_t)length);
        *text += length;
        return length;
    }
    if (code >= 7 && code <= 13 && length == 1)
        used = sprintf(piece, "\\%c", letters[code - 7]);
    else
        for (int i = 0; i < (length ? length : 1); i++)
            used += sprintf(piece + used, "\\x%02x", (unsigned)(unsigned char)(*text)[i]);
    *text += length ? length : 1;
    return used;
}

void nb_text_plain(const char *text, char *plain, size_t size) {
    char piece[PIECE];
    size_t used = 0;
    while (*text) {
        size_t length = (size_t)take_plain(&text, piece);
        if (used + length >= size) break;
        memcpy(plain + used, piece, length);
        used += length;
    }
    plain[used] = '\0';
}

/* ---- printing ---- */

/* a conversion of a format: %[flags][width][.precision][l|ll|z]kind */
typedef struct field {
    int flags; /* how many there are */
    int width, precision, longs;
    char kind;
} field;

/* the characters that begin within the first `most` bytes; how many bytes that takes. No stream: nothing is printed. */
static int put_plain(FILE *stream, const char *text, int most) {
    char piece[PIECE];
    const char *at = text;
    int used = 0;
    while (*at && at - text < most) {
        int length = take_plain(&at, piece);
        if (stream) fwrite(piece, 1, (size_t)length, stream);
        used += length;
    }
    return used;
}

static void print_text(FILE *stream, const field *f, int left, const char *text) {
    int most = f->precision < 0 ? INT_MAX : f->precision, width = f->width < 0 ? -f->width : f->width;
    int blanks = width > 0 ? width - put_plain(NULL, text, most) : 0;
    if (!left && blanks > 0) fprintf(stream, "%*s", blanks, "");
    put_plain(stream, text, most);
    if (left && blanks > 0) fprintf(stream, "%*s", blanks, "");
}

static void print_number(FILE *stream, const field *f, const char *flags, va_list *arguments) {
    char format[32];
    int is_real = strchr("feg", f->kind) != NULL, is_signed = strchr("di", f->kind) != NULL;
    snprintf(format, sizeof format, "%%%.*s*.*%s%c", f->flags, flags, is_real ? "" : "ll", f->kind);
    if (is_real)
        fprintf(stream, format, f->width, f->precision, va_arg(*arguments, double));
    else if (f->longs == 0 && is_signed)
        fprintf(stream, format, f->width, f->precision, (long long)va_arg(*arguments, int));
    else if (f->longs == 0)
        fprintf(stream, format, f->width, f->precision, (unsigned long long)va_arg(*arguments, unsigned));
    else if (f->longs == 1)
        fprintf(stream, format, f->width, f->precision, (long long)va_arg(*arguments, long));
    else
        fprintf(stream, format, f->width, f->precision, va_arg(*arguments, long long));
}

/* a width or a precision, of the format or of the arguments */
static int read_number(const char **at, va_list *arguments) {
    int number = 0;
    if (**at == '*') return ++*at, va_arg(*arguments, int);
    while (**at >= '0' && **at <= '9') number = 10 * number + (*(*at)++ - '0');
    return number;
}

static const char *print_field(FILE *stream, const char *at, va_list *arguments) {
    const char *flags = at;
    field f = {.flags = (int)strspn(at, "-+ #0"), .precision = -1};
    at += f.flags;
    f.width = read_number(&at, arguments);
    if (*at == '.') at++, f.precision = read_number(&at, arguments);
    for (; *at == 'l' || *at == 'z'; at++) f.longs++;
    f.kind = *at++;
    if (f.kind == 's')
        print_text(stream, &f, f.width < 0 || memchr(flags, '-', (size_t)f.flags), va_arg(*arguments, const char *));
    else
        print_number(stream, &f, flags, arguments);
    return at;
}

void nb_vprint(FILE *stream, const char *format, va_list arguments) {
    va_list rest;
    va_copy(rest, arguments);
    while (*format) {
        size_t literal = strcspn(format, "%");
        fwrite(format, 1, literal, stream);
        format += literal;
        if (*format == '%' && format[1] == '%')
            fputc('%', stream), format += 2;
        else if (*format == '%')
            format = print_field(stream, format + 1, &rest);
    }
    va_end(rest);
}

void nb_print(FILE *stream, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    nb_vprint(stream, format, arguments);
    va_end(arguments);
}

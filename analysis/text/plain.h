/* Text that came from elsewhere (file names, records, plugins) on its way out of the program.
 *
 * Plain text is UTF-8 without control characters, whatever it was: what is neither is spelled as in C, \n \t \x1b \xff.
 * A backslash stays as it is: plain text is to be read, not to be read back. All that the program prints in words goes
 * through nb_print; JSON, HTML and figures have escapes of their own (text/json.h, text/html.h, figure/). */
#ifndef NB_ANALYSIS_PLAIN_H
#define NB_ANALYSIS_PLAIN_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

/* How many bytes the UTF-8 character at `c` has (RFC 3629, section 4), 0 where there is none, and which it is. */
int nb_text_character(const char *c, uint32_t *code);

/* 0 for control characters, line separators, what turns the direction of writing, and what is no character of XML. */
int nb_text_printable(uint32_t code);

/* The text made plain, cut to size - 1 bytes at the end of a character. */
void nb_text_plain(const char *text, char *plain, size_t size);

/* Prints like fprintf, but every %s made plain; the format is printed as it stands, with its tabs and line ends. Takes
 * %s %d %i %u %x %f %e %g %% with flags, width, precision, and the lengths l, ll and z. */
void nb_print(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
void nb_vprint(FILE *stream, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

#endif

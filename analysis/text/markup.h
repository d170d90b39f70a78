/* Text as LaTeX and Markdown take it, whatever it holds: nothing in it is a command, mathematics, HTML or a cell's end.
 */
#ifndef NB_ANALYSIS_MARKUP_H
#define NB_ANALYSIS_MARKUP_H

#include <stddef.h>
#include <stdio.h>

/* The first `length` bytes of the text, plain (text/plain.h), as LaTeX sets them; a decade, 10^{-3}, as mathematics. */
void nb_tex_write(const char *text, size_t length, FILE *file);

/* The text made plain, in a cell of a table. */
void nb_markdown_write(const char *text, FILE *file);

#endif

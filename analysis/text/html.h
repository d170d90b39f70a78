/* HTML: text and drawings that came from elsewhere, as parts of a page. */
#ifndef NB_ANALYSIS_HTML_H
#define NB_ANALYSIS_HTML_H

#include <stdio.h>

#include "base/status.h"

/* Writes text so that it is text, between tags and inside quoted attributes alike; bytes that are no UTF-8 and control
 * characters become U+FFFD. */
void nb_html_text(FILE *page, const char *text);

/* The same, printf style; cut after 2000 bytes. */
void nb_html_format(FILE *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The SVG drawing in the file `path`, whole, as an image: whatever it holds, a browser runs none of it and fetches
 * nothing for it. `title` is for readers who cannot see it. Nothing is written where the file cannot be read. */
nb_status nb_html_drawing(FILE *page, const char *path, const char *title);

#endif

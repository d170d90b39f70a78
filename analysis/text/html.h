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

/* Copies the SVG drawing in the file `path` into the page, without prolog, titles and namespaces. Its ids and what
 * refers to them get `prefix`, since they must be unique in a page. Only elements and attributes that draw are let
 * through: a script, a style or a reference to anything outside is NB_ERROR_INPUT, found before the first byte is
 * written. */
nb_status nb_html_drawing(FILE *page, const char *path, const char *prefix);

#endif

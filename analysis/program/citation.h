/* CITATION.cff, line by line (CMake writes it into a source). */
#ifndef NB_PROGRAM_CITATION_H
#define NB_PROGRAM_CITATION_H

extern const char *const nb_citation[]; /* NULL-terminated */

#endif

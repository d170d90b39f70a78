/* Contracts, clause by clause. A clause is a function that returns NULL where it holds of an entry of a table, else
 * what is wrong. One test walks the table; another, the test of the test, gives each clause an entry that breaks it. */
#ifndef NB_TESTS_CONTRACT_H
#define NB_TESTS_CONTRACT_H

#include <string.h>

#include "base/memory.h"
#include "check.h"

/* what is wrong, in a text that stays until the next one */
__attribute__((format(printf, 1, 2))) static inline const char *broken(const char *format, ...) {
    static char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return text;
}

/* a name is lower-case with hyphens, a summary is one line */
static inline const char *named(const char *name, const char *summary) {
    if (!name || !*name || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(name))
        return broken("the name '%s' is not lower-case with hyphens", name ? name : "");
    if (!summary || strlen(summary) < 4 || strchr(summary, '\n')) return broken("the summary is not one line");
    return NULL;
}

/* where two arrays of `count` numbers differ in their bits; -1: nowhere */
static inline int differs(int count, const void *one, const void *other, size_t size) {
    for (int i = 0; i < count; i++)
        if (memcmp((const char *)one + (size_t)i * size, (const char *)other + (size_t)i * size, size) != 0) return i;
    return -1;
}

/* fails where the clause holds of what breaks it, or does not of what keeps it */
static inline void contract_expect(const char *clause, const char *entry, const char *fault, int holds) {
    if (holds && fault) fail_msg("%s, %s: %s", entry, clause, fault);
    if (!holds && !fault) fail_msg("the clause '%s' holds of what breaks it (%s)", clause, entry);
    if (!holds) print_message("  %s: %s\n", clause, fault);
}

#endif

#include "base/block_pattern.h"

#include <stdlib.h>

#include "base/memory.h"

static int compare(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void list_all(int32_t count, void (*list)(const void *of, nb_block_links *links), const void *of,
                     nb_block_links *links) {
    for (int32_t i = 0; i < count; i++) nb_block_link(links, i, i);
    list(of, links);
}

nb_status nb_block_pattern_make(int32_t count, void (*list)(const void *of, nb_block_links *links), const void *of,
                                int64_t **start, int32_t **other) {
    nb_status status;
    int64_t kept = 0, begin = 0;
    nb_block_links links = {0};
    NB_TRY(NB_ALLOCATE((int64_t)count + 2, start));
    links.start = *start;
    list_all(count, list, of, &links);
    for (int32_t i = 0; i < count; i++) links.start[i + 2] += links.start[i + 1];
    NB_TRY(NB_ALLOCATE(links.start[count + 1], other));
    links.other = *other;
    list_all(count, list, of, &links);
    for (int32_t i = 0; i < count; i++) {
        const int64_t end = links.start[i + 1], first = kept;
        qsort(links.other + begin, (size_t)(end - begin), sizeof *links.other, compare);
        for (int64_t e = begin; e < end; e++)
            if (kept == first || links.other[e] != links.other[kept - 1]) links.other[kept++] = links.other[e];
        links.start[i] = first;
        begin = end;
    }
    links.start[count] = kept;
out:
    return status;
}

int64_t nb_block_pattern_entries(int32_t count, const int32_t *row, const int64_t *start, const int32_t *other) {
    int64_t entries = 0;
    for (int32_t i = 0; i < count; i++)
        for (int64_t e = start[i]; e < start[i + 1]; e++)
            entries += (int64_t)(row[i + 1] - row[i]) * (row[other[e] + 1] - row[other[e]]);
    return entries;
}

void nb_block_pattern_expand(int32_t count, const int32_t *row, const int64_t *start, const int32_t *other,
                             int64_t *row_start, int32_t *column) {
    int64_t used = 0;
    for (int32_t i = 0; i < count; i++)
        for (int32_t r = row[i]; r < row[i + 1]; r++) {
            row_start[r] = used;
            for (int64_t e = start[i]; e < start[i + 1]; e++)
                for (int32_t c = row[other[e]]; c < row[other[e] + 1]; c++) column[used++] = c;
        }
    row_start[row[count]] = used;
}

#include "base/column.h"

#include <string.h>

#include "base/memory.h"

const nb_column *nb_columns_at(const nb_columns *columns, int i) {
    return &columns->items[columns->which ? columns->which[i] : i];
}

const char *nb_columns_name_at(const void *columns, int i) {
    return nb_columns_at(columns, i)->name;
}

int nb_columns_find(const nb_columns *columns, const char *name) {
    for (int i = 0; i < columns->count; i++)
        if (strcmp(nb_columns_at(columns, i)->name, name) == 0) return i;
    return -1;
}

nb_status nb_columns_add(nb_columns *own, const nb_column *columns, int count) {
    nb_column *items;
    if (own->count + count > NB_COLUMNS_MOST)
        return nb_fail(NB_ERROR_INPUT, "more than %d columns of rows", (int)NB_COLUMNS_MOST);
    nb_status status = NB_ALLOCATE((int64_t)own->count + count, &items);
    if (status != NB_OK) return status;
    if (own->count > 0) memcpy(items, own->items, (size_t)own->count * sizeof *items);
    memcpy(items + own->count, columns, (size_t)count * sizeof *items);
    nb_free((void *)(uintptr_t)own->items);
    own->items = items;
    own->count += count;
    return NB_OK;
}

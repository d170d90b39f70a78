#include "plugin/class.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

NB_PRECISIONS(f64);

static const nb_plugin_class *classes[NB_PLUGIN_KINDS][NB_PLUGIN_MOST];
static int counts[NB_PLUGIN_KINDS];

nb_status nb_plugin_list(const nb_plugin_class *type, int *number) {
    int *count = &counts[type->kind];
    if (*count == NB_PLUGIN_MOST)
        return nb_fail(NB_ERROR_INPUT, "%s: plugins have brought %d of its kind already, which is the most taken",
                       type->title, (int)NB_PLUGIN_MOST);
    *number = (*count)++;
    classes[type->kind][*number] = type;
    return NB_OK;
}

const nb_plugin_class *nb_plugin_at(nb_plugin_kind kind, int i) {
    return i < counts[kind] ? classes[kind][i] : NULL;
}

int nb_plugins_loaded(void) {
    for (int kind = 0; kind < NB_PLUGIN_KINDS; kind++)
        if (counts[kind] > 0) return 1;
    return 0;
}

const nb_plugin_class *nb_plugin_find(nb_plugin_kind kind, const char *name) {
    for (int i = 0; i < counts[kind]; i++)
        if (strcmp(classes[kind][i]->plugin.name, name) == 0) return classes[kind][i];
    return NULL;
}

/* one process makes one run with plugins */
static char description[NB_PLUGIN_DESCRIPTION];

void nb_plugin_describe(const char *text) {
    size_t used = 0;
    for (const char *c = text; c && *c && used + 3 < sizeof description;) {
        const size_t length = strcspn(c, "\n");
        const char *word = c + strspn(c, " \t");
        if (word < c + length)
            used += (size_t)snprintf(description + used, sizeof description - used, "%s%.*s", used ? "; " : "",
                                     (int)(c + length - word), word);
        c += length + (c[length] == '\n');
    }
}

const char *nb_plugin_description(void) {
    return description;
}

nb_status nb_plugin_check_precision(const nb_plugin_class *type, int f32) {
    if (!type || type->offers[!f32]) return NB_OK;
    return nb_fail(NB_ERROR_UNSUPPORTED, "%s: works in %s only: --precision %s", type->title, f32 ? "f64" : "f32",
                   f32 ? "f64" : "f32");
}

static nb_plugin_place own_place;
nb_plugin_place *nb_plugin_now = &own_place;

nb_status nb_plugin_place_share(nb_plugin_place **place) {
    void *shared = mmap(NULL, sizeof own_place, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return nb_fail(NB_ERROR_MEMORY, "no memory to share with a child: %s", strerror(errno));
    *place = shared; /* zero: outside */
    return NB_OK;
}

void nb_plugin_place_release(nb_plugin_place *place) {
    if (place) munmap(place, sizeof *place);
}

const char *nb_plugin_call_name(nb_plugin_call call) {
    static const char *const names[] = {"the program", "create", "set_up_pattern", "set_up_values",
                                        "solve",       "apply",  "convert",        "destroy"};
    return names[call];
}

#include "bench/study.h"

#include <string.h>

static const struct {
    const char *name;
    nb_status (*write)(FILE *file);
} studies[] = {{"gradient-error", nb_study_gradient_error}, {"gradient-friction", nb_study_gradient_friction}};

nb_status nb_study_make(const char *name, char **text) {
    nb_status status = NB_ERROR_INPUT;
    size_t size, k = 0;
    const size_t count = sizeof studies / sizeof *studies;
    while (k < count && strcmp(studies[k].name, name) != 0) k++;
    if (k == count) return nb_fail(NB_ERROR_INPUT, "there is no study '%s'", name);
    FILE *file = open_memstream(text, &size);
    if (file) status = studies[k].write(file);
    if (!file || fclose(file) != 0) return nb_fail(NB_ERROR_MEMORY, "out of memory for study %s", name);
    return status;
}

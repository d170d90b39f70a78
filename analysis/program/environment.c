#include "environment.h"

#include <cholmod.h>
#include <stdio.h>
#include <string.h>

#include "accelerators.h"
#include "record/provenance.h"
#include "run/blas.h"

/* adds a warning; they stand in one text with "; " between them */
static void warn(nb_provenance *p, const char *text) {
    size_t used = strlen(p->warnings);
    snprintf(p->warnings + used, sizeof p->warnings - used, "%s%s", used ? "; " : "", text);
}

static void describe_blas(nb_provenance *p) {
    char text[256];
    const char *better = nb_blas_better_core();
    snprintf(p->blas, sizeof p->blas, "%s", nb_blas_config());
    snprintf(p->blas_core, sizeof p->blas_core, "%s%s", nb_blas_core(),
             nb_blas_restarted() ? " (set by ncpbench)" : "");
    if (better) {
        snprintf(text, sizeof text,
                 "OpenBLAS takes this processor for a %s and is far too slow (OPENBLAS_CORETYPE=%s would help)",
                 nb_blas_core(), better);
        warn(p, text);
    } else if (nb_blas_restarted()) {
        snprintf(text, sizeof text,
                 "OpenBLAS took this processor for an older one, so ncpbench restarted itself with core type %s",
                 nb_blas_core());
        warn(p, text);
    }
}

/* a GPU that the command is about to use; opening one for a run on the processor would take time and memory */
static void describe_device(nb_provenance *p) {
    nb_device_facts facts;
    nb_device_cuda.describe(&facts);
    if (!*facts.platform) return;
    snprintf(p->cuda, sizeof p->cuda, "%s", facts.platform);
    snprintf(p->gpu, sizeof p->gpu, "%s", facts.device);
    snprintf(p->gpu_kernels, sizeof p->gpu_kernels, "%s", facts.kernels);
}

void nb_environment(int32_t threads, uint64_t seed, nb_provenance *provenance) {
    int version[3];
    nb_provenance_fill(provenance);
    cholmod_version(version);
    snprintf(provenance->cholmod, sizeof provenance->cholmod, "%d.%d.%d", version[0], version[1], version[2]);
    provenance->threads = threads;
    provenance->seed = seed;
    describe_blas(provenance);
    describe_device(provenance);
}

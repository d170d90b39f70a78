#include "record/provenance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "operator/kernels.h"
#include "record/h5.h"

NB_PRECISIONS(f64);

#define PROVENANCE(member, KIND) \
    { NB_LINE(#member, nb_provenance, member, KIND) }

static const nb_member members[] = {
    PROVENANCE(ncpbench_version, TEXT),
    PROVENANCE(git_commit, TEXT),
    PROVENANCE(git_dirty, INT32),
    PROVENANCE(compiler, TEXT),
    PROVENANCE(compiler_flags, TEXT),
    PROVENANCE(build_type, TEXT),
    PROVENANCE(os, TEXT),
    PROVENANCE(cpu_model, TEXT),
    PROVENANCE(cores, INT32),
    PROVENANCE(threads, INT32),
    PROVENANCE(simd, TEXT),
    PROVENANCE(blas, TEXT),
    PROVENANCE(blas_core, TEXT),
    PROVENANCE(cholmod, TEXT),
    PROVENANCE(hdf5, TEXT),
    PROVENANCE(cuda, TEXT),
    PROVENANCE(gpu, TEXT),
    PROVENANCE(gpu_kernels, TEXT),
    PROVENANCE(clocks, TEXT),
    PROVENANCE(seed, UINT64),
    PROVENANCE(warnings, TEXT),
};
const nb_members nb_provenance_members = NB_MEMBERS(nb_provenance, members);

int nb_provenance_alike(const nb_provenance *a, const nb_provenance *b) {
    return strcmp(a->cpu_model, b->cpu_model) == 0 && a->cores == b->cores &&
           strcmp(a->ncpbench_version, b->ncpbench_version) == 0 && strcmp(a->git_commit, b->git_commit) == 0 &&
           strcmp(a->build_type, b->build_type) == 0;
}

int nb_provenance_same_processor(const nb_provenance *a, const nb_provenance *b) {
    return strcmp(a->cpu_model, b->cpu_model) == 0 && strcmp(a->simd, b->simd) == 0;
}

int nb_provenance_same_program(const nb_provenance *a, const nb_provenance *b) {
    return strcmp(a->ncpbench_version, b->ncpbench_version) == 0 && strcmp(a->git_commit, b->git_commit) == 0 &&
           a->git_dirty == b->git_dirty;
}

static void warn(nb_provenance *p, const char *text) {
    size_t used = strlen(p->warnings);
    snprintf(p->warnings + used, sizeof p->warnings - used, "%s%s", used ? "; " : "", text);
}

/* the text after the colon in the first line of `path` that starts with `key` */
static void line_value(const char *path, const char *key, char *value, size_t size) {
    char line[4096];
    FILE *file = fopen(path, "r");
    *value = 0;
    if (!file) return;
    while (fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0 || !colon) continue;
        snprintf(value, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
        value[strcspn(value, "\n")] = 0;
        break;
    }
    fclose(file);
}

static void describe_processor(nb_provenance *p) {
    char flags[4096], mhz[32], governor[32] = "";
    line_value("/proc/cpuinfo", "model name", p->cpu_model, sizeof p->cpu_model);
    line_value("/proc/cpuinfo", "flags", flags, sizeof flags);
    line_value("/proc/cpuinfo", "cpu MHz", mhz, sizeof mhz);
    p->cores = (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(p->simd, sizeof p->simd, "%s", nb_kernels()->name);
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "r");
    if (file) {
        if (fscanf(file, "%31s", governor) != 1) *governor = 0;
        fclose(file);
    }
    snprintf(p->clocks, sizeof p->clocks, "%s%s%s%s", mhz, *mhz ? " MHz" : "unknown", *governor ? ", governor " : "",
             governor);
    if (*governor && strcmp(governor, "performance") != 0)
        warn(p, "the processor's clock is not held (governor is not 'performance')");
    if (strstr(flags, " hypervisor")) warn(p, "a virtual machine: other guests may disturb timings");
}

static void describe_load(nb_provenance *p) {
    double load;
    if (getloadavg(&load, 1) == 1 && load > 1.5) {
        char text[80];
        snprintf(text, sizeof text, "the machine was busy (load %.1f)", load);
        warn(p, text);
    }
}

const char *nb_version(void) {
    return NB_VERSION;
}

void nb_time_now(char text[32]) {
    struct tm utc;
    time_t seconds = time(NULL);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
}

void nb_provenance_fill(nb_provenance *p) {
    struct utsname name;
    memset(p, 0, sizeof *p);
    snprintf(p->ncpbench_version, sizeof p->ncpbench_version, "%s", NB_VERSION);
    snprintf(p->git_commit, sizeof p->git_commit, "%s", NB_GIT_COMMIT);
    p->git_dirty = NB_GIT_DIRTY;
    snprintf(p->compiler, sizeof p->compiler, "%s", NB_COMPILER);
    snprintf(p->compiler_flags, sizeof p->compiler_flags, "%s", NB_COMPILER_FLAGS);
    snprintf(p->build_type, sizeof p->build_type, "%s", NB_BUILD_TYPE);
    if (uname(&name) == 0) snprintf(p->os, sizeof p->os, "%.40s %.40s %.30s", name.sysname, name.release, name.machine);
    nb_h5_version(p->hdf5, sizeof p->hdf5);
    snprintf(p->cuda, sizeof p->cuda, "none");
    snprintf(p->gpu, sizeof p->gpu, "none");
    describe_processor(p);
    describe_load(p);
    if (strcmp(NB_BUILD_TYPE, "Release") != 0) warn(p, "not a release build");
    if (*NB_SANITIZERS) warn(p, "built with sanitizers");
}

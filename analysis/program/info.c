/* info: what this program is and where it runs. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "environment.h"
#include "record/provenance.h"
#include "run/devices.h"
#include "text/plain.h"

static nb_status set(void *context, int key, const char *text) {
    (void)context, (void)key; /* there are no options */
    return nb_fail(NB_ERROR_USAGE, "info: '%.80s' is one argument too many", text);
}

/* the warnings are one text with "; " between them: one a line */
static void print_warnings(const char *warnings) {
    if (!*warnings)
        nb_print(stdout, "Nothing speaks against publishing timings made here.\n");
    else
        nb_print(stdout, "Warnings for whoever publishes timings made here:\n");
    for (const char *w = warnings; *w;) {
        const char *end = strstr(w, "; ");
        int length = end ? (int)(end - w) : (int)strlen(w);
        nb_print(stdout, "  - %.*s\n", length, w);
        w += length + (end ? 2 : 0);
    }
}

static nb_status info(int argc, char **argv, int *exit_status) {
    (void)exit_status;
    nb_provenance p;
    nb_status status = nb_command_parse(&nb_command_info, argc, argv, set, NULL);
    if (status != NB_OK) return status;
    nb_environment(1, 0, &p);
    nb_print(stdout, "ncpbench    %s\n", p.ncpbench_version);
    nb_print(stdout, "commit      %s%s\n", p.git_commit, p.git_dirty ? " with changes" : "");
    nb_print(stdout, "compiler    %s, %s\n", p.compiler, p.build_type);
    nb_print(stdout, "flags       %s\n", p.compiler_flags);
    nb_print(stdout, "system      %s\n", p.os);
    nb_print(stdout, "processor   %s, %d cores; kernels for %s\n", p.cpu_model, p.cores, p.simd);
    nb_print(stdout, "clocks      %s\n", p.clocks);
    nb_print(stdout, "BLAS        %s; core type %s\n", p.blas, p.blas_core);
    nb_print(stdout, "CHOLMOD     %s\n", p.cholmod);
    nb_print(stdout, "HDF5        %s\n", p.hdf5);
    for (int i = 0; i < NB_DEVICES; i++) {
        const char *missing = nb_device_missing(i);
        nb_print(stdout, "%-10s  %s: %s\n", i ? "" : "devices", nb_device_name(i),
                 missing ? missing : nb_device_summary(i));
    }
    print_warnings(p.warnings);
    return NB_OK;
}

const nb_command nb_command_info = {
    .name = "info",
    .arguments = "",
    .summary = "print version, build, hardware, libraries, devices, and warnings",
    .run = info,
};

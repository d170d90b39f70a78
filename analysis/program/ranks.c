#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "plugin/load.h"

/* the number in the first of these variables that is set */
static int number_of(const char *const names[2], int standard) {
    for (int i = 0; i < 2; i++) {
        const char *text = getenv(names[i]);
        if (text && *text) return (int)strtol(text, NULL, 10);
    }
    return standard;
}

int nb_ranks_count(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    return number_of(names, 1);
}

int nb_ranks_own(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    return number_of(names, 0);
}

nb_status nb_ranks_begin(const char *command) {
    if (nb_ranks_count() < 2) return NB_OK;
    if (nb_ranks_own() > 0 && !freopen("/dev/null", "w", stdout))
        return nb_fail(NB_ERROR_IO, "cannot write to '/dev/null'");
    if (strcmp(command, nb_command_solve.name) == 0) return NB_OK;
    return nb_fail(NB_ERROR_USAGE,
                   "%.80s does not support mpirun (%d processes); solve FOLDER --linear-solver petsc-shell does",
                   command, nb_ranks_count());
}

/* what the plugin for PETSc exports for several processes */
typedef const char *join_function(const char *folder);
typedef void end_function(void);

static end_function *leave;

nb_status nb_ranks_join(const char *folder) {
    join_function *join = NULL;
    end_function *serve = NULL;
    if (nb_ranks_count() < 2) return NB_OK;
    *(void **)&join = nb_plugin_own_function("petsc", "ncpbench_petsc_join");
    *(void **)&serve = nb_plugin_own_function("petsc", "ncpbench_petsc_serve");
    *(void **)&leave = nb_plugin_own_function("petsc", "ncpbench_petsc_leave");
    const char *text = join && serve && leave ? join(folder) : "the plugin for PETSc is of another version";
    if (text) {
        leave = NULL;
        return nb_fail(NB_ERROR_INPUT, "%s", text);
    }
    if (nb_ranks_own() == 0) return NB_OK;
    serve();
    _exit(0);
}

void nb_ranks_wait(void) {
    if (nb_ranks_count() > 1 && nb_ranks_own() > 0) sleep(10);
}

void nb_ranks_leave(void) {
    if (leave) leave();
}

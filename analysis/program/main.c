/* ncpbench: finds the command and runs it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "blas.h"
#include "command.h"
#include "manual.h"
#include "provenance.h"

enum {
    COMMANDS = 13
};
static const nb_command *const commands[COMMANDS] = {
    &nb_command_list,   &nb_command_run,       &nb_command_solve,         &nb_command_suite, &nb_command_export,
    &nb_command_figure, &nb_command_reproduce, &nb_command_report_record, &nb_command_check, &nb_command_compare,
    &nb_command_bench,  &nb_command_import,    &nb_command_info,
};

static const char *command_at(const void *list, int i) {
    return ((const nb_command *const *)list)[i]->name;
}

static void print_help(void) {
    printf("Usage: ncpbench COMMAND [OPTION...]\n"
           "Compares solvers for the Newton systems of non-smooth multibody dynamics.\n\n");
    for (int i = 0; i < COMMANDS; i++) printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    printf("\n  ncpbench COMMAND --help   the command's options\n"
           "  ncpbench --version        the version\n\n"
           "Exit status: %s",
           nb_exit_statuses);
}

static int asks_for_help(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return 1;
    return 0;
}

static nb_status dispatch(int argc, char **argv, int *exit_status) {
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("ncpbench %s\n", nb_version());
        return NB_OK;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help();
        return NB_OK;
    }
    /* for the installation: what the tables of commands and options say, in other forms */
    if (strcmp(name, "--man") == 0) {
        nb_manual_print(commands, COMMANDS);
        return NB_OK;
    }
    if (strcmp(name, "--completion") == 0) return nb_completion_print(argc > 2 ? argv[2] : "bash", commands, COMMANDS);
    if (!*name) return nb_fail(NB_ERROR_USAGE, "a command is missing; 'ncpbench --help' lists them");
    int i = nb_name_find(name, COMMANDS, command_at, commands);
    if (i < 0) return nb_name_unknown("command", name, COMMANDS, command_at, commands);
    if (asks_for_help(argc - 1, argv + 1)) {
        nb_command_help(commands[i]);
        return NB_OK;
    }
    return commands[i]->run(argc - 1, argv + 1, exit_status);
}

int main(int argc, char **argv) {
    int exit_status = NB_EXIT_OK;
    nb_blas_restart(argv);
    signal(SIGXFSZ, SIG_IGN); /* a full quota is a failed write with its message, not a killed program */
    nb_status status = dispatch(argc, argv, &exit_status);
    if (status == NB_OK && (fflush(stdout) != 0 || ferror(stdout)))
        status = nb_fail(NB_ERROR_IO, "cannot write to standard output");
    if (status == NB_OK) return exit_status;
    nb_command_report(NULL);
    return nb_status_exit_code(status);
}

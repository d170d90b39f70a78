/* ncpbench: finds the command and runs it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/instruction_set.h"
#include "base/long_call.h"
#include "base/memory.h"
#include "base/options.h"
#include "command.h"
#include "ranks.h"
#include "record/provenance.h"
#include "run/blas.h"
#include "text/plain.h"

/* the commands' names, and after them that of `help`, which prints what --help does */
static const char *command_at(const void *list, int i) {
    return i < NB_COMMANDS ? ((const nb_command *const *)list)[i]->name : "help";
}

static void print_help(void) {
    fputs("Usage: ncpbench COMMAND [OPTION...]\n"
          "Compares solvers for the Newton systems of non-smooth multibody dynamics.\n\n",
          stdout);
    for (int i = 0; i < NB_COMMANDS; i++)
        nb_print(stdout, "  %-10s %s\n", nb_commands[i]->name, nb_commands[i]->summary);
    fputs("\n  ncpbench COMMAND --help       its options (also ncpbench help COMMAND)\n"
          "  ncpbench COMMAND --help=all   all of them, in full\n"
          "  ncpbench --version            the version\n\n"
          "Exit status: ",
          stdout);
    fputs(nb_exit_statuses, stdout);
}

/* the words that ask for help, by level */
static int is_help(const char *word, nb_help *level) {
    static const char *const words[NB_HELP_LEVELS] = {"--help", "--help=all", "--help=manual"};
    *level = NB_HELP_SHORT;
    if (strcmp(word, "-h") == 0) return 1;
    for (int i = 0; i < NB_HELP_LEVELS; i++)
        if (strcmp(word, words[i]) == 0) return *level = (nb_help)i, 1;
    return 0;
}

static int asks_for_help(int argc, char **argv, nb_help *level) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (is_help(argv[i], level)) return 1;
    return 0;
}

/* what can stand in place of a command; whether it was that */
static int print_about(int argc, char **argv, int *exit_status) {
    const char *name = argc > 1 ? argv[1] : "";
    nb_help level;
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        nb_print(stdout, "ncpbench %s\n", nb_version());
    else if (is_help(name, &level) || (strcmp(name, "help") == 0 && (argc == 2 || is_help(argv[2], &level))))
        print_help();
    else if (strcmp(name, "--complete") == 0) /* for the scripts of shells */
        *exit_status = nb_complete(argc - 2, argv + 2);
    else
        return 0;
    return 1;
}

/* why there is no such command */
static nb_status explain(const char *name) {
    char owners[160] = "";
    if (strncmp(name, "--", 2) == 0) nb_command_owners(name + 2, owners, sizeof owners);
    if (*owners)
        return nb_fail(NB_ERROR_USAGE, "a command is missing before '%.80s'%s; 'ncpbench --help' lists them", name,
                       owners);
    return nb_name_unknown("command", name, NB_COMMANDS + 1, command_at, nb_commands);
}

static nb_status dispatch(int argc, char **argv, int *exit_status) {
    if (print_about(argc, argv, exit_status)) return NB_OK;
    if (argc < 2 || !*argv[1]) return nb_fail(NB_ERROR_USAGE, "a command is missing; 'ncpbench --help' lists them");
    int help = strcmp(argv[1], "help") == 0;
    argc -= help, argv += help;
    int i = nb_name_find(argv[1], NB_COMMANDS, command_at, nb_commands);
    if (i < 0) return explain(argv[1]);
    nb_help level = NB_HELP_SHORT;
    if (asks_for_help(argc - 1, argv + 1, &level) || help) {
        nb_command_help(nb_commands[i], level);
        return NB_OK;
    }
    nb_status status = nb_ranks_begin(nb_commands[i]->name);
    if (status == NB_OK) status = nb_instruction_set_check();
    return status == NB_OK ? nb_commands[i]->run(argc - 1, argv + 1, exit_status) : status;
}

/* Ends the program, with nothing left to write. exit() would wait for OpenBLAS's threads, and in little address space
 * these wait for memory for ever. NB_ORDERLY_EXIT is 1 for what sanitizers and coverage do in exit(). */
static void leave(int exit_status) {
    fflush(NULL);
    if (NB_ORDERLY_EXIT && !nb_long_call_left()) exit(exit_status);
    _exit(exit_status);
}

int main(int argc, char **argv) {
    int exit_status = NB_EXIT_OK;
    nb_blas_restart(argv);
    nb_memory_reuse();
    signal(SIGXFSZ, SIG_IGN); /* a full quota is a failed write with its message, not a killed program */
    nb_status status = dispatch(argc, argv, &exit_status);
    if (status == NB_OK && (fflush(stdout) != 0 || ferror(stdout)))
        status = nb_fail(NB_ERROR_IO, "cannot write to standard output");
    if (status != NB_OK) {
        nb_ranks_wait();
        nb_command_report(NULL);
        exit_status = nb_status_exit_code(status);
    }
    if (status == NB_OK) nb_ranks_leave();
    leave(exit_status);
}

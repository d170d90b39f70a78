/* The table of commands. */
#include "command.h"

const nb_command *const nb_commands[NB_COMMANDS] = {
    &nb_command_list,     &nb_command_run,      &nb_command_solve,  &nb_command_suite,     &nb_command_export,
    &nb_command_gradient, &nb_command_optimize, &nb_command_figure, &nb_command_reproduce, &nb_command_report_record,
    &nb_command_check,    &nb_command_compare,  &nb_command_bench,  &nb_command_info,
};

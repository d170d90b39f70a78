/* The options of a request: one table of the harness's own, and behind them those of the methods in their table. */
#ifndef NB_ANALYSIS_OPTIONS_H
#define NB_ANALYSIS_OPTIONS_H

#include <argp.h>

#include "base/options.h"
#include "run/request.h"

enum {
    NB_OPTION_TEXT = 256,
    NB_OPTIONS_MOST = 160,
    NB_OPTION_KEY = 1000 /* of option 0 for argp, and so on */
};

/* how an option's text goes into the request */
typedef enum nb_option_kind {
    NB_OPTION_NAME,      /* char[NB_NAME_LENGTH], looked up by nb_simulate_prepare */
    NB_OPTION_CHOICE,    /* char[NB_NAME_LENGTH], one of `choices` */
    NB_OPTION_ON_OFF,    /* int */
    NB_OPTION_SWITCH,    /* int, set to 1; takes no value */
    NB_OPTION_WHOLE,     /* int32_t */
    NB_OPTION_SEED,      /* uint64_t */
    NB_OPTION_NUMBER,    /* double */
    NB_OPTION_PATH,      /* const char *, borrowed */
    NB_OPTION_SETTING,   /* a list of nb_setting: NAME=VALUE */
    NB_OPTION_OF_METHOD, /* --damping 1: short for --method-option damping=1 */
    NB_OPTION_OF_SOLVER, /* --recycle 20: short for --solver-option recycle=20 */
} nb_option_kind;

typedef struct nb_request_option {
    nb_option_kind kind;
    int use;                   /* 1: for scenarios, 2: for problem files, 3: for both */
    size_t field, count_field; /* where in nb_request; count_field: of a list of settings */
    const char *argument;      /* as --help shows it; NULL: the choices */
    nb_option option;          /* the range and, in name, the option's name with its dashes */
} nb_request_option;

int nb_request_option_count(void); /* at most NB_OPTIONS_MOST */
const nb_request_option *nb_request_option_at(int i);

/* the place of the list that this option is a short form of; -1: it is none */
int nb_request_option_list(const nb_request_option *option);

/* Writes one value into the request; of a setting, that of this name. */
nb_status nb_request_option_apply(const nb_request_option *option, const char *name, const char *text,
                                  nb_request *request);

/* What the request has it set to, as text; a number with at most `digits` digits. */
void nb_request_option_text(const nb_request_option *option, const nb_request *request, int digits,
                            char text[NB_OPTION_TEXT]);

/* Copies what stands for `option` in a message's names; NB_ERROR_USAGE where it is empty or too long. */
nb_status nb_request_copy_name(const char *option, const char *text, size_t length, char name[NB_NAME_LENGTH]);

enum {
    NB_OPTION_DETAILS = OPTION_NO_USAGE /* flag of a heading: a short --help names its options alone */
};

/* what a command makes of a request */
typedef enum nb_request_use {
    NB_USE_NONE, /* it takes none */
    NB_USE_RUNS,
    NB_USE_DERIVATIVES, /* of scenarios as well */
    NB_USE_PROBLEMS
} nb_request_use;

/* All as argp wants them, with their defaults in the text; static. What stands before the first ';' says most: --help
 * prints it alone. Those that only make sense for scenarios (steps, size, ...) or only for stored problems are left out
 * for the other. Options that only methods have which the command refuses are hidden. */
const struct argp_option *nb_request_arguments(nb_request_use use);

#endif

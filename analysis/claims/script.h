/* Scripts of rules (results/claims/scripts): Python programs that measure what no record of runs has. They are compiled
 * into the program, as rules are.
 *
 * A script is run by python3, with numpy, scipy and h5py at most, in an empty folder that goes with it. Beside it lies
 * common.py; the variable NCPBENCH has the program's path. It prints lines
 *
 *   NAME VALUE [VALUE ...]
 *
 * a line for each name that its rule has after `prints`, in any order. Several values stand for their median, with
 * their range. Lines that begin with # are left out. A script measures, and prints no verdict: the rule's expressions
 * give that. Where its exit status is not 0, or where it prints a wrong line, the claim is open; the last line on
 * standard error says why. */
#ifndef NB_ANALYSIS_CLAIMS_SCRIPT_H
#define NB_ANALYSIS_CLAIMS_SCRIPT_H

#include "claims/measure.h"

/* what the text of nb_claim_script_run begins with */
#define NB_CLAIM_SCRIPT_MARK "# ncpbench claims: "

enum {
    NB_CLAIM_TITLE = 512
};

/* The line, with its end, that what the script prints begins with: its line in the rule, and a checksum of its text and
 * of the program's version and commit. */
void nb_claim_script_title(const nb_claim_source *sources, const char *line, char title[NB_CLAIM_TITLE]);

/* Runs it as its `line` of a rule has it; *printed, the caller's, is the title, what it printed, and a line that ends
 * it. NB_ERROR_INPUT with one line where there is no such script, or no Python, or where it failed. */
nb_status nb_claim_script_run(const nb_claim_source *sources, const char *line, char **printed);

/* Whether the text of nb_claim_script_run, without its title, has its last line, which has a checksum of the others. */
int nb_claim_script_is_whole(const char *printed);

/* Reads those of measured [claim->measure_count] that the claim's script prints. NB_ERROR_INPUT with one line where a
 * name is missing, unknown or there twice, or where a value is no number. */
nb_status nb_claim_read_printed(const nb_claim *claim, const char *printed, nb_measured *measured);

#endif

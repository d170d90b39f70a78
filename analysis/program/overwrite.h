/* What a command may write over: nothing that a user has is lost by accident. Every command that writes a file asks
 * here first, before it works for long; --force answers yes to everything.
 *
 * Free to take are a new name, and a file that the same command would have left there: a drawing for a drawing, a page
 * for a page. Refused, with NB_ERROR_USAGE and a line that says what to type instead, are a file that the command
 * reads (by whatever name or link), one that ncpbench did not write in this form, one that is write-protected, and a
 * record that an interrupted command is to go on with. A finished record of another command line is neither refused nor
 * lost: it is kept under another name when the new one takes its place. So is a record of another version of the
 * schema, also with --force: this program cannot read what it holds. */
#ifndef NB_PROGRAM_OVERWRITE_H
#define NB_PROGRAM_OVERWRITE_H

#include <stdint.h>

#include "base/status.h"
#include "record/record.h"

enum {
    NB_FORCE_KEY = 950
};

/* a line of an argp table */
#define NB_FORCE_OPTION(group_number)                                                                            \
    {                                                                                                            \
        .name = "force", .key = NB_FORCE_KEY,                                                                    \
        .doc = "write over whatever is there; an input, a file that ncpbench did not write, one that is "        \
               "write-protected, an interrupted command's record, or a finished one (else kept as FILE~, as is " \
               "one of another version of ncpbench in any case)",                                                \
        .group = (group_number)                                                                                  \
    }

typedef enum nb_written {
    NB_WRITTEN_RECORD,       /* FILE.h5 */
    NB_WRITTEN_DRAWING,      /* by its ending: .svg, .pdf, .png, .tex */
    NB_WRITTEN_PAGE,         /* of report */
    NB_WRITTEN_PROBLEM,      /* of export: FCLIB */
    NB_WRITTEN_SCENE,        /* of export: JSON */
    NB_WRITTEN_ANIMATION,    /* of export: binary glTF */
    NB_WRITTEN_SOLUTION,     /* of solve: Matrix Market */
    NB_WRITTEN_NUMBERS,      /* of figure: --csv */
    NB_WRITTEN_GRADIENT,     /* of gradient: HDF5 */
    NB_WRITTEN_OPTIMIZATION, /* of optimize: HDF5 */
    NB_WRITTEN_CLAIMS,       /* of reproduce --claims: Markdown */
    NB_WRITTEN_PRINTED,      /* of its scripts: text */
} nb_written;

/* Whether `path` may become such a file. Also with `force`, NB_ERROR_IO where none can be put there: in a folder that
 * is missing, in the place of a pipe, of a device or of a link to nothing (nb_file_check_target). */
nb_status nb_overwrite_check(const char *path, nb_written kind, int force);

/* Whether `path` is another file than `input`, which the command reads; either may be NULL. */
nb_status nb_overwrite_check_input(const char *path, const char *input, int force);

/* For a record: whether an interrupted command is to go on with it. To be asked when the record is locked, since a
 * command in progress has such a checkpoint, too. With `force` that command is given up: what it left goes. */
nb_status nb_overwrite_check_interrupted(const char *path, int force);

/* Whether a finished record at `path` is to be kept. In any case that is one of another version of the schema. Without
 * `force` it is also one of another command line, one that holds more than the `runs` that this one makes, and one of
 * which that cannot be found out. */
int nb_overwrite_keeps(const char *path, const char *command, int64_t runs, int force);

/* Puts the finished file in its place (nb_record_close); with `keeps` an earlier one stays under another name, where
 * that can be done, as is said on standard error: "the earlier FILE.h5 is kept as FILE.h5~". */
nb_status nb_overwrite_close(nb_record *record, const char *path, int keeps);

/* Of a file that a command did not write: "is left as it was", or "is not written" where there is none. */
const char *nb_overwrite_left(const char *path);

/* Removes what killed writers of the record left beside it, but for `kept` (or NULL) and this process's own. The record
 * must be open for writing: then nobody else is at it. */
void nb_overwrite_tidy(const char *record, const char *kept);

#endif

/* The standard set of contact problems: scene files under names that never change, and a table of them, standard.tsv,
 * of tab-separated columns behind lines that begin with '#'. What is read of it: name, set (small, full or failures),
 * class, sha256 of the problem's numbers (core/file_data.h; empty or -: not known), best, the least natural map over
 * ||q|| that is known
 * ("none known", or "infeasible" of a problem without solution).
 *
 * The set lies in scenarios/standard of the sources, or as it was installed. */
#ifndef NB_ANALYSIS_STANDARD_SET_H
#define NB_ANALYSIS_STANDARD_SET_H

#include "base/sha256.h"
#include "file_data.h"
#include "record/run.h"

typedef struct nb_standard_problem {
    char name[NB_NAME_LENGTH], class[NB_NAME_LENGTH], best[NB_NAME_LENGTH];
    char sha256[NB_SHA256_TEXT]; /* "": not known */
    char *path;                  /* owned */
} nb_standard_problem;

typedef struct nb_standard_set {
    nb_standard_problem *items;
    int64_t count, capacity;
} nb_standard_set;

/* `which`: small, full (with small) or failures of the set that comes with the program, or a folder with a standard.tsv
 * of its own, of which it is all. NAME.json.gz lies in `small`, `full`, `failures` or directly in the folder of the
 * table. NB_ERROR_IO where the table is missing, NB_ERROR_INPUT where it makes no sense or a problem's file is missing.
 * The caller clears *set, which is zero at first, also on a fault. */
nb_status nb_standard_set_find(const char *which, nb_standard_set *set);
void nb_standard_set_clear(nb_standard_set *set);

/* The scene file of a problem of the set that comes with the program, by NAME or standard/NAME; 0: there is none. */
int nb_standard_scene(const char *name, char *path, size_t size);

/* The class of a problem of the set that comes with the program, by NAME or standard/NAME; "": there is none. */
nb_status nb_standard_class(const char *name, char class[NB_NAME_LENGTH]);

/* NB_ERROR_INPUT, by name, where the numbers of the problem are not those of the table. */
nb_status nb_standard_problem_check(const nb_standard_problem *problem, const nb_file_data *data);
/* whether a fault is that */
int nb_standard_is_changed(const char *fault);

/* whether the problem is known to have no solution: a method solves it that says so */
int nb_standard_is_infeasible(const char *best);

#endif

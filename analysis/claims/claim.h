/* The claims of the papers: a list of them (results/claims/claims.tsv), and the rules by which they are judged
 * (results/claims/PAPER.claims), both as they are embedded at build time.
 *
 * The list has a line a claim and tabs between its columns: id ("macklin-68"), paper, place, claim, published, set-up,
 * and a hint for who writes its rule; "-" is nothing. What stands before the number of an id is the paper's short name.
 *
 * A rule is a block of lines, which begins with its claim:
 *
 *   claim: ID
 *   quote: TEXT            the paper's own words
 *   set-up: KIND[; TEXT]   published, ours or unpublished: whether step, precision, method, counts, start and length
 *                          are the paper's; else what is not and why, or what is missing
 *   run: ...               arguments of `ncpbench run`; any number of lines
 *   from: FIGURE           the runs of that figure besides
 *   script: NAME.py [ARGUMENT ...]
 *                          what no measure can say: a script of results/claims/scripts (claims/script.h)
 *   prints: NAME ...       the numbers that it prints, which are measures before all others
 *   figure: FIGURE         that shows it [that of `from`]
 *   takes: SECONDS         what its runs take on one core, about
 *   says: TEXT             one sentence of what was measured, with units; {NAME} stands for a measure's value
 *   note: TEXT             which of several readings is judged, or what the numbers do not show
 *   first rule: TEXT       that a rule was changed after its run was known, and the first rule's verdict
 *   rival: OLD => NEW      a program that must fail the rule: NEW in place of OLD in its runs, script and measures;
 *                          several lines are one rival
 *   NAME = MEASURE         one of the numbers behind the verdict, or
 *   NAME = EXPRESSION      of those before it (table/expression.h)
 *   holds: EXPRESSION      the verdict is "holds" where this is true,
 *   in part: EXPRESSION    else "in part" where this is, the best verdict of a rule without `holds`; else
 *                          "does not hold" where the set-up is published, and "set-up missing" where it is not
 *   misprint: EXPRESSION   in the place of `holds`: formulas as printed are wrong where this is true; no claim
 *   not testable: REASON   in the place of runs and measures: it cannot be judged here
 *   times: quiet           it compares times, so that runs of a busy machine leave it open
 *   failures: count        a run that fails is a result, and leaves no claim open
 *
 * Before the first claim of a file stands `summary: PAPER TEXT`, what the page says of the paper as a whole, on one
 * line. Lines that begin with # and empty lines are left out. A measure is
 *
 *   AGGREGATE EXPRESSION [of copies|steps|iterations|repeats] [where SETTING=VALUE[,VALUE...] ...]
 *
 * with one value of the expression a run, or a copy of its batch, a step, a Newton iteration, or a timed
 * repetition of it. AGGREGATE is
 * least, most, mean, median, sum, number (how many), share (in which it is true), or one (there is but one). The names
 * of the expression are in claims/measure.h. */
#ifndef NB_ANALYSIS_CLAIMS_CLAIM_H
#define NB_ANALYSIS_CLAIMS_CLAIM_H

#include <stddef.h>

#include "base/status.h"

enum {
    NB_CLAIM_RUNS = 16,     /* lines of runs of a claim at most */
    NB_CLAIM_MEASURES = 16, /* of a claim at most */
    NB_CLAIM_RIVALS = 4,    /* lines of a claim's rival at most */
    NB_CLAIM_SUMMARIES = 8  /* papers at most, with one for the end */
};

/* whose set-up a rule's runs have */
typedef enum nb_claim_setup {
    NB_SETUP_UNSTATED,
    NB_SETUP_PUBLISHED,
    NB_SETUP_OURS,
    NB_SETUP_UNPUBLISHED,
    NB_SETUPS
} nb_claim_setup;

extern const char *const nb_claim_setup_names[NB_SETUPS];

/* what a measure makes of its values; no measure has the name of one */
typedef enum nb_aggregate {
    NB_AGGREGATE_LEAST,
    NB_AGGREGATE_MOST,
    NB_AGGREGATE_MEAN,
    NB_AGGREGATE_MEDIAN,
    NB_AGGREGATE_SUM,
    NB_AGGREGATE_NUMBER,
    NB_AGGREGATE_SHARE,
    NB_AGGREGATE_ONE,
    NB_AGGREGATES
} nb_aggregate;

/* The one whose name text [length] is, or NB_AGGREGATES. */
nb_aggregate nb_aggregate_find(const char *text, size_t length);
extern const char *const nb_aggregate_names[NB_AGGREGATES];

typedef struct nb_claim_measure {
    const char *name, *text;
} nb_claim_measure;

typedef struct nb_claim_rival {
    const char *old, *new;
} nb_claim_rival;

typedef struct nb_claim {
    const char *id, *paper, *place, *text, *published, *conditions, *hint; /* of the list; "" where it has nothing */
    const char *runs[NB_CLAIM_RUNS + 1];                                   /* NULL-terminated */
    const char *quote, *from, *figure, *says, *note, *first_rule, *script; /* NULL: none */
    nb_claim_setup setup;
    const char *setup_note;                       /* what differs, or is missing; "" where nothing is */
    nb_claim_measure measures[NB_CLAIM_MEASURES]; /* text NULL: the script prints it */
    int measure_count;
    nb_claim_rival rivals[NB_CLAIM_RIVALS];
    int rival_count;
    const char *holds, *in_part; /* NULL: it has no rule */
    const char *misprint;        /* in the place of holds; NULL: it is a claim */
    const char *not_testable;    /* NULL: it is */
    double takes;                /* [s] */
    int quiet;                   /* 1: times of a busy machine say nothing */
    int failures_count;          /* 1: failed runs are results */
    int ruled;                   /* 1: there is a block for it */
} nb_claim;

/* Zero is a list of none. The texts are its own. */
typedef struct nb_claims {
    nb_claim *claims;
    int count;
    char *list, *rules;
    const char *summaries[NB_CLAIM_SUMMARIES]; /* "macklin TEXT", of a paper each; NULL-terminated */
} nb_claims;

extern const char *const nb_claim_list[], *const nb_claim_rules[]; /* lines, NULL-terminated */

/* a script of rules: its file's name, and its lines, NULL-terminated, each with its end */
typedef struct nb_claim_source {
    const char *name;
    const char *const *text;
} nb_claim_source;

extern const nb_claim_source nb_claim_sources[]; /* of results/claims/scripts; a NULL name ends them */

/* That of the name which the line "NAME [ARGUMENT ...]" begins with, or NULL. */
const nb_claim_source *nb_claim_source_find(const nb_claim_source *sources, const char *line);

/* Reads both; what they hold stays with *claims, which the caller clears also after a fault. NB_ERROR_INPUT with one
 * line that names the place where they are wrong: an id twice or unknown, a key or a figure that there is not, a rule
 * without a verdict. Expressions are looked at when they are evaluated. */
nb_status nb_claims_read(const char *const *list, const char *const *rules, nb_claims *claims);
void nb_claims_clear(nb_claims *claims);

/* 1: it has conditions, so that runs or a script give its verdict. */
int nb_claim_is_judged(const nb_claim *claim);

/* "macklin" of "macklin-68": its length. */
int nb_claim_paper_length(const nb_claim *claim);

/* The claim with its rival's runs, script and measures. `*text`, the caller's to free, holds what they are written in.
 * NB_ERROR_INPUT where an OLD stands nowhere in them, or the claim has no rival. */
nb_status nb_claim_make_rival(const nb_claim *claim, nb_claim *rival, char **text);

#endif

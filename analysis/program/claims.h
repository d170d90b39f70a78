/* What `reproduce --claims` does: the runs of claims, their verdicts, a table and a page of these. */
#ifndef NB_PROGRAM_CLAIMS_H
#define NB_PROGRAM_CLAIMS_H

#include "base/status.h"

typedef struct nb_claims_request {
    const char *names;   /* ids and papers, a comma between; NULL or "all": all */
    const char *folder;  /* of the records */
    const char *page;    /* where the page goes; NULL: nowhere */
    const char *command; /* the command line, for the record */
    int quick;           /* 1: runs of five minutes in all */
    int show;            /* 1: only print the commands that would be run */
    int force;           /* 1: make all runs anew, and write over what is there */
} nb_claims_request;

/* Status as of a command. NB_ERROR_USAGE where no claim or paper has one of the names. */
nb_status nb_claims_reproduce(const nb_claims_request *request, int *exit_status);

#endif

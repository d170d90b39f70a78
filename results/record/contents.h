/* What a record, and the files of `gradient` and `optimize`, can contain: a line for each dataset, from the tables that
 * write it. The columns of `newton` are not among them: methods bring those (table/known_columns.h). Nor is VTK's grid
 * (write_states.c). */
#ifndef NB_RESULTS_CONTENTS_H
#define NB_RESULTS_CONTENTS_H

typedef struct nb_content {
    char path[96];  /* "runs/NNNN/steps/time"; in the file of `gradient` "gradient:q" */
    char shape[64]; /* "body, 7": the axes, numbers where the extent is fixed */
    const char *units, *long_name;
    int is_scale; /* 1: 0, 1, 2, ..., the dimension scale of an axis */
} nb_content;

/* The dataset `i`; 0 after the last. */
int nb_content_at(int i, nb_content *one);

#endif

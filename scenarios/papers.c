#include "papers.h"

const nb_paper_steps nb_paper_macklin = {.source = "Macklin et al. 2019", .method = "newton"};

const nb_paper_steps nb_paper_anitescu_hart = {.source = "Anitescu, Hart 2003",
                                               .method = "lemke",
                                               .time_stepping = NB_STEPPING_ANITESCU_HART,
                                               .friction_law = NB_FRICTION_POLYHEDRAL_RELAXED,
                                               .facets = 2};

const nb_paper_steps nb_paper_larionov = {.source = "Larionov et al. 2023", .method = "smoothed"};

const nb_paper_steps nb_paper_lecleach = {.source = "Le Cleac'h et al. 2023", .method = "single-level"};

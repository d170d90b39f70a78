/* How the papers make the steps of scenes that share it. Those that state iterations have theirs with the scene. */
#ifndef NB_PAPERS_H
#define NB_PAPERS_H

#include "scenario.h"

/* Macklin et al., "Non-smooth Newton methods for deformable multi-body dynamics", 2019, sections 6 and 7; iterations
 * are those of each scene in its section 10 */
extern const nb_paper_steps nb_paper_macklin;
/* Anitescu, Hart, ICIAM 2003: linear complementarity problems of steps with constraint stabilisation, of the relaxed
 * law. In a plane friction has two directions, which is all of its disc. */
extern const nb_paper_steps nb_paper_anitescu_hart;
/* Larionov et al., "Implicit frictional dynamics with soft constraints", 2023, equations (22) and (14) */
extern const nb_paper_steps nb_paper_larionov;
/* Le Cleac'h et al., IEEE Robotics and Automation Letters 2023, problem (20) */
extern const nb_paper_steps nb_paper_lecleach;

#endif

/* The contact problem of a scene: that of its first time step, its geometry frozen at the start, as a problem file's.
 */
#ifndef NB_ANALYSIS_SCENE_PROBLEM_H
#define NB_ANALYSIS_SCENE_PROBLEM_H

#include "contact_problem.h"
#include "file/fclib.h"

/* A contact problem from a file of any kind: a scene, FCLIB's format, Siconos's text (file/contact_file.h). */
nb_status nb_problem_file_read(const char *path, nb_fclib_problem **problem);

#endif

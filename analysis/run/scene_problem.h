/* The contact problem of a scene: that of its first time step, its geometry frozen at the start, as a problem file's.
 */
#ifndef NB_ANALYSIS_SCENE_PROBLEM_H
#define NB_ANALYSIS_SCENE_PROBLEM_H

#include "contact_problem.h"
#include "file/fclib.h"

/* A contact problem of a step as one from a file: W = D with the joints' compliance on its diagonal, q, mu. Copies;
 * `path` stands in messages. The caller destroys *problem. NB_ERROR_INPUT where it has no contacts. */
nb_status nb_scene_problem_of(const char *path, const nb_contact_problem *stored, nb_fclib_problem **problem);

/* Of a scene file (file/scene_file.h), with its own settings, friction and length of a step: to the last bit what
 * `export FILE --at 0 --format fclib` writes. Laws of friction other than Coulomb's are left to who solves it. */
nb_status nb_scene_problem_read(const char *path, nb_fclib_problem **problem);

/* A contact problem from a file of any kind: a scene, FCLIB's format, Siconos's text (file/contact_file.h). */
nb_status nb_problem_file_read(const char *path, nb_fclib_problem **problem);

#endif

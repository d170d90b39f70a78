/* The recorded states of a run as an animation in binary glTF 2.0 (.glb), for Blender and slides
 * (https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html). */
#ifndef NB_ANALYSIS_FIGURE_GLTF_H
#define NB_ANALYSIS_FIGURE_GLTF_H

#include "base/status.h"
#include "record/run.h"

/* Writes the file whole or not at all. Lengths are in m, times in s since the first state. All stands in one node that
 * turns the record's z axis up:
 * - a node a body, "body 3", with its poses as keys where it moves, in single precision. Equal shapes share a mesh, a
 *   half-space is a square, and a body without a shape has rods to its joints. What has diverged stays where it was.
 * - a node a state with the surface of the deformable bodies and the springs, which shows in its time alone: its scale
 *   is 0 in others;
 * - with `forces` arrows, the resultants of pairs of bodies as figure scenes shows them: the longest of the run is two
 *   fifths of the scene's radius;
 * - a camera and a sun. Colours are those of pictures (figure/picture.h).
 * NB_ERROR_INPUT where the run has no states, or they do not fit its scene, NB_ERROR_UNSUPPORTED beyond 4 GB. */
nb_status nb_gltf_write(const char *path, const nb_run *run, int forces);

#endif

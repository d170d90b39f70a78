/* Shapes of exported scenes, as scenarios/file/scene_file.h reads them. */
#ifndef NB_PROGRAM_EXPORT_SHAPES_H
#define NB_PROGRAM_EXPORT_SHAPES_H

#include "model/shape.h"
#include "text/json.h"

/* One element of the array "shapes". Boxes, capsules, cylinders and cones by their measures where their makers make
 * them to the last bit; other solids with their sets. */
void nb_export_shape(nb_json *json, const nb_shape *shape);

#endif

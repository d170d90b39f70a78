/* Scan conversion of triangles, lines and planes into a picture (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_PAINTER_H
#define NB_ANALYSIS_FIGURE_PAINTER_H

#include <stdint.h>

#include "base/status.h"
#include "base/vec3.h"

typedef struct nb_canvas {
    int width, height; /* samples */
    float *depth;      /* distance along the view, larger is farther */
    float *colour;     /* [height][width][3] linear light */
} nb_canvas;

/* an orthonormal view: right, up, and forward into the scene */
typedef struct nb_view {
    nb_vec3 eye, right, up, forward;
    double focal; /* samples a unit of slope */
    double centre_x, centre_y;
} nb_view;

typedef struct nb_painter {
    nb_canvas image;
    nb_view camera;
    nb_vec3 centre;
    double radius;   /* of the scene */
    float tint[3];   /* of what is being painted */
    double dusk;     /* of the point being painted: 0 as lit, 1 white */
    int64_t *hidden; /* NULL, or where to count samples that would hide what is there: none is painted then */
    int over;        /* 1: what is painted hides whatever was painted before, also what is nearer */
    double even;     /* 0: in the sun; 1: the same light on all sides, so that the colour tells something */
} nb_painter;

/* White paper of this size in pixels. */
nb_status nb_painter_create(nb_painter *p, int width, int height);
void nb_painter_clear(nb_painter *p);

/* A view from `eye` on to `target`, of unit focal length. */
nb_view nb_view_of(nb_vec3 eye, nb_vec3 target);
/* x, y in samples, z the depth; 0 where the point is behind the eye */
int nb_project(const nb_view *v, nb_vec3 point, double out[3]);

/* Samples of the triangle that nothing painted before hides; it has the tint in the light that falls on `normal`. */
void nb_paint_triangle(nb_painter *p, nb_vec3 a, nb_vec3 b, nb_vec3 c, nb_vec3 normal);
/* a thin dark line a little in front of the faces that it bounds */
void nb_paint_line(nb_painter *p, nb_vec3 a, nb_vec3 b);
/* a rod of this half width, seen from all sides alike */
void nb_paint_rod(nb_painter *p, nb_vec3 a, nb_vec3 b, double half_width);
/* a disc of this radius that faces the eye */
void nb_paint_disc(nb_painter *p, nb_vec3 centre, double radius);
/* an arrow whose shaft has this half width, flat towards the eye; nothing where it is seen from its end */
void nb_paint_arrow(nb_painter *p, nb_vec3 from, nb_vec3 to, double half_width);
/* The plane through x as far as it is seen: to the picture's sides, and behind the scene fading into the white paper
 * before the horizon. */
void nb_paint_plane(nb_painter *p, nb_vec3 x, nb_vec3 normal);

/* The tint that a screen shows as this colour (0 to 1) in full light. */
void nb_painter_set_colour(nb_painter *p, const double red_green_blue[3]);

/* how many samples something has been painted on */
int64_t nb_painter_count(const nb_painter *p);

/* Writes the pixels: three bytes each (red, green, blue), row by row from the top. */
nb_status nb_painter_write(const nb_painter *p, const char *path);

#endif

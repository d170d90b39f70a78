/* The gyroscopic torque of a step of be, a choice of the problem. In the frame in which the body stands at the start of
 * the step, I of its start, without constraints:
 *
 *     implicit   I (w~ - w) + h wm x I wm = h torque,   wm = (w + w~)/2
 *     explicit   I (w~ - w) + h w x I w = h torque
 *
 * The body turns by w~ about w~ itself, which is the same vector in the body before and after. The implicit one is the
 * midpoint rule of Euler's equations in the body's frame. It keeps what is quadratic there: |I w| and the energy of a
 * free body, to round-off. The explicit one gains energy, in each step by (h^2/2) (w x I w) . I^-1 (w x I w).
 *
 * Integrators with stages have the torque of the stage's end (model/integration.h). */
#ifndef NB_MODEL_GYROSCOPIC_H
#define NB_MODEL_GYROSCOPIC_H

typedef enum nb_gyroscopic_torque {
    NB_GYROSCOPIC_OPEN = -1, /* in what is asked for: nobody says */
    NB_GYROSCOPIC_IMPLICIT,
    NB_GYROSCOPIC_EXPLICIT,
    NB_GYROSCOPIC_TORQUES
} nb_gyroscopic_torque;

extern const char *const nb_gyroscopic_names[NB_GYROSCOPIC_TORQUES + 1]; /* NULL-terminated */

#endif

#include "pair_path.h"

#include <tgmath.h>

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST_CORRECTIONS = 6,
    MOST_RETREATS = 12
};

static const double NEAR = 0.3;   /* residuals over the target, where predictors begin */
static const double END = 0.09;   /* and where the path ends: less than what a step asks for */
static const double ASIDE = 0.01; /* the part of the target by which another one gives the tangent */

int nb_pair_path_is_near(double target, double equality, double cone) {
    return equality <= NEAR * target && cone <= NEAR * target;
}

nb_status nb_pair_path_begin(nb_pair_path *path, const nb_pair_problem *s, double target, double equality,
                             double cone) {
    nb_status status;
    const int64_t n = nb_pair_problem_numbers(s);
    NB_TRY(NB_RESERVE(6 * n, &path->capacity, &path->memory));
    double **parts[] = {&path->point, &path->newton, &path->newton_kept, &path->tangent, &path->along, &path->step};
    for (int k = 0; k < 6; k++) *parts[k] = path->memory + k * n;
    path->numbers = n;
    path->target = target;
    path->equality = equality;
    path->cone = cone;
    path->length = 1;
    path->corrections = path->retreats = path->is_directed = path->ending = 0;
out:
    return status;
}

void nb_pair_path_clear(nb_pair_path *path) {
    nb_free(path->memory);
    *path = (nb_pair_path){0};
}

void nb_pair_path_aim(nb_pair_path *path, nb_pair_problem *s) {
    double cone;
    nb_pair_problem_store_step(s, path->newton);
    nb_pair_problem_aim(s, (1 - ASIDE) * path->target, 0, &cone);
}

static double dot(const nb_pair_path *path, const double *a, const double *b) {
    double sum = 0;
    for (int64_t i = 0; i < path->numbers; i++) sum += a[i] * b[i];
    return sum;
}

/* Moves by this part of `step`, at most to the boundary of cones, and evaluates for the target there. */
static void move(nb_pair_path *path, nb_pair_problem *s, double t, double target, double rho, double *aimed) {
    path->step_length = t;
    path->target = target;
    nb_pair_problem_try(s, t, rho, target, &path->equality, &path->cone, aimed);
}

/* The present point is near the path: predictors go on from here. */
static void keep_point(nb_pair_path *path, const nb_pair_problem *s) {
    const double norm = sqrt(1 + dot(path, path->tangent, path->tangent));
    const int falls = path->is_directed ? dot(path, path->tangent, path->along) + path->along_target < 0 : 1;
    const double sign = falls ? -1 : 1;
    if (path->is_directed && path->retreats > 0)
        path->length = fmin(path->length, path->gone);
    else if (path->is_directed)
        path->length = (path->corrections <= 1 ? 2.5 : path->corrections == 2 ? 1 : 0.5) * path->gone;
    nb_pair_problem_store(s, path->point);
    for (int64_t i = 0; i < path->numbers; i++) {
        path->newton_kept[i] = path->newton[i];
        path->along[i] = sign / norm * path->tangent[i];
    }
    path->along_target = sign / norm;
    path->target_kept = path->target;
    path->is_directed = 1;
    path->corrections = path->retreats = 0;
}

/* From the point kept along the tangent; products are linear in the target where it falls. */
static void predict(nb_pair_path *path, nb_pair_problem *s, double rho, double *aimed) {
    const double least = log(rho / path->target_kept), most_fall = -2.3, most_rise = 1, fraction = 0.9;
    double part = fmin(fmax(path->length * path->along_target, most_fall), most_rise); /* of ln(target) */
    path->ending = part <= least;
    if (path->ending) part = least;
    path->gone = part / path->along_target;
    const double weight = path->gone * (part < 0 ? expm1(part) / part : 1);
    for (int64_t i = 0; i < path->numbers; i++) path->step[i] = path->newton_kept[i] + weight * path->along[i];
    nb_pair_problem_restore_step(s, path->step);
    const double t = fmin(1, fraction * nb_pair_problem_reach(s, 1 / fraction));
    if (t < 1) path->ending = 0;
    path->gone *= t;
    move(path, s, t, path->ending ? rho : path->target_kept * exp(t * part), rho, aimed);
}

static void correct(nb_pair_path *path, nb_pair_problem *s, double rho, double *aimed) {
    const double most = 0.7, fraction = 0.95;
    const double across = dot(path, path->along, path->tangent) + path->along_target;
    double part = path->ending ? 0 : -dot(path, path->along, path->newton) / across;
    part = fmin(fmax(part, -most), most);
    for (int64_t i = 0; i < path->numbers; i++) path->step[i] = path->newton[i] + part * path->tangent[i];
    nb_pair_problem_restore_step(s, path->step);
    const double t = fmin(1, fraction * nb_pair_problem_reach(s, 1 / fraction));
    path->corrections++;
    move(path, s, t, path->target * exp(t * part), rho, aimed);
}

static void retreat(nb_pair_path *path, nb_pair_problem *s) {
    path->retreats++;
    path->corrections = 0;
    path->length = fmin(path->length, path->gone) / 4;
    nb_pair_problem_restore(s, path->point);
}

nb_pair_path_state nb_pair_path_go(nb_pair_path *path, nb_pair_problem *s, double rho, double *aimed) {
    nb_pair_problem_store_step(s, path->tangent);
    for (int64_t i = 0; i < path->numbers; i++) path->tangent[i] = (path->newton[i] - path->tangent[i]) / ASIDE;
    if (!path->ending && nb_pair_path_is_near(path->target, path->equality, path->cone)) {
        keep_point(path, s);
        predict(path, s, rho, aimed);
    } else if (path->corrections < MOST_CORRECTIONS) {
        correct(path, s, rho, aimed);
    } else {
        retreat(path, s);
        predict(path, s, rho, aimed);
    }
    while (!isfinite(path->equality) || !isfinite(path->cone)) {
        if (path->retreats == MOST_RETREATS) return NB_PAIR_PATH_LOST;
        retreat(path, s);
        predict(path, s, rho, aimed);
    }
    if (path->retreats > MOST_RETREATS) return NB_PAIR_PATH_LOST;
    const double enough = END * rho;
    return path->ending && path->equality <= enough && path->cone <= enough ? NB_PAIR_PATH_ENDS : NB_PAIR_PATH_GOES_ON;
}

#include "figure/marks.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

static nb_vec3 vector_at(const double *x) {
    return nb_vec3_of(x[0], x[1], x[2]);
}

/* those that are not known first */
static int by_error(const void *a, const void *b) {
    const double x = ((const nb_mark *)a)->error, y = ((const nb_mark *)b)->error;
    return isnan(x) || isnan(y) ? (isnan(y) != 0) - (isnan(x) != 0) : (x > y) - (x < y);
}

static int32_t compare_pairs(const nb_mark *a, const nb_mark *b) {
    return a->body[0] != b->body[0] ? a->body[0] - b->body[0] : a->body[1] - b->body[1];
}

static int by_pair(const void *a, const void *b) {
    return compare_pairs(a, b);
}

static nb_mark mark_of_frame(const double *row) {
    return (nb_mark){
        .point = vector_at(row + NB_FRAME_CONTACT_POINT),
        .force = vector_at(row + NB_FRAME_CONTACT_FORCE),
        .error = fmax(row[NB_FRAME_CONTACT_NORMAL_ERROR], row[NB_FRAME_CONTACT_FRICTION_ERROR]),
        .mode = isfinite(row[NB_FRAME_CONTACT_MODE]) ? (int)row[NB_FRAME_CONTACT_MODE] : -1,
        .body = {(int32_t)row[NB_FRAME_CONTACT_BODY_A], (int32_t)row[NB_FRAME_CONTACT_BODY_B]},
    };
}

static nb_mark mark_of_final(const nb_snapshot *final, int32_t i) {
    const double *error = final->contact_error ? final->contact_error + 2 * (int64_t)i : NULL;
    return (nb_mark){
        .point = vector_at(final->contact_point + 3 * (int64_t)i),
        .force = nb_snapshot_contact_force(final, i),
        .error = error ? fmax(error[0], error[1]) : (double)NAN,
        .mode = final->contact_mode ? final->contact_mode[i] : -1,
        .body = {final->contact_bodies[2 * (int64_t)i], final->contact_bodies[2 * (int64_t)i + 1]},
    };
}

nb_status nb_marks_read(const nb_run *run, int32_t frame, nb_marks *marks) {
    nb_status status;
    const double *rows = NULL;
    int64_t count = run->final.contacts;
    *marks = (nb_marks){.momentum_error = run->final.momentum_error};
    if (run->final.bodies + run->final.particles == 0)
        return nb_fail(NB_ERROR_INPUT, "run of '%s' has no bodies whose contacts could be shown", run->info.scenario);
    if (frame >= 0) {
        const int64_t first = run->frame_contact_start[frame];
        count = run->frame_contact_start[frame + 1] - first;
        rows = run->frame_contacts + first * NB_FRAME_CONTACT_COLUMNS;
        marks->momentum_error =
            run->frame_momentum_error ? run->frame_momentum_error + (int64_t)frame * run->info.bodies : NULL;
        if (count > 0 && isnan(rows[NB_FRAME_CONTACT_FORCE]))
            return nb_fail(NB_ERROR_INPUT, "run of '%s': this record has no points and forces of its states' contacts",
                           run->info.scenario);
    }
    NB_TRY(NB_ALLOCATE(count, &marks->items));
    for (; marks->count < count; marks->count++) {
        marks->items[marks->count] = rows ? mark_of_frame(rows + marks->count * (int64_t)NB_FRAME_CONTACT_COLUMNS)
                                          : mark_of_final(&run->final, marks->count);
        marks->items[marks->count].contact = marks->count;
    }
    qsort(marks->items, (size_t)marks->count, sizeof *marks->items, by_error);
out:
    return status;
}

void nb_marks_take_iterate(const nb_run *run, int32_t frame, int64_t iterate, nb_marks *marks) {
    const float *errors = nb_run_iterate_errors(run, frame, iterate);
    marks->momentum_error = NULL;
    for (int32_t i = 0; i < marks->count; i++) marks->items[i].error = (double)errors[marks->items[i].contact];
    qsort(marks->items, (size_t)marks->count, sizeof *marks->items, by_error);
}

void nb_marks_clear(nb_marks *marks) {
    nb_free(marks->items);
    marks->items = NULL;
    marks->count = 0;
}

/* the same contact with the higher body first, which is seldom the ground */
static void order_bodies(nb_mark *mark) {
    if (mark->body[0] >= mark->body[1]) return;
    const int32_t first = mark->body[1];
    mark->body[1] = mark->body[0];
    mark->body[0] = first;
    mark->force = nb_scale(-1, mark->force);
}

void nb_marks_merge_pairs(nb_marks *marks) {
    int32_t pairs = 0;
    double weight = 0;
    for (int32_t i = 0; i < marks->count; i++) order_bodies(&marks->items[i]);
    qsort(marks->items, (size_t)marks->count, sizeof *marks->items, by_pair);
    for (int32_t i = 0; i < marks->count; i++) {
        const nb_mark from = marks->items[i];
        const double own = nb_norm(from.force);
        nb_mark *to = marks->items + (pairs > 0 ? pairs - 1 : 0);
        if (pairs == 0 || compare_pairs(to, &from) != 0 || from.body[0] < 0) { /* particles have no numbers here */
            marks->items[pairs++] = from;
            weight = own;
            continue;
        }
        weight += own;
        if (weight > 0) to->point = nb_add_scaled(to->point, own / weight, nb_sub(from.point, to->point));
        to->force = nb_add(to->force, from.force);
        to->error = fmax(to->error, from.error);
    }
    marks->count = pairs;
    qsort(marks->items, (size_t)marks->count, sizeof *marks->items, by_error);
}

/* as common.gp's error_colour: ColorBrewer's YlOrRd, whose lightness falls, so that it can be read in grey */
void nb_mark_error_colour(const nb_mark_scale *scale, double error, double colour[3]) {
    static const double palette[5][3] = {{255, 255, 204}, {254, 217, 118}, {253, 141, 60}, {227, 26, 28}, {103, 0, 31}};
    const double share = (log10(error) - log10(scale->low)) / (log10(scale->high) - log10(scale->low));
    const double at = isfinite(share) ? 4 * fmin(fmax(share, 0), 1) : 0;
    const int i = at < 3 ? (int)at : 3;
    for (int k = 0; k < 3; k++)
        colour[k] = isnan(error) ? 1 : (palette[i][k] + (at - i) * (palette[i + 1][k] - palette[i][k])) / 255;
}

/* as scenes-modes.gp: open, sticking, sliding, of three lightnesses */
void nb_mark_mode_colour(int mode, double colour[3]) {
    static const double palette[4][3] = {{1, 1, 1}, {0.94, 0.94, 0.94}, {0, 0.27, 0.53}, {0.93, 0.60, 0.20}};
    for (int k = 0; k < 3; k++) colour[k] = palette[mode >= -1 && mode < 3 ? mode + 1 : 0][k];
}

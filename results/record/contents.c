#include "record/contents.h"

#include <stdio.h>
#include <string.h>

#include "record/gradient.h"
#include "record/optimization.h"
#include "record/run.h"
#include "record/timing.h"
#include "stored_system.h"

enum {
    MOST_AXES = 8 /* of a group */
};

/* what is passed on the way to the dataset that was asked for */
typedef struct walk {
    int left; /* datasets before it; -1: it was found */
    nb_content *one;
} walk;

/* a group of the file on the way; tables within tables of one structure share it */
typedef struct place {
    const char *path;
    const nb_member *part;     /* that it is, or NULL */
    const nb_members *members; /* of the structure, which has the counts of shapes */
    const nb_meaning *axes[MOST_AXES];
    int axis_count;
} place;

/* One entry of what is counted; a count without a line here is called by its member. */
static const char *singular(const char *count) {
    static const char *const words[][2] = {{"bodies", "body"},
                                           {"contacts", "contact"},
                                           {"bilaterals", "joint row"},
                                           {"particles", "particle"},
                                           {"frame_particles", "particle"},
                                           {"frame_bilaterals", "joint row"},
                                           {"soft_contacts", "soft contact"},
                                           {"rows", "row"},
                                           {"element_rows", "element row"},
                                           {"coordinate_rows", "coordinate row"},
                                           {"joints", "joint"},
                                           {"velocities", "velocity"},
                                           {"entries", "entry"},
                                           {"reaction_count", "entry"},
                                           {"fault_count", "failed copy"},
                                           {"iterate_error_count", "contact of an iterate"},
                                           {"count", "row"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], count) == 0) return words[i][1];
    return count;
}

/* the count at this offset of the structure, or NULL */
static const char *find_count(const nb_members *members, size_t offset) {
    for (int i = 0; i < members->count; i++) {
        const nb_member *m = &members->items[i];
        const char *found = NULL;
        if ((m->kind == NB_MEMBER_COUNT || m->kind == NB_MEMBER_INT32) && m->offset == offset) found = m->name;
        if (m->kind == NB_MEMBER_PART && offset >= m->offset && offset - m->offset < m->part->size)
            found = find_count(m->part, offset - m->offset);
        if (found) return found;
    }
    return NULL;
}

static void add_extent(const nb_members *structure, const nb_extent *extent, char *text, size_t size) {
    const size_t used = strlen(text);
    const char *between = used ? ", " : "", *plus = extent->plus ? " + 1" : "", *count;
    if (extent->axis)
        snprintf(text + used, size - used, "%s%s", between, extent->axis->name);
    else if (extent->kind == NB_EXTENT_FIXED)
        snprintf(text + used, size - used, "%s%zu", between, extent->at);
    else if ((count = find_count(structure, extent->at)) != NULL)
        snprintf(text + used, size - used, "%s%s%s", between, singular(count), plus);
}

static void pass(walk *w, const place *at, const nb_meaning *meaning, const nb_extent *shape, int rank) {
    if (w->left-- != 0) return;
    nb_content *one = w->one;
    const nb_member *part = at->part;
    snprintf(one->path, sizeof one->path, "%s%s", at->path, meaning->name);
    *one->shape = '\0';
    for (int i = 0; i < rank; i++) add_extent(at->members, &shape[i], one->shape, sizeof one->shape);
    one->is_scale = 0;
    one->units = meaning->units || !part ? meaning->units : part->units;
    one->long_name = meaning->long_name || !part ? meaning->long_name : part->long_name;
}

/* the dimension scales of a dataset's axes that the group does not have yet; an array of an axis's name is its scale */
static void pass_axes(walk *w, place *at, const char *name, const nb_extent *shape, int rank) {
    for (int i = 0; i < rank; i++) {
        const nb_meaning *axis = shape[i].axis;
        int known = !axis;
        for (int k = 0; k < at->axis_count && !known; k++) known = strcmp(at->axes[k]->name, axis->name) == 0;
        if (known || at->axis_count == MOST_AXES) continue;
        at->axes[at->axis_count++] = axis;
        if (strcmp(axis->name, name) == 0) continue;
        const int is_asked_for = w->left == 0;
        pass(w, at, axis, &shape[i], 1);
        if (is_asked_for) w->one->is_scale = 1;
    }
}

static void pass_with_axes(walk *w, place *at, const nb_meaning *meaning, const nb_extent *shape, int rank) {
    pass_axes(w, at, meaning->name, shape, rank);
    pass(w, at, meaning, shape, rank);
}

static void pass_list(walk *w, place *at, const nb_member *list) {
    for (int i = 0; i < list->part->count; i++) {
        const nb_member *m = &list->part->items[i];
        const nb_meaning meaning = {m->name, m->units, m->long_name};
        const nb_extent shape[2] = {list->shape[0], m->shape[0]};
        pass_with_axes(w, at, &meaning, shape, 1 + (nb_member_rank(m) > 0));
    }
}

static void pass_columns(walk *w, place *at, const nb_member *rows) {
    pass_axes(w, at, "", rows->shape, nb_member_rank(rows));
    for (int i = 0; rows->columns && i < rows->columns->count; i++) {
        const nb_column *column = nb_columns_at(rows->columns, i);
        const nb_meaning meaning = {column->name, column->units, column->long_name};
        pass(w, at, &meaning, rows->shape, nb_member_rank(rows));
    }
}

static void pass_members(walk *w, place *at, const nb_members *members);

static void pass_part(walk *w, place *at, const nb_member *part) {
    char path[sizeof w->one->path];
    const int same = part->offset == 0 && part->part->size == at->members->size; /* a table of the same structure */
    place inner = *at;
    if (!same) inner.members = part->part;
    if (part->name) {
        snprintf(path, sizeof path, "%s%s/", at->path, part->name);
        inner.path = path;
        inner.part = part;
        inner.axis_count = 0;
    }
    pass_members(w, &inner, part->part);
    if (part->name) return;
    memcpy(at->axes, inner.axes, sizeof at->axes);
    at->axis_count = inner.axis_count;
}

static void pass_members(walk *w, place *at, const nb_members *members) {
    for (int i = 0; i < members->count && w->left >= 0; i++) {
        const nb_member *m = &members->items[i];
        const nb_meaning meaning = {m->name, m->units, m->long_name};
        if (m->left_out & NB_RECORD) continue;
        if (m->kind == NB_MEMBER_ARRAY || m->kind == NB_MEMBER_STARTS)
            pass_with_axes(w, at, &meaning, m->shape, nb_member_rank(m));
        else if (m->kind == NB_MEMBER_ROWS)
            pass_columns(w, at, m);
        else if (m->kind == NB_MEMBER_LIST)
            pass_list(w, at, m);
        else if (m->kind == NB_MEMBER_PART)
            pass_part(w, at, m);
    }
}

int nb_content_at(int i, nb_content *one) {
    const struct {
        const char *path;
        const nb_members *members;
    } all[] = {{"runs/NNNN/", &nb_run_members},
               {"runs/NNNN/systems/SSSS_KKK/", &nb_stored_system_members},
               {"bench/", &nb_timing_rows_members},
               {"gradient:", &nb_gradient_members},
               {"optimize:", &nb_optimization_members}};
    walk w = {i, one};
    for (size_t k = 0; k < sizeof all / sizeof *all && w.left >= 0; k++) {
        place at = {.path = all[k].path, .members = all[k].members};
        pass_members(&w, &at, all[k].members);
    }
    return w.left < 0;
}

#include "measure/measure.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/largest.h"
#include "base/memory.h"
#include "base/real.h"
#include "constraint/box.h"
#include "constraint/cone_law.h"
#include "constraint/file_problem.h"
#include "constraint/law.h"
#include "constraint/problem.h"
#include "constraint/rolling_law.h"
#include "constraint/step.h"
#include "measure/largest_error.h"
#include "model/mass.h"

NB_PRECISIONS(f64);

/* The errors of block `i` of the range alone. */
static nb_law_errors block_errors(const nb_law_range *range, int32_t i, const nb_law_state *state) {
    nb_law_errors errors = {0};
    nb_law_range one = *range;
    one.blocks = 1;
    one.first_block += i;
    one.first_row += i * range->law->type->rows;
    one.first += i;
    range->law->type->error(&one, state, &errors);
    return errors;
}

/* What it does, an nb_contact_mode; -1 where it is no contact. */
static int block_mode(const nb_law_range *range, int32_t i, const nb_law_state *at) {
    const nb_law_class *type = range->law->type;
    const int32_t r = range->first_row + i * type->rows;
    const double *z = at->z + r;
    double mu, ratio = 1, v[3] = {at->value[r], at->value[r + 1], at->value[r + 2]};
    if (nb_law_is_friction(type)) {
        const nb_cone_law *law = (const nb_cone_law *)range->law;
        const nb_softness soft = nb_softness_of(law, range->first + i);
        nb_softness_add(&soft, at->value + r, z, v);
        mu = law->mu[range->first + i], ratio = law->ratio;
    } else if (type == &nb_rolling_class) {
        mu = ((const nb_rolling_law *)range->law)->mu[range->first + i];
    } else {
        return -1;
    }
    const double w = at->w[r + 1];
    if (!(at->w[r] * z[0] > v[0])) return NB_MODE_OPEN;
    const double along = w * z[1] - v[1], across = w * z[2] / ratio - ratio * v[2], limit = fmax(0, w * mu * z[0]);
    return along * along + across * across < limit * limit ? NB_MODE_STICKING : NB_MODE_SLIDING;
}

struct nb_measure {
    nb_problem *problem;      /* the step's, or the file's */
    nb_step *step;            /* NULL for a file */
    const nb_file_data *file; /* NULL for a world */
    double *z, *u;            /* [rows of the file] */
    const nb_world *world;
    int has_reference, has_second;
    nb_masses masses;
    nb_arena arena;
    /* of the step's solution, where it is known; [6 bodies] */
    double *u_reference, *made_reference; /* u*, and the velocities that its forces make */
    double *u_second;                     /* those of another solution */
    double *made, *none;                  /* those of the last iterate; [rows] no impulses */
    nb_look looks;
    int64_t serial;              /* iterates looked at */
    nb_contact_modes modes;      /* of the last one */
    nb_contact_errors errors[2]; /* as in nb_largest_error */
};

nb_status nb_measure_create(nb_measure **measure) {
    nb_status status;
    NB_TRY(NB_ALLOCATE(1, measure));
    NB_TRY(nb_step_create(&(*measure)->step));
    nb_step_keep_to_errors((*measure)->step);
    (*measure)->problem = nb_step_problem((*measure)->step);
out:
    if (status != NB_OK) {
        nb_measure_destroy(*measure);
        *measure = NULL;
    }
    return status;
}

nb_status nb_measure_create_file(const nb_file_data *data, nb_measure **measure) {
    nb_status status;
    NB_TRY(NB_ALLOCATE(1, measure));
    (*measure)->file = data;
    NB_TRY(nb_file_problem_create(data, &(*measure)->problem));
    NB_TRY(NB_ALLOCATE(nb_file_data_rows(data), &(*measure)->z));
    NB_TRY(NB_ALLOCATE(nb_file_data_rows(data), &(*measure)->u));
out:
    if (status != NB_OK) {
        nb_measure_destroy(*measure);
        *measure = NULL;
    }
    return status;
}

nb_status nb_measure_create_problem(nb_problem *problem, nb_measure **measure) {
    nb_status status = NB_ALLOCATE(1, measure);
    if (status == NB_OK) (*measure)->problem = problem;
    return status;
}

void nb_measure_destroy(nb_measure *measure) {
    if (!measure) return;
    if (measure->file) nb_file_problem_destroy(measure->problem);
    nb_step_destroy(measure->step);
    nb_free(measure->z);
    nb_free(measure->u);
    nb_free(measure->modes.mode);
    for (int i = 0; i < 2; i++) nb_free(measure->errors[i].error);
    nb_masses_clear(&measure->masses);
    nb_arena_clear(&measure->arena);
    nb_free(measure);
}

nb_status nb_measure_begin(nb_measure *measure, const nb_world *world, const nb_contacts *contacts, double h,
                           nb_geometry geometry) {
    return nb_measure_begin_beside(measure, NULL, world, contacts, h, geometry);
}

static void drop_reference(nb_measure *measure) {
    measure->has_reference = measure->has_second = 0;
}

nb_status nb_measure_begin_beside(nb_measure *measure, const nb_step *rows, const nb_world *world,
                                  const nb_contacts *contacts, double h, nb_geometry geometry) {
    measure->world = world;
    drop_reference(measure);
    return rows && nb_step_may_be_shared(rows) ? nb_step_begin_beside(measure->step, rows)
                                               : nb_step_begin(measure->step, world, contacts, h, geometry);
}

nb_status nb_measure_set_contacts(nb_measure *measure, const nb_contacts *contacts) {
    drop_reference(measure);
    return nb_step_set_contacts(nb_step_of(measure->problem), contacts);
}

/* made = u~ + M^-1 J^T z = u - M^-1 g of the last evaluate */
static void make_velocities(nb_measure *measure, double *made) {
    const nb_problem *p = measure->problem;
    p->type->velocity_step(p, measure->none, made);
    for (int32_t i = 0; i < p->velocities; i++) made[i] += p->u[i];
}

/* against the reference, or two solutions */
static void true_errors(nb_measure *measure, nb_errors *errors) {
    errors->velocity_error = errors->force_error = errors->distance[0] = errors->distance[1] = NAN;
    if (!measure->has_reference) return;
    make_velocities(measure, measure->made);
    if (measure->has_second) {
        errors->distance[0] = nb_masses_distance(&measure->masses, measure->problem->u, measure->u_reference);
        errors->distance[1] = nb_masses_distance(&measure->masses, measure->problem->u, measure->u_second);
        return;
    }
    errors->velocity_error = nb_masses_distance(&measure->masses, measure->problem->u, measure->u_reference);
    errors->force_error = nb_masses_distance(&measure->masses, measure->made, measure->made_reference);
}

void nb_measure_own_iterate(nb_measure *measure, double **u, double **z) {
    *u = measure->problem->u;
    *z = measure->problem->z;
}

/* the natural-map error with what laws relax in their place */
static double coulomb_error(const nb_measure *measure, const nb_errors *errors) {
    const nb_problem *p = measure->problem;
    const nb_law_state state = nb_problem_state(p);
    nb_law_errors own = {0};
    double largest = errors->momentum;
    int relaxed = 0;
    for (int32_t i = 0; i < p->range_count; i++) relaxed |= p->ranges[i].law->type->relaxes != NULL;
    if (!relaxed) return errors->natural_map;
    for (int32_t i = 0; i < p->range_count; i++) {
        const nb_law_class *type = p->ranges[i].law->type;
        (type->relaxes ? type->relaxes : type)->error(&p->ranges[i], &state, &own);
    }
    nb_raise(&largest, own.complementarity);
    nb_raise(&largest, own.friction);
    nb_raise(&largest, own.bilateral);
    return largest;
}

void nb_measure_look(nb_measure *measure, nb_look look) {
    measure->looks = look;
}

static nb_error_kind kind_of(const nb_problem *p, const nb_law_range *range, const nb_law_errors *own, double largest) {
    if (range->law->type == &nb_box_class && fmax(own->bilateral, fmax(own->friction, own->complementarity)) == largest)
        return NB_ERROR_KIND_JOINT;
    if (own->complementarity == largest) return NB_ERROR_KIND_NORMAL;
    if (own->friction == largest) return NB_ERROR_KIND_FRICTION;
    if (own->bilateral != largest) return NB_ERROR_KIND_NONE;
    return range->first_row < p->bilaterals ? NB_ERROR_KIND_JOINT : NB_ERROR_KIND_ELEMENT;
}

/* what block i of the range is in the world */
static void name_block(nb_measure *measure, const nb_law_range *range, int32_t i, nb_largest_error *found) {
    found->row = range->first_row + i * range->law->type->rows;
    found->index = range->first_block + i - (found->kind == NB_ERROR_KIND_JOINT ? 0 : measure->problem->bilaterals);
    if (found->kind == NB_ERROR_KIND_ELEMENT) found->index -= measure->problem->contacts;
    if (measure->step) nb_step_name_row(measure->step, found->row, &found->index, found->nodes);
}

/* Where the natural map is largest, and the modes of all contacts. */
static void find_largest(nb_measure *measure, const nb_errors *errors, nb_largest_error *found) {
    const nb_problem *p = measure->problem;
    const nb_law_state state = nb_problem_state(p);
    const double largest = errors->natural_map;
    nb_contact_modes *modes = &measure->modes;
    *found = (nb_largest_error){.row = -1, .index = -1, .nodes = {-1, -1}, .modes = modes};
    if (NB_RESERVE(p->contacts, &modes->capacity, &modes->mode) != NB_OK) return;
    modes->serial = found->serial = ++measure->serial;
    modes->count = 0;
    if (largest > 0 && errors->momentum == largest) {
        found->kind = NB_ERROR_KIND_MOMENTUM;
        if (measure->step) found->index = found->nodes[0] = nb_step_momentum_node(measure->step);
    }
    for (int32_t k = 0; k < p->range_count; k++) {
        const nb_law_range *range = &p->ranges[k];
        for (int32_t i = 0; i < range->blocks; i++) {
            const int mode = block_mode(range, i, &state);
            if (mode >= 0 && modes->count < p->contacts) {
                modes->mode[modes->count++] = (uint8_t)mode;
                found->contacts[mode]++;
            }
            if (found->kind != NB_ERROR_KIND_NONE || !(largest > 0)) continue;
            const nb_law_errors own = block_errors(range, i, &state);
            found->kind = kind_of(p, range, &own, largest);
            if (found->kind != NB_ERROR_KIND_NONE) name_block(measure, range, i, found);
        }
    }
}

void nb_measure_each(const nb_measure *measure, nb_snapshot *snapshot) {
    const nb_problem *p = measure->problem;
    const nb_law_state state = nb_problem_state(p);
    const int32_t *joints = nb_step_bilateral_order(measure->step);
    int32_t contact = 0;
    nb_step_momentum_errors(measure->step, snapshot->momentum_error);
    for (int32_t k = 0; k < p->range_count; k++)
        for (int32_t i = 0; i < p->ranges[k].blocks; i++) {
            const nb_law_range *range = &p->ranges[k];
            if (range->first_row >= p->bilaterals && contact >= p->contacts) return; /* elements */
            const nb_law_errors own = block_errors(range, i, &state);
            if (range->first_row < p->bilaterals) {
                snapshot->bilateral_error[joints[range->first_row + i]] = own.bilateral;
                continue;
            }
            snapshot->contact_error[2 * (ptrdiff_t)contact] = own.complementarity;
            snapshot->contact_error[2 * (ptrdiff_t)contact + 1] = own.friction;
            snapshot->contact_mode[contact++] = block_mode(range, i, &state);
        }
}

/* The largest errors, and each contact's, in the order of nb_measure_each, where these are looked for. */
static void find_errors(nb_measure *measure, nb_law_errors *largest) {
    const nb_problem *p = measure->problem;
    const nb_law_state state = nb_problem_state(p);
    nb_contact_errors *each = measure->errors;
    const int looks =
        measure->looks == NB_LOOK_FOR_CONTACTS && NB_RESERVE(p->contacts, &each->capacity, &each->error) == NB_OK;
    each->count = 0;
    each->serial = looks ? measure->serial + 1 : 0;
    for (int32_t k = 0; k < p->range_count; k++) {
        nb_law_range one = p->ranges[k];
        const nb_law_class *type = one.law->type;
        if (!looks || one.first_row < p->bilaterals || each->count == p->contacts) { /* those behind are elements */
            type->error(&one, &state, largest);
            continue;
        }
        one.blocks = 1;
        for (int32_t i = 0; i < p->ranges[k].blocks; i++, one.first_block++, one.first++, one.first_row += type->rows) {
            nb_law_errors own = {0};
            type->error(&one, &state, &own);
            each->error[each->count++] = (float)fmax(own.complementarity, own.friction);
            nb_raise(&largest->bilateral, own.bilateral);
            nb_raise(&largest->complementarity, own.complementarity);
            nb_raise(&largest->friction, own.friction);
            nb_raise(&largest->penetration, own.penetration);
        }
    }
}

void nb_measure_evaluate(nb_measure *measure, nb_errors *errors) {
    nb_measure_evaluate_within(measure, INFINITY, errors);
}

int nb_measure_evaluate_within(nb_measure *measure, double most, nb_errors *errors) {
    nb_problem *p = measure->problem;
    nb_law_errors own = {0};
    p->type->evaluate(p, NULL);
    const double momentum = p->type->momentum_error(p);
    if (momentum > most) return 0;
    find_errors(measure, &own);
    *errors = (nb_errors){.bilateral = own.bilateral,
                          .complementarity = own.complementarity,
                          .friction = own.friction,
                          .penetration = own.penetration,
                          .momentum = momentum};
    true_errors(measure, errors);
    nb_raise(&errors->natural_map, errors->complementarity);
    nb_raise(&errors->natural_map, errors->friction);
    nb_raise(&errors->natural_map, errors->bilateral);
    nb_raise(&errors->natural_map, errors->momentum);
    errors->coulomb = coulomb_error(measure, errors);
    if (measure->looks >= NB_LOOK_FOR_LARGEST) find_largest(measure, errors, &errors->largest);
    if (measure->errors[0].serial > 0) errors->largest.errors = measure->errors;
    errors->file = (nb_natural_map){NAN, NAN, NAN, NAN, NAN};
    if (!measure->file) return 1;
    nb_file_data_from_rows(measure->file, p->z, measure->z);
    nb_natural_map_compute(measure->file, measure->z, measure->u, &errors->file);
    return 1;
}

void nb_measure_solution_errors(nb_measure *measure, const nb_snapshot *solution, nb_errors *errors) {
    nb_problem *p = measure->problem;
    const double acts = p->h * nb_snapshot_contact_weight(solution);
    const int32_t *joints = nb_step_bilateral_order(measure->step);
    memcpy(p->u, solution->u, (size_t)p->velocities * sizeof *p->u);
    for (int32_t r = 0; r < p->bilaterals; r++) p->z[r] = p->h * solution->lambda_bilateral[joints[r]];
    for (int64_t i = 0; i < p->contacts; i++) {
        double *z = p->z + p->bilaterals + 3 * i;
        z[0] = acts * solution->lambda_normal[i];
        z[1] = acts * solution->lambda_friction[2 * i];
        z[2] = acts * solution->lambda_friction[2 * i + 1];
    }
    double *own = p->z + p->bilaterals + 3 * (int64_t)p->contacts;
    for (int32_t r = 0; r < solution->coordinate_rows; r++) own[r] = p->h * solution->lambda_coordinate[r];
    nb_measure_evaluate(measure, errors);
}

static void lay_out_reference(nb_arena *a, nb_measure *measure) {
    NB_PLACE(a, measure->problem->velocities, &measure->u_reference);
    NB_PLACE(a, measure->problem->velocities, &measure->made_reference);
    NB_PLACE(a, measure->problem->velocities, &measure->u_second);
    NB_PLACE(a, measure->problem->velocities, &measure->made);
    NB_PLACE(a, measure->problem->rows, &measure->none);
}

nb_status nb_measure_set_reference(nb_measure *measure, const nb_snapshot *solution) {
    nb_status status;
    nb_errors errors;
    const nb_problem *p = measure->problem;
    int64_t n = p->velocities;
    NB_TRY(nb_masses_of_world(measure->world, &measure->masses));
    nb_arena_measure(&measure->arena);
    lay_out_reference(&measure->arena, measure);
    NB_TRY(nb_arena_reserve(&measure->arena));
    lay_out_reference(&measure->arena, measure);
    drop_reference(measure);
    nb_measure_solution_errors(measure, solution, &errors);
    memcpy(measure->u_reference, solution->u, (size_t)n * sizeof *solution->u);
    make_velocities(measure, measure->made_reference);
    memcpy(measure->made, measure->made_reference, (size_t)n * sizeof *measure->made);
    measure->has_reference = 1;
out:
    return status;
}

nb_status nb_measure_set_solutions(nb_measure *measure, const nb_snapshot *first, const nb_snapshot *second) {
    nb_status status = nb_measure_set_reference(measure, first);
    if (status != NB_OK) return status;
    memcpy(measure->u_second, second->u, (size_t)measure->problem->velocities * sizeof *second->u);
    measure->has_second = 1;
    return NB_OK;
}

const double *nb_measure_velocities_of_forces(const nb_measure *measure) {
    return measure->made;
}

const double *nb_measure_values(const nb_measure *measure) {
    return measure->problem->value;
}

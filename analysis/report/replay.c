#include "report/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "figure/picture.h"
#include "report/style.h"
#include "table/recheck.h"
#include "text/html.h"

enum {
    MOST_RUNS = 8,        /* of a scene, side by side */
    POSE_BYTES = 16,      /* of a body in a state, its momentum error included */
    CONTACT_BYTES = 18,   /* of a contact in a state */
    POSES_ROOM = 1700000, /* bytes of a run's poses, before base64 makes them a third longer */
    CONTACTS_ROOM = 1850000,
    ITERATES_ROOM = 600000, /* of these, where iterates were kept */
    ROOMY_RUNS = 6,         /* more runs share the room of so many */
    MOST_BODIES = 65534
};

/* radii of the scene: farther away a body is not shown, and the camera does not look for it */
#define FAR 100.0
#define SEEN 4.0

/* what of a run is shown */
typedef struct replay {
    const nb_run *run;
    const nb_world *world;
    int32_t every, states; /* every so many stored states, the last among them; how many these are */
    int32_t contact_every; /* every so many of them have contacts, the last among them; 0: contacts are not known */
    int32_t iterate_every; /* every so many of those have iterates; 0: none were kept */
    nb_vec3 middle;        /* of what moves in the first state; and how far it reaches */
    double reach;
    nb_vec3 low, high; /* of all coordinates */
    nb_vec3 seen_low, seen_high;
    double force; /* largest component of a force */
} replay;

/* ---- base64 ---- */

typedef struct encoder {
    FILE *page;
    uint32_t bits;
    int bytes;
} encoder;

static void put_digits(const encoder *e, int count) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = 0; i < count; i++) fputc(digits[e->bits >> (18 - 6 * i) & 63], e->page);
}

static void put_byte(encoder *e, unsigned byte) {
    e->bits |= (uint32_t)byte << (16 - 8 * e->bytes);
    if (++e->bytes < 3) return;
    put_digits(e, 4);
    e->bits = 0;
    e->bytes = 0;
}

/* rounded, and kept within 16 bits */
static void put(encoder *e, double value) {
    const unsigned word = value > 0 ? (unsigned)(fmin(value, 65535) + 0.5) : 0;
    put_byte(e, word & 255);
    put_byte(e, word >> 8);
}

static void begin(encoder *e, const char *name, FILE *page) {
    *e = (encoder){.page = page};
    fprintf(page, ",\n\"%s\":\"", name);
}

static void end(encoder *e) {
    if (e->bytes > 0) {
        put_digits(e, e->bytes + 1);
        fputs(e->bytes == 1 ? "==" : "=", e->page);
    }
    fputc('"', e->page);
}

/* ---- what is shown ---- */

static int32_t state_at(const replay *p, int32_t shown) {
    return p->run->frame_count - 1 - (p->states - 1 - shown) * p->every;
}

/* every so many of `count`, of which the last is shown, take at most `room` */
static int32_t stride_of(double size, double room) {
    return size > room ? (int32_t)fmin(ceil(size / room), INT32_MAX) : 1;
}

static int32_t count_of(int32_t count, int32_t every) {
    return (count - 1) / every + 1;
}

static int has_contacts(const replay *p, int32_t shown) {
    return p->contact_every > 0 && (p->states - 1 - shown) % p->contact_every == 0;
}

/* the least number of the series 1, 2, 5, 10, ... that is not below */
static double series_from(double iteration) {
    double unit = 1;
    while (10 * unit < iteration) unit *= 10;
    return iteration <= unit ? unit : iteration <= 2 * unit ? 2 * unit : iteration <= 5 * unit ? 5 * unit : 10 * unit;
}

/* whether the player has it: the last that was kept up to a number of the series, or the first, or the last of all */
static int is_iterate_shown(const nb_run *run, int32_t frame, int64_t k) {
    if (k == run->frame_iterate_start[frame] || k + 1 == run->frame_iterate_start[frame + 1]) return 1;
    return series_from(run->frame_iterates[k]) < run->frame_iterates[k + 1];
}

static int has_iterates(const replay *p, int32_t shown) {
    const int64_t every = (int64_t)p->contact_every * p->iterate_every;
    return has_contacts(p, shown) && every > 0 && (p->states - 1 - shown) % every == 0;
}

static nb_vec3 place_of(const replay *p, int32_t state, int32_t body) {
    const double *q = p->run->frames + 7 * ((int64_t)state * p->run->info.bodies + body);
    return nb_vec3_of(q[0], q[1], q[2]);
}

static int moves(const replay *p, int32_t body) {
    return p->world->bodies[body].kind == NB_BODY_DYNAMIC;
}

static int is_within(const replay *p, nb_vec3 x, double radii) {
    return nb_norm(nb_sub(x, p->middle)) <= radii * p->reach; /* NaN is not */
}

static void widen(nb_vec3 *low, nb_vec3 *high, nb_vec3 x, double by) {
    *low = nb_vec3_of(fmin(low->x, x.x - by), fmin(low->y, x.y - by), fmin(low->z, x.z - by));
    *high = nb_vec3_of(fmax(high->x, x.x + by), fmax(high->y, x.y + by), fmax(high->z, x.z + by));
}

static const nb_vec3 nothing_low = {INFINITY, INFINITY, INFINITY}, nothing_high = {-INFINITY, -INFINITY, -INFINITY};

/* how far a body reaches: its shape, or its joints where it has none */
static double reach_of(const nb_world *world, int32_t body) {
    double reach = 0;
    if (world->bodies[body].shape >= 0) return world->shapes[world->bodies[body].shape]->radius;
    for (int32_t j = 0; j < world->joint_count; j++) {
        const nb_joint *joint = &world->joints[j];
        const double length = joint->kind == NB_JOINT_DISTANCE ? joint->length : 0;
        if (joint->body_a == body) reach = fmax(reach, nb_norm(joint->anchor_a) + length);
        if (joint->body_b == body) reach = fmax(reach, nb_norm(joint->anchor_b) + length);
    }
    return reach;
}

static void find_middle(replay *p) {
    nb_vec3 low = nothing_low, high = nothing_high;
    for (int32_t b = 0; b < p->world->body_count; b++)
        if (moves(p, b)) widen(&low, &high, place_of(p, 0, b), reach_of(p->world, b));
    p->middle = nb_scale(0.5, nb_add(low, high));
    p->reach = 0.5 * nb_norm(nb_sub(high, low));
    if (isfinite(p->reach) && p->reach > 0) return;
    p->middle = nb_vec3_of(0, 0, 0);
    p->reach = 1;
}

/* a body that diverged has no pose */
static int is_there(const replay *p, int32_t state, int32_t body) {
    const double *q = p->run->frames + 7 * ((int64_t)state * p->run->info.bodies + body);
    return isfinite(q[3] + q[4] + q[5] + q[6]) && is_within(p, place_of(p, state, body), FAR);
}

static double largest_of(nb_vec3 v) {
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

static int is_shown(const replay *p, const nb_mark *mark) {
    return is_within(p, mark->point, FAR) && isfinite(nb_norm(mark->force));
}

/* NB_ERROR_INPUT: the record has none of this state, so of no state */
static nb_status measure_contacts(replay *p, int32_t state) {
    nb_status status;
    nb_marks marks = {0};
    NB_TRY(nb_marks_read(p->run, state, &marks));
    for (int32_t i = 0; i < marks.count; i++) {
        if (!is_shown(p, &marks.items[i])) continue;
        widen(&p->low, &p->high, marks.items[i].point, 0);
        p->force = fmax(p->force, largest_of(marks.items[i].force));
    }
out:
    nb_marks_clear(&marks);
    return status;
}

static nb_status measure(replay *p) {
    p->low = p->seen_low = nothing_low;
    p->high = p->seen_high = nothing_high;
    for (int32_t s = 0; s < p->states; s++) {
        const int32_t state = state_at(p, s);
        for (int32_t b = 0; b < p->world->body_count; b++) {
            const nb_vec3 x = place_of(p, state, b);
            if (!is_there(p, state, b)) continue;
            widen(&p->low, &p->high, x, 0);
            if (moves(p, b) && is_within(p, x, SEEN)) widen(&p->seen_low, &p->seen_high, x, reach_of(p->world, b));
        }
        if (!has_contacts(p, s)) continue;
        const nb_status status = measure_contacts(p, state);
        if (status == NB_ERROR_INPUT)
            p->contact_every = 0;
        else if (status != NB_OK)
            return status;
    }
    if (!(p->low.x <= p->high.x)) p->low = p->high = p->middle;
    if (!(p->seen_low.x <= p->seen_high.x)) {
        p->seen_low = p->seen_high = p->middle;
        widen(&p->seen_low, &p->seen_high, p->middle, p->reach);
    }
    return NB_OK;
}

static void choose_states(replay *p, double share) {
    const nb_run *run = p->run;
    const double poses = (double)POSE_BYTES * run->info.bodies * run->frame_count;
    p->every = stride_of(poses, share * POSES_ROOM);
    p->states = count_of(run->frame_count, p->every);
    const double contacts = (double)run->frame_contact_start[run->frame_count] / run->frame_count * p->states;
    const int iterates = run->frame_iterate_start[run->frame_count] > 0;
    p->contact_every = stride_of(CONTACT_BYTES * contacts, share * (CONTACTS_ROOM - iterates * ITERATES_ROOM));
    p->iterate_every = iterates;
    double size = 0;
    for (int32_t s = 0; s < p->states; s++) {
        if (!has_iterates(p, s)) continue;
        for (int64_t k = run->frame_iterate_start[state_at(p, s)]; k + 1 < run->frame_iterate_start[state_at(p, s) + 1];
             k++)
            if (is_iterate_shown(run, state_at(p, s), k))
                size += 2.0 * (double)(run->frame_contact_start[state_at(p, s) + 1] -
                                       run->frame_contact_start[state_at(p, s)]);
    }
    if (iterates) p->iterate_every = stride_of(size, share * ITERATES_ROOM);
}

/* ---- writing ---- */

static void write_vector(const char *name, nb_vec3 v, FILE *page) {
    fprintf(page, ",\n\"%s\":[%.9g,%.9g,%.9g]", name, v.x, v.y, v.z);
}

static nb_vec3 step_of(const replay *p) {
    return nb_scale(1 / 65535.0, nb_sub(p->high, p->low));
}

static void put_vector(encoder *e, nb_vec3 v, nb_vec3 step, double middle) {
    put(e, step.x > 0 ? v.x / step.x + middle : middle);
    put(e, step.y > 0 ? v.y / step.y + middle : middle);
    put(e, step.z > 0 ? v.z / step.z + middle : middle);
}

/* of 14 bits */
static double code_of(double error) {
    if (isnan(error)) return 0;
    return floor(1.5 + fmin(fmax(819 * (log10(error) + 16), 0), 16382));
}

static void write_poses(const replay *p, FILE *page) {
    encoder e;
    begin(&e, "poses", page);
    for (int32_t s = 0; s < p->states; s++)
        for (int32_t b = 0; b < p->world->body_count; b++) {
            const int32_t state = state_at(p, s);
            const double *q = p->run->frames + 7 * ((int64_t)state * p->run->info.bodies + b);
            const int there = is_there(p, state, b);
            put_vector(&e, there ? nb_sub(place_of(p, state, b), p->low) : nb_vec3_of(0, 0, 0), step_of(p), 0);
            for (int k = 3; k < 7; k++) put(&e, there ? 32767.5 * (q[k] + 1) : 0);
        }
    end(&e);
    begin(&e, "momentum", page);
    for (int32_t s = 0; p->run->frame_momentum_error && s < p->states; s++)
        for (int32_t b = 0; b < p->world->body_count; b++)
            put(&e, code_of(p->run->frame_momentum_error[(int64_t)state_at(p, s) * p->run->info.bodies + b]));
    end(&e);
}

static void put_contact(encoder *e, const replay *p, const nb_mark *mark) {
    const double step = p->force / 32767;
    put_vector(e, nb_sub(mark->point, p->low), step_of(p), 0);
    put_vector(e, mark->force, nb_vec3_of(step, step, step), 32768);
    put(e, 4 * code_of(mark->error) + (mark->mode >= 0 && mark->mode < 3 ? mark->mode + 1 : 0));
    for (int k = 0; k < 2; k++) put(e, mark->body[k] < 0 ? 65535 : mark->body[k]);
}

static nb_status write_contacts(const replay *p, FILE *page) {
    nb_status status = NB_OK;
    nb_marks marks = {0};
    encoder e;
    int64_t *start = NULL;
    int32_t states = 0;
    NB_TRY(NB_ALLOCATE(p->states + 1, &start));
    begin(&e, "contacts", page);
    for (int32_t s = 0; s < p->states; s++) {
        if (!has_contacts(p, s)) continue;
        nb_marks_clear(&marks);
        NB_TRY(nb_marks_read(p->run, state_at(p, s), &marks));
        start[states + 1] = start[states];
        states++;
        for (int32_t i = 0; i < marks.count; i++) {
            if (!is_shown(p, &marks.items[i])) continue;
            put_contact(&e, p, &marks.items[i]);
            start[states]++;
        }
    }
    end(&e);
    fprintf(page, ",\n\"force_step\":%.9g,\"contact_every\":%d,\"contact_start\":[0", p->force / 32767,
            (int)p->contact_every);
    for (int32_t s = 0; s < states; s++) fprintf(page, ",%lld", (long long)start[s + 1]);
    fputc(']', page);
out:
    nb_marks_clear(&marks);
    nb_free(start);
    return status;
}

static void write_index(int32_t index, int *any, FILE *page) {
    fprintf(page, "%s%d", *any ? "," : "", (int)index);
    *any = 1;
}

/* of each state with contacts the numbers of its iterates; their errors in the order of the contacts, but for those of
 * the last, which are the state's */
static nb_status write_iterates(const replay *p, FILE *page) {
    nb_status status = NB_OK;
    nb_marks marks = {0};
    encoder e;
    int any = 0;
    fputs(",\n\"iterations\":[", page);
    for (int32_t s = 0; s < p->states; s++) {
        if (!has_contacts(p, s)) continue;
        const int32_t frame = state_at(p, s);
        int own = 0;
        fputs(any ? ",[" : "[", page);
        for (int64_t k = p->run->frame_iterate_start[frame];
             has_iterates(p, s) && k < p->run->frame_iterate_start[frame + 1]; k++)
            if (is_iterate_shown(p->run, frame, k)) write_index((int32_t)p->run->frame_iterates[k], &own, page);
        fputc(']', page);
        any = 1;
    }
    fputc(']', page);
    begin(&e, "iterate_errors", page);
    for (int32_t s = 0; s < p->states; s++) {
        if (!has_iterates(p, s)) continue;
        const int32_t frame = state_at(p, s);
        nb_marks_clear(&marks);
        NB_TRY(nb_marks_read(p->run, frame, &marks));
        for (int64_t k = p->run->frame_iterate_start[frame]; k + 1 < p->run->frame_iterate_start[frame + 1]; k++) {
            const float *errors = nb_run_iterate_errors(p->run, frame, k);
            if (!is_iterate_shown(p->run, frame, k)) continue;
            for (int32_t i = 0; i < marks.count; i++)
                if (is_shown(p, &marks.items[i])) put(&e, code_of((double)errors[marks.items[i].contact]));
        }
    }
    end(&e);
out:
    nb_marks_clear(&marks);
    return status;
}

/* ---- shapes ---- */

/* numbers with commas between them, after the first */
static void write_points(int32_t count, const nb_vec3 *points, int *any, FILE *page) {
    for (int32_t i = 0; i < count; i++, *any = 1)
        fprintf(page, "%s%.6g,%.6g,%.6g", *any ? "," : "", points[i].x, points[i].y, points[i].z);
}

static void write_faces(const nb_shape *shape, FILE *page) {
    int any = 0;
    int32_t base = 0;
    for (int32_t k = 0; k < shape->part_count; base += shape->parts[k++].vertex_count) {
        const nb_polyhedron *part = &shape->parts[k];
        for (int32_t f = 0; f < part->face_count; f++)
            for (int32_t i = part->face_start[f] + 1; i + 1 < part->face_start[f + 1]; i++) {
                write_index(base + part->face_vertex[part->face_start[f]], &any, page);
                write_index(base + part->face_vertex[i], &any, page);
                write_index(base + part->face_vertex[i + 1], &any, page);
            }
    }
    for (int32_t k = 0; k < shape->solid_count; base += shape->solids[k++].point_count)
        for (int32_t i = 0; i < 3 * shape->solids[k].triangle_count; i++)
            write_index(base + shape->solids[k].triangles[i], &any, page);
}

static void write_edges(const nb_shape *shape, FILE *page) {
    int any = 0;
    int32_t base = 0;
    for (int32_t k = 0; k < shape->part_count; base += shape->parts[k++].vertex_count) {
        const nb_polyhedron *part = &shape->parts[k];
        for (int32_t i = 0; i < part->edge_count; i++) {
            const int32_t *face = part->edge_face + 2 * (int64_t)i;
            if (nb_dot(part->face_normal[face[0]], part->face_normal[face[1]]) > 0.985) continue; /* 10 degrees */
            for (int j = 0; j < 2; j++) write_index(base + part->edge_vertex[2 * (int64_t)i + j], &any, page);
        }
    }
}

static void write_shape(const nb_shape *shape, FILE *page) {
    int any = 0;
    if (shape->kind == NB_SHAPE_SPHERE || shape->kind == NB_SHAPE_ELLIPSOID) {
        fprintf(page, "{\"ball\":[%.6g,%.6g,%.6g]}", shape->half.x, shape->half.y, shape->half.z);
        return;
    }
    if (shape->kind == NB_SHAPE_HALF_SPACE) {
        fputs("{\"plane\":1}", page);
        return;
    }
    fputs("{\"points\":[", page);
    for (int32_t k = 0; k < shape->part_count; k++)
        write_points(shape->parts[k].vertex_count, shape->parts[k].vertices, &any, page);
    for (int32_t k = 0; k < shape->solid_count; k++)
        write_points(shape->solids[k].point_count, shape->solids[k].points, &any, page);
    fputs("],\"faces\":[", page);
    write_faces(shape, page);
    fputs("],\"edges\":[", page);
    write_edges(shape, page);
    fputs("]}", page);
}

static int is_bare(const nb_world *world, int32_t body) {
    return body >= 0 && world->bodies[body].shape < 0 && world->bodies[body].kind == NB_BODY_DYNAMIC;
}

static void write_rod(int32_t a, nb_vec3 from, int32_t b, nb_vec3 to, int *any, FILE *page) {
    fprintf(page, "%s%d,%.6g,%.6g,%.6g,%d,%.6g,%.6g,%.6g", *any ? "," : "", (int)a, from.x, from.y, from.z, (int)b,
            to.x, to.y, to.z);
    *any = 1;
}

/* of joints of bodies without a shape: from bodies to anchors, and between anchors that are apart */
static void write_rods(const nb_world *world, FILE *page) {
    const nb_vec3 origin = {0, 0, 0};
    int any = 0;
    fputs(",\n\"rods\":[", page);
    for (int32_t j = 0; j < world->joint_count; j++) {
        const nb_joint *joint = &world->joints[j];
        const int32_t a = joint->body_a, b = joint->body_b;
        if (!is_bare(world, a) && !is_bare(world, b)) continue;
        if (joint->kind == NB_JOINT_DISTANCE || joint->kind == NB_JOINT_PRISMATIC)
            write_rod(a, joint->anchor_a, b, joint->anchor_b, &any, page);
        if (a >= 0) write_rod(a, origin, a, joint->anchor_a, &any, page);
        if (b >= 0) write_rod(b, origin, b, joint->anchor_b, &any, page);
    }
    fputc(']', page);
}

/* bodies without a shape share a small ball, the last shape */
static void write_shapes(const replay *p, FILE *page) {
    const nb_world *world = p->world;
    const double half = 0.025 * p->reach;
    int any = 0;
    fputs(",\n\"shape\":[", page);
    for (int32_t b = 0; b < world->body_count; b++)
        write_index(world->bodies[b].shape >= 0 ? world->bodies[b].shape : world->shape_count, &any, page);
    fputs("],\n\"fixed\":[", page);
    any = 0;
    for (int32_t b = 0; b < world->body_count; b++)
        if (!moves(p, b)) write_index(b, &any, page);
    fputs("],\n\"shapes\":[", page);
    for (int32_t s = 0; s < world->shape_count; s++) {
        write_shape(world->shapes[s], page);
        fputs(",\n", page);
    }
    fprintf(page, "{\"ball\":[%.6g,%.6g,%.6g]}]", half, half, half);
}

/* ---- runs ---- */

static nb_status write_data(replay *p, FILE *page) {
    const nb_run *run = p->run;
    nb_status status = measure(p);
    if (status != NB_OK) return status;
    fprintf(page, "{\"bodies\":%d,\"particles\":%d,\"stored\":%d,\"every\":%d,\n\"times\":[", (int)run->info.bodies,
            (int)p->world->particle_count, (int)run->frame_count, (int)p->every);
    for (int32_t s = 0; s < p->states; s++) fprintf(page, "%s%.9g", s ? "," : "", run->frame_time[state_at(p, s)]);
    fputc(']', page);
    write_vector("low", p->low, page);
    write_vector("step", step_of(p), page);
    write_vector("centre", nb_scale(0.5, nb_add(p->seen_low, p->seen_high)), page);
    write_vector("half", nb_scale(0.5, nb_sub(p->seen_high, p->seen_low)), page);
    write_poses(p, page);
    NB_TRY(write_contacts(p, page));
    if (p->iterate_every > 0) NB_TRY(write_iterates(p, page));
    write_shapes(p, page);
    write_rods(p->world, page);
    fputs("}\n", page);
out:
    return status;
}

/* its number, method, linear solver, and the settings in which runs differ */
static void write_title(const nb_run *run, const nb_report_runs *runs, int i, FILE *page) {
    const char *solver = run->info.linear_solver;
    const int has_solver = *solver && strcmp(solver, "none") != 0;
    nb_html_format(page, "run %04d: %s%s%s", i, run->info.method, has_solver ? ", " : "", has_solver ? solver : "");
    for (int c = 0; c < runs->column_count; c++)
        if (*runs->runs[i].columns[c] && strcmp(runs->columns[c], "method") != 0)
            nb_html_format(page, ", %s %s", runs->columns[c], runs->runs[i].columns[c]);
}

static nb_status write_run(nb_record_reader *reader, const nb_report_runs *runs, int i, int scene, double share,
                           FILE *page) {
    const nb_scenario_class *scenario;
    double *values = NULL;
    nb_world *world = NULL;
    nb_run *run = NULL;
    nb_picture_state last;
    nb_status status;
    NB_TRY(nb_record_read_run(reader, i, &run));
    status = nb_run_rebuild(run, &scenario, &values, &world);
    if (status == NB_OK) status = nb_picture_state_of(run, world, run->frame_count - 1, &last);
    if (status == NB_OK && run->info.bodies > MOST_BODIES)
        status = nb_fail(NB_ERROR_INPUT, "more than %d bodies", MOST_BODIES);
    if (status != NB_OK) {
        if (status == NB_ERROR_MEMORY) goto out;
        fputs("<p class=\"failed\">Not shown: ", page);
        nb_html_format(page, "run %04d: %s", i, nb_error_message());
        fputs(".</p>\n", page);
        status = NB_OK;
        goto out;
    }
    fprintf(page, "<script type=\"application/json\" class=\"replay-run\" data-scene=\"%d\" data-name=\"", scene);
    nb_html_text(page, run->info.scenario);
    fputs("\" data-title=\"", page);
    write_title(run, runs, i, page);
    fputs("\">\n", page);
    replay p = {.run = run, .world = world};
    choose_states(&p, share);
    find_middle(&p);
    NB_TRY(write_data(&p, page));
    fputs("</script>\n", page);
out:
    nb_world_destroy(world);
    nb_run_destroy(run);
    nb_free(values);
    return status;
}

/* the first run with states of the same scene, and how many such runs stand before run `i` */
static int find_scene(const nb_report_runs *runs, int i, int *before) {
    int first = i;
    *before = 0;
    for (int k = i - 1; k >= 0; k--)
        if (runs->runs[k].states > 0 && runs->runs[k].bodies == runs->runs[i].bodies &&
            strcmp(runs->runs[k].scenario, runs->runs[i].scenario) == 0) {
            first = k;
            ++*before;
        }
    return first;
}

nb_status nb_report_replay_write(nb_record_reader *reader, const char *name, const nb_report_runs *runs, FILE *page) {
    nb_status status = NB_OK;
    int before, shown = 0, left_out = 0;
    for (int i = 0; i < runs->run_count; i++) {
        if (runs->runs[i].states == 0) continue;
        find_scene(runs, i, &before);
        shown += before < MOST_RUNS;
        left_out += before >= MOST_RUNS;
    }
    if (shown == 0)
        return nb_fail(NB_ERROR_INPUT,
                       "'%s' has no stored states of bodies; --replay requires runs with --store-states", name);
    fputs("<section id=\"replay\">\n<h2>Replay</h2>\n", page);
    for (const char *const *line = nb_report_player; *line; line++) fputs(*line, page);
    if (left_out > 0)
        fprintf(page, "<p class=\"note\">Left out: %d runs, beyond the first %d of a scene.</p>\n", left_out,
                MOST_RUNS);
    for (int i = 0; i < runs->run_count && status == NB_OK; i++) {
        if (runs->runs[i].states == 0) continue;
        const int scene = find_scene(runs, i, &before);
        if (before < MOST_RUNS) status = write_run(reader, runs, i, scene, fmin(1, (double)ROOMY_RUNS / shown), page);
    }
    fputs("</section>\n", page);
    return status;
}

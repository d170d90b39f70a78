#include "trajectory/run.h"

#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "model/coordinate.h"
#include "model/pair.h"
#include "trajectory/view.h"

NB_PRECISIONS(f32, f64);

typedef struct running {
    nb_trajectories base; /* first */
    const nb_runtime *runtime;
    nb_trajectory_scene scene; /* its arrays on the device */
    nb_island_settings settings;
    int32_t copies;
    int64_t shared_bytes;
    nb_joint *kept_joints;     /* [copies][joints], as what follows */
    nb_body *kept;             /* [copies][bodies] scratch, and where they come to be */
    void *shared, *own, *list; /* of the device: the scene's arrays, the copies', the copies */
    void *bodies, *joints;     /* of the copies */
    void *rows;                /* of the device, for rows_of steps */
    int32_t rows_of;
} running;

/* ---- what the kernel takes ---- */

static nb_status lacks(const char *what) {
    return nb_fail(NB_ERROR_UNSUPPORTED, "--whole-steps trajectory does not support %s", what);
}

static nb_status check_shapes(const nb_world *world) {
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_body *body = &world->bodies[i];
        const nb_shape_kind kind = body->shape < 0 ? NB_SHAPE_NONE : world->shapes[body->shape]->kind;
        if (kind > NB_SHAPE_COMPOUND)
            return nb_fail(NB_ERROR_UNSUPPORTED, "--whole-steps trajectory does not support shape %s (body %d)",
                           nb_shape_kind_name(kind), (int)i);
        if (body->kind == NB_BODY_KINEMATIC) return lacks("kinematic bodies");
    }
    return NB_OK;
}

static nb_status lacks_of(const char *what, const char *whose, int32_t index) {
    return nb_fail(NB_ERROR_UNSUPPORTED, "--whole-steps trajectory does not support %s (%s %d)", what, whose,
                   (int)index);
}

static nb_status check_joints(const nb_world *world) {
    if (world->coupling_count > 0) return lacks("couplings of joints");
    for (int32_t i = 0; i < world->joint_count; i++) {
        const nb_joint *joint = &world->joints[i];
        if (joint->limited) return lacks_of("limits", "joint", i);
        if (joint->friction > 0) return lacks_of("friction", "joint", i);
        if (joint->armature > 0) return lacks_of("armature", "joint", i);
    }
    for (int32_t i = 0; i < world->motor_count; i++)
        if (world->motors[i].effort > 0) return lacks_of("efforts", "motor", i);
    return NB_OK;
}

static nb_status check_world(const nb_world *world) {
    if (world->particle_count > 0) return lacks("particles");
    if (world->planar) return lacks("planar scenes");
    if (world->settings.stepping.scheme != NB_STEPPING_IMPLICIT) return lacks("linearized time stepping");
    if (world->settings.contacts.model != NB_CONTACTS_RIGID) return lacks("a contact model other than rigid");
    nb_status status = check_joints(world);
    return status == NB_OK ? check_shapes(world) : status;
}

/* ---- the scene ---- */

static const nb_shape *shape_of(const nb_world *world, int32_t body) {
    return world->bodies[body].shape < 0 ? NULL : world->shapes[world->bodies[body].shape];
}

static int32_t pieces_of(const nb_world *world, int32_t body) {
    const nb_shape *shape = shape_of(world, body);
    if (!shape || shape->kind == NB_SHAPE_NONE) return 0;
    return shape->kind == NB_SHAPE_COMPOUND ? shape->part_count : 1;
}

static int moves(const nb_world *world, int32_t body) {
    return world->bodies[body].kind == NB_BODY_DYNAMIC;
}

/* whether contacts between them are looked for */
static int may_touch(const nb_world *world, const nb_separated *separated, int32_t a, int32_t b) {
    const int planes = pieces_of(world, a) > 0 && pieces_of(world, b) > 0 &&
                       shape_of(world, a)->kind == NB_SHAPE_HALF_SPACE &&
                       shape_of(world, b)->kind == NB_SHAPE_HALF_SPACE;
    return (moves(world, a) || moves(world, b)) && pieces_of(world, a) > 0 && pieces_of(world, b) > 0 && !planes &&
           !nb_separated_has(separated, a, b);
}

static nb_trajectory_pair pair_of(const nb_world *world, int32_t a, int32_t b, const int32_t *first_piece) {
    return (nb_trajectory_pair){.body_a = a,
                                .body_b = b,
                                .begin_a = first_piece[a],
                                .end_a = first_piece[a + 1],
                                .begin_b = first_piece[b],
                                .end_b = first_piece[b + 1],
                                .friction = nb_world_friction(world, a, b)};
}

/* The pairs in the order of detection: the body with mass first, or the lower one of two. With `pair` NULL they are
 * counted alone. */
static int32_t list_pairs(const nb_world *world, const nb_separated *separated, const int32_t *first_piece,
                          nb_trajectory_pair *pair) {
    int32_t count = 0;
    for (int32_t a = 0; a < world->body_count; a++)
        for (int32_t b = 0; b < world->body_count; b++) {
            if (a == b || !moves(world, a) || (moves(world, b) && b < a) || !may_touch(world, separated, a, b))
                continue;
            if (pair) pair[count] = pair_of(world, a, b, first_piece);
            count++;
        }
    return count;
}

/* its arrays in the arena, of the host or of the device */
static void place_scene(nb_arena *a, nb_trajectory_scene *k) {
    NB_PLACE(a, k->bodies, &k->slot);
    NB_PLACE(a, k->slots, &k->body);
    NB_PLACE(a, k->pieces, &k->first_vector);
    NB_PLACE(a, k->pieces, &k->items);
    NB_PLACE(a, k->pairs, &k->pair);
    NB_PLACE(a, k->joint_rows, &k->row);
    NB_PLACE(a, k->joints, &k->motor_of);
    NB_PLACE(a, k->motors, &k->motor);
    NB_PLACE(a, k->aims * (int64_t)k->motors, &k->aim);
}

/* a copy of the polyhedron in the arena, of the host and of the device; `from` has its numbers */
static void place_polyhedron(nb_arena *a, const nb_polyhedron *from, nb_polyhedron *to) {
    *to = *from;
    NB_PLACE(a, from->vertex_count, &to->vertices);
    NB_PLACE(a, from->face_count + 1, &to->face_start);
    NB_PLACE(a, from->face_start[from->face_count], &to->face_vertex);
    NB_PLACE(a, from->face_count, &to->face_normal);
    NB_PLACE(a, 2 * (int64_t)from->edge_count, &to->edge_vertex);
    NB_PLACE(a, 2 * (int64_t)from->edge_count, &to->edge_face);
}

static void copy_polyhedron(const nb_polyhedron *from, const nb_polyhedron *to) {
    memcpy(to->vertices, from->vertices, (size_t)from->vertex_count * sizeof *to->vertices);
    memcpy(to->face_start, from->face_start, ((size_t)from->face_count + 1) * sizeof *to->face_start);
    memcpy(to->face_vertex, from->face_vertex, (size_t)from->face_start[from->face_count] * sizeof *to->face_vertex);
    memcpy(to->face_normal, from->face_normal, (size_t)from->face_count * sizeof *to->face_normal);
    memcpy(to->edge_vertex, from->edge_vertex, 2 * (size_t)from->edge_count * sizeof *to->edge_vertex);
    memcpy(to->edge_face, from->edge_face, 2 * (size_t)from->edge_count * sizeof *to->edge_face);
}

/* the polyhedra of all parts of all shapes, one after the other */
static void place_shapes(nb_arena *a, const nb_world *world, nb_polyhedron **all) {
    int32_t count = 0;
    for (int32_t i = 0; i < world->shape_count; i++) count += world->shapes[i]->part_count;
    NB_PLACE(a, count, all);
}

static int32_t first_part(const nb_world *world, int32_t shape) {
    int32_t first = 0;
    for (int32_t i = 0; i < shape; i++) first += world->shapes[i]->part_count;
    return first;
}

/* The scene's arrays in the host's memory `here`, with pointers to where they come to be, `there`; with both measuring
 * nothing is filled. */
static void fill_shapes(const nb_world *world, nb_arena *here, nb_arena *there, nb_polyhedron **device_shapes) {
    nb_polyhedron *own = NULL;
    place_shapes(here, world, &own);
    place_shapes(there, world, device_shapes);
    for (int32_t i = 0, n = 0; i < world->shape_count; i++)
        for (int32_t part = 0; part < world->shapes[i]->part_count; part++, n++) {
            nb_polyhedron in_host, on_device;
            place_polyhedron(here, &world->shapes[i]->parts[part], &in_host);
            place_polyhedron(there, &world->shapes[i]->parts[part], &on_device);
            if (!here->memory) continue;
            copy_polyhedron(&world->shapes[i]->parts[part], &in_host);
            own[n] = on_device;
        }
}

static void fill_pieces(const nb_world *world, const nb_polyhedron *device_shapes, nb_trajectory_scene *k) {
    int32_t n = 0, vectors = 0;
    for (int32_t body = 0; body < world->body_count; body++)
        for (int32_t part = 0; part < pieces_of(world, body); part++, n++) {
            const nb_shape *shape = shape_of(world, body);
            nb_piece *piece = &k->items[n];
            *piece = (nb_piece){.kind = shape->kind, .body = body, .part = part, .radius = shape->radius};
            k->first_vector[n] = vectors;
            vectors += shape->kind == NB_SHAPE_HALF_SPACE;
            if (shape->kind != NB_SHAPE_COMPOUND) continue;
            piece->polyhedron = device_shapes + first_part(world, world->bodies[body].shape) + part;
            vectors += shape->parts[part].vertex_count + shape->parts[part].face_count;
        }
}

static void fill_slots(const nb_world *world, nb_trajectory_scene *k) {
    int32_t n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < world->body_count; i++) {
            if (moves(world, i) == pass) continue;
            k->slot[i] = n;
            k->body[n++] = i;
        }
}

static int32_t joint_rows_of(const nb_world *world) {
    int32_t count = 0;
    for (int32_t i = 0; i < world->joint_count; i++) count += nb_joint_rows(world->joints[i].kind);
    return count;
}

static int keeps_energy(const nb_world *world, int32_t joint, int row) {
    const nb_joint *of = &world->joints[joint];
    return nb_joint_has_row(of->kind, row) && of->compliance[row] > 0 && !(of->damping[row] > 0) &&
           nb_driven_row(world, joint) < 0;
}

static void fill_joint_rows(const nb_world *world, nb_trajectory_scene *k) {
    int32_t n = 0;
    for (int32_t j = 0; j < world->joint_count; j++) {
        const nb_joint *joint = &world->joints[j];
        for (int32_t row = 0; row < NB_JOINT_MAX_ROWS; row++)
            if (nb_joint_has_row(joint->kind, row))
                k->row[n++] = (nb_trajectory_row_of_joint){.joint = j,
                                                           .row = row,
                                                           .a = joint->body_a < 0 ? -1 : k->slot[joint->body_a],
                                                           .b = joint->body_b < 0 ? -1 : k->slot[joint->body_b],
                                                           .keeps_energy = keeps_energy(world, j, row)};
    }
}

/* One step of what is prescribed, for motors alone; `again`: the aims are known, and have to be the same. */
static nb_status tell_motors(nb_world *told, const nb_body *before, double h, int again, nb_trajectory_aim *aim) {
    if (told->prescribe) told->prescribe(told, h);
    told->time += h;
    for (int32_t i = 0; i < told->body_count; i++)
        if (memcmp(&told->bodies[i], &before[i], sizeof *before) != 0)
            return lacks("prescribed motions and forces of bodies");
    for (int32_t i = 0; i < told->motor_count; i++) {
        const nb_trajectory_aim own = {told->motors[i].target, told->motors[i].rate};
        if (again && !(own.target == aim[i].target && own.rate == aim[i].rate))
            return lacks("motors whose targets depend on the state of bodies");
        aim[i] = own;
    }
    return NB_OK;
}

/* Motors, and their aims in each step. These are known beforehand where they do not depend on bodies: with bodies whose
 * state is no number they are the same. */
static nb_status fill_motors(const nb_world *world, double h, nb_trajectory_scene *k) {
    nb_status status;
    nb_world told = *world;
    nb_body *before = NULL;
    told.bodies = NULL;
    told.motors = NULL;
    NB_TRY(NB_ALLOCATE(world->body_count, &before));
    NB_TRY(NB_ALLOCATE(world->body_count, &told.bodies));
    NB_TRY(NB_ALLOCATE(world->motor_count, &told.motors));
    for (int32_t j = 0; j < world->joint_count; j++) k->motor_of[j] = nb_motor_of(world, j);
    for (int again = 0; again < 2; again++) {
        told.time = world->time;
        for (int32_t i = 0; i < world->motor_count; i++) k->motor[i] = told.motors[i] = world->motors[i];
        for (int32_t i = 0; i < world->body_count; i++) {
            const nb_vec3 nowhere = nb_vec3_of(NAN, NAN, NAN);
            before[i] = world->bodies[i];
            if (again) before[i].position = before[i].linear_velocity = before[i].angular_velocity = nowhere;
            if (again) before[i].orientation = nb_quat_of(NAN, NAN, NAN, NAN);
            memcpy(&told.bodies[i], &before[i], sizeof *before);
        }
        for (int32_t step = 0; step < k->aims; step++)
            NB_TRY(tell_motors(&told, before, h, again, k->aim + step * (int64_t)k->motors));
    }
out:
    nb_free(before);
    nb_free(told.bodies);
    nb_free(told.motors);
    return status;
}

static void count_scene(const nb_world *world, nb_trajectory_scene *k) {
    k->bodies = k->slots = world->body_count;
    k->joints = world->joint_count;
    k->motors = world->motor_count;
    k->joint_rows = joint_rows_of(world);
    for (int32_t i = 0; i < world->joint_count; i++)
        for (int row = 0; row < NB_JOINT_MAX_ROWS; row++) k->springs |= keeps_energy(world, i, row);
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_shape *shape = shape_of(world, i);
        k->pieces += pieces_of(world, i);
        for (int32_t part = 0; shape && part < shape->part_count; part++)
            k->vectors += shape->parts[part].vertex_count + shape->parts[part].face_count;
        k->vectors += shape && shape->kind == NB_SHAPE_HALF_SPACE;
    }
}

static nb_status build_scene(running *r, const nb_trajectories_start *start) {
    nb_status status;
    const nb_world *world = start->worlds[0];
    nb_separated separated = {0};
    nb_arena here = {0}, there = {0};
    nb_trajectory_scene *k = &r->scene, host;
    nb_polyhedron *device_shapes;
    int32_t *first_piece = NULL;
    char *memory = NULL;
    NB_TRY(nb_separated_list(&separated, world));
    NB_TRY(NB_ALLOCATE(world->body_count + 1, &first_piece));
    for (int32_t i = 0; i < world->body_count; i++) first_piece[i + 1] = first_piece[i] + pieces_of(world, i);
    count_scene(world, k);
    k->aims = world->prescribe && start->steps > 1 ? start->steps : 1;
    k->pairs = list_pairs(world, &separated, first_piece, NULL);
    k->turn = k->contact_slots / 4; /* of two bodies that touch there are at least as many, as a rule */
    if (k->turn > k->pairs) k->turn = k->pairs;
    place_scene(&here, k);
    fill_shapes(world, &here, &there, &device_shapes);
    NB_TRY(NB_ALLOCATE(here.used, &memory));
    NB_TRY(r->runtime->allocate(here.used, &r->shared));
    const int64_t bytes = here.used;
    here = (nb_arena){.memory = memory};
    there = (nb_arena){.memory = r->shared};
    host = *k;
    place_scene(&here, &host);
    place_scene(&there, k);
    fill_shapes(world, &here, &there, &device_shapes);
    fill_slots(world, &host);
    fill_pieces(world, device_shapes, &host);
    fill_joint_rows(world, &host);
    NB_TRY(fill_motors(world, start->h, &host));
    list_pairs(world, &separated, first_piece, host.pair);
    NB_TRY(r->runtime->upload(r->shared, memory, bytes));
out:
    nb_separated_clear(&separated);
    nb_free(first_piece);
    nb_free(memory);
    return status;
}

/* ---- the copies ---- */

static void place_island(nb_arena *a, const nb_trajectory_scene *k, int32_t bodies, nb_island *v) {
    const int64_t n = k->threads, slots = k->slots;
    *v = (nb_island){.contacts = k->contact_slots,
                     .joint_rows = k->joint_rows,
                     .bodies = bodies,
                     .slots = k->slots,
                     .threads = k->threads,
                     .joint_first = k->contact_slots,
                     .joints_move = k->joint_rows > 0 && !k->frozen};
    NB_PLACE(a, n, &v->a);
    NB_PLACE(a, n, &v->b);
    NB_PLACE(a, bodies + 1, &v->side_start);
    NB_PLACE(a, 2 * n, &v->side_list);
    NB_PLACE(a, k->joint_rows > 0 ? n : 0, &v->motion);
    NB_PLACE(a, k->joint_rows > 0 ? NB_JOINT_NUMBERS * n : 0, &v->joint);
    NB_PLACE(a, 12 * n, &v->geometry);
    NB_PLACE(a, n, &v->offset);
    NB_PLACE(a, n, &v->arms_turn);
    NB_PLACE(a, n, &v->coefficient);
    NB_PLACE(a, 3 * n, &v->z);
    NB_PLACE(a, 7 * slots, &v->inverse_mass);
    NB_PLACE(a, 6 * slots, &v->u_free);
    NB_PLACE(a, 6 * slots, &v->u);
}

/* room for all blocks of the factor, unless they all have it in shared memory */
static int64_t far_blocks(const nb_trajectory_scene *k, int32_t bodies) {
    const int64_t most = (int64_t)bodies * bodies;
    return k->exact && k->near_blocks < most ? most : 0;
}

static void place_copy(nb_arena *a, const nb_trajectory_scene *k, int32_t bodies, nb_trajectory *c) {
    const int64_t found = NB_TRAJECTORY_PAIR_SLOTS * (int64_t)k->turn * (int64_t)(sizeof(nb_contact) / sizeof(double)),
                  far = far_blocks(k, bodies) * NB_FACTOR_BLOCK;
    NB_PLACE(a, k->pieces, &c->pieces);
    NB_PLACE(a, k->pieces, &c->moving);
    NB_PLACE(a, k->pieces, &c->bounds);
    NB_PLACE(a, k->vectors, &c->vectors);
    NB_PLACE(a, k->pairs, &c->near_pair);
    NB_PLACE(a, k->turn, &c->found_count);
    NB_PLACE(a, k->turn, &c->found_begin);
    NB_PLACE(a, found > far ? found : far, &c->far_blocks);
    c->found = (nb_contact *)(void *)c->far_blocks;
    NB_PLACE(a, k->contact_slots, &c->contact);
    NB_PLACE(a, 2 * (int64_t)k->contact_slots, &c->tangent);
    NB_PLACE(a, k->contact_slots, &c->push);
    NB_PLACE(a, 2 * (int64_t)k->contact_slots, &c->weight);
    NB_PLACE(a, k->joint_rows, &c->pull);
    NB_PLACE(a, k->slots, &c->inverse_inertia);
    NB_PLACE(a, k->slots, &c->inverse_mass);
    NB_PLACE(a, k->slots, &c->free_velocity);
    NB_PLACE(a, k->slots, &c->free_spin);
    NB_PLACE(a, k->exact ? k->slots : 0, &c->mass);
    NB_PLACE(a, k->exact ? k->slots : 0, &c->inertia);
    NB_PLACE(a, k->exact ? 6 * (int64_t)k->slots : 0, &c->best_motion);
    NB_PLACE(a, k->warm ? k->contact_slots : 0, &c->memory);
    place_island(a, k, bodies, &c->island);
    nb_arena_align(a, 256);
}

/* of it what the kernel reads */
static nb_world world_of(const nb_world *from, nb_body *bodies, nb_joint *joints) {
    return (nb_world){.body_count = from->body_count,
                      .joint_count = from->joint_count,
                      .bodies = bodies,
                      .joints = joints,
                      .gravity = from->gravity,
                      .settings = from->settings,
                      .time = from->time};
}

/* what exact steps take of a block's shared memory, of which `most` is left [bytes]; how many blocks of the factor */
static int64_t share_exact(nb_trajectory_scene *k, int32_t bodies, int64_t most) {
    const int64_t all = (int64_t)bodies * bodies, wanted = NB_FACTOR_NEAR * (int64_t)bodies,
                  block = NB_FACTOR_BLOCK * (int64_t)sizeof(double),
                  least = nb_body_factor_bytes(bodies, k->contact_slots, 0) + 2 * (int64_t)sizeof(double);
    int64_t room = all < wanted ? all : wanted;
    if (room > (most - least) / block) room = (most - least) / block;
    k->near_blocks = room > 0 ? (int32_t)room : 0;
    return least + k->near_blocks * block;
}

static nb_status build_copies(running *r, const nb_trajectories_start *start) {
    nb_status status;
    const nb_trajectory_scene *k = &r->scene;
    const int64_t each = k->bodies, joints = k->joints;
    nb_arena arena = {0};
    nb_trajectory *list = NULL, measured;
    int32_t dynamic = 0;
    for (int32_t i = 0; i < k->bodies; i++) dynamic += moves(start->worlds[0], i);
    if (k->exact && dynamic > NB_FACTOR_MOST)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "--whole-steps trajectory of method interior-point takes at most %d moving bodies (got %d)",
                       (int)NB_FACTOR_MOST, (int)dynamic);
    const int64_t most = r->runtime->block_bytes() - NB_ISLAND_OWN_BYTES;
    place_island(&arena, k, dynamic, &measured.island);
    r->shared_bytes = nb_island_shared_bytes(&measured.island);
    if (k->exact) r->shared_bytes += share_exact(&r->scene, dynamic, most - r->shared_bytes);
    arena = (nb_arena){0};
    place_copy(&arena, k, dynamic, &measured);
    const int64_t bytes = arena.used * r->copies;
    if (r->shared_bytes > most)
        return nb_fail(
            NB_ERROR_UNSUPPORTED,
            "a copy takes %lld bytes of a block's shared memory, which has %lld; --batch-contacts takes less",
            (long long)r->shared_bytes, (long long)most);
    NB_TRY(NB_ALLOCATE(r->copies, &list));
    NB_TRY(NB_ALLOCATE(r->copies * each, &r->kept));
    NB_TRY(NB_ALLOCATE(r->copies * joints, &r->kept_joints));
    NB_TRY(r->runtime->allocate(bytes, &r->own));
    NB_TRY(r->runtime->allocate(r->copies * each * (int64_t)sizeof *r->kept, &r->bodies));
    NB_TRY(r->runtime->allocate(r->copies * joints * (int64_t)sizeof *r->kept_joints, &r->joints));
    NB_TRY(r->runtime->allocate(r->copies * (int64_t)sizeof *list, &r->list));
    NB_TRY(r->runtime->clear(r->own, bytes));
    arena = (nb_arena){.memory = r->own};
    for (int32_t i = 0; i < r->copies; i++) {
        const nb_world *world = start->worlds[i];
        place_copy(&arena, k, dynamic, &list[i]);
        list[i].world = world_of(world, (nb_body *)r->bodies + i * each, (nb_joint *)r->joints + i * joints);
        list[i].ended = list[i].made = list[i].contacts = list[i].near_pairs = list[i].remembered = 0;
        if (each > 0) memcpy(r->kept + i * each, world->bodies, (size_t)each * sizeof *r->kept);
        if (joints > 0) memcpy(r->kept_joints + i * joints, world->joints, (size_t)joints * sizeof *r->kept_joints);
    }
    NB_TRY(r->runtime->upload(r->list, list, r->copies * (int64_t)sizeof *list));
    NB_TRY(r->runtime->upload(r->bodies, r->kept, r->copies * each * (int64_t)sizeof *r->kept));
    NB_TRY(r->runtime->upload(r->joints, r->kept_joints, r->copies * joints * (int64_t)sizeof *r->kept_joints));
out:
    nb_free(list);
    return status;
}

/* ---- the class ---- */

static nb_status advance(nb_trajectories *trajectories, int32_t steps, nb_trajectory_row *rows) {
    running *r = (running *)trajectories;
    const nb_runtime *runtime = r->runtime;
    const int64_t bytes = r->copies * (int64_t)steps * (int64_t)sizeof *rows;
    nb_status status = NB_OK;
    if (steps > r->rows_of) {
        runtime->free(r->rows);
        r->rows = NULL;
        r->rows_of = 0;
        NB_TRY(runtime->allocate(bytes, &r->rows));
        r->rows_of = steps;
    }
    runtime->mark(NB_TIME_WORK);
    NB_TRY(runtime->clear(r->rows, bytes));
    NB_TRY(runtime->NB_REAL_NAME(trajectories)(r->list, r->copies, r->shared_bytes, &r->scene, &r->settings, steps,
                                               r->rows));
    runtime->mark(NB_TIME_TRANSFER);
    NB_TRY(runtime->download(rows, r->rows, bytes));
out:
    runtime->mark(NB_TIME_NONE);
    return status;
}

static nb_status read_states(nb_trajectories *trajectories, nb_world *const *worlds) {
    running *r = (running *)trajectories;
    const int64_t each = r->scene.bodies, joints = r->scene.joints;
    nb_status status;
    r->runtime->mark(NB_TIME_TRANSFER);
    NB_TRY(r->runtime->download(r->kept, r->bodies, r->copies * each * (int64_t)sizeof *r->kept));
    NB_TRY(r->runtime->download(r->kept_joints, r->joints, r->copies * joints * (int64_t)sizeof *r->kept_joints));
    for (int32_t i = 0; i < r->copies; i++) {
        for (int32_t k = 0; k < each; k++) worlds[i]->bodies[k] = r->kept[i * each + k];
        for (int32_t k = 0; k < joints; k++) worlds[i]->joints[k] = r->kept_joints[i * joints + k];
    }
out:
    r->runtime->mark(NB_TIME_NONE);
    return status;
}

nb_status nb_trajectories_contacts(nb_trajectories *trajectories, int32_t copy, nb_contact *contacts, int32_t *count) {
    const running *r = (const running *)trajectories;
    nb_trajectory c;
    nb_status status;
    NB_TRY(r->runtime->download(&c, (const nb_trajectory *)r->list + copy, sizeof c));
    NB_TRY(r->runtime->download(contacts, c.contact, c.contacts * (int64_t)sizeof *contacts));
    *count = c.contacts;
out:
    return status;
}

nb_status nb_trajectories_joint_row(nb_trajectories *trajectories, int32_t copy, int32_t i, real j[12], real *rate,
                                    real *compliance, int32_t *motion, real start[NB_JOINT_NUMBERS]) {
    const running *r = (running *)trajectories;
    nb_trajectory c;
    nb_status status;
    NB_TRY(r->runtime->download(&c, (const nb_trajectory *)r->list + copy, sizeof c));
    const nb_island *v = &c.island;
    const int64_t at = v->joint_first + i;
    for (int n = 0; n < 12; n++) NB_TRY(r->runtime->download(&j[n], v->geometry + n * v->threads + at, sizeof *j));
    for (int n = 0; n < NB_JOINT_NUMBERS; n++)
        NB_TRY(r->runtime->download(&start[n], v->joint + n * v->threads + at, sizeof *start));
    NB_TRY(r->runtime->download(rate, v->offset + at, sizeof *rate));
    NB_TRY(r->runtime->download(compliance, v->coefficient + at, sizeof *compliance));
    NB_TRY(r->runtime->download(motion, v->motion + at, sizeof *motion));
out:
    return status;
}

static void destroy(nb_trajectories *trajectories) {
    running *r = (running *)trajectories;
    if (!r) return;
    void *const memory[] = {r->shared, r->own, r->bodies, r->joints, r->list, r->rows};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) r->runtime->free(memory[i]);
    nb_free(r->kept);
    nb_free(r->kept_joints);
    nb_free(r);
}

static const nb_trajectories_class trajectories_class = {advance, read_states, destroy};

static int32_t whole_warps(int32_t count) {
    return (count + NB_ISLAND_WARP - 1) / NB_ISLAND_WARP * NB_ISLAND_WARP;
}

/* the threads of a block: of contacts, then of rows of joints */
static nb_status share_threads(const nb_trajectories_start *start, nb_trajectory_scene *k) {
    const int32_t rows = joint_rows_of(start->worlds[0]), most = NB_ISLAND_MOST_THREADS - whole_warps(rows),
                  asked = start->contact_slots > 0 ? start->contact_slots : most;
    if (most < NB_ISLAND_WARP)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "--whole-steps trajectory takes at most %d rows of joints in " NB_REAL_NAMED " (got %d)",
                       NB_ISLAND_MOST_THREADS - NB_ISLAND_WARP, (int)rows);
    if (asked > most)
        return nb_fail(NB_ERROR_UNSUPPORTED, "--batch-contacts must be at most %d in " NB_REAL_NAMED " (got %d)",
                       (int)most, (int)asked);
    k->contact_slots = whole_warps(asked);
    k->threads = k->contact_slots + whole_warps(rows);
    return NB_OK;
}

nb_status nb_trajectories_create(const nb_runtime *runtime, const nb_trajectories_start *start,
                                 const nb_island_settings *settings, double tolerance, nb_trajectories **trajectories) {
    nb_status status;
    running *r = NULL;
    const nb_world *world = start->worlds[0];
    *trajectories = NULL;
    NB_TRY(check_world(world));
    if (settings->exact && world->joint_count > 0) return lacks("joints with --method interior-point");
    NB_TRY(runtime->open());
    NB_TRY(NB_ALLOCATE(1, &r));
    *r = (running){.base.type = &trajectories_class,
                   .runtime = runtime,
                   .settings = *settings,
                   .copies = start->copies,
                   .scene = {.h = start->h,
                             .frozen = start->frozen,
                             .tolerance = tolerance,
                             .exact = settings->exact,
                             .warm = start->warm_start}};
    r->scene.soft = world->settings.contact_compliance / (start->h * start->h);
    r->settings.soft = (real)r->scene.soft;
    NB_TRY(share_threads(start, &r->scene));
    NB_TRY(build_scene(r, start));
    NB_TRY(build_copies(r, start));
    r->base.contact_slots = r->scene.contact_slots;
    *trajectories = &r->base;
    return NB_OK;
out:
    if (r) destroy(&r->base);
    return status;
}

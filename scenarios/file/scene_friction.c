/* Friction that a scene file leaves out. */
#include <stdio.h>

#include "file/scene_parts.h"
#include "model/pair.h"

/* what may touch: bodies with a shape, and particles behind them */
typedef struct node {
    int touches, moves, given; /* given: the file has its friction */
    double friction;
} node;

static node node_at(const nb_input_at *scene, const nb_world *world, int32_t i) {
    const int is_body = i < world->body_count;
    const nb_input_at list = nb_input_member(scene, is_body ? "bodies" : "particles"),
                      item = nb_input_item(&list, is_body ? i : i - world->body_count);
    const int given = nb_input_member(&item, "friction").value != NULL;
    if (!is_body) {
        const nb_particle *particle = &world->particles[i - world->body_count];
        return (node){1, particle->kind == NB_BODY_DYNAMIC, given, particle->friction};
    }
    const nb_body *body = &world->bodies[i];
    const int touches = body->shape >= 0 && world->shapes[body->shape]->kind != NB_SHAPE_NONE;
    return (node){touches, body->kind == NB_BODY_DYNAMIC, given, body->friction};
}

/* the first node with friction, one that moves where there is one; -1: none has */
static int32_t find_rough(const nb_input_at *scene, const nb_world *world, int32_t count) {
    int32_t found = -1;
    for (int32_t i = 0; i < count; i++) {
        const node n = node_at(scene, world, i);
        if (!n.touches || !(n.friction > 0)) continue;
        if (n.moves) return i;
        if (found < 0) found = i;
    }
    return found;
}

static void name_node(const nb_world *world, int32_t i, char text[32]) {
    if (i < world->body_count)
        snprintf(text, 32, "bodies[%d]", (int)i);
    else
        snprintf(text, 32, "particles[%d]", (int)(i - world->body_count));
}

void nb_scene_tell_friction(const nb_input_at *scene, const nb_world *world, char *text, size_t size) {
    const int32_t count = world->body_count + world->particle_count, rough = find_rough(scene, world, count);
    char names[2][32], more[32] = "";
    int32_t first = -1, bare = 0;
    *text = '\0';
    if (rough < 0) return;
    const node other = node_at(scene, world, rough);
    for (int32_t i = 0; i < count; i++) {
        const node n = node_at(scene, world, i);
        if (i < world->body_count && rough < world->body_count && nb_world_pair(world, i, rough)) continue;
        if (!n.touches || n.given || !(n.moves || other.moves)) continue;
        if (bare++ == 0) first = i;
    }
    if (bare == 0) return;
    name_node(world, first, names[0]);
    name_node(world, rough, names[1]);
    if (bare > 1) snprintf(more, sizeof more, " and %d more", (int)bare - 1);
    snprintf(text, size,
             "%s%s: no friction given, so mu is 0 against %s, which has %g: mu is the geometric mean; add friction, or "
             "use --set mu=X",
             names[0], more, names[1], other.friction);
}

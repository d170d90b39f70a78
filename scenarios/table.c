/* All scenarios, one line each: the order is that of `ncpbench list`. */
#include <stddef.h>

#include "scenario.h"

#define ENTRIES            \
    ENTRY(nb_heavy_stack)  \
    ENTRY(nb_arch)         \
    ENTRY(nb_beam)         \
    ENTRY(nb_piling)       \
    ENTRY(nb_incline)      \
    ENTRY(nb_wall)         \
    ENTRY(nb_humanoids)    \
    ENTRY(nb_hand_object)  \
    ENTRY(nb_cabinets)     \
    ENTRY(nb_bar)          \
    ENTRY(nb_cantilever)   \
    ENTRY(nb_sheet)        \
    ENTRY(nb_hand_ball)    \
    ENTRY(nb_gripper)      \
    ENTRY(nb_tomato)       \
    ENTRY(nb_soft_stack)   \
    ENTRY(nb_fold)         \
    ENTRY(nb_ball_squish)  \
    ENTRY(nb_tennis_ball)  \
    ENTRY(nb_pendulum)     \
    ENTRY(nb_ellipse)      \
    ENTRY(nb_three_disks)  \
    ENTRY(nb_disks)        \
    ENTRY(nb_brazil_nut)   \
    ENTRY(nb_granular)     \
    ENTRY(nb_walker)       \
    ENTRY(nb_four_bar)     \
    ENTRY(nb_jammed_box)   \
    ENTRY(nb_drop)         \
    ENTRY(nb_blocks)       \
    ENTRY(nb_stack_4)      \
    ENTRY(nb_peg)          \
    ENTRY(nb_bundles)      \
    ENTRY(nb_grasp)        \
    ENTRY(nb_stick_slip)   \
    ENTRY(nb_load_ramp)    \
    ENTRY(nb_wedge)        \
    ENTRY(nb_bowl)         \
    ENTRY(nb_ball_in_box)  \
    ENTRY(nb_tyre)         \
    ENTRY(nb_tube_cloth)   \
    ENTRY(nb_card_house)   \
    ENTRY(nb_kapla)        \
    ENTRY(nb_painleve_box) \
    ENTRY(nb_turntable)    \
    ENTRY(nb_backspin)     \
    ENTRY(nb_rolling)      \
    ENTRY(nb_elastic_666)  \
    ENTRY(nb_nunchaku)     \
    ENTRY(nb_hinged_boxes) \
    ENTRY(nb_loop_chain)   \
    ENTRY(nb_delta)        \
    ENTRY(nb_loop_biped)   \
    ENTRY(nb_four_bars)    \
    ENTRY(nb_bricard)

#define ENTRY(name) extern const nb_scenario_class name;
ENTRIES
#undef ENTRY

#define ENTRY(name) &(name),
const nb_scenario_class *const nb_scenarios[] = {ENTRIES NULL};

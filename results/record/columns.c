#include "record/columns.h"

#include "measure/largest_error.h"
#include "reason.h"

const nb_column nb_step_columns[NB_STEP_COLUMNS] = {
    [NB_STEP_TIME] = {"time", "s", "time at the end of the step"},
    [NB_STEP_CONTACTS] = {"contacts", "1", "contact points"},
    [NB_STEP_ROWS] = {"rows", "1", "constraint rows"},
    [NB_STEP_LARGEST_ISLAND] = {"largest_island", "1", "contacts in the largest island"},
    [NB_STEP_ISLANDS] = {"islands", "1", "islands that have constraints"},
    [NB_STEP_NEWTON_ITERATIONS] = {"newton_iterations", "1", "Newton iterations done"},
    [NB_STEP_REASON] = {"reason", "1", "why the Newton iteration ended (see the attribute legend)", NB_REASON_LEGEND},
    [NB_STEP_NATURAL_MAP_ERROR] = {"natural_map_error", "m/s", "natural-map error of the step's solution"},
    [NB_STEP_MAX_PENETRATION] = {"max_penetration", "m", "deepest penetration detected at the end of the step"},
    [NB_STEP_KINETIC_ENERGY] = {"kinetic_energy", "J", "kinetic energy at the end of the step"},
    [NB_STEP_POTENTIAL_ENERGY] = {"potential_energy", "J", "potential energy at the end of the step"},
    [NB_STEP_DETECT_S] = {"detect_s", "s", "time of collision detection"},
    [NB_STEP_ASSEMBLY_S] = {"assembly_s", "s", "time of assembly and updates"},
    [NB_STEP_SETUP_S] = {"setup_s", "s", "time of linear solvers' set-up"},
    [NB_STEP_SOLVE_S] = {"solve_s", "s", "time of linear solves"},
    [NB_STEP_STEP_S] = {"step_s", "s", "time of the step, measures and recording left out"},
    [NB_STEP_NATURAL_MAP_FCLIB] = {"natural_map_fclib", "1",
                                   "natural-map residual of a problem file, FCLIB's definition"},
    [NB_STEP_NATURAL_MAP_RELATIVE] = {"natural_map_relative", "1",
                                      "natural-map residual of a problem file in velocities, over the norm of q"},
    [NB_STEP_NATURAL_MAP_SICONOS] = {"natural_map_siconos", "1",
                                     "natural-map residual of a problem file, Siconos's definition"},
    [NB_STEP_OPERATOR_APPLICATIONS] = {"operator_applications", "1",
                                       "operator applications in the step's linear solves"},
    [NB_STEP_PRECONDITIONER_APPLICATIONS] = {"preconditioner_applications", "1",
                                             "calls of the preconditioner in the step's linear solves"},
    [NB_STEP_LIMIT_NORM_A] = {"limit_norm_a", "1", "largest row sum of A diag(A)^-1 in the last Newton system"},
    [NB_STEP_LIMIT_NORM_A_INVERSE] = {"limit_norm_a_inverse", "1", "largest row sum of the inverse of that matrix"},
    [NB_STEP_INFEASIBILITY] = {"infeasibility", "m", "largest penetration or joint error at the end of the step"},
    [NB_STEP_LAW_PENETRATION] = {"law_penetration", "m",
                                 "deepest penetration at the contacts that the method solved, end of the step"},
    [NB_STEP_CAVITY_VOLUME] = {"cavity_volume", "m^3", "volume of all cavities at the end of the step"},
    [NB_STEP_CAVITY_PRESSURE] = {"cavity_pressure", "Pa", "highest gauge pressure of a cavity at the end of the step"},
    [NB_STEP_VERIFY_ROUNDS] = {"verify_rounds", "1",
                               "solves after the first, for bodies that penetrated (--verify-contacts)"},
    [NB_STEP_VERIFY_CONTACTS] = {"verify_contacts", "1", "contacts that verification added or replaced"},
    [NB_STEP_VERIFY_OVERLAP] = {"verify_overlap", "m",
                                "largest penetration that the step added, beyond 0.9 of the allowed one at its start"},
    [NB_STEP_PENETRATION_ALLOWED] =
        {"penetration_allowed", "m",
         "penetration that a solved step may leave: 1 % of the margin, compliance, rotation, verification"},
    [NB_STEP_BY_BE] = {"by_be", "1", "1: the step opens or closes contacts, and be makes it (--impacts)"},
    [NB_STEP_ENERGY_ROOM] = {"energy_room", "J", "energy that the error of the scheme may add in the step"},
};

const nb_column nb_newton_columns[NB_NEWTON_COLUMNS] = {
    [NB_NEWTON_CONSTRAINT_ERROR] = {"constraint_error", "m/s", "largest joint error or penetration, over h"},
    [NB_NEWTON_COMPLEMENTARITY_ERROR] = {"complementarity_error", "m/s", "largest normal complementarity error e_n"},
    [NB_NEWTON_FRICTION_ERROR] = {"friction_error", "m/s", "largest friction error e_f"},
    [NB_NEWTON_BILATERAL_ERROR] = {"bilateral_error", "m/s", "largest joint error over h"},
    [NB_NEWTON_MOMENTUM_ERROR] = {"momentum_error", "m/s",
                                  "largest entry of M^-1 g, of rotation times the radius of gyration"},
    [NB_NEWTON_NATURAL_MAP_ERROR] = {"natural_map_error", "m/s", "largest of normal, friction, joint, momentum errors"},
    [NB_NEWTON_NATURAL_MAP_RELATIVE] = {"natural_map_relative", "1",
                                        "natural-map residual of a problem file in velocities, over the norm of q"},
    [NB_NEWTON_VELOCITY_ERROR] = {"velocity_error", "m/s", "true error of the velocities, against the reference"},
    [NB_NEWTON_FORCE_ERROR] = {"force_error", "m/s",
                               "true error of the forces, as velocities that they make, against the reference"},
    [NB_NEWTON_ASSEMBLY_S] = {"assembly_s", "s", "time of assembly and update"},
    [NB_NEWTON_SETUP_S] = {"setup_s", "s", "time of the linear solver's set-up"},
    [NB_NEWTON_SOLVE_S] = {"solve_s", "s", "time of the linear solve"},
};

const nb_column nb_linear_columns[NB_LINEAR_COLUMNS] = {
    [NB_LINEAR_RESIDUAL_L2] = {"residual_l2", "m/s", "2-norm of the true residual b - A x"},
    [NB_LINEAR_PRECONDITIONED_RESIDUAL] = {"preconditioned_residual", "sqrt(J)",
                                           "true residual in the norm of the preconditioner, sqrt(r . P r)"},
    [NB_LINEAR_ENERGY_ERROR] = {"energy_error", "sqrt(J)", "error in the energy norm, sqrt(e . A e)"},
    [NB_LINEAR_ENERGY_BOUND] = {"energy_bound", "sqrt(J)",
                                "lower bound of energy_error, from the decrease over the next 10 iterations"},
    [NB_LINEAR_OWN_NORM] = {"own_norm", "1",
                            "norm of the residual by which PETSc's solver or a plugin judges, in its units"},
};

const nb_column nb_solution_columns[NB_SOLUTION_COLUMNS] = {
    {.name = "first_distance",
     .units = "m/s",
     .long_name = "distance of the velocities from the first of the step's two solutions"},
    {.name = "second_distance",
     .units = "m/s",
     .long_name = "distance of the velocities from the second of the step's two solutions"},
};

const nb_column nb_place_columns[NB_PLACE_COLUMNS] = {
    [NB_PLACE_KIND] = {"largest_kind", "1", "kind of the largest error (see the attribute legend)",
                       NB_ERROR_KIND_LEGEND},
    [NB_PLACE_ROW] = {"largest_row", "1", "first row of its contact or joint in the problem's order; -1: none"},
    [NB_PLACE_INDEX] = {"largest_index", "1",
                        "its contact in the step's order, joint of the scene, element row, or node"},
    [NB_PLACE_NODE_A] = {"largest_node_a", "1", "first body, particles counted behind bodies; -1: the world, or none"},
    [NB_PLACE_NODE_B] = {"largest_node_b", "1", "second body likewise"},
    [NB_PLACE_OPEN] = {"open_contacts", "1", "contacts without force, by the projection of the natural map"},
    [NB_PLACE_STICKING] = {"sticking_contacts", "1", "contacts with friction inside its limit"},
    [NB_PLACE_SLIDING] = {"sliding_contacts", "1", "contacts with friction at its limit"},
    [NB_PLACE_CHANGED] = {"changed_contacts", "1",
                          "contacts that were open, sticking or sliding otherwise an iteration before"},
};

const nb_column nb_frame_contact_columns[NB_FRAME_CONTACT_COLUMNS] = {
    [NB_FRAME_CONTACT_BODY_A] = {"contact_body_a", "1", "first body of each contact; -1: particles"},
    [NB_FRAME_CONTACT_BODY_B] = {"contact_body_b", "1", "second body of each contact; -1: the world, or particles"},
    [NB_FRAME_CONTACT_NORMAL_ERROR] = {"contact_normal_error", "m/s",
                                       "natural map of each contact: normal complementarity e_n"},
    [NB_FRAME_CONTACT_FRICTION_ERROR] = {"contact_friction_error", "m/s", "natural map of each contact: friction e_f"},
    [NB_FRAME_CONTACT_POINT + 0] = {"contact_point_x", "m",
                                    "contact point on the first body at the start of the step, x"},
    [NB_FRAME_CONTACT_POINT + 1] = {"contact_point_y", "m",
                                    "contact point on the first body at the start of the step, y"},
    [NB_FRAME_CONTACT_POINT + 2] = {"contact_point_z", "m",
                                    "contact point on the first body at the start of the step, z"},
    [NB_FRAME_CONTACT_NORMAL + 0] = {"contact_normal_x", "1", "contact normal, from the second body to the first, x"},
    [NB_FRAME_CONTACT_NORMAL + 1] = {"contact_normal_y", "1", "contact normal, from the second body to the first, y"},
    [NB_FRAME_CONTACT_NORMAL + 2] = {"contact_normal_z", "1", "contact normal, from the second body to the first, z"},
    [NB_FRAME_CONTACT_FORCE + 0] = {"contact_force_x", "N", "force on the first body, x"},
    [NB_FRAME_CONTACT_FORCE + 1] = {"contact_force_y", "N", "force on the first body, y"},
    [NB_FRAME_CONTACT_FORCE + 2] = {"contact_force_z", "N", "force on the first body, z"},
    [NB_FRAME_CONTACT_SLIP + 0] = {"contact_slip_x", "m/s", "tangential velocity at the end of the step, x"},
    [NB_FRAME_CONTACT_SLIP + 1] = {"contact_slip_y", "m/s", "tangential velocity at the end of the step, y"},
    [NB_FRAME_CONTACT_SLIP + 2] = {"contact_slip_z", "m/s", "tangential velocity at the end of the step, z"},
    [NB_FRAME_CONTACT_GAP] = {"contact_gap", "m", "gap at the end of the step"},
    [NB_FRAME_CONTACT_MODE] = {"contact_mode", "1", "mode of each contact", NB_CONTACT_MODE_LEGEND},
};

const nb_column nb_iterate_column = {
    .name = "iteration", .units = "1", .long_name = "iterations of the step that were made before the iterate"};

const nb_column nb_coulomb_column = {
    .name = "coulomb_error", .units = "m/s", .long_name = "natural-map error by Coulomb's law of friction"};

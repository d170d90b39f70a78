/* The player of a report: stored states of runs of one scene, side by side (private to analysis/). */
#ifndef NB_ANALYSIS_REPORT_REPLAY_H
#define NB_ANALYSIS_REPORT_REPLAY_H

#include "report/runs.h"

/* Writes the player's section and the data of the runs with stored states: per run one JSON block, class "replay-run".
 *   times [s], one per state shown; every `every`-th stored state is shown, counted back from the final one
 *   low, step [3] [m]: coordinates are low + step u of 16-bit integers u; centre, half [3] [m]: box around what moves
 *   poses: of each state and body x, y, z, and w, x, y, z of the rotation, u/32767.5 - 1; four zeros: no pose
 *   momentum: of each state and body the momentum error, coded; "" where the record has none
 *   contact_every, contact_start: each of these states shown, counted back from the last, has contacts
 *   contacts: of each the point (3), the force [N] on the first body (3; force_step (u - 32768)), 4 times the coded
 *     error plus the mode (0: unknown, then those of nb_contact_mode), the bodies (2; 65535: the world)
 *   shapes, shape [bodies], fixed: bodies that forces do not move; rods [8]: two bodies (-1: the world), and a point
 *     in the frame of each
 * Integers are little-endian base64. Coded errors [m/s]: 0 unknown, else 10^((u - 1)/819 - 16), at least 1e-16.
 * NB_ERROR_INPUT where no run has stored states of bodies; `name`: the record as messages name it. */
nb_status nb_report_replay_write(nb_record_reader *reader, const char *name, const nb_report_runs *runs, FILE *page);

#endif

/* Figures of timings of kernels, which records of `ncpbench bench` hold (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_DEVICES_H
#define NB_ANALYSIS_FIGURE_DEVICES_H

#include "figure/data.h"

/* This processor against an accelerator. Panel 1: an iteration of PCR; panel 2, where there are such rows: a solve to
 * `accuracy` (0: 1e-4). A curve is a device with its threads, and a precision. NB_ERROR_INPUT with one line where there
 * are no rows of the processor or of a real accelerator; those of device emulated, whose times say nothing of a GPU,
 * are left out. */
nb_status nb_figure_collect_devices(const nb_figure_script *script, const nb_figure_source *source,
                                    nb_figure_runs *runs);

/* A panel's table: for each curve contacts, median, least, most and the time that its memory's bandwidth allows, all in
 * microseconds; the last is no number where the bytes moved are not known. */
nb_status nb_figure_write_devices(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);

/* How fast applications of preconditioners move memory, from the rows precond:NAME:apply whose bytes are known. A panel
 * is a precision, a curve a preconditioner. NB_ERROR_INPUT where there are no such rows. */
nb_status nb_figure_collect_bandwidth(const nb_figure_script *script, const nb_figure_source *source,
                                      nb_figure_runs *runs);

/* bytes of an application, GB/s of its median, and of a triad over as much memory */
nb_status nb_figure_write_bandwidth(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);

#endif

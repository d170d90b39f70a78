/* The files of analysis/report/, as embedded at build time (private to analysis/). */
#ifndef NB_ANALYSIS_REPORT_STYLE_H
#define NB_ANALYSIS_REPORT_STYLE_H

/* lines, NULL-terminated */
extern const char *const nb_report_style[];  /* page.css */
extern const char *const nb_report_script[]; /* sort.js */
extern const char *const nb_report_replay[]; /* replay.js */
extern const char *const nb_report_player[]; /* player.html */

#endif

/* What the process has in memory, libraries and all, as the system counts it. */
#ifndef NB_BASE_MEMORY_PEAK_H
#define NB_BASE_MEMORY_PEAK_H

/* The most bytes that were resident since the last reset that the system allowed, or the start; NaN where it does not
 * say (this needs Linux's /proc). */
double nb_memory_peak(void);
void nb_memory_peak_reset(void);

#endif

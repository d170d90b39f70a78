/* The monotonic clock, in seconds. */
#ifndef NB_BASE_CLOCK_H
#define NB_BASE_CLOCK_H

double nb_clock_seconds(void);

#endif

/* How far a run is, for those who wait for it. */
#ifndef NB_ANALYSIS_RUN_PROGRESS_H
#define NB_ANALYSIS_RUN_PROGRESS_H

#include <stdint.h>

/* Called after every step with the number done; may be NULL. */
typedef void nb_progress(void *context, int32_t steps_done, int32_t steps);

#endif

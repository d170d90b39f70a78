/* Why a run's checks may fail: what its steps say of themselves. */
#ifndef NB_ANALYSIS_CHECK_REASON_H
#define NB_ANALYSIS_CHECK_REASON_H

#include <stddef.h>

#include "record/run.h"

/* One line, without a full stop: that it was interrupted, that steps were left unsolved (and by which limit), that its
 * precision holds no more, that it begins with errors or its steps end with penetration, or that its steps are solved,
 * but have not reached what the check expects. */
void nb_check_reason(const nb_run *run, char *text, size_t size);

#endif

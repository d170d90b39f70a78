/* The harness's create functions know no class, so every slot has its own: SLOTS(X) is X(0) X(1) ... (private). */
#ifndef NB_PLUGIN_SLOTS_H
#define NB_PLUGIN_SLOTS_H

#include <assert.h>

#include "plugin/class.h"

#define SLOTS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
static_assert(NB_PLUGIN_MOST == 16, "one slot a class");

/* static nb_status create_0(values, state) makes the state of slot 0 by create(0, values, state), ...; and a table */
#define SLOT_CREATE(i)                                                \
    static nb_status create_##i(const double *values, void **state) { \
        return create(i, values, state);                              \
    }
#define SLOT_ENTRY(i) create_##i,
#define SLOT_FUNCTIONS \
    SLOTS(SLOT_CREATE) \
    static nb_status (*const creates[])(const double *, void **) = {SLOTS(SLOT_ENTRY)};

#endif

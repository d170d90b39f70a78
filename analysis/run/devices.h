/* Where runs can be made. */
#ifndef NB_ANALYSIS_DEVICES_H
#define NB_ANALYSIS_DEVICES_H

#include "base/status.h"
#include "device.h"

enum {
    NB_DEVICES = 3
};

/* Device number `i` of NB_DEVICES, as --device takes it, and what it is in one line. */
const char *nb_device_name(int i);
const char *nb_device_summary(int i);

/* Why device `i` cannot be used here, or NULL; valid until the next fault of this thread. */
const char *nb_device_missing(int i);

/* The device of this name; NULL is this machine's processor. NB_ERROR_USAGE for an unknown name, NB_ERROR_UNSUPPORTED
 * with what is missing where it cannot be used. */
nb_status nb_device_find(const char *name, const nb_device **device);

#endif

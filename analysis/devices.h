/* Where runs can be made. */
#ifndef NB_ANALYSIS_DEVICES_H
#define NB_ANALYSIS_DEVICES_H

#include "base/status.h"

typedef struct nb_device {
    const char *name;    /* as --device takes it */
    const char *summary; /* one line */
    const char *missing; /* why it cannot be used, or NULL */
} nb_device;

enum {
    NB_DEVICES = 2
};
extern const nb_device nb_devices[NB_DEVICES];

/* NB_OK where the device can be used; NB_ERROR_USAGE for an unknown name, NB_ERROR_UNSUPPORTED with what is missing. */
nb_status nb_device_check(const char *name);

#endif

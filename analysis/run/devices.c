#include "run/devices.h"

#include <stddef.h>
#include <string.h>

#include "accelerators.h"
#include "base/options.h"

static const nb_device *const devices[NB_DEVICES] = {NULL, &nb_device_cuda, &nb_device_emulated};

const char *nb_device_name(int i) {
    return devices[i] ? devices[i]->name : "cpu";
}

const char *nb_device_summary(int i) {
    return devices[i] ? devices[i]->summary : "this machine's processor";
}

const char *nb_device_missing(int i) {
    if (!devices[i] || devices[i]->check() == NB_OK) return NULL;
    const char *reason = strstr(nb_error_message(), ": "); /* after "device NAME" */
    return reason ? reason + 2 : nb_error_message();
}

static const char *device_at(const void *unused, int i) {
    (void)unused;
    return nb_device_name(i);
}

nb_status nb_device_find(const char *name, const nb_device **device) {
    int i = nb_name_find(name, NB_DEVICES, device_at, NULL);
    if (i < 0) return nb_name_unknown("device", name, NB_DEVICES, device_at, NULL);
    *device = devices[i];
    return *device ? (*device)->check() : NB_OK;
}

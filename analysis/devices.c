#include "devices.h"

#include <stddef.h>

#include "base/options.h"

const nb_device nb_devices[NB_DEVICES] = {
    {"cpu", "this machine's processor", NULL},
    {"cuda", "an NVIDIA graphics processor", "this build has none (built without CUDA)"},
};

static const char *device_at(const void *devices, int i) {
    return ((const nb_device *)devices)[i].name;
}

nb_status nb_device_check(const char *name) {
    int i = nb_name_find(name, NB_DEVICES, device_at, nb_devices);
    if (i < 0) return nb_name_unknown("device", name, NB_DEVICES, device_at, nb_devices);
    if (nb_devices[i].missing) return nb_fail(NB_ERROR_UNSUPPORTED, "device %s: %s", name, nb_devices[i].missing);
    return NB_OK;
}

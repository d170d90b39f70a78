#include "plugin.h"

#include "adapter.h"
#include "plugin_method.h"

NB_PRECISIONS(f64);

nb_status nb_plugin_add(const nb_plugin_class *type) {
    int number;
    nb_status status = nb_plugin_list(type, &number);
    if (status != NB_OK) return status;
    if (type->kind == NB_PLUGIN_METHOD) {
        nb_method_add(nb_plugin_method(type, number));
        return NB_OK;
    }
    nb_plugin_adapt_f32(type, number);
    nb_plugin_adapt_f64(type, number);
    return NB_OK;
}

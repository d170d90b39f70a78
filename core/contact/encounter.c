#include "contact/encounter.h"

#include "base/memory.h"

nb_status nb_encounter_add(const nb_encounter *encounter, nb_feature_kind kind, int32_t feature_a, int32_t feature_b,
                           nb_vec3 point_a, nb_vec3 point_b, nb_vec3 normal) {
    nb_contacts *contacts = encounter->contacts;
    nb_contact contact;
    if (!nb_encounter_contact(encounter, kind, feature_a, feature_b, point_a, point_b, normal, &contact)) return NB_OK;
    nb_status status = NB_RESERVE((int64_t)contacts->count + 1, &contacts->capacity, &contacts->items);
    if (status == NB_OK) contacts->items[contacts->count++] = contact;
    return status;
}

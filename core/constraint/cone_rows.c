#include "constraint/cone_rows.h"

#include "constraint/rolling_law.h"
#include "model/coordinate.h"

NB_PRECISIONS(f32, f64);

void nb_cone_laws_publish(nb_cone_laws *laws, nb_problem *p) {
    laws->bilateral.base.type = &nb_bilateral_class;
    laws->cone.base.type = laws->cone.field ? &nb_field_class : nb_friction_class_of(laws->friction);
    p->ranges = laws->range;
    p->range_count = 0;
    if (p->bilaterals > 0)
        laws->range[p->range_count++] = (nb_law_range){.law = &laws->bilateral.base, .blocks = p->bilaterals};
    if (p->contacts > 0)
        laws->range[p->range_count++] = (nb_law_range){
            .law = &laws->cone.base, .blocks = p->contacts, .first_block = p->bilaterals, .first_row = p->bilaterals};
}

/* laws beyond Coulomb's and the relaxed one, and contacts beyond those between bodies */
enum {
    ROLLING = 1,
    POLYHEDRAL = 2,
    PARTICLES = 4,
    COORDINATES = 8,
    FIELDS = 16
};

static int is_friction(const nb_law_class *type, int also) {
    if (type == &nb_field_class) return also & FIELDS;
    return also & POLYHEDRAL ? nb_law_is_friction(type) : type == &nb_cone_class || type == &nb_relaxed_class;
}

static nb_status rows_of(const nb_problem *p, const char *who, int also, nb_cone_rows *rows) {
    static const nb_bilateral_law no_joints = {.base = {&nb_bilateral_class}};
    static const nb_cone_law no_contacts = {.base = {&nb_cone_class}, .ratio = 1};
    int32_t contacts = 0;
    *rows = (nb_cone_rows){&no_joints, &no_contacts, {.law = NULL}};
    for (int32_t i = 0; i < p->range_count; i++) {
        const nb_law_range *range = &p->ranges[i];
        const nb_law_class *type = range->law->type;
        int rolls = (also & ROLLING) && type == &nb_rolling_class && range->first_row == p->bilaterals;
        if (type == &nb_box_class) {
            if (!(also & COORDINATES))
                return nb_fail(NB_ERROR_UNSUPPORTED, "%s does not support " NB_COORDINATE_ROWS_NAME, who);
            rows->box = *range;
            continue;
        }
        if (type == &nb_bilateral_class && i == 0) {
            rows->bilateral = (const nb_bilateral_law *)range->law;
        } else if (is_friction(type, also) && range->first_row == p->bilaterals + 3 * contacts) {
            rows->cone = (const nb_cone_law *)range->law;
            contacts += range->blocks;
        } else if (!rolls) {
            return nb_fail(NB_ERROR_UNSUPPORTED,
                           "%s supports the laws bilateral and cone%s, in this order; rows %d to %d have the law %s%s",
                           who, also & ROLLING ? " (or rolling)" : "", (int)range->first_row + 1,
                           (int)(range->first_row + nb_law_range_rows(range)), type->name,
                           type->full_blocks ? ", whose compliances couple rows; use --method newton" : "");
        }
        if (rolls) contacts = range->blocks;
        if (type != &nb_bilateral_class && range->blocks < p->contacts && !(also & PARTICLES))
            return nb_fail(NB_ERROR_UNSUPPORTED, "%s does not support contacts of particles (%d of %d are)", who,
                           (int)(p->contacts - range->blocks), (int)p->contacts);
        if (type == &nb_bilateral_class ? range->blocks != p->bilaterals : contacts > p->contacts) /* rows of others */
            return nb_fail(NB_ERROR_UNSUPPORTED,
                           "%s supports rows of joints and contacts only; rows %d to %d are others", who,
                           (int)range->first_row + 1, (int)(range->first_row + nb_law_range_rows(range)));
    }
    return NB_OK;
}

nb_status nb_friction_rows_of(const nb_problem *p, const char *who, nb_cone_rows *rows) {
    return rows_of(p, who, 0, rows);
}

nb_status nb_any_friction_rows_of(const nb_problem *p, const char *who, nb_cone_rows *rows) {
    return rows_of(p, who, POLYHEDRAL | PARTICLES | COORDINATES, rows);
}

nb_status nb_friction_or_rolling_rows_of(const nb_problem *p, const char *who, nb_cone_rows *rows) {
    return rows_of(p, who, ROLLING | PARTICLES | COORDINATES, rows);
}

nb_status nb_friction_or_field_rows_of(const nb_problem *p, const char *who, nb_cone_rows *rows) {
    return rows_of(p, who, FIELDS | PARTICLES | COORDINATES, rows);
}

nb_status nb_cone_rows_of(const nb_problem *p, const char *who, nb_cone_rows *rows) {
    nb_status status = nb_friction_rows_of(p, who, rows);
    if (status == NB_OK && rows->cone->base.type != &nb_cone_class)
        return nb_fail(NB_ERROR_UNSUPPORTED, "%s does not support the friction law %s; use Coulomb's law", who,
                       rows->cone->base.type->name);
    return status;
}

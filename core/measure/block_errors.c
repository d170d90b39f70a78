#include "measure/block_errors.h"

#include <math.h>

#include "constraint/cone_law.h"
#include "constraint/rolling_law.h"

NB_PRECISIONS(f64);

nb_law_errors nb_block_errors(const nb_law_range *range, int32_t i, const nb_law_state *state) {
    nb_law_errors errors = {0};
    nb_law_range one = *range;
    one.blocks = 1;
    one.first_block += i;
    one.first_row += i * range->law->type->rows;
    one.first += i;
    range->law->type->error(&one, state, &errors);
    return errors;
}

int nb_block_mode(const nb_law_range *range, int32_t i, const nb_law_state *at) {
    const nb_law_class *type = range->law->type;
    const int32_t r = range->first_row + i * type->rows;
    double mu, soft = 0, ratio = 1;
    if (nb_law_is_friction(type)) {
        const nb_cone_law *law = (const nb_cone_law *)range->law;
        mu = law->mu[range->first + i], soft = law->soft, ratio = law->ratio;
    } else if (type == &nb_rolling_class) {
        mu = ((const nb_rolling_law *)range->law)->mu[range->first + i];
    } else {
        return -1;
    }
    const double w = at->w[r + 1], *z = at->z + r, *v = at->value + r;
    if (!(at->w[r] * z[0] > v[0] + soft * z[0])) return NB_MODE_OPEN;
    const double along = w * z[1] - v[1], across = w * z[2] / ratio - ratio * v[2], limit = fmax(0, w * mu * z[0]);
    return along * along + across * across < limit * limit ? NB_MODE_STICKING : NB_MODE_SLIDING;
}

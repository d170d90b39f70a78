// A plugin in C++: steepest descent, x += t r with t = r.r / r.Ar, as a class of C++ behind the plain functions.
#include <ncpbench/plugin.h>

#include <cstdint>
#include <new>
#include <vector>

namespace {

class Gradient {
public:
    void resize(std::int32_t rows) {
        r.resize(static_cast<std::size_t>(rows));
        image.resize(static_cast<std::size_t>(rows));
    }

    std::int32_t solve(const ncpbench_system_f64 &a, const ncpbench_request_f64 &asked, double *x, std::int32_t &k) {
        for (k = 0;; k++) {
            if (asked.monitor) asked.monitor(asked.host, k, x);
            if (k == asked.iterations) return NCPBENCH_ITERATIONS;
            a.apply(a.host, x, image.data());
            for (std::size_t i = 0; i < r.size(); i++) r[i] = a.b[i] - image[i];
            a.apply(a.host, r.data(), image.data());
            double square = 0, curvature = 0;
            for (std::size_t i = 0; i < r.size(); i++) square += r[i] * r[i], curvature += r[i] * image[i];
            if (!(curvature > 0)) return square > 0 ? NCPBENCH_INDEFINITE : NCPBENCH_CONVERGED;
            for (std::size_t i = 0; i < r.size(); i++) x[i] += square / curvature * r[i];
        }
    }

private:
    std::vector<double> r, image;
};

const char *create(const double *, std::int32_t, void **state) {
    *state = new (std::nothrow) Gradient;
    return *state ? nullptr : "out of memory";
}

void destroy(void *state) {
    delete static_cast<Gradient *>(state);
}

const char *set_up_pattern(void *state, const ncpbench_system_f64 *system) {
    static_cast<Gradient *>(state)->resize(system->rows);
    return nullptr;
}

const char *solve(void *state, const ncpbench_system_f64 *system, const ncpbench_request_f64 *request, double *x,
                  ncpbench_outcome *outcome) {
    outcome->reason = static_cast<Gradient *>(state)->solve(*system, *request, x, outcome->iterations);
    return nullptr;
}

const ncpbench_solver_f64 functions = {sizeof functions, 0, set_up_pattern, nullptr, solve};

ncpbench_class gradient() {
    ncpbench_class c = {};
    c.size = sizeof c;
    c.name = "gradient";
    c.summary = "steepest descent, in C++";
    c.create = create;
    c.destroy = destroy;
    c.solver_f64 = &functions;
    return c;
}

} // namespace

NCPBENCH_EXPORT const ncpbench_plugin *ncpbench_plugin_entry(std::uint32_t) {
    static const ncpbench_class c = gradient();
    static const ncpbench_class *const classes[] = {&c, nullptr};
    static const ncpbench_plugin plugin = {NCPBENCH_PLUGIN_ABI, sizeof plugin, classes, nullptr, nullptr};
    return &plugin;
}

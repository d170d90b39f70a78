// Preconditioners of AMGCL (Demidov 2019; header files alone, MIT license) for pcg, to be timed as the built-in ones
// are.
//
//     c++ -std=c++17 -O3 -march=native -fPIC -shared amgcl.cpp -o amgcl.so $(pkg-config --cflags ncpbench) -I AMGCL
//     ncpbench run soft-stack --form stiffness --plugin ./amgcl.so --linear-solver pcg --preconditioner amgcl -o a.h5
//
// AMGCL is a checkout of github.com/ddemidov/amgcl. Entries of A are blocks of 6 x 6 or 3 x 3 where all blocks are
// alike, as bodies' or particles' are; numbers for sa-motions. Options are AMGCL's own defaults. Products with A are
// this program's.
#define AMGCL_NO_BOOST
#include <ncpbench/plugin.h>
#include <amgcl/adapter/block_matrix.hpp>
#include <amgcl/adapter/crs_tuple.hpp>
#include <amgcl/amg.hpp>
#include <amgcl/backend/builtin.hpp>
#include <amgcl/coarsening/smoothed_aggregation.hpp>
#include <amgcl/relaxation/as_preconditioner.hpp>
#include <amgcl/relaxation/ilu0.hpp>
#include <amgcl/relaxation/spai0.hpp>
#include <amgcl/value_type/static_matrix.hpp>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace {

struct applied {
    virtual ~applied() = default;
    virtual void apply(const double *r, double *z) const = 0;
};

using crs = std::tuple<std::size_t, std::vector<std::ptrdiff_t>, std::vector<std::ptrdiff_t>, std::vector<double>>;

// P of A in blocks of B x B
template <class P, int B>
struct of_blocks : applied {
    using entry = amgcl::static_matrix<double, B, B>;
    using vector = amgcl::static_matrix<double, B, 1>;
    std::size_t blocks;
    P p;
    explicit of_blocks(const crs &a) : blocks(std::get<0>(a) / B), p(amgcl::adapter::block_matrix<entry>(a)) {
    }
    void apply(const double *r, double *z) const override {
        const auto *in = reinterpret_cast<const vector *>(r);
        auto *out = reinterpret_cast<vector *>(z);
        p.apply(amgcl::make_iterator_range(in, in + blocks), amgcl::make_iterator_range(out, out + blocks));
    }
};

template <class P>
struct of_numbers : applied {
    std::size_t rows;
    P p;
    explicit of_numbers(const crs &a, const typename P::params &asked = {}) : rows(std::get<0>(a)), p(a, asked) {
    }
    void apply(const double *r, double *z) const override {
        p.apply(amgcl::make_iterator_range(r, r + rows), amgcl::make_iterator_range(z, z + rows));
    }
};

template <class V>
using aggregation =
    amgcl::amg<amgcl::backend::builtin<V>, amgcl::coarsening::smoothed_aggregation, amgcl::relaxation::spai0>;
template <class V>
using ilu = amgcl::relaxation::as_preconditioner<amgcl::backend::builtin<V>, amgcl::relaxation::ilu0>;

template <int B>
std::unique_ptr<applied> make_blocks(bool factor, const crs &a) {
    using entry = amgcl::static_matrix<double, B, B>;
    if (factor) return std::make_unique<of_blocks<ilu<entry>, B>>(a);
    return std::make_unique<of_blocks<aggregation<entry>, B>>(a);
}

// [rows][6] the rigid motions of the scene: velocities of particles at these places, and spins of bodies, by three
// translations and three rotations about the origin
std::vector<double> motions(std::size_t rows, int block, const double *place) {
    std::vector<double> out(6 * rows, 0);
    for (std::size_t row = 0; row < rows; row++) {
        const double *x = place + 3 * (row / block);
        const std::size_t axis = row % block % 3, next = (axis + 1) % 3, last = (axis + 2) % 3;
        double *line = out.data() + 6 * row;
        if (row % block >= 3) {  // a spin
            line[3 + axis] = 1;
            continue;
        }
        line[axis] = 1;
        line[3 + next] = x[last];  // w x x
        line[3 + last] = -x[next];
    }
    return out;
}

enum {
    SA,
    SA_MOTIONS,
    ILU0
};

std::unique_ptr<applied> make(int kind, int block, const double *place, const crs &a) {
    if (kind == SA_MOTIONS && place && block > 1) {
        aggregation<double>::params asked;
        asked.coarsening.aggr.block_size = static_cast<unsigned>(block);
        asked.coarsening.nullspace.cols = 6;
        asked.coarsening.nullspace.B = motions(std::get<0>(a), block, place);
        return std::make_unique<of_numbers<aggregation<double>>>(a, asked);
    }
    if (block == 6) return make_blocks<6>(kind == ILU0, a);
    if (block == 3) return make_blocks<3>(kind == ILU0, a);
    if (kind == ILU0) return std::make_unique<of_numbers<ilu<double>>>(a);
    return std::make_unique<of_numbers<aggregation<double>>>(a);
}

struct preconditioner {
    int kind;
    std::string fault;
    std::unique_ptr<applied> made;
};

// rows of all blocks, 1 where they differ
int block_of(const ncpbench_system_f64 &s) {
    const int rows = s.block_count > 0 ? s.block_start[1] - s.block_start[0] : 1;
    for (int i = 0; i < s.block_count; i++)
        if (s.block_start[i + 1] - s.block_start[i] != rows) return 1;
    return rows;
}

const char *create(const double *values, int32_t, void **state) {
    *state = new preconditioner{static_cast<int>(values[0]), "", nullptr};
    return nullptr;
}

void destroy(void *state) {
    delete static_cast<preconditioner *>(state);
}

const char *set_up(void *state, const ncpbench_system_f64 *system, ncpbench_outcome *outcome) {
    auto *p = static_cast<preconditioner *>(state);
    ncpbench_matrix_f64 a;
    p->made.reset();
    if (const char *fault = system->matrix(system->host, &a)) return fault;
    const auto rows = static_cast<std::size_t>(a.rows);
    const auto entries = static_cast<std::size_t>(a.start[rows]);
    try {
        const crs copy(rows, {a.start, a.start + rows + 1}, {a.column, a.column + entries},
                       {a.value, a.value + entries});
        p->made = make(p->kind, block_of(*system), system->position, copy);
    } catch (const std::bad_alloc &) {
        return "out of memory";
    } catch (const std::exception &e) {  // a zero pivot, as a rule
        p->fault = e.what();
        outcome->reason = NCPBENCH_SINGULAR;
        outcome->description = p->fault.c_str();
    }
    return nullptr;
}

void apply(void *state, const double *r, double *z) {
    static_cast<preconditioner *>(state)->made->apply(r, z);
}

const char *const kinds[] = {"sa", "sa-motions", "ilu0", nullptr};
const ncpbench_option options[] = {
    {"kind", "smoothed aggregation with spai0, that of rigid motions, or incomplete LU without fill", "1", 0, 0, 0,
     kinds, 0, 0}};

const ncpbench_precond_f64 functions = {sizeof functions, 0, nullptr, set_up, apply};

const ncpbench_class amgcl_class = {sizeof amgcl_class,
                                    NCPBENCH_NEEDS_ENTRIES,
                                    "amgcl",
                                    "preconditioners of AMGCL",
                                    options,
                                    1,
                                    sizeof *options,
                                    create,
                                    destroy,
                                    nullptr,
                                    nullptr,
                                    nullptr,
                                    &functions,
                                    nullptr};

const ncpbench_class *const classes[] = {&amgcl_class, nullptr};

}  // namespace

NCPBENCH_EXPORT const ncpbench_plugin *ncpbench_plugin_entry(uint32_t) {
    static const ncpbench_plugin plugin = {NCPBENCH_PLUGIN_ABI, sizeof plugin, classes, nullptr, nullptr};
    return &plugin;
}

/* The stand-in for CUDA's runtime (cuda_runtime.h). A thread of a kernel is a fiber; a block's threads run one at a
 * time, each up to its next barrier or shuffle; blocks run one after the other. What a stream is asked for is done when
 * somebody waits. A fault ends the program with one line. */
#include "cuda_runtime.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#ifdef NB_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <vector>

namespace {

enum {
    WARP = 32,
    MOST_THREADS = 1024,
    MOST_SHARED = 227 * 1024, /* of a block, where a kernel asks for more than */
    PLAIN_SHARED = 48 * 1024, /* this */
    MOST_ARGUMENTS = 4096,    /* [bytes] of CUDA 12.0 */
    STACK = 256 * 1024,       /* [bytes] of a thread */
    MULTIPROCESSORS = 3,      /* few, so that a batch of four islands is one of many */
    PAGE = 4096
};
const size_t MEMORY = size_t{1} << 30; /* of the device */

/* ---- threads ---- */

enum state {
    READY,
    AT_BARRIER,
    AT_SHUFFLE,
    ENDED
};
struct thread {
    nb_thread_place here;
    enum state state;
    nb_line line; /* where it waits */
    nb_shuffle shuffle;
    unsigned mask;
    int by, width;
    uint64_t value, result;
    bool has_begun;
    jmp_buf place;
    void *fiber; /* as the thread sanitizer knows it */
};
thread threads[MOST_THREADS]; /* of the block that runs, and those that larger ones have had */
ucontext_t starts[MOST_THREADS];
thread *current; /* NULL: the host runs */
jmp_buf scheduler;

/* To the thread sanitizer (daily.sh races) each fiber is a thread, which others know of by barriers alone. This file is
 * not instrumented. */
#ifdef NB_THREAD_SANITIZER
char meeting;
void *host_fiber;

void go_on_as(void *fiber) {
    __tsan_switch_to_fiber(fiber, __tsan_switch_to_fiber_no_sync);
}

void come_to_meeting() {
    __tsan_release(&meeting);
}

void leave_meeting() {
    __tsan_acquire(&meeting);
}

void make_known(thread *t) {
    host_fiber = __tsan_get_current_fiber();
    t->fiber = __tsan_create_fiber(0);
}
#else
void *const host_fiber = NULL;

void go_on_as(void *) {
}

void come_to_meeting() {
}

void leave_meeting() {
}

void make_known(thread *) {
}
#endif

struct launch {
    nb_configuration how;
    const void *kernel;
    std::function<void()> run;
};
const launch *launched; /* whose kernel runs */

const char *kernel_name(const void *kernel) {
    Dl_info found;
    return dladdr(kernel, &found) && found.dli_sname && found.dli_saddr == kernel ? found.dli_sname : "a kernel";
}

[[noreturn]] __attribute__((format(printf, 1, 2))) void fault(const char *format, ...) {
    va_list values;
    fflush(stdout);
    fprintf(stderr, "\ncuda_runtime: ");
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    if (launched)
        fprintf(stderr, " (%s, launched at %s:%d)", kernel_name(launched->kernel), launched->how.line.file,
                launched->how.line.number);
    if (current) fprintf(stderr, " [thread %u of block %u]", current->here.thread.x, current->here.block.x);
    fprintf(stderr, "\n");
    _exit(70);
}

/* NB_THREAD_ORDER: forward, backward, random (NB_TEST_SEED) */
std::vector<unsigned> order_of(unsigned count) {
    static const char *chosen = getenv("NB_THREAD_ORDER"), *seed = getenv("NB_TEST_SEED");
    static std::mt19937 random(seed ? (unsigned)strtoul(seed, NULL, 10) : 1);
    std::vector<unsigned> order(count);
    std::iota(order.begin(), order.end(), 0u);
    if (!chosen || strcmp(chosen, "forward") == 0) return order;
    if (strcmp(chosen, "backward") == 0)
        std::reverse(order.begin(), order.end());
    else if (strcmp(chosen, "random") == 0)
        std::shuffle(order.begin(), order.end(), random);
    else
        fault("NB_THREAD_ORDER is forward, backward or random, not '%s'", chosen);
    return order;
}

/* NB_WITHOUT_BARRIER=FILE:LINE takes that barrier away, for tests of the tests. */
bool is_taken_away(nb_line line) {
    static const char *chosen = getenv("NB_WITHOUT_BARRIER");
    if (!chosen) return false;
    const char *name = strrchr(line.file, '/'), *number = strchr(chosen, ':');
    name = name ? name + 1 : line.file;
    return number && strncmp(name, chosen, (size_t)(number - chosen)) == 0 && atoi(number + 1) == line.number;
}

void wait_as(enum state state, nb_line line) {
    current->state = state;
    current->line = line;
    if (state != AT_SHUFFLE) come_to_meeting();
    if (_setjmp(current->place) == 0) {
        go_on_as(host_fiber);
        _longjmp(scheduler, 1);
    }
    if (state != AT_SHUFFLE) leave_meeting();
}

/* what a fiber does for ever: a thread of block after block */
void fiber() {
    leave_meeting();
    for (;;) {
        launched->run();
        wait_as(ENDED, nb_line{"", 0});
    }
}

void resume(thread *t) {
    current = t;
    nb_here = &t->here;
    if (_setjmp(scheduler) == 0) {
        go_on_as(t->fiber);
        if (t->has_begun) _longjmp(t->place, 1);
        t->has_begun = true;
        setcontext(&starts[t - threads]);
    }
    current = NULL;
    nb_here = NULL;
}

void make_fibers(size_t count) {
    static size_t made;
    for (; made < count; made++) {
        ucontext_t *start = &starts[made];
        char *stack =
            (char *)mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stack == MAP_FAILED) fault("no memory for threads");
        mprotect(stack, PAGE, PROT_NONE);
        getcontext(start);
        start->uc_stack.ss_sp = stack;
        start->uc_stack.ss_size = STACK - made % 64 * 64; /* not all in the same lines of the cache */
        makecontext(start, fiber, 0);
        make_known(&threads[made]);
    }
}

bool has_lane(const thread *t, int lane) {
    return t->mask >> lane & 1;
}

/* from which lane this one takes its value */
int source_of(const thread *t, int lane) {
    const int first = lane & -t->width, from = t->shuffle == NB_SHUFFLE_DOWN ? lane + t->by : lane ^ t->by;
    return from < first + t->width ? from : lane;
}

/* Makes the shuffle that thread `t` waits at, where all lanes of its mask have come to it. */
bool try_shuffle(const thread *t, int size) {
    const int number = (int)t->here.thread.x, first = number / WARP * WARP;
    thread *warp = &threads[first];
    for (int lane = 0; lane < WARP; lane++) {
        const thread *other = &warp[lane];
        if (!has_lane(t, lane)) continue;
        if (first + lane >= size || other->state == ENDED)
            fault("%s:%d: the mask %08x of a shuffle has lane %d, which %s", t->line.file, t->line.number, t->mask,
                  lane, first + lane >= size ? "the block does not have" : "has ended");
        if (other->state != AT_SHUFFLE || other->mask != t->mask || other->line.number != t->line.number ||
            other->shuffle != t->shuffle || other->by != t->by || other->width != t->width)
            return false; /* now, or for ever */
    }
    for (int lane = 0; lane < WARP; lane++) {
        if (!has_lane(t, lane)) continue;
        const int from = source_of(t, lane);
        if (!has_lane(t, from))
            fault("%s:%d: lane %d takes what lane %d has, which the mask %08x of the shuffle lacks", t->line.file,
                  t->line.number, lane, from, t->mask);
        warp[lane].result = warp[from].value;
    }
    for (int lane = 0; lane < WARP; lane++)
        if (has_lane(t, lane)) warp[lane].state = READY;
    return true;
}

/* All threads wait: past the barrier, where all of them are at one. */
void pass_barrier(int size) {
    const thread *first = &threads[0];
    for (int i = 0; i < size; i++) {
        const thread *t = &threads[i];
        static const char *const at[] = {"goes on", "is at a barrier", "is at a shuffle", "has ended"};
        if (t->state != first->state || (t->state == AT_BARRIER && t->line.number != first->line.number))
            fault("threads wait for each other for ever: thread 0 %s (%s:%d), thread %d %s (%s:%d)", at[first->state],
                  first->line.file, first->line.number, i, at[t->state], t->line.file, t->line.number);
        if (t->state == AT_SHUFFLE)
            fault("%s:%d: a shuffle whose lanes do not come to it: masks differ, or what they ask for", t->line.file,
                  t->line.number);
    }
    for (int i = 0; i < size; i++) threads[i].state = READY;
}

/* every thread of the warp up to where it waits for other warps; how many end */
unsigned run_warp(unsigned first, unsigned size) {
    const std::vector<unsigned> order = order_of(std::min(size - first, (unsigned)WARP));
    unsigned ended = 0;
    for (bool moves = true; moves;) {
        for (unsigned lane : order) {
            if (threads[first + lane].state != READY) continue;
            resume(&threads[first + lane]);
            ended += threads[first + lane].state == ENDED;
        }
        moves = false;
        for (unsigned lane : order)
            if (threads[first + lane].state == AT_SHUFFLE) moves |= try_shuffle(&threads[first + lane], (int)size);
    }
    return ended;
}

void run_block(unsigned block) {
    const unsigned size = launched->how.threads;
    for (unsigned i = 0; i < size; i++) {
        threads[i].here = nb_thread_place{dim3(i), dim3(block), dim3(size), dim3(launched->how.blocks)};
        threads[i].state = READY;
    }
    for (unsigned left = size;;) {
        for (unsigned warp : order_of((size + WARP - 1) / WARP)) left -= run_warp(warp * WARP, size);
        if (left == 0) break;
        pass_barrier((int)size);
    }
}

}  // namespace

const nb_thread_place *nb_here;
struct nb_counts nb_counted;

void nb_barrier(nb_line line) {
    if (!is_taken_away(line)) wait_as(AT_BARRIER, line);
}

uint64_t nb_exchange(nb_line line, nb_shuffle shuffle, unsigned mask, uint64_t value, int by, int width) {
    thread *t = current;
    t->shuffle = shuffle;
    t->mask = mask;
    t->by = by;
    t->width = width;
    t->value = value;
    if (!has_lane(t, (int)t->here.thread.x % WARP))
        fault("%s:%d: a lane that the mask %08x of its shuffle lacks", line.file, line.number, mask);
    wait_as(AT_SHUFFLE, line);
    return t->result;
}

/* ---- memory ---- */

namespace {

cudaError_t last_error;

cudaError_t failed(cudaError_t error) {
    last_error = error;
    return error;
}

size_t whole_pages(size_t bytes) {
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* its end is that of its pages, behind which and before which nothing is mapped; by its address */
struct allocation {
    size_t bytes, pages; /* the latter in bytes */
    bool is_of_host;
    char *begin(char *address) const {
        return address + bytes - pages;
    }
};
std::map<char *, allocation> allocations;
size_t allocated;

/* the allocation that holds the address; or end() */
std::map<char *, allocation>::iterator find(const void *address) {
    auto next = allocations.upper_bound((char *)address);
    if (next == allocations.begin()) return allocations.end();
    auto found = std::prev(next);
    return (char *)address < found->first + found->second.bytes ? found : allocations.end();
}

bool holds(const void *address, size_t bytes) {
    auto found = find(address);
    return found != allocations.end() && (char *)address + bytes <= found->first + found->second.bytes;
}

bool is_of_host(const void *address) {
    auto found = find(address);
    return found != allocations.end() && found->second.is_of_host;
}

void at_signal(int, siginfo_t *what, void *) {
    auto found = find(what->si_addr);
    if (current) fault("a kernel takes memory at %p that it has not got", what->si_addr);
    if (found == allocations.end()) fault("the host takes memory at %p that nobody has", what->si_addr);
    fault("the host takes the device's memory: byte %zd of an allocation of %zu bytes",
          (char *)what->si_addr - found->first, found->second.bytes);
}

/* Again and again, as cmocka sets its own for each test. */
void watch_memory() {
    static char stack[64 * 1024];
    stack_t place = {};
    place.ss_sp = stack;
    place.ss_size = sizeof stack;
    sigaltstack(&place, NULL);
    struct sigaction action = {};
    action.sa_sigaction = at_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
}

void let_device_memory_be(int allowed) {
    for (const auto &a : allocations)
        if (!a.second.is_of_host) mprotect(a.second.begin(a.first), a.second.pages, allowed);
    watch_memory();
}

cudaError_t allocate(void **memory, size_t bytes, bool is_of_host) {
    const size_t whole = (bytes + 255) / 256 * 256, pages = whole_pages(whole);
    *memory = NULL;
    if (allocated + pages > MEMORY) return failed(cudaErrorMemoryAllocation);
    char *begin = (char *)mmap(NULL, pages + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin == MAP_FAILED) return failed(cudaErrorMemoryAllocation);
    begin += PAGE;
    mprotect(begin, pages, PROT_READ | PROT_WRITE);
    memset(begin, 0xff, pages); /* no numbers */
    allocation made = {whole, pages, is_of_host};
    if (!is_of_host) mprotect(begin, pages, PROT_NONE);
    allocations[begin + pages - whole] = made;
    allocated += pages;
    *memory = begin + pages - whole;
    watch_memory();
    return cudaSuccess;
}

}  // namespace

/* ---- what a stream is asked for ---- */

struct nb_event {
    bool has_times, is_over;
    double at;
};

namespace {

struct action {
    std::function<void()> run;
    const void *kernel; /* or NULL */
};

}  // namespace

struct nb_graph {
    std::vector<action> actions;
};

struct nb_stream {
    std::vector<action> queue;
    bool captures, is_invalid;
    std::vector<action> captured;
};

namespace {

nb_stream the_stream;
std::map<const void *, size_t> allowed_shared;
char *shared_memory, *shared_end; /* of a block; behind its end nothing is mapped */
extern "C" char __start_nb_shared[] __attribute__((weak)), __stop_nb_shared[] __attribute__((weak));

void poison_shared() {
    memset(nb_dynamic_shared(), 0xff, launched->how.shared_bytes);
    if (__start_nb_shared) memset(__start_nb_shared, 0xff, (size_t)(__stop_nb_shared - __start_nb_shared));
}

void run_blocks(const std::vector<unsigned> &order) {
    for (unsigned block : order) {
        poison_shared();
        come_to_meeting();
        run_block(block);
        leave_meeting();
    }
}

/* NB_BLOCK_RACES: each launch runs twice, the second time with its blocks the other way round. */
std::vector<char> device_memory() {
    std::vector<char> all;
    for (const auto &a : allocations)
        if (!a.second.is_of_host) all.insert(all.end(), a.first, a.first + a.second.bytes);
    return all;
}

void put_back(const std::vector<char> &all) {
    const char *from = all.data();
    for (const auto &a : allocations) {
        if (a.second.is_of_host) continue;
        memcpy(a.first, from, a.second.bytes);
        from += a.second.bytes;
    }
}

void compare_with(const std::vector<char> &all) {
    const char *other = all.data();
    for (const auto &a : allocations) {
        if (a.second.is_of_host) continue;
        const size_t bytes = a.second.bytes;
        const size_t same = (size_t)(std::mismatch(other, other + bytes, a.first).first - other);
        if (same < bytes)
            fault("blocks race: byte %zu of an allocation of %zu bytes depends on their order", same, bytes);
        other += bytes;
    }
}

void run_launch(const launch &what) {
    if (!shared_memory) {
        const size_t pages = whole_pages(MOST_SHARED);
        shared_memory = (char *)mmap(NULL, pages + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (shared_memory == MAP_FAILED) fault("no memory for blocks");
        shared_end = shared_memory + pages;
        mprotect(shared_end, PAGE, PROT_NONE);
    }
    launched = &what;
    nb_counted.launches++;
    make_fibers(what.how.threads);
    std::vector<unsigned> order = order_of(what.how.blocks);
    static const bool compares = getenv("NB_BLOCK_RACES");
    std::vector<char> before, after;
    if (compares && order.size() > 1) before = device_memory();
    run_blocks(order);
    if (!before.empty()) {
        after = device_memory();
        put_back(before);
        std::reverse(order.begin(), order.end());
        run_blocks(order);
        compare_with(after);
    }
    launched = NULL;
}

void do_all() {
    if (the_stream.queue.empty()) return;
    std::vector<action> queue;
    queue.swap(the_stream.queue);
    let_device_memory_be(PROT_READ | PROT_WRITE);
    for (const action &a : queue) a.run();
    let_device_memory_be(PROT_NONE);
}

void add(std::function<void()> run, const void *kernel = NULL) {
    (the_stream.captures ? the_stream.captured : the_stream.queue).push_back({std::move(run), kernel});
}

/* what a capture does not allow: it is then of no use */
cudaError_t spoils_capture() {
    the_stream.is_invalid = true;
    return failed(cudaErrorStreamCaptureUnsupported);
}

}  // namespace

void *nb_dynamic_shared(void) {
    return shared_end - (launched->how.shared_bytes + 15) / 16 * 16;
}

cudaError_t nb_allow_shared(const void *kernel, int bytes) {
    if (bytes < 0 || bytes > MOST_SHARED) return failed(cudaErrorInvalidValue);
    allowed_shared[kernel] = (size_t)bytes;
    return cudaSuccess;
}

void nb_add_launch(const nb_configuration &how, const void *kernel, size_t bytes_of_arguments,
                   std::function<void()> run) {
    const auto allowed = allowed_shared.find(kernel);
    const size_t most =
        allowed == allowed_shared.end() ? PLAIN_SHARED : std::max(allowed->second, (size_t)PLAIN_SHARED);
    if (how.blocks == 0 || how.blocks > INT32_MAX || how.threads == 0 || how.threads > MOST_THREADS) {
        failed(cudaErrorInvalidConfiguration);
        return;
    }
    if (how.shared_bytes > most || bytes_of_arguments > MOST_ARGUMENTS) {
        failed(cudaErrorInvalidValue);
        return;
    }
    add([what = launch{how, kernel, std::move(run)}] { run_launch(what); }, kernel);
}

/* ---- CUDA's calls ---- */

/* NB_CUDA_FAULT=CALL:NUMBER: what the call gives back, "open", "malloc" or "wait". */
static cudaError_t injected(const char *call) {
    const char *chosen = getenv("NB_CUDA_FAULT");
    const size_t length = strlen(call);
    if (!chosen || strncmp(chosen, call, length) != 0 || chosen[length] != ':') return cudaSuccess;
    return failed((cudaError_t)atoi(chosen + length + 1));
}

cudaError_t cudaGetLastError(void) {
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

const char *cudaGetErrorString(cudaError_t error) {
    switch (error) {
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated: return "invalid in a capture";
    default: return "an error of the stand-in";
    }
}

cudaError_t cudaDriverGetVersion(int *version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count) {
    *count = 1;
    return injected("open");
}

cudaError_t cudaSetDevice(int device) {
    return device == 0 ? cudaSuccess : failed(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int) {
    switch (which) {
    case cudaDevAttrMultiProcessorCount: *value = MULTIPROCESSORS; break;
    case cudaDevAttrL2CacheSize: *value = 1 << 20; break;
    case cudaDevAttrComputeCapabilityMajor: *value = 9; break;
    case cudaDevAttrComputeCapabilityMinor: *value = 0; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = MOST_SHARED; break;
    }
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
    snprintf(properties->name, sizeof properties->name, "a stand-in on the processor");
    properties->totalGlobalMem = MEMORY;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int) {
    snprintf(text, (size_t)size, "0000:00:00.0");
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **memory, size_t bytes) {
    *memory = NULL;
    const cudaError_t error = injected("malloc");
    if (error != cudaSuccess) return error;
    return allocate(memory, bytes, false);
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned) {
    return allocate(memory, bytes, true);
}

static cudaError_t free_either(void *memory, bool is_of_host) {
    do_all();
    auto found = allocations.find((char *)memory);
    if (found == allocations.end() || found->second.is_of_host != is_of_host) return failed(cudaErrorInvalidValue);
    munmap(found->second.begin(found->first) - PAGE, found->second.pages + 2 * PAGE);
    allocated -= found->second.pages;
    allocations.erase(found);
    return cudaSuccess;
}

cudaError_t cudaFree(void *memory) {
    return free_either(memory, false);
}

cudaError_t cudaFreeHost(void *memory) {
    return free_either(memory, true);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) {
    *stream = &the_stream;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (stream->captures) return spoils_capture();
    nb_counted.waits++;
    do_all();
    return injected("wait");
}

cudaError_t cudaMemsetAsync(void *memory, int byte, size_t bytes, cudaStream_t) {
    if (!holds(memory, bytes)) return failed(cudaErrorInvalidValue);
    add([=] { memset(memory, byte, bytes); });
    return cudaSuccess;
}

/* From memory that is not page-locked the bytes are taken at once; to such memory the call waits. */
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    const bool from_host = kind == cudaMemcpyHostToDevice, to_host = kind == cudaMemcpyDeviceToHost;
    if (bytes == 0) return cudaSuccess;
    if ((!from_host && !holds(from, bytes)) || (!to_host && !holds(to, bytes))) return failed(cudaErrorInvalidValue);
    const bool waits = to_host && !is_of_host(to), takes = from_host && !is_of_host(from);
    if (stream->captures && (waits || takes)) return spoils_capture();
    nb_counted.copies[kind]++;
    nb_counted.bytes[kind] += (int64_t)bytes;
    nb_counted.waits += waits;
    if (takes) {
        const std::vector<char> taken((const char *)from, (const char *)from + bytes);
        add([=] { memcpy(to, taken.data(), bytes); });
    } else {
        add([=] { memcpy(to, from, bytes); });
    }
    if (waits) do_all();
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    *event = new nb_event{!(flags & cudaEventDisableTiming), true, 0};
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, 0);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    if (stream->captures) fault("an event is recorded in a graph, and could not be waited for");
    event->is_over = false;
    add([=] {
        timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        event->is_over = true;
        event->at = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    });
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    nb_counted.waits += !event->is_over;
    if (!event->is_over) do_all();
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end) {
    if (!begin->has_times || !end->has_times) return failed(cudaErrorInvalidValue);
    if (!begin->is_over || !end->is_over) return failed(cudaErrorNotReady);
    *ms = (float)(1e3 * (end->at - begin->at));
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    if (stream->captures) return failed(cudaErrorInvalidValue);
    stream->captures = true;
    stream->is_invalid = false;
    stream->captured.clear();
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    *graph = NULL;
    if (!stream->captures) return failed(cudaErrorInvalidValue);
    stream->captures = false;
    if (stream->is_invalid) return failed(cudaErrorStreamCaptureInvalidated);
    *graph = new nb_graph{stream->captured};
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *made, cudaGraph_t graph, unsigned long long) {
    *made = new nb_graph(*graph);
    return cudaSuccess;
}

/* where it has the same kernels in the same order */
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t made, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *) {
    if (!std::equal(made->actions.begin(), made->actions.end(), graph->actions.begin(), graph->actions.end(),
                    [](const action &a, const action &b) { return a.kernel == b.kernel; }))
        return failed(cudaErrorGraphExecUpdateFailure);
    made->actions = graph->actions;
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t made, cudaStream_t) {
    nb_counted.graphs++;
    add([actions = made->actions] {
        for (const action &a : actions) a.run();
    });
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t made) {
    delete made;
    return cudaSuccess;
}

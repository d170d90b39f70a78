#include "plugin/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/memory.h"
#include "plugin/check.h"
#include "plugin/plugin.h"

NB_PRECISIONS(f64);

enum {
    PATIENCE_S = 5, /* for loading; a plugin that computes here does so in the wrong place */
    /* the same for a file in another language, whose modules a disk may first have to find, and for a trial of words */
    PATIENCE_LONG_S = 60,
    MOST_FILES = NB_PLUGIN_KINDS * NB_PLUGIN_MOST
};

/* an object to load, and what the user wrote for it */
typedef struct source {
    const char *path;
    int count;
    const char *const *words;
} source;

/* dlopen's reason without the absolute path that it starts with */
static nb_status loader_fault(const char *path, const char *absolute) {
    const char *text = dlerror();
    size_t length = strlen(absolute);
    if (text && strncmp(text, absolute, length) == 0 && strncmp(text + length, ": ", 2) == 0) text += length + 2;
    return nb_fail(NB_ERROR_INPUT, "plugin '%.200s' cannot be loaded: %.200s", path,
                   text ? text : "no reason is given");
}

/* What a process has one of: what a plugin does to it while it is loaded is undone. (What it does in a run it does in a
 * process of its own.) */
typedef struct surroundings {
    fenv_t arithmetic; /* constructors of -ffast-math flush denormal numbers */
    int folder;        /* that relative names are of, or -1 */
    mode_t mask;
    char locale[256]; /* which has the decimal point */
    struct sigaction signals[6];
} surroundings;

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGCHLD};

static void keep(surroundings *s) {
    const char *locale = setlocale(LC_ALL, NULL);
    fegetenv(&s->arithmetic);
    s->folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    s->mask = umask(077);
    umask(s->mask);
    snprintf(s->locale, sizeof s->locale, "%s", locale ? locale : "C");
    for (int i = 0; i < 6; i++) sigaction(signals[i], NULL, &s->signals[i]);
}

static nb_status put_back(surroundings *s, const char *path) {
    nb_status status = NB_OK;
    fesetenv(&s->arithmetic);
    if (s->folder >= 0 && fchdir(s->folder) != 0)
        status = nb_fail(NB_ERROR_IO, "plugin '%.300s' changes the working folder, and there is no way back: %s", path,
                         strerror(errno));
    if (s->folder >= 0) close(s->folder);
    umask(s->mask);
    setlocale(LC_ALL, s->locale);
    for (int i = 0; i < 6; i++) sigaction(signals[i], &s->signals[i], NULL);
    return status;
}

/* ---- files in other languages ---- */

/* the files that a shared object beside the program opens */
static const struct opener {
    const char *ending, *object, *language, *package;
} openers[] = {
    {".py", "ncpbench-python.so", "Python", "python3-dev"},
};

/* NULL: the path is that of a shared object itself */
static const struct opener *find_opener(const char *path) {
    for (size_t i = 0; i < sizeof openers / sizeof *openers; i++) {
        const size_t length = strlen(path), ending = strlen(openers[i].ending);
        if (length > ending && strcmp(path + length - ending, openers[i].ending) == 0) return &openers[i];
    }
    return NULL;
}

/* the path of a file of the program's: beside it, or where it is installed */
static int find_beside(const char *name, char path[PATH_MAX]) {
    static const char *const folders[] = {"", "../lib/ncpbench/"};
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) return 0;
    program[length] = '\0';
    const char *slash = strrchr(program, '/');
    for (size_t i = 0; slash && i < sizeof folders / sizeof *folders; i++)
        if (snprintf(path, PATH_MAX, "%.*s/%s%s", (int)(slash - program), program, folders[i], name) < PATH_MAX &&
            access(path, R_OK) == 0)
            return 1;
    return 0;
}

static nb_status open_with(const struct opener *o, const char *path, const ncpbench_plugin **plugin) {
    char object[PATH_MAX];
    const char *fault = "no reason is given";
    if (!find_beside(o->object, object))
        return nb_fail(NB_ERROR_UNSUPPORTED, "plugin '%.300s': this ncpbench was built without %s (%s)", path,
                       o->language, o->package);
    void *opened = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (!opened) return loader_fault(path, object);
    ncpbench_plugin_open_function *open_file = NULL;
    *(void **)&open_file = dlsym(opened, "ncpbench_plugin_open");
    if (open_file) *plugin = open_file(path, &fault);
    return *plugin ? NB_OK : nb_fail(NB_ERROR_INPUT, "plugin '%.300s': %.200s", path, fault);
}

/* ---- loading ---- */

/* whether the plugin's structure is so new that it has this function */
#define HAS(plugin, member) \
    ((plugin)->size >= offsetof(ncpbench_plugin, member) + sizeof(plugin)->member && (plugin)->member)

/* hands it what the user wrote for it */
static nb_status hand_over(const source *from, const ncpbench_plugin *plugin) {
    if (!plugin || from->count == 0) return NB_OK;
    const char *text = HAS(plugin, take) ? plugin->take(from->count, from->words) : "takes no words";
    return text ? nb_fail(NB_ERROR_USAGE, "%.400s", text) : NB_OK;
}

/* loads the object and asks it what it holds */
static nb_status ask_object(const source *from, const ncpbench_plugin **plugin) {
    const char *path = from->path;
    char absolute[PATH_MAX]; /* a name without a slash would be searched for elsewhere */
    if (!realpath(path, absolute))
        return nb_fail(NB_ERROR_IO, "cannot read plugin '%.300s': %s", path, strerror(errno));
    if (find_opener(path)) return open_with(find_opener(path), path, plugin);
    void *object = dlopen(absolute, RTLD_NOW | RTLD_LOCAL);
    if (!object) return loader_fault(path, absolute);
    ncpbench_plugin_entry_function *entry = NULL;
    *(void **)&entry = dlsym(object, "ncpbench_plugin_entry");
    if (!entry)
        return nb_fail(NB_ERROR_INPUT,
                       "plugin '%.300s' has no function ncpbench_plugin_entry: it is no plugin of ncpbench", path);
    *plugin = entry(NCPBENCH_PLUGIN_ABI);
    return hand_over(from, *plugin);
}

static nb_status open_object(const source *from, const ncpbench_plugin **plugin) {
    surroundings kept;
    keep(&kept);
    nb_status status = ask_object(from, plugin), back = put_back(&kept, from->path);
    return status == NB_OK ? back : status;
}

/* opens, checks and copies all classes; adds them where `add` */
static nb_status read_object(const source *from, int add, const ncpbench_plugin **plugin) {
    nb_status status;
    nb_plugin_class *classes = NULL;
    int count = 0;
    NB_TRY(open_object(from, plugin));
    NB_TRY(nb_plugin_check(from->path, *plugin, &classes, &count));
    for (int i = 0; i < count && add; i++) NB_TRY(nb_plugin_add(&classes[i]));
    return NB_OK; /* kept until the program ends */
out:
    return status;
}

/* Says in the answer that it came through (a plugin may end the process with any exit status), and behind that what
 * the plugin's trial of the user's words found. */
static int try_in_child(const void *context, FILE *answer) {
    const source *from = context;
    const ncpbench_plugin *plugin = NULL;
    const char *fault = NULL;
    read_object(from, 0, &plugin); /* what is refused is found once more by the parent, for its message */
    if (plugin && from->count > 0 && HAS(plugin, probe)) fault = plugin->probe();
    return fprintf(answer, ".%s", fault ? fault : "") < 0;
}

/* what a child that gave no answer died of */
static nb_status explain_death(const char *path, const nb_child *child, int patience) {
    char end[64];
    if (child->late) return nb_fail(NB_ERROR_INPUT, "plugin '%.300s': loading it takes more than %d s", path, patience);
    nb_child_end(child, end);
    return nb_fail(NB_ERROR_INPUT, "plugin '%.300s' %s while it is loaded %s", path,
                   child->signal ? "crashes" : "ends the program", end);
}

/* loads and reads it in a process of its own; a refusal is found once more by the parent, for its message */
static nb_status try_object(const source *from) {
    const int patience = from->count > 0 || find_opener(from->path) ? PATIENCE_LONG_S : PATIENCE_S;
    char purpose[350], fault[400];
    nb_child child;
    snprintf(purpose, sizeof purpose, "try plugin '%.300s' in", from->path);
    nb_status status = nb_child_start(purpose, try_in_child, from, NB_CHILD_SILENT, &child);
    if (status != NB_OK) return status;
    nb_child_await(&child, patience, NULL);
    if (fgetc(child.answer) == EOF)
        status = explain_death(from->path, &child, patience);
    else if (fgets(fault, sizeof fault, child.answer))
        status = nb_fail(NB_ERROR_USAGE, "%s", fault);
    nb_child_clear(&child);
    return status;
}

static nb_status check_file(const char *path, struct stat *info) {
    if (stat(path, info) != 0) return nb_fail(NB_ERROR_IO, "cannot read plugin '%.300s': %s", path, strerror(errno));
    if (!S_ISREG(info->st_mode)) return nb_fail(NB_ERROR_IO, "plugin '%.300s' is not a regular file", path);
    return NB_OK;
}

static nb_status load(source from) {
    static struct loaded {
        struct stat info;
        const ncpbench_plugin *plugin;
    } loaded[MOST_FILES];
    static int loaded_count;
    nb_status status;
    struct stat info;
    char *copy = NULL;
    const ncpbench_plugin *plugin = NULL;
    NB_TRY(check_file(from.path, &info));
    for (int i = 0; i < loaded_count; i++)
        if (loaded[i].info.st_dev == info.st_dev && loaded[i].info.st_ino == info.st_ino) plugin = loaded[i].plugin;
    if (plugin && from.count == 0) return NB_OK;
    if (loaded_count == MOST_FILES) NB_TRY(nb_fail(NB_ERROR_INPUT, "more than %d plugins", (int)MOST_FILES));
    NB_TRY(try_object(&from));
    if (plugin) return hand_over(&from, plugin);
    NB_TRY(nb_copy_text(from.path, &copy)); /* the classes keep it */
    from.path = copy;
    NB_TRY(read_object(&from, 1, &plugin));
    loaded[loaded_count++] = (struct loaded){info, plugin};
    return NB_OK;
out:
    nb_free(copy);
    return status;
}

nb_status nb_plugin_load(const char *path) {
    return load((source){.path = path});
}

nb_status nb_plugin_load_own(const char *name, int count, const char *const *words) {
    char file[64], path[PATH_MAX];
    snprintf(file, sizeof file, "ncpbench-%s.so", name);
    if (!find_beside(file, path)) return nb_fail(NB_ERROR_UNSUPPORTED, "this ncpbench was built without %s", file);
    return load((source){path, count, words});
}

void *nb_plugin_own_function(const char *name, const char *function) {
    char file[64], path[PATH_MAX];
    snprintf(file, sizeof file, "ncpbench-%s.so", name);
    void *object = find_beside(file, path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    return object ? dlsym(object, function) : NULL;
}

nb_status nb_plugin_load_list(const char *paths) {
    nb_status status = NB_OK;
    char *copy = NULL, *rest = NULL;
    if (!paths) return NB_OK;
    NB_TRY(nb_copy_text(paths, &copy));
    for (char *path = strtok_r(copy, ":", &rest); path; path = strtok_r(NULL, ":", &rest)) NB_TRY(nb_plugin_load(path));
out:
    nb_free(copy);
    return status;
}

// Loads plug-ins, each at most once.
#ifdef NB_PLUG_INS
#include "plug_ins.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// Linked with the program by Integrations/standalone/build: for each plug-in a line of its name, its length in bytes, its
// CRC-32, and the packages of its libraries.
extern const char nb_plug_ins[] __attribute__((weak));

static struct {
    const char *const name;
    void *library;
} plug_ins[] = {
    [NB_PLUG_IN_AVIF] = {"avif", NULL}, [NB_PLUG_IN_JXL] = {"jxl", NULL}, [NB_PLUG_IN_HEIC] = {"heic", NULL},
    [NB_PLUG_IN_TIFF] = {"tiff", NULL}, [NB_PLUG_IN_GIF] = {"gif", NULL}, [NB_PLUG_IN_PALETTE] = {"palette", NULL},
};
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/// What the program knows of a plug-in.
typedef struct {
    size_t count;
    uint32_t checksum;
    char packages[100];  // empty if none are known
} facts;

static facts facts_of(const char *name) {
    facts found = {0, 0, ""};
    size_t length = strlen(name);
    for (const char *line = nb_plug_ins; line != NULL && *line != 0;) {
        if (strncmp(line, name, length) == 0 && line[length] == ' ') {
            sscanf(line + length, " %zu %x %99[^\n]", &found.count, &found.checksum, found.packages);
            break;
        }
        line = strchr(line, '\n');
        if (line != NULL) line++;
    }
    return found;
}

static void *load(const char *name, nb_error *error) {
    char path[PATH_MAX + 64];
    facts known = facts_of(name);
    if (!nb_plug_in_find(name, known.count, known.checksum, path, sizeof path, error)) return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library != NULL) return library;
    const char *cause = dlerror();
    snprintf(error->message, sizeof error->message, "%.100s: install %s", cause == NULL ? path : cause,
             known.packages[0] != 0 ? known.packages : "what it needs");
    return NULL;
}

nb_status nb_plug_in_load(nb_plug_in which, nb_error *error) {
    pthread_mutex_lock(&loading);
    if (plug_ins[which].library == NULL) plug_ins[which].library = load(plug_ins[which].name, error);
    int is_loaded = plug_ins[which].library != NULL;
    pthread_mutex_unlock(&loading);
    return is_loaded ? NB_OK : NB_NO_PLUG_IN;
}

void *nb_plug_in_function(nb_plug_in which, const char *name, nb_error *error) {
    if (nb_plug_in_load(which, error) != NB_OK) return NULL;
    void *function = dlsym(plug_ins[which].library, name);
    if (function == NULL) nb_fail(error, NB_NO_PLUG_IN, "it is incomplete: install nuke-batch again");
    return function;
}
#else
#include "internal.h"

nb_status nb_plug_in_load(nb_plug_in which, nb_error *error) {
    (void)which;
    (void)error;
    return NB_OK;
}
#endif

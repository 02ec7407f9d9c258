// Loads plug-ins, each at most once.
#ifdef NB_PLUG_INS
#include "plug_ins.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// Linked with the program by Integrations/standalone/build: a digest of what a plug-in and the program must agree on, and
// lines of a plug-in's name and the packages of its libraries.
extern const char nb_interface[] __attribute__((weak));
extern const char nb_packages[] __attribute__((weak));

static struct {
    const char *const name;
    void *library;
} plug_ins[] = {
    [NB_PLUG_IN_AVIF] = {"avif", NULL},       [NB_PLUG_IN_HEIC] = {"heic", NULL}, [NB_PLUG_IN_TIFF] = {"tiff", NULL},
    [NB_PLUG_IN_GIF] = {"gif", NULL}, [NB_PLUG_IN_PALETTE] = {"palette", NULL},
};
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/// The packages of a plug-in's libraries, up to the line's end; NULL if none are known.
static const char *packages_of(const char *name) {
    size_t length = strlen(name);
    for (const char *line = nb_packages; line != NULL && *line != 0;) {
        if (strncmp(line, name, length) == 0 && line[length] == ' ') return line + length + 1;
        line = strchr(line, '\n');
        if (line != NULL) line++;
    }
    return NULL;
}

static void *fail(nb_plug_in which, const char *cause, nb_error *error) {
    const char *packages = packages_of(plug_ins[which].name);
    if (packages == NULL) snprintf(error->message, sizeof error->message, "%s", cause);
    else
        snprintf(error->message, sizeof error->message, "%.120s: install %.*s", cause, (int)strcspn(packages, "\n"), packages);
    return NULL;
}

static void *load(nb_plug_in which, nb_error *error) {
    char path[PATH_MAX + 64];
    if (!nb_plug_in_find(plug_ins[which].name, path, sizeof path, error)) return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *cause = dlerror();
        return fail(which, cause == NULL ? path : cause, error);
    }
    const char *interface = dlsym(library, "nb_plug_in_interface");
    if (interface == NULL || nb_interface == NULL || strcmp(interface, nb_interface) != 0) {
        dlclose(library);
        snprintf(error->message, sizeof error->message, "%.140s is of another release: install nuke-batch again", path);
        return NULL;
    }
    return library;
}

nb_status nb_plug_in_load(nb_plug_in which, nb_error *error) {
    pthread_mutex_lock(&loading);
    if (plug_ins[which].library == NULL) plug_ins[which].library = load(which, error);
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

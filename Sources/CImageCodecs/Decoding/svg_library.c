// Loads librsvg when the first drawing is drawn: with it come fifty libraries, which no other image needs.
#include "svg_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static nb_svg_library library;
static char problem[120];

static void load(void) {
    // The name of its binary interface: the same in all distributions since 2005. Its dependencies are searched as well.
    void *opened = dlopen("librsvg-2.so.2", RTLD_NOW | RTLD_LOCAL);
    const char *cause = opened == NULL ? dlerror() : NULL;
#define FIND(result, name, parameters) \
    if (opened != NULL) { \
        union { void *symbol; result(*function) parameters; } found = {dlsym(opened, #name)}; \
        library.name = found.function; \
        if (found.symbol == NULL) cause = "librsvg-2.so.2 has no " #name; \
    }
    NB_SVG_FUNCTIONS(FIND)
    if (cause != NULL) snprintf(problem, sizeof problem, "%s", cause);
}

const nb_svg_library *nb_svg_find_library(nb_error *error) {
    pthread_once(&once, load);
    if (problem[0] == 0) return &library;
    snprintf(error->message, sizeof error->message, "%s: install librsvg2-2 (Debian, Ubuntu) or librsvg 2.46 or later",
             problem);
    return NULL;
}

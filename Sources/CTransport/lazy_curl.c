// In builds with the trait PlugIns, libcurl and the 25 libraries that it needs are loaded before the first transfer, since half
// of the commands make none. Each of its functions is then a jump through a table. (docs/adr/0013-plug-ins.md)
#include "CTransport.h"

#ifdef NB_PLUG_INS
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

// The functions that this package, and Foundation's part of the network, call.
#define FUNCTIONS(EACH) \
    EACH(curl_easy_cleanup) EACH(curl_easy_getinfo) EACH(curl_easy_init) EACH(curl_easy_pause) EACH(curl_easy_reset) \
    EACH(curl_easy_setopt) EACH(curl_easy_strerror) EACH(curl_free) EACH(curl_global_init) EACH(curl_multi_add_handle) \
    EACH(curl_multi_assign) EACH(curl_multi_cleanup) EACH(curl_multi_info_read) EACH(curl_multi_init) \
    EACH(curl_multi_remove_handle) EACH(curl_multi_setopt) EACH(curl_multi_socket_action) EACH(curl_slist_append) \
    EACH(curl_slist_free_all) EACH(curl_url) EACH(curl_url_get) EACH(curl_url_set) EACH(curl_version) \
    EACH(curl_version_info)

// A jump leaves all arguments where they are, those of variadic functions as well.
#if defined(__x86_64__)
#define JUMP(name) "jmp *nb_lazy_" name "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(name) "adrp x16, nb_lazy_" name "\nldr x16, [x16, :lo12:nb_lazy_" name "]\nbr x16\n"
#else
#error "write a jump through memory for this processor, or build without the trait PlugIns"
#endif
#define DEFINE(name) \
    __attribute__((used, visibility("hidden"))) void *nb_lazy_##name; \
    __asm__(".text\n.globl " #name "\n.type " #name ", %function\n" #name ":\n" JUMP(#name));
FUNCTIONS(DEFINE)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[200];

static void load(void) {
    // The name of its binary interface: the same in all distributions since 2006.
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    const char *cause = library == NULL ? dlerror() : NULL;
#define FIND(name) \
    if (library != NULL && (nb_lazy_##name = dlsym(library, #name)) == NULL) cause = "it has no " #name;
    FUNCTIONS(FIND)
    if (cause != NULL) snprintf(problem, sizeof problem, "%s", cause);
}

const char *nb_curl_load(void) {
    pthread_once(&once, load);
    return problem[0] == 0 ? NULL : problem;
}
#else
const char *nb_curl_load(void) { return NULL; }
#endif

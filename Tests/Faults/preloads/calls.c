// Makes the calls of children/calls.c where a decoder with a fault would: as soon as libjpeg decodes a JPEG 333 pixels wide
// (`cc -shared -fPIC -o calls.so calls.c`).
//
// In the environment LD_CALLS names the calls, with a space between two, or is `environment`, which tells the variables of the
// process. What came of each goes to the file LD_CALLS_LOG: its name and `done`, or the number of the error. (A child gets the
// variables of the loader.)

#define main calls_main
#include "../children/calls.c"
#undef main

#include <dlfcn.h>

#include <jpeglib.h>

static int calls_log = -1;

// A child may open no file later.
__attribute__((constructor)) static void open_log(void) {
    const char *path = getenv("LD_CALLS_LOG");
    if (path) calls_log = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static void make(const char *name) {
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strcmp(calls[i].name, name) != 0) continue;
        int error = calls[i].make() < 0 ? errno : 0;
        if (error) dprintf(calls_log, "%s %d\n", name, error);
        else dprintf(calls_log, "%s done\n", name);
    }
}

boolean jpeg_start_decompress(j_decompress_ptr info) {
    boolean (*next)(j_decompress_ptr) = (boolean (*)(j_decompress_ptr))dlsym(RTLD_NEXT, "jpeg_start_decompress");
    const char *names = getenv("LD_CALLS");
    if (names && info->image_width == 333) {
        static char copy[1 << 14];
        require_file();
        strncpy(copy, names, sizeof copy - 1);
        if (strcmp(copy, "environment") == 0)
            for (char **variable = environ; *variable; variable++) dprintf(calls_log, "%s\n", *variable);
        else
            for (char *rest = copy, *name; (name = strtok_r(rest, " ", &rest));) make(name);
    }
    return next(info);
}

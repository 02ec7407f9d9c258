// A decoder with a fault, for a program that is started with this library preloaded
// (`cc -shared -fPIC -o poison.so poison.c`): JPEGs 333 pixels wide harm the process as soon as libjpeg decodes them.
//
// In the environment LD_POISON says how (a child gets the variables of the loader): `segv`, `abort`, `kill` (as the kernel does when memory runs out), `spin` (for
// ever), `exit`, `memory` (`kill` where a terabyte of address space can be had, else `abort`), `none`, `reach` (`segv`
// unless it is in a child that can make no file, nor read one where the kernel has Landlock), `header` (`spin` as soon as the header is read). Each time a
// line with the process's number is added to the file LD_POISON_LOG; `tell` does no harm, and adds whether the process is
// `confined` or `reaches` a file that no decoder needs.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <jpeglib.h>

static int file = -1;

// A child may open no file later.
__attribute__((constructor)) static void open_log(void) {
    const char *path = getenv("LD_POISON_LOG");
    if (path) file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static void harm(const char *how) {
    char line[32];
    int tells = strcmp(how, "tell") == 0;
    const char *told = !tells ? "" : open("/etc/passwd", O_RDONLY) >= 0 ? " reaches" : " confined";
    int count = snprintf(line, sizeof line, "%d%s\n", getpid(), told);
    if (file >= 0 && write(file, line, (size_t)count) != count) _exit(9);
    if (tells || strcmp(how, "none") == 0) return;
    if (strcmp(how, "reach") == 0) {
        int is_child = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
        int has_landlock = syscall(SYS_landlock_create_ruleset, NULL, 0, 1) > 0;
        int can_reach = has_landlock && open("/etc/passwd", O_RDONLY) >= 0;
        if (is_child && !can_reach && open("escaped", O_WRONLY | O_CREAT, 0600) < 0) return;
        raise(SIGSEGV);
    }
    if (strcmp(how, "segv") == 0) raise(SIGSEGV);
    if (strcmp(how, "abort") == 0) abort();
    if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
    if (strcmp(how, "exit") == 0) _exit(7);
    if (strcmp(how, "memory") == 0) {
        void *room = mmap(NULL, (size_t)1 << 40, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (room == MAP_FAILED) abort();
        kill(getpid(), SIGKILL);
    }
    for (volatile int spinning = 1; spinning;) {}
}

boolean jpeg_start_decompress(j_decompress_ptr info) {
    static boolean (*next)(j_decompress_ptr);
    if (!next) next = (boolean (*)(j_decompress_ptr))dlsym(RTLD_NEXT, "jpeg_start_decompress");
    const char *how = getenv("LD_POISON");
    if (how && info->image_width == 333) harm(how);
    return next(info);
}

int jpeg_read_header(j_decompress_ptr info, boolean require_image) {
    static int (*next)(j_decompress_ptr, boolean);
    if (!next) next = (int (*)(j_decompress_ptr, boolean))dlsym(RTLD_NEXT, "jpeg_read_header");
    const char *how = getenv("LD_POISON");
    int result = next(info, require_image);
    if (how && strcmp(how, "header") == 0 && info->image_width == 333) harm(how);
    return result;
}

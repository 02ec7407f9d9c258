// A folder of caches (XDG_CACHE_HOME) of its own for the process of the tests: the user's is shared by every run on the
// machine, and what is kept there by name would be as well. It is set before `main`, when no other thread reads the
// environment, and removed at the end of the process.

#define _GNU_SOURCE
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "COwnCaches.h"

static char folder[4096];
static pid_t owner;

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status, (void)kind, (void)place;
    remove(path);
    return 0;
}

static void remove_folder(void) {
    if (getpid() == owner) nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

__attribute__((constructor)) static void make_folder(void) {
    const char *parent = getenv("TMPDIR");
    if (!parent || !*parent) parent = "/tmp";
    snprintf(folder, sizeof folder, "%s/nuke-batch-test-caches-XXXXXX", parent);
    if (!mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1) != 0) {
        perror(folder);
        _exit(1);
    }
    owner = getpid();
    atexit(remove_folder);
}

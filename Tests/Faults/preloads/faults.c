// Faults for a program that is started with this library preloaded (`cc -shared -fPIC -o faults.so faults.c`).
//
// Counts, over all threads, the calls that change files. In the environment:
// NB_KILL_AT=n    kills the process at the n-th of them, before it is made; a write is made by half
// NB_NO_SYNC=1    fsync, fdatasync and syncfs do nothing: what a power cut then leaves is what a program without them would have
// NB_LATE_DATA=n  the bytes of a file that was made without a name reach it only n calls later; its length is there at once
// NB_CALLS=FILE   adds a line for each of them to FILE: its name and its file
// NB_FAIL=NAME    calls of this name fail with the error NB_ERRNO, from the NB_FAIL_AT-th on (1), NB_FAIL_COUNT of them (1); of
//                 those with NB_FAIL_PATH in their file's path, if that is set. NAME open: files that are opened to be read;
//                 create unnamed: files that have no name yet (O_TMPFILE).
//                 Without NB_ERRNO, the process is killed instead
// NB_LOST=1       a link that fails so is made all the same, as by a server whose answer is lost
// NB_NO_LOCK=1    flock always succeeds
// NB_SHORT=n      writes write n bytes at most

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The C library's syscall, below the one of this library.
static long (*original(void))(long, ...) {
    static long (*found)(long, ...);
    if (!found) found = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return found;
}

#define syscall(...) original()(__VA_ARGS__)

enum { DESCRIPTORS = 65536, LATE = 4096 };

static atomic_long calls, failing_calls;
static atomic_bool is_unnamed[DESCRIPTORS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { int descriptor; char *bytes; size_t count; off_t offset; long due; } late[LATE];
static int late_count;

static long setting(const char *name) {
    const char *value = getenv(name);
    return value ? atol(value) : 0;
}

static void write_what_is_due(long now) {
    pthread_mutex_lock(&lock);
    int kept = 0;
    for (int i = 0; i < late_count; i++) {
        if (late[i].due > now) {
            late[kept++] = late[i];
            continue;
        }
        if (syscall(SYS_pwrite64, late[i].descriptor, late[i].bytes, late[i].count, late[i].offset) < 0) abort();
        syscall(SYS_close, late[i].descriptor);
        free(late[i].bytes);
    }
    late_count = kept;
    pthread_mutex_unlock(&lock);
}

// The path of a file that is open, or that a path below an open folder names.
static const char *describe(int descriptor, const char *path, char *room, size_t size) {
    char link[64];
    ssize_t length = 0;
    if (!path || (path[0] != '/' && descriptor != AT_FDCWD)) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        length = readlink(link, room, size - 2);
        if (length < 0) length = 0;
    }
    room[length] = 0;
    if (path) snprintf(room + length, size - (size_t)length, "%s%s", length ? "/" : "", path);
    return room;
}

static void note(const char *name, const char *file) {
    const char *journal = getenv("NB_CALLS");
    if (!journal) return;
    char line[4200];
    int length = snprintf(line, sizeof line, "%s %s\n", name, file);
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, journal, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (syscall(SYS_write, descriptor, line, length) != length) abort();
    syscall(SYS_close, descriptor);
}

static void die(void) {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
}

// Whether the call is to fail, with errno as it is to be.
static int fails(const char *name, int descriptor, const char *path, int is_change) {
    const char *failing = getenv("NB_FAIL");
    if (!failing && !getenv("NB_CALLS")) return 0;
    int before = errno;
    char room[4096];
    const char *file = describe(descriptor, path, room, sizeof room);
    if (is_change) note(name, file);
    errno = before;
    if (!failing || strcmp(failing, name) != 0) return 0;
    const char *part = getenv("NB_FAIL_PATH");
    if (part && !strstr(file, part)) return 0;
    long number = atomic_fetch_add(&failing_calls, 1) + 1, first = setting("NB_FAIL_AT"), count = setting("NB_FAIL_COUNT");
    if (number < first || number >= (first ? first : 1) + (count ? count : 1)) return 0;
    if (!getenv("NB_ERRNO")) die();
    errno = (int)setting("NB_ERRNO");
    return 1;
}

// Whether this is the call to die at; otherwise it is counted.
static int is_last(void) {
    long now = atomic_fetch_add(&calls, 1) + 1;
    if (late_count > 0) write_what_is_due(now);
    return now == setting("NB_KILL_AT");
}

// Counts a call, or dies at it; whether it is to fail.
static int count(const char *name, int descriptor, const char *path) {
    if (is_last()) die();
    return fails(name, descriptor, path, 1);
}

static size_t at_most(size_t size) {
    size_t most = (size_t)setting("NB_SHORT");
    return most > 0 && most < size ? most : size;
}

static ssize_t write_at(int descriptor, const void *bytes, size_t size, off_t offset) {
    if (is_last()) {
        syscall(SYS_pwrite64, descriptor, bytes, size / 2, offset);
        die();
    }
    if (fails("pwrite", descriptor, NULL, 1)) return -1;
    size = at_most(size);
    if (setting("NB_LATE_DATA") && descriptor < DESCRIPTORS && is_unnamed[descriptor]) {
        if (syscall(SYS_ftruncate, descriptor, offset + (off_t)size) < 0) return -1;
        pthread_mutex_lock(&lock);
        if (late_count == LATE) abort();
        late[late_count].descriptor = dup(descriptor);
        late[late_count].bytes = memcpy(malloc(size + 1), bytes, size);
        late[late_count].count = size;
        late[late_count].offset = offset;
        late[late_count++].due = atomic_load(&calls) + setting("NB_LATE_DATA");
        pthread_mutex_unlock(&lock);
        return (ssize_t)size;
    }
    return syscall(SYS_pwrite64, descriptor, bytes, size, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
    return write_at(descriptor, bytes, size, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset) {
    return write_at(descriptor, bytes, size, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
    // What it says on its standard output is no change of a file.
    if (descriptor > 2 && is_last()) {
        syscall(SYS_write, descriptor, bytes, size / 2);
        die();
    }
    if (descriptor > 2 && fails("write", descriptor, NULL, 1)) return -1;
    return syscall(SYS_write, descriptor, bytes, descriptor > 2 ? at_most(size) : size);
}

int ftruncate(int descriptor, off_t size) {
    if (count("ftruncate", descriptor, NULL)) return -1;
    return (int)syscall(SYS_ftruncate, descriptor, size);
}

int ftruncate64(int descriptor, off64_t size) {
    return ftruncate(descriptor, size);
}

int fsync(int descriptor) {
    if (count("fsync", descriptor, NULL)) return -1;
    return setting("NB_NO_SYNC") ? 0 : (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
    if (count("fdatasync", descriptor, NULL)) return -1;
    return setting("NB_NO_SYNC") ? 0 : (int)syscall(SYS_fdatasync, descriptor);
}

int syncfs(int descriptor) {
    if (count("syncfs", descriptor, NULL)) return -1;
    return setting("NB_NO_SYNC") ? 0 : (int)syscall(SYS_syncfs, descriptor);
}

int flock(int descriptor, int operation) {
    return setting("NB_NO_LOCK") ? 0 : (int)syscall(SYS_flock, descriptor, operation);
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
    int failed = count("link", to, new), code = errno;
    if (failed && !setting("NB_LOST")) return -1;
    int result = (int)syscall(SYS_linkat, from, old, to, new, flags);
    if (failed) errno = code;
    return failed ? -1 : result;
}

int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
    if (count("rename", to, new)) return -1;
    return (int)syscall(SYS_renameat2, from, old, to, new, flags);
}

int renameat(int from, const char *old, int to, const char *new) {
    return renameat2(from, old, to, new, 0);
}

int rename(const char *old, const char *new) {
    return renameat(AT_FDCWD, old, AT_FDCWD, new);
}

int unlinkat(int folder, const char *path, int flags) {
    if (count("unlink", folder, path)) return -1;
    return (int)syscall(SYS_unlinkat, folder, path, flags);
}

int unlink(const char *path) {
    return unlinkat(AT_FDCWD, path, 0);
}

int mkdirat(int folder, const char *path, mode_t mode) {
    if (count("mkdir", folder, path)) return -1;
    return (int)syscall(SYS_mkdirat, folder, path, mode);
}

int mkdir(const char *path, mode_t mode) {
    return mkdirat(AT_FDCWD, path, mode);
}

static int open_at(int folder, const char *path, int flags, mode_t mode) {
    int makes = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
    const char *name = (flags & O_TMPFILE) == O_TMPFILE ? "create unnamed" : "create";
    if (makes ? count(name, folder, path) : fails("open", folder, path, 0)) return -1;
    int descriptor = (int)syscall(SYS_openat, folder, path, flags, makes ? mode : 0);
    if (descriptor >= 0 && descriptor < DESCRIPTORS) is_unnamed[descriptor] = (flags & O_TMPFILE) == O_TMPFILE;
    return descriptor;
}

#define MODE(flags) \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }

int openat(int folder, const char *path, int flags, ...) {
    MODE(flags)
    return open_at(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    MODE(flags)
    return open_at(folder, path, flags, mode);
}

int open(const char *path, int flags, ...) {
    MODE(flags)
    return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE(flags)
    return open_at(AT_FDCWD, path, flags, mode);
}

// The C library has no function for openat2.
long (syscall)(long number, ...) {
    long words[6];
    va_list rest;
    va_start(rest, number);
    for (int i = 0; i < 6; i++) words[i] = va_arg(rest, long);
    va_end(rest);
    if (number == SYS_openat2) {
        const struct open_how *how = (const struct open_how *)words[2];
        const char *path = (const char *)words[1];
        int fault = how->flags & O_CREAT ? count("create", (int)words[0], path) : fails("open", (int)words[0], path, 0);
        if (fault) return -1;
    }
    return syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

int close(int descriptor) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS) is_unnamed[descriptor] = 0;
    return (int)syscall(SYS_close, descriptor);
}

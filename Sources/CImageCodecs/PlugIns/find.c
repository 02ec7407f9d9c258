// Finds the file of a plug-in: in ../libexec/nuke-batch beside the program, and nowhere else. Whoever could write there could
// run code as everybody who runs the program, so each part of the path must belong to the program's owner, or to root.
#ifdef NB_PLUG_INS
#define _GNU_SOURCE
#include "plug_ins.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libdeflate.h>

__attribute__((format(printf, 2, 3))) static int refuse(nb_error *error, const char *format, ...) {
    va_list words;
    va_start(words, format);
    vsnprintf(error->message, sizeof error->message, format, words);
    va_end(words);
    return -1;
}

/// Cuts the last name of a path.
static int to_parent(char *path) {
    char *slash = strrchr(path, '/');
    if (slash == NULL) return 0;
    *slash = 0;
    return 1;
}

static int check(int file, const char *path, uid_t owner, nb_error *error) {
    struct stat found;
    if (fstat(file, &found) != 0) return refuse(error, "%s cannot be examined: %s", path, strerror(errno));
    if (found.st_uid != 0 && found.st_uid != owner)
        return refuse(error, "%.120s is not used: it belongs to user %u, not to root: chown it", path, (unsigned)found.st_uid);
    if (found.st_mode & (S_IWGRP | S_IWOTH))
        return refuse(error, "%.120s is not used: others may write to it: chmod go-w it", path);
    return 0;
}

/// Opens `name` in the folder `from` without following a link, closes the folder, and checks what was opened.
static int step(int from, const char *name, int flags, const char *path, uid_t owner, nb_error *error) {
    int file = openat(from, name, flags | O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int cause = errno;
    close(from);
    if (file < 0)
        return refuse(error, "%.130s: %s: install nuke-batch again, with its libexec", path, strerror(cause));
    if (check(file, path, owner, error) == 0) return file;
    close(file);
    return -1;
}

static int open_file(const char *name, char *path, size_t capacity, nb_error *error) {
    struct stat program;
    char folder[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (length < 0 || stat("/proc/self/exe", &program) != 0)
        return refuse(error, "the program's own path cannot be read from /proc: %s", strerror(errno));
    folder[length] = 0;
    if (!to_parent(folder) || !to_parent(folder)) return refuse(error, "the program is in no folder");
    static const char *const names[] = {"libexec", "nuke-batch"};
    int at = open(folder[0] == 0 ? "/" : folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    snprintf(path, capacity, "%s", folder);
    for (size_t i = 0; i < 2 && at >= 0; i++) {
        snprintf(path + strlen(path), capacity - strlen(path), "/%s", names[i]);
        at = step(at, names[i], O_DIRECTORY, path, program.st_uid, error);
    }
    if (at < 0) return -1;
    char file[64];
    snprintf(file, sizeof file, "%s.so", name);
    snprintf(path + strlen(path), capacity - strlen(path), "/%s", file);
    return step(at, file, 0, path, program.st_uid, error);
}

/// Against damage and other releases; the owner protects it from malice. (The dynamic linker crashes on a file cut short.)
static int is_whole(int file, size_t count, uint32_t checksum) {
    struct stat found;
    if (count == 0 || fstat(file, &found) != 0 || (size_t)found.st_size != count) return 0;
    uint8_t *bytes = malloc(count);
    int is_equal = bytes != NULL && pread(file, bytes, count, 0) == (ssize_t)count &&
                   libdeflate_crc32(0, bytes, count) == checksum;
    free(bytes);
    return is_equal;
}

int nb_plug_in_find(const char *name, size_t count, uint32_t checksum, char *path, size_t capacity, nb_error *error) {
    int file = open_file(name, path, capacity, error);
    if (file < 0) return 0;
    int is_found = is_whole(file, count, checksum);
    if (!is_found) refuse(error, "%.120s is damaged or of another release: install nuke-batch again", path);
    close(file);
    return is_found;
}
#endif

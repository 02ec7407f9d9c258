#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// System calls that Swift cannot make: openat2 and Landlock have no wrappers in the C library, open is variadic.

/// Opens `path` below the folder `folder` and nowhere else: `..` out of it, absolute paths and every
/// symbolic link fail (EXDEV, ELOOP). Linux 5.6. Returns a descriptor, or -1 with errno.
int nb_open_beneath(int folder, const char *path, int flags, mode_t mode);

/// As `nb_open_beneath`, for looking at what is there and not at its content (O_PATH). Returns -1 with errno.
int nb_open_reference(int folder, const char *path);

/// Opens `path` as the C library does. Returns a descriptor, or -1 with errno.
int nb_open(const char *path, int flags, mode_t mode);

/// An unnamed file in the folder `folder`, gone with its descriptor unless it is linked. Returns -1 with errno.
int nb_open_unnamed(int folder, mode_t mode);

/// Gives the unnamed file `descriptor` the name `name` in `folder`; EEXIST where there is one. Returns -1 with errno.
int nb_link_unnamed(int descriptor, int folder, const char *name);

/// Writes all of the file system that `descriptor` stands on to the disk; errors since it was opened count (Linux 5.8).
/// Returns -1 with errno.
int nb_sync_file_system(int descriptor);

/// 1 if `descriptor` stands on a file system of which `nb_sync_file_system` is known to ask the disk, as FUSE's does not:
/// ext4, XFS or tmpfs, which has none. Otherwise 0.
int nb_syncs_file_system(int descriptor);

/// An unnamed file in memory of `size` zero bytes, above the standard descriptors. Returns a descriptor, or -1 with errno.
int nb_open_memory(const char *name, off_t size);

/// Stores `value` at `place` whole, before anything that this thread does later.
static inline void nb_store(int64_t *place, int64_t value) {
    __atomic_store_n(place, value, __ATOMIC_SEQ_CST);
}

/// Starts the program `path` in a process group of its own, with `input` and `output` as its standard streams, no
/// other descriptor and no signal blocked or ignored. Returns 0, or the number of the error.
int nb_start(const char *path, char *const arguments[], char *const environment[], int input, int output, pid_t *process);

/// Waits until the child has ended and leaves it to `waitpid`, so that its number stays its own until then.
void nb_await(pid_t process);

/// Lets the kernel end this process when the thread that started it ends. Returns -1 with errno, or if it has ended already.
int nb_end_with_parent(void);

/// Takes from this thread and those it will start, for good: new rights from programs that it executes, and (Landlock,
/// Linux 5.13) all files but those below the `count` folders `readable`, which can be read; TCP and signals to others
/// as well where the kernel can. Returns Landlock's version, 0 where the kernel has none, or -1 with errno.
int nb_confine(const char *const readable[], size_t count);

/// Lets this process have so much address space and processor time, in bytes and seconds from its start; beyond that
/// memory is refused, and SIGXCPU sent. Returns -1 with errno.
int nb_limit(uint64_t bytes, uint64_t seconds);

#pragma once
#include <sys/types.h>

// System calls that Swift cannot make: openat2 has no wrapper in the C library, open is variadic.

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

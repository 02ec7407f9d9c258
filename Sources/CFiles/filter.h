#pragma once
#include <linux/filter.h>
#include <sys/types.h>

// The filter of system calls of a child process (seccomp(2)): a list of what is allowed.

/// More instructions than a filter has.
#define NB_FILTER_CAPACITY 1024

enum nb_stage {
    /// A program that still sets itself up: it may also start programs, and open files for writing.
    nb_stage_start,
    /// A program that reads what may be hostile.
    nb_stage_work,
};

/// Writes a filter for `process`, or for any if that is 0, and returns its number of instructions, which may be more than
/// `capacity`. It allocates nothing.
size_t nb_filter(enum nb_stage stage, pid_t process, struct sock_filter *result, size_t capacity);

/// Adds the filter to this thread and the threads and programs that it will start. Returns 1, 0 if there are no filters here,
/// or -1 with errno.
int nb_add_filter(enum nb_stage stage, pid_t process);

#pragma once
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
// For Swift, whose module of the C library leaves it out.
#include <sys/xattr.h>

// System calls that Swift cannot make: openat2 and Landlock have no wrappers in the C library, and open is variadic.

/// Opens `path` below the folder `folder` and nowhere else. A `..` that leaves it, absolute paths and all symbolic
/// links fail (EXDEV, ELOOP). Linux 5.6. Returns a descriptor, or -1 with errno.
int nb_open_beneath(int folder, const char *path, int flags, mode_t mode);

/// As `nb_open_beneath`, for reading attributes only (O_PATH). Returns -1 with errno.
int nb_open_reference(int folder, const char *path);

/// Opens `path` with the C library. Returns a descriptor, or -1 with errno.
int nb_open(const char *path, int flags, mode_t mode);

/// Creates an unnamed file in the folder `folder`, which disappears with its descriptor unless linked. Returns -1 with
/// errno.
int nb_open_unnamed(int folder, mode_t mode);

/// Links the unnamed file `descriptor` as `name` in `folder`. EEXIST if the name is taken. Returns -1 with errno.
int nb_link_unnamed(int descriptor, int folder, const char *name);

/// Moves the file `old` of the folder `from` to `name` in the folder `to`, unless that is taken, in one step. EEXIST if it is; EOPNOTSUPP
/// on a file system that can neither link nor rename without replacing. Returns -1 with errno.
int nb_move_unless_taken(int from, const char *old, int to, const char *name);

/// 1 on file systems whose files can share blocks: XFS, Btrfs and bcachefs. Otherwise 0.
int nb_shares_blocks(int descriptor);

/// Gives the empty file `to` the bytes of `from` without copying them (FICLONE): what is written to one of them later does
/// not change the other. Returns -1 with errno, also where the file system cannot do that.
int nb_share_blocks(int from, int to);

/// 1 if the file has the owner, the group and the permissions `mode` that a new file in `folder` would get, and the folder
/// has no access list for new files (acl(5)). Otherwise 0.
int nb_is_like_new(int file, int folder, mode_t mode);

/// 1 if new files in the folder get its group (setgid) or an access list from it. Otherwise 0.
int nb_hands_down(int folder);

/// 1 if the file has the owner, the group and the permissions of `old`, and neither has an access list, or if `old` is no
/// regular file. Otherwise 0. `old` may be opened for its attributes only.
int nb_is_like(int file, int old);

/// Gives the file, which this process has made, the permissions and the access list of the regular file `old`, and its owner
/// and group as far as the system allows; nothing of anything else. Returns 0, or -1 with errno.
int nb_take_over(int file, int old);

/// The number of the mount that the open file or folder `descriptor` is on; 0 if the kernel does not report it (before 5.8).
uint64_t nb_mount(int descriptor);

/// Writes the whole file system of `descriptor` to the disk. Reports errors since it was opened (Linux 5.8). Returns -1
/// with errno.
int nb_sync_file_system(int descriptor);

/// 1 if `nb_sync_file_system` is known to reach the disk on the file system of `descriptor`: ext4, XFS or tmpfs, which
/// has none. Otherwise 0, as for FUSE.
int nb_syncs_file_system(int descriptor);

/// Creates an unnamed file in memory of `size` zero bytes, above the standard descriptors. Returns a descriptor, or -1
/// with errno.
int nb_open_memory(const char *name, off_t size);

/// Opens two connected ends, above the standard descriptors: what is written to one is read from the other. Returns 0, or -1
/// with errno.
int nb_open_connection(int ends[2]);

/// Stores `value` at `address` atomically, before any later store of this thread.
static inline void nb_store(int64_t *address, int64_t value) {
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);
}

/// The limits of a child process, for ever, besides the calls of the filter. It also loses all capabilities but that of reading
/// files, has no way to get others, and ends with the thread that started it.
struct nb_sandbox {
    /// Its address space in bytes; 0 for no limit.
    uint64_t memory;
    /// The bytes of a file that it writes; 0 for no limit.
    uint64_t file_size;
    /// The files that it may have open.
    uint64_t files;
};

struct nb_program {
    const char *path;
    char *const *arguments;
    char *const *environment;
    /// The standard streams; no standard error is -1.
    int input, output, errors;
    /// NULL for a program that has the rights of this process.
    const struct nb_sandbox *sandbox;
};

/// Starts a program in its own process group, with no other descriptor than its standard streams, and no signal blocked or
/// ignored. Returns 0 or the error number.
int nb_start(const struct nb_program *program, pid_t *process);

/// Returns a descriptor of a child that was not waited for (Linux 5.3), which is readable when that has ended; -1 with errno.
int nb_open_process(pid_t process);

/// Opens a pipe, above the standard descriptors, of which no end blocks: what a full one does not hold is lost. Returns 0, or -1
/// with errno.
int nb_open_pipe(int ends[2]);

/// Waits until the child has ended without reaping it, so that its process number stays reserved until `waitpid`.
void nb_await(pid_t process);

/// Returns a descriptor of the parent process (Linux 5.3), or -1 with errno, ESRCH if it has already ended.
int nb_open_parent(void);
/// Blocks until the process of a descriptor has ended, whichever of its threads do.
void nb_await_opened(int process);

/// Returns Landlock's version, 0 if the kernel has none, or -1 if a filter of system calls forbids it.
int nb_landlock_version(void);

/// 1 if the kernel takes filters of system calls, 0 if it has none, or -1 if another filter forbids more.
int nb_has_filters(void);

/// Writes the filter of a program that reads what may be hostile, as the kernel takes it (seccomp(2)), to `result`, and returns
/// its size in bytes, which may be more than `capacity`.
size_t nb_work_filter(void *result, size_t capacity);

/// Permanently restricts this thread and the threads that it will start: no new privileges, no system calls but those that read
/// files and use memory and threads (seccomp), and (Landlock, Linux 5.13) no files but below the `count` folders `readable`; also
/// no TCP and no signals to other processes if the kernel supports it. Returns 0, or -1 with errno. What the kernel does not have, or
/// a filter forbids, is left out.
int nb_confine(const char *const readable[], size_t count);

/// Limits this process's address space and the files that it writes, in bytes, and its processor time, in seconds since
/// its start. Above these, allocations fail, and SIGXFSZ or SIGXCPU is sent. Memory can never be raised above the first limit.
/// Returns -1 with errno.
int nb_limit(uint64_t memory, uint64_t bytes, uint64_t seconds);

/// Waits for a signal of the semaphore for up to `nanoseconds` by the monotonic clock (glibc 2.30). Returns 0, or -1 with
/// ETIMEDOUT in errno.
int nb_await_signal(sem_t *semaphore, int64_t nanoseconds);

/// Starts a thread called `name` (at most 15 bytes) that calls `body` with `argument` and ends. Returns 0 or the error
/// number.
int nb_start_thread(const char *name, void (*body)(void *), void *argument);

/// The most descriptors that this process may have open (the soft limit).
long nb_descriptor_limit(void);

/// Raises that limit to the hard one.
void nb_raise_descriptor_limit(void);

/// Makes the allocator return freed blocks of 2 MiB and more to the system at once.
void nb_return_large_blocks(void);

/// Makes all threads that begin from now on take their memory from one pool of the allocator.
void nb_use_one_arena(void);

/// The limit of this process's address space in bytes, or -1 if it has none.
int64_t nb_address_space_limit(void);

/// 1 if `bytes` more of address space are free, otherwise 0. From then on, the allocator is sparing with it.
int nb_has_address_space(uint64_t bytes);

/// The commit that the program was built from; empty if its build did not say.
const char *nb_build_commit(void);

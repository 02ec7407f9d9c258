#define _GNU_SOURCE
#include "CFiles.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int nb_open_memory(const char *name, off_t size) {
    int file = memfd_create(name, MFD_CLOEXEC);
    if (file < 0) return -1;
    // A program that was started without standard streams has their numbers free.
    int result = fcntl(file, F_DUPFD_CLOEXEC, 10);
    if (result >= 0 && ftruncate(result, size) != 0) {
        close(result);
        result = -1;
    }
    close(file);
    return result;
}

static int above_standard_streams(int descriptor) {
    int result = fcntl(descriptor, F_DUPFD_CLOEXEC, 10);
    close(descriptor);
    return result;
}

int nb_open_connection(int ends[2]) {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
    // A program that was started without standard streams has their numbers free.
    ends[0] = above_standard_streams(ends[0]);
    ends[1] = above_standard_streams(ends[1]);
    if (ends[0] >= 0 && ends[1] >= 0) return 0;
    int error = errno;
    if (ends[0] >= 0) close(ends[0]);
    if (ends[1] >= 0) close(ends[1]);
    errno = error;
    return -1;
}

int nb_start(
    const char *path, char *const arguments[], char *const environment[], int input, int output, int errors, pid_t *process) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawn_file_actions_init(&files);
    if (error != 0) return error;
    if ((error = posix_spawnattr_init(&attributes)) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return error;
    }
    error = posix_spawn_file_actions_adddup2(&files, input, 0);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&files, output, 1);
    if (error == 0 && errors >= 0) error = posix_spawn_file_actions_adddup2(&files, errors, 2);
    if (error == 0 && errors < 0) error = posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&files, 3);
    if (error == 0) error = posix_spawnattr_setsigmask(&attributes, &none);
    if (error == 0) error = posix_spawnattr_setsigdefault(&attributes, &all);
    if (error == 0) error = posix_spawnattr_setpgroup(&attributes, 0);
    if (error == 0)
        error = posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    if (error == 0) error = posix_spawn(process, path, &files, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

void nb_await(pid_t process) {
    siginfo_t end;
    int result;
    do result = waitid(P_PID, (id_t)process, &end, WEXITED | WNOWAIT);
    while (result != 0 && errno == EINTR);
}

int nb_open_parent(void) {
    pid_t parent = getppid();
    int process = (int)syscall(SYS_pidfd_open, parent, 0);
    if (process < 0 || getppid() == parent) return process;
    close(process);
    errno = ESRCH;
    return -1;
}

void nb_await_opened(int process) {
    struct pollfd wanted = {process, POLLIN, 0};
    while (poll(&wanted, 1, -1) < 0 && errno == EINTR) {}
}

int nb_end_with_parent(void) {
    pid_t parent = getppid();
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return -1;
    return getppid() == parent ? 0 : -1;
}

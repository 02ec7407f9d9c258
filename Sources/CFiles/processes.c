#define _GNU_SOURCE
#include "CFiles.h"
#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

static int move_above_standard_streams(int ends[2]) {
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

int nb_open_connection(int ends[2]) {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
    return move_above_standard_streams(ends);
}

// Leaves the process only the right to read files that it could not by their modes, and no way to get others.
static void drop_capabilities(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[2];
    if (syscall(SYS_capget, &header, sets) != 0) return;
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    // What the user 0 gets with a program is what this set has.
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
        if (capability != CAP_DAC_READ_SEARCH) prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    sets[0].permitted &= UINT32_C(1) << CAP_DAC_READ_SEARCH;
    sets[0].effective = sets[0].permitted;
    sets[1].permitted = sets[1].effective = sets[0].inheritable = sets[1].inheritable = 0;
    syscall(SYS_capset, &header, sets);
}

static int limit_for_ever(int resource, uint64_t value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return -1;
    if (value < limit.rlim_max) limit.rlim_max = value;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(resource, &limit);
}

static int enter_sandbox(const struct nb_sandbox *sandbox, pid_t parent) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return -1;
    if (getppid() != parent) {
        errno = ESRCH;
        return -1;
    }
    if (limit_for_ever(RLIMIT_CORE, 0) != 0 || limit_for_ever(RLIMIT_NOFILE, sandbox->files) != 0) return -1;
    if (sandbox->memory > 0 && limit_for_ever(RLIMIT_AS, sandbox->memory) != 0) return -1;
    if (sandbox->file_size > 0 && limit_for_ever(RLIMIT_FSIZE, sandbox->file_size) != 0) return -1;
    drop_capabilities();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return nb_add_filter(nb_stage_start, getpid()) < 0 ? -1 : 0;
}

static void close_others(void) {
    if (syscall(SYS_close_range, 3, ~0U, 0) == 0) return;
    // Before Linux 5.9.
    for (long descriptor = nb_descriptor_limit(); descriptor >= 3; descriptor--) close((int)descriptor);
}

// Makes the child of vfork(2), which shares its parent's memory, the program; returns only with an error in errno.
static void become(const struct nb_program *program, pid_t parent) {
    struct sigaction usual = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) sigaction(number, &usual, NULL);
    if (setpgid(0, 0) != 0) return;
    if (dup2(program->input, 0) < 0 || dup2(program->output, 1) < 0) return;
    int errors = program->errors >= 0 ? program->errors : open("/dev/null", O_WRONLY);
    if (errors < 0 || dup2(errors, 2) < 0) return;
    close_others();
    if (program->sandbox && enter_sandbox(program->sandbox, parent) != 0) return;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(program->path, program->arguments, program->environment);
}

// If memory runs out, the kernel ends the child before any other process. A process may say so of itself only while its files
// of /proc are its own, which those of this process are not.
static void offer_to_kernel(pid_t process) {
    char path[48];
    snprintf(path, sizeof path, "/proc/%d/oom_score_adj", process);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    if (write(file, "1000", 4) != 4) {} // it is as likely as any other process
    close(file);
}

int nb_start(const struct nb_program *program, pid_t *process) {
    // Otherwise the child could read the memory and the environment of this process, whose user it has (ptrace(2), "Ptrace access
    // mode checking"), until Landlock keeps them apart, where the kernel has it. It also means no core dumps of this process.
    if (program->sandbox) prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    sigset_t all, before;
    sigfillset(&all);
    // No handler may run in the memory that both share until the program starts.
    int error = pthread_sigmask(SIG_BLOCK, &all, &before);
    if (error != 0) return error;
    pid_t parent = getpid();
    volatile int failure = 0;
    pid_t child = vfork();
    if (child == 0) {
        become(program, parent);
        failure = errno;
        _exit(127);
    }
    error = child < 0 ? errno : failure;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (child < 0) return error;
    if (error != 0) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
        return error;
    }
    if (program->sandbox) offer_to_kernel(child);
    *process = child;
    return 0;
}

int nb_open_process(pid_t process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

int nb_open_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
    return move_above_standard_streams(ends);
}

void nb_await(pid_t process) {
    siginfo_t end;
    int result;
    do result = waitid(P_PID, (id_t)process, &end, WEXITED | WNOWAIT);
    while (result != 0 && errno == EINTR);
}

int nb_open_parent(void) {
    pid_t parent = getppid();
    int process = nb_open_process(parent);
    if (process < 0 || getppid() == parent) return process;
    close(process);
    errno = ESRCH;
    return -1;
}

void nb_await_opened(int process) {
    struct pollfd wanted = {process, POLLIN, 0};
    while (poll(&wanted, 1, -1) < 0 && errno == EINTR) {}
}

#define _GNU_SOURCE
#include "CFiles.h"
#include "filter.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#else
#error "the filter of system calls knows x86-64 and ARM64"
#endif

// A call that is in force in both stages.
#define ALL(name) {SYS_##name, 1}

struct call {
    int number;
    // 1: in force for a program that still sets itself up, and for one that reads what may be hostile.
    // 0: only while it sets itself up.
    int is_for_work;
};

// What reads files that are open or may be opened, uses memory and threads, and reads the clock. Everything else is refused.
static const struct call allowed[] = {
    ALL(read), ALL(write), ALL(readv), ALL(writev), ALL(pread64), ALL(pwrite64), ALL(preadv), ALL(pwritev), ALL(lseek),
    ALL(close), ALL(close_range), ALL(fstat), ALL(newfstatat), ALL(statx), ALL(statfs), ALL(fstatfs), ALL(faccessat),
    ALL(faccessat2), ALL(readlinkat), ALL(getdents64), ALL(getcwd), ALL(dup), ALL(dup3), ALL(pipe2), ALL(ftruncate),
    ALL(fadvise64), ALL(mmap), ALL(munmap), ALL(mprotect), ALL(mremap), ALL(madvise), ALL(brk), ALL(membarrier), ALL(msync),
    ALL(mincore), ALL(futex), ALL(set_robust_list), ALL(set_tid_address), ALL(rseq), ALL(gettid), ALL(getpid), ALL(getppid),
    ALL(getpgid), ALL(getsid), ALL(getuid), ALL(geteuid), ALL(getgid), ALL(getegid), ALL(getresuid), ALL(getresgid),
    ALL(getgroups), ALL(capget), ALL(uname), ALL(sysinfo), ALL(getrandom), ALL(getrusage), ALL(times), ALL(getcpu),
    ALL(getpriority), ALL(sched_yield), ALL(sched_getaffinity), ALL(sched_getparam), ALL(sched_getscheduler),
    ALL(sched_get_priority_max), ALL(sched_get_priority_min), ALL(clock_gettime), ALL(clock_getres), ALL(clock_nanosleep),
    ALL(nanosleep), ALL(gettimeofday), ALL(setitimer), ALL(getitimer), ALL(timerfd_create), ALL(timerfd_settime),
    ALL(timerfd_gettime), ALL(eventfd2), ALL(epoll_create1), ALL(epoll_ctl), ALL(epoll_pwait), ALL(ppoll), ALL(pselect6),
    ALL(rt_sigaction), ALL(rt_sigprocmask), ALL(rt_sigreturn), ALL(rt_sigpending), ALL(rt_sigsuspend), ALL(rt_sigtimedwait),
    ALL(sigaltstack), ALL(restart_syscall), ALL(exit), ALL(exit_group), ALL(setrlimit), ALL(getrlimit),
    ALL(landlock_create_ruleset), ALL(landlock_add_rule), ALL(landlock_restrict_self), ALL(seccomp),
#if defined(__x86_64__)
    ALL(stat), ALL(lstat), ALL(access), ALL(readlink), ALL(getdents), ALL(dup2), ALL(pipe), ALL(arch_prctl), ALL(getpgrp),
    ALL(time), ALL(alarm), ALL(eventfd), ALL(epoll_create), ALL(epoll_wait), ALL(poll), ALL(select), ALL(pause),
    {SYS_vfork, 0}, {SYS_fork, 0},
#endif
    {SYS_execve, 0}, {SYS_wait4, 0}, {SYS_waitid, 0}, {SYS_chdir, 0}, {SYS_umask, 0},
};

struct argument_rule {
    int number;
    int is_for_work;
    int argument;
    uint32_t mask;
    uint32_t value;
};

#define ANY_BITS UINT32_MAX
#define NAMESPACES                                                                                                             \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#define WRITING (O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))

// Calls that are allowed if an argument, less the bits that the mask leaves out, has this value.
static const struct argument_rule ruled[] = {
    {SYS_openat, 1, 2, WRITING, O_RDONLY},
    {SYS_clone, 1, 0, CLONE_THREAD, CLONE_THREAD},
    // A program that still sets itself up may be a script that starts others and writes to /dev/null.
    {SYS_openat, 0, 2, 0, 0},
    {SYS_clone, 0, 0, NAMESPACES, 0},
#if defined(__x86_64__)
    {SYS_open, 1, 1, WRITING, O_RDONLY},
    {SYS_open, 0, 1, 0, 0},
#endif
    {SYS_ioctl, 1, 1, ANY_BITS, TCGETS},
    {SYS_ioctl, 1, 1, ANY_BITS, FIOCLEX},
    {SYS_ioctl, 1, 1, ANY_BITS, FIONREAD},
    {SYS_fcntl, 1, 1, ANY_BITS, F_DUPFD},
    {SYS_fcntl, 1, 1, ANY_BITS, F_DUPFD_CLOEXEC},
    {SYS_fcntl, 1, 1, ANY_BITS, F_GETFD},
    {SYS_fcntl, 1, 1, ANY_BITS, F_SETFD},
    {SYS_fcntl, 1, 1, ANY_BITS, F_GETFL},
    {SYS_fcntl, 1, 1, ANY_BITS, F_SETFL},
    {SYS_prctl, 1, 0, ANY_BITS, PR_SET_NAME},
    {SYS_prctl, 1, 0, ANY_BITS, PR_GET_NAME},
    {SYS_prctl, 1, 0, ANY_BITS, PR_GET_DUMPABLE},
    {SYS_prctl, 1, 0, ANY_BITS, PR_CAPBSET_READ},
    {SYS_prctl, 1, 0, ANY_BITS, PR_SET_NO_NEW_PRIVS},
    {SYS_prctl, 1, 0, ANY_BITS, PR_GET_NO_NEW_PRIVS},
    {SYS_prctl, 1, 0, ANY_BITS, PR_GET_SECCOMP},
    {SYS_prctl, 1, 0, ANY_BITS, PR_SET_SECCOMP},
    // Limits of this process alone.
    {SYS_prlimit64, 1, 0, ANY_BITS, 0},
};

// Calls that no decoder and no interpreter makes, and that reach into other processes or the kernel.
static const int deadly[] = {
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_bpf,
    SYS_perf_event_open, SYS_kexec_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_userfaultfd,
    SYS_open_by_handle_at,
#if defined(__x86_64__)
    SYS_iopl, SYS_ioperm,
#endif
};

// Calls that the C library replaces by older ones where a kernel lacks them.
static const int unknown[] = {SYS_clone3, SYS_openat2, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register};

// The last call that the lists above were checked against; a kernel may have newer ones, which do not exist here.
#define LAST_KNOWN SYS_landlock_restrict_self

struct writer {
    struct sock_filter *start;
    size_t capacity;
    size_t count;
};

static void add(struct writer *writer, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false) {
    if (writer->count < writer->capacity)
        writer->start[writer->count] = (struct sock_filter){.code = code, .jt = if_true, .jf = if_false, .k = value};
    writer->count++;
}

static void load(struct writer *writer, size_t offset) {
    add(writer, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(struct writer *writer, uint32_t verdict) {
    add(writer, BPF_RET | BPF_K, verdict, 0, 0);
}

static void answer_call(struct writer *writer, int number, uint32_t verdict) {
    add(writer, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
    answer(writer, verdict);
}

// Allows a call where the low half of an argument has a value; the accumulator has the call's number before and after.
static void allow_argument(struct writer *writer, int number, int argument, uint32_t mask, uint32_t value) {
    add(writer, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 5);
    load(writer, offsetof(struct seccomp_data, args) + 8 * (size_t)argument);
    add(writer, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
    add(writer, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    answer(writer, SECCOMP_RET_ALLOW);
    load(writer, offsetof(struct seccomp_data, nr));
}

size_t nb_filter(enum nb_stage stage, pid_t process, struct sock_filter *result, size_t capacity) {
    struct writer writer = {result, capacity, 0};
    load(&writer, offsetof(struct seccomp_data, arch));
    add(&writer, BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
    answer(&writer, SECCOMP_RET_KILL_PROCESS);
    load(&writer, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (allowed[i].is_for_work || stage == nb_stage_start) answer_call(&writer, allowed[i].number, SECCOMP_RET_ALLOW);
    for (size_t i = 0; i < sizeof ruled / sizeof *ruled; i++)
        if (ruled[i].is_for_work || stage == nb_stage_start)
            allow_argument(&writer, ruled[i].number, ruled[i].argument, ruled[i].mask, ruled[i].value);
    // Signals to this process alone, as abort(3) sends them; of two filters each has to allow a call.
    uint32_t compared = process ? ANY_BITS : 0;
    allow_argument(&writer, SYS_kill, 0, compared, (uint32_t)process);
    allow_argument(&writer, SYS_tgkill, 0, compared, (uint32_t)process);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) answer_call(&writer, deadly[i], SECCOMP_RET_KILL_PROCESS);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        answer_call(&writer, unknown[i], SECCOMP_RET_ERRNO | ENOSYS);
    // Also calls of the x32 interface, whose numbers are higher.
    add(&writer, BPF_JMP | BPF_JGT | BPF_K, LAST_KNOWN, 0, 1);
    answer(&writer, SECCOMP_RET_ERRNO | ENOSYS);
    answer(&writer, SECCOMP_RET_ERRNO | EPERM);
    return writer.count;
}

int nb_has_filters(void) {
    // Without a filter, the kernel says whether it would take one (seccomp(2)).
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) == 0) return 1;
    return errno == EFAULT ? 1 : errno == EPERM ? -1 : 0;
}

int nb_add_filter(enum nb_stage stage, pid_t process) {
    struct sock_filter instructions[NB_FILTER_CAPACITY];
    size_t count = nb_filter(stage, process, instructions, NB_FILTER_CAPACITY);
    struct sock_fprog program = {(unsigned short)count, instructions};
    if (count > NB_FILTER_CAPACITY) {
        errno = E2BIG;
        return -1;
    }
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0) return 1;
    // The kernel has none, or the filter of a container forbids more.
    return errno == EINVAL || errno == EPERM ? 0 : -1;
}

size_t nb_work_filter(void *result, size_t capacity) {
    return nb_filter(nb_stage_work, 0, result, capacity / sizeof(struct sock_filter)) * sizeof(struct sock_filter);
}

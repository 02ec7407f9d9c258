// System calls that a child of nuke-batch must not get through with (`cc -o calls calls.c`).
//
//     calls --list          prints the names: those marked `work` are only refused when the child reads what may be hostile
//     calls NAME [work]     makes the call, harmlessly, and prints what came of it: `done`, or the number of the error
//
// With `work`, the program first adds the filter that nuke-batch hands to a child in the environment. It needs a file `file` in the
// working directory, and one as standard input, that it may change. A call outside a sandbox must be done, or fail by its arguments: that is the control.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALL(name, ...) static long call_##name(void) { __VA_ARGS__; }
#define SYSCALL(name, ...) CALL(name, return syscall(SYS_##name, __VA_ARGS__))

static struct timespec now[2];
static char buffer[64];
// Standard input, which the calls change: a regular file, and never a device that others use.
#define ANY_FILE 0

static void require_file(void) {
    struct stat status;
    if (fstat(ANY_FILE, &status) == 0 && S_ISREG(status.st_mode)) return;
    fputs("calls: standard input must be a regular file, since its mode and owner are changed\n", stderr);
    _exit(9);
}

CALL(internet, return socket(AF_INET, SOCK_DGRAM, 0))
CALL(internet6, return socket(AF_INET6, SOCK_STREAM, 0))
CALL(unix_socket, return socket(AF_UNIX, SOCK_STREAM, 0))
CALL(netlink, return socket(AF_NETLINK, SOCK_RAW, 0))
CALL(vsock, return socket(AF_VSOCK, SOCK_STREAM, 0))
CALL(socketpair, int ends[2]; return socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
SYSCALL(connect, ANY_FILE, NULL, 0)
SYSCALL(bind, ANY_FILE, NULL, 0)
SYSCALL(listen, ANY_FILE, 1)
SYSCALL(accept4, ANY_FILE, NULL, NULL, 0)
SYSCALL(sendto, ANY_FILE, buffer, 1, 0, NULL, 0)
SYSCALL(recvfrom, ANY_FILE, buffer, 1, 0, NULL, NULL)
SYSCALL(sendmsg, ANY_FILE, NULL, 0)
SYSCALL(recvmsg, ANY_FILE, NULL, 0)
SYSCALL(sendmmsg, ANY_FILE, NULL, 1, 0)
SYSCALL(setsockopt, ANY_FILE, SOL_SOCKET, SO_REUSEADDR, NULL, 0)
SYSCALL(shutdown, ANY_FILE, SHUT_WR)
SYSCALL(fchmod, ANY_FILE, 0600)
SYSCALL(fchmodat, AT_FDCWD, "file", 0600)
SYSCALL(fchown, ANY_FILE, -1, -1)
SYSCALL(fchownat, AT_FDCWD, "file", -1, -1, 0)
SYSCALL(utimensat, AT_FDCWD, "file", now, 0)
SYSCALL(setxattr, "file", "user.calls", "x", 1, 0)
SYSCALL(lsetxattr, "file", "user.calls", "x", 1, 0)
SYSCALL(fsetxattr, ANY_FILE, "user.calls", "x", 1, 0)
SYSCALL(removexattr, "file", "user.none")
SYSCALL(lremovexattr, "file", "user.none")
SYSCALL(fremovexattr, ANY_FILE, "user.none")
SYSCALL(getxattr, "file", "user.calls", buffer, sizeof buffer)
SYSCALL(mkdirat, AT_FDCWD, "made", 0700)
SYSCALL(unlinkat, AT_FDCWD, "none", 0)
SYSCALL(renameat2, AT_FDCWD, "file", AT_FDCWD, "file", 0)
SYSCALL(linkat, AT_FDCWD, "file", AT_FDCWD, "file", 0)
SYSCALL(symlinkat, "file", AT_FDCWD, "file")
SYSCALL(mknodat, AT_FDCWD, "pipe", S_IFIFO | 0600, 0)
SYSCALL(truncate, "file", 1)
SYSCALL(fallocate, ANY_FILE, 0, 0, 0)
SYSCALL(fsync, ANY_FILE)
SYSCALL(flock, ANY_FILE, 8)
CALL(lease, return fcntl(ANY_FILE, F_SETLEASE, F_UNLCK))
CALL(owner, return fcntl(ANY_FILE, F_SETOWN, getppid()))
CALL(flags_of_file, int flags; return ioctl(ANY_FILE, FS_IOC_GETFLAGS, &flags))
CALL(terminal_input, return ioctl(ANY_FILE, TIOCSTI, "x"))
SYSCALL(ptrace, 0x4206 /* PTRACE_SEIZE */, getppid(), 0, 0)
SYSCALL(process_vm_readv, getppid(), NULL, 0, NULL, 0, 0)
SYSCALL(process_vm_writev, getppid(), NULL, 0, NULL, 0, 0)
SYSCALL(keyctl, 0, -3, 1)
SYSCALL(add_key, "user", "nuke-batch", "x", 1, 0)
SYSCALL(request_key, "user", "none", NULL, 0)
SYSCALL(bpf, 0, NULL, 0)
SYSCALL(perf_event_open, NULL, 0, -1, -1, 0)
SYSCALL(userfaultfd, ~0)
SYSCALL(init_module, NULL, 0, NULL)
SYSCALL(finit_module, ANY_FILE, NULL, 0)
SYSCALL(delete_module, NULL, 0)
SYSCALL(kexec_load, 0, 99999, NULL, 0)
SYSCALL(open_by_handle_at, AT_FDCWD, NULL, 0)
SYSCALL(name_to_handle_at, AT_FDCWD, "file", NULL, NULL, 0)
SYSCALL(mount, NULL, NULL, NULL, 0, NULL)
SYSCALL(umount2, "none", 0)
SYSCALL(pivot_root, "none", "none")
SYSCALL(chroot, "none")
SYSCALL(unshare, CLONE_NEWUSER | CLONE_NEWNET)
SYSCALL(setns, ANY_FILE, 0)
SYSCALL(clone3, NULL, 0)
SYSCALL(openat2, AT_FDCWD, "file", NULL, 0)
SYSCALL(io_uring_setup, 1, NULL)
SYSCALL(memfd_create, "calls", 0)
SYSCALL(inotify_init1, 0)
SYSCALL(fanotify_init, 0, 0)
SYSCALL(setuid, getuid())
SYSCALL(setgid, getgid())
SYSCALL(setresuid, -1, -1, -1)
SYSCALL(setgroups, 0, NULL)
SYSCALL(capset, NULL, NULL)
SYSCALL(personality, 0xffffffff)
SYSCALL(sethostname, NULL, 1)
SYSCALL(setdomainname, NULL, 1)
SYSCALL(settimeofday, NULL, NULL)
SYSCALL(clock_settime, CLOCK_MONOTONIC, NULL)
SYSCALL(adjtimex, NULL)
SYSCALL(swapon, NULL, 0)
SYSCALL(swapoff, NULL)
SYSCALL(reboot, 0, 0, 0, NULL)
SYSCALL(quotactl, 0, NULL, 0, NULL)
SYSCALL(syslog, 10, NULL, 0)
SYSCALL(setpriority, PRIO_PROCESS, 0, 19)
SYSCALL(sched_setaffinity, 0, 0, NULL)
SYSCALL(sched_setscheduler, 0, 0, NULL)
SYSCALL(ioprio_set, 1, 0, 0x6000)
SYSCALL(shmget, 0, 0, 0600)
SYSCALL(msgget, 0x6e6b, 0600)
SYSCALL(semget, 0, 0, 0600)
SYSCALL(mq_unlink, "none")
SYSCALL(splice, ANY_FILE, NULL, 1, NULL, 0, 0)
SYSCALL(sendfile, 1, ANY_FILE, NULL, 0)
SYSCALL(copy_file_range, ANY_FILE, NULL, 1, NULL, 0, 0)
SYSCALL(pidfd_open, getppid(), 0)
SYSCALL(pidfd_send_signal, ANY_FILE, 0, NULL, 0)
SYSCALL(kill, getppid(), 0)
SYSCALL(tgkill, getppid(), getppid(), 0)
SYSCALL(tkill, getppid(), 0)
SYSCALL(rt_sigqueueinfo, getppid(), 0, NULL)
SYSCALL(setpgid, 0, 0)
CALL(setsid, return setsid())
SYSCALL(mlockall, 0)
CALL(outlive_parent, return prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0))
CALL(tracer, return prctl(PR_SET_PTRACER, -1, 0, 0, 0))
CALL(reap_others, return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
CALL(limits_of_parent, return syscall(SYS_prlimit64, getppid(), RLIMIT_CORE, NULL, NULL))
#if defined(__x86_64__)
SYSCALL(chmod, "file", 0600)
SYSCALL(chown, "file", -1, -1)
SYSCALL(utime, "file", NULL)
SYSCALL(utimes, "file", NULL)
SYSCALL(mkdir, "made", 0700)
SYSCALL(rmdir, "none")
SYSCALL(unlink, "none")
SYSCALL(rename, "file", "file")
SYSCALL(link, "file", "file")
SYSCALL(symlink, "file", "file")
SYSCALL(mknod, "pipe", S_IFIFO | 0600, 0)
SYSCALL(creat, "made-too", 0600)
SYSCALL(modify_ldt, 0, NULL, 0)
SYSCALL(iopl, 0)
SYSCALL(ioperm, 0, 1, 0)
#endif

static long reach(const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", getppid(), name);
    int file = open(path, O_RDONLY);
    return file >= 0 && read(file, buffer, 1) == 1 ? 0 : -1;
}
CALL(environment_of_parent, return reach("environ"))
CALL(memory_of_parent,
     char path[64];
     snprintf(path, sizeof path, "/proc/%d/mem", getppid());
     return open(path, O_RDONLY))
// Only while it reads what may be hostile.
CALL(write_a_file, return open("file", O_WRONLY))
CALL(make_a_file, return open("made-three", O_RDONLY | O_CREAT, 0600))
CALL(empty_a_file, return open("file", O_RDONLY | O_TRUNC))
CALL(unnamed_file, return open(".", O_RDWR | O_TMPFILE, 0600))
CALL(start_a_process,
     pid_t child = fork();
     if (child == 0) _exit(0);
     return child)
CALL(start_a_program,
     char *const words[] = {"echo", "done", NULL};
     return execv("/bin/echo", words))

#define BOTH(name) {#name, call_##name, 0}
#define WORK(name) {#name, call_##name, 1}
static const struct {
    const char *name;
    long (*make)(void);
    int only_in_work;
} calls[] = {
    BOTH(internet), BOTH(internet6), BOTH(unix_socket), BOTH(netlink), BOTH(vsock), BOTH(socketpair), BOTH(connect), BOTH(bind),
    BOTH(listen), BOTH(accept4), BOTH(sendto), BOTH(recvfrom), BOTH(sendmsg), BOTH(recvmsg), BOTH(sendmmsg), BOTH(setsockopt),
    BOTH(shutdown), BOTH(fchmod), BOTH(fchmodat), BOTH(fchown), BOTH(fchownat), BOTH(utimensat), BOTH(setxattr),
    BOTH(lsetxattr), BOTH(fsetxattr), BOTH(removexattr), BOTH(lremovexattr), BOTH(fremovexattr), BOTH(getxattr), BOTH(mkdirat),
    BOTH(unlinkat), BOTH(renameat2), BOTH(linkat), BOTH(symlinkat), BOTH(mknodat), BOTH(truncate), BOTH(fallocate), BOTH(fsync),
    BOTH(flock), BOTH(lease), BOTH(owner), BOTH(flags_of_file), BOTH(terminal_input), BOTH(ptrace), BOTH(process_vm_readv),
    BOTH(process_vm_writev), BOTH(keyctl), BOTH(add_key), BOTH(request_key), BOTH(bpf), BOTH(perf_event_open), BOTH(userfaultfd),
    BOTH(init_module), BOTH(finit_module), BOTH(delete_module), BOTH(kexec_load), BOTH(open_by_handle_at),
    BOTH(name_to_handle_at), BOTH(mount), BOTH(umount2), BOTH(pivot_root), BOTH(chroot), BOTH(unshare), BOTH(setns),
    BOTH(clone3), BOTH(openat2), BOTH(io_uring_setup), BOTH(memfd_create), BOTH(inotify_init1), BOTH(fanotify_init),
    BOTH(setuid), BOTH(setgid), BOTH(setresuid), BOTH(setgroups), BOTH(capset), BOTH(personality), BOTH(sethostname),
    BOTH(setdomainname), BOTH(settimeofday), BOTH(clock_settime), BOTH(adjtimex), BOTH(swapon), BOTH(swapoff), BOTH(reboot),
    BOTH(quotactl), BOTH(syslog), BOTH(setpriority), BOTH(sched_setaffinity), BOTH(sched_setscheduler), BOTH(ioprio_set),
    BOTH(shmget), BOTH(msgget), BOTH(semget), BOTH(mq_unlink), BOTH(splice), BOTH(sendfile), BOTH(copy_file_range),
    BOTH(pidfd_open), BOTH(pidfd_send_signal), BOTH(kill), BOTH(tgkill), BOTH(tkill), BOTH(rt_sigqueueinfo), BOTH(setpgid),
    BOTH(setsid), BOTH(mlockall), BOTH(outlive_parent), BOTH(tracer), BOTH(reap_others), BOTH(limits_of_parent),
#if defined(__x86_64__)
    BOTH(chmod), BOTH(chown), BOTH(utime), BOTH(utimes), BOTH(mkdir), BOTH(rmdir), BOTH(unlink), BOTH(rename), BOTH(link),
    BOTH(symlink), BOTH(mknod), BOTH(creat), BOTH(modify_ldt), BOTH(iopl), BOTH(ioperm),
#endif
    BOTH(environment_of_parent), BOTH(memory_of_parent), WORK(write_a_file), WORK(make_a_file), WORK(empty_a_file),
    WORK(unnamed_file), WORK(start_a_process), WORK(start_a_program),
};

// Adds the filter of the environment: Base64 of instructions (RFC 4648, section 4).
static void work(void) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static unsigned char bytes[1 << 14];
    const char *text = getenv("NUKE_BATCH_CHILD_FILTER");
    size_t count = 0;
    uint32_t bits = 0;
    for (int filled = 0; text && *text && *text != '='; text++) {
        bits = bits << 6 | (uint32_t)(strchr(digits, *text) - digits);
        if ((filled += 6) < 8) continue;
        filled -= 8;
        bytes[count++] = (unsigned char)(bits >> filled);
    }
    struct sock_fprog filter = {(unsigned short)(count / sizeof(struct sock_filter)), (struct sock_filter *)bytes};
    if (count > 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0) return;
    puts("no filter");
    exit(1);
}

int main(int count, char **words) {
    if (count > 2 && strcmp(words[2], "work") == 0) work();
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (count < 2 || strcmp(words[1], "--list") == 0) {
            printf("%s%s\n", calls[i].name, calls[i].only_in_work ? " work" : "");
        } else if (strcmp(words[1], calls[i].name) == 0) {
            require_file();
            if (calls[i].make() < 0) printf("%d\n", errno);
            else puts("done");
            return 0;
        }
    }
    return 0;
}

#define _GNU_SOURCE
#include "CFiles.h"
#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// The layout in current kernels; older headers have a shorter one. Fields that a kernel does not know must be 0.
struct ruleset {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

// The file access rights of each version of Landlock: 13 in version 1, then REFER, TRUNCATE, none (TCP), and device
// ioctl (landlock(7)).
static uint64_t rights_over_files(int version) {
    static const int counts[] = {13, 14, 15, 15, 16};
    int last = sizeof counts / sizeof counts[0];
    return (UINT64_C(1) << counts[(version < last ? version : last) - 1]) - 1;
}

static void allow_reading(int rules, const char *path) {
    struct landlock_path_beneath_attr rule = {
        .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
        .parent_fd = open(path, O_PATH | O_CLOEXEC),
    };
    // A missing folder needs no rule, and a folder whose rule fails stays forbidden.
    if (rule.parent_fd < 0) return;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

int nb_landlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version >= 0 ? (int)version : errno == EPERM ? -1 : 0;
}

// Returns 0, also where there is no Landlock, or -1 with errno.
static int restrict_files(const char *const readable[], size_t count) {
    int version = nb_landlock_version();
    if (version < 1) return 0;
    struct ruleset wanted = {
        .files = rights_over_files(version),
        .network = version >= 4 ? 3 : 0, // bind and connect
        .scopes = version >= 6 ? 3 : 0,  // abstract sockets and signals
    };
    size_t size = version >= 6 ? sizeof wanted : version >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
    int rules = (int)syscall(SYS_landlock_create_ruleset, &wanted, size, 0);
    if (rules < 0) return -1;
    for (size_t i = 0; i < count; i++) allow_reading(rules, readable[i]);
    long result = syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
    return result == 0 ? 0 : -1;
}

int nb_confine(const char *const readable[], size_t count) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    if (restrict_files(readable, count) != 0) return -1;
    return nb_add_filter(nb_stage_work, getpid()) < 0 ? -1 : 0;
}

static int set_limit(int resource, uint64_t value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return -1;
    limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
    // The first limit of memory is that of the whole process, which no later one raises.
    if (resource == RLIMIT_AS && limit.rlim_max == RLIM_INFINITY) limit.rlim_max = limit.rlim_cur;
    return setrlimit(resource, &limit);
}

int nb_limit(uint64_t memory, uint64_t bytes, uint64_t seconds) {
    // A core dump would be useless and as large as its memory.
    if (set_limit(RLIMIT_CORE, 0) != 0 || set_limit(RLIMIT_AS, memory) != 0) return -1;
    // What it writes comes out of its memory, so that it needs no more; its standard output is memory of the parent.
    if (set_limit(RLIMIT_FSIZE, bytes) != 0) return -1;
    return set_limit(RLIMIT_CPU, seconds);
}

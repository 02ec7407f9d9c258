#define _GNU_SOURCE
#include "CFiles.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

int nb_open_beneath(int folder, const char *path, int flags, mode_t mode) {
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = (unsigned long long)(flags | O_CLOEXEC);
    how.mode = flags & O_CREAT ? mode : 0;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    long result;
    // RESOLVE_BENEATH fails with EAGAIN if a concurrent rename made a `..` step uncertain. The remedy is to try again.
    do result = syscall(SYS_openat2, folder, path, &how, sizeof how);
    while (result < 0 && (errno == EAGAIN || errno == EINTR));
    return (int)result;
}

int nb_open_reference(int folder, const char *path) {
    return nb_open_beneath(folder, path, O_PATH | O_NOFOLLOW, 0);
}

int nb_open(const char *path, int flags, mode_t mode) {
    int result;
    do result = open(path, flags | O_CLOEXEC, mode);
    while (result < 0 && errno == EINTR);
    return result;
}

uint64_t nb_mount(int descriptor) {
    struct statx status;
    if (statx(descriptor, "", AT_EMPTY_PATH, STATX_MNT_ID, &status) != 0) return 0;
    return status.stx_mask & STATX_MNT_ID ? status.stx_mnt_id : 0;
}

int nb_sync_file_system(int descriptor) {
    return syncfs(descriptor);
}

int nb_syncs_file_system(int descriptor) {
    struct statfs status;
    if (fstatfs(descriptor, &status) != 0) return 0;
    return status.f_type == EXT4_SUPER_MAGIC || status.f_type == XFS_SUPER_MAGIC || status.f_type == TMPFS_MAGIC;
}

int nb_open_unnamed(int folder, mode_t mode) {
    return openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

int nb_link_unnamed(int descriptor, int folder, const char *name) {
    char source[32];
    snprintf(source, sizeof source, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, source, folder, name, AT_SYMLINK_FOLLOW);
}

int nb_move_unless_taken(int from, const char *old, int to, const char *name) {
    if (linkat(from, old, to, name, 0) == 0) {
        unlinkat(from, old, 0);
        return 0;
    }
    if (errno == EEXIST) return -1;
    int code = errno;
    // FAT and some file systems in user space have no hard links.
    if (renameat2(from, old, to, name, RENAME_NOREPLACE) == 0) return 0;
    if (errno == EINVAL) errno = code == EPERM || code == ENOSYS ? EOPNOTSUPP : code;
    return -1;
}

int nb_shares_blocks(int descriptor) {
    struct statfs status;
    if (fstatfs(descriptor, &status) != 0) return 0;
    // The last one is bcachefs, which linux/magic.h does not name.
    return status.f_type == XFS_SUPER_MAGIC || status.f_type == BTRFS_SUPER_MAGIC || status.f_type == 0xca451a4e;
}

int nb_share_blocks(int from, int to) { return ioctl(to, FICLONE, from); }

// acl(5): the lists of a file or folder, and of what is made in a folder.
#define ACCESS_LIST "system.posix_acl_access"
#define DEFAULT_LIST "system.posix_acl_default"

int nb_is_like_new(int file, int folder, mode_t mode) {
    struct stat made, parent;
    if (fstat(file, &made) != 0 || fstat(folder, &parent) != 0) return 0;
    gid_t group = parent.st_mode & S_ISGID ? parent.st_gid : getegid();
    return made.st_uid == geteuid() && made.st_gid == group && (made.st_mode & 07777) == mode &&
           fgetxattr(folder, DEFAULT_LIST, NULL, 0) < 0 && fgetxattr(file, ACCESS_LIST, NULL, 0) < 0;
}

int nb_hands_down(int folder) {
    struct stat status;
    if (fstat(folder, &status) != 0) return 0;
    return status.st_mode & S_ISGID || fgetxattr(folder, DEFAULT_LIST, NULL, 0) >= 0;
}

// The access list of an open file. One that was opened with O_PATH is reached by its path alone. Returns its size, 0 for none,
// or -1 with errno.
static ssize_t access_list(int file, void *list, size_t room) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    ssize_t size = getxattr(path, ACCESS_LIST, list, room);
    // ENOENT: no /proc is mounted.
    if (size < 0 && (errno == ENODATA || errno == ENOTSUP || errno == ENOENT)) return 0;
    return size;
}

int nb_is_like(int file, int old) {
    struct stat made, was;
    if (fstat(file, &made) != 0 || fstat(old, &was) != 0) return 0;
    if (!S_ISREG(was.st_mode)) return 1;
    return made.st_uid == was.st_uid && made.st_gid == was.st_gid && (made.st_mode & 0777) == (was.st_mode & 0777) &&
           access_list(file, NULL, 0) == 0 && access_list(old, NULL, 0) == 0;
}

int nb_take_over(int file, int old) {
    struct stat made, was;
    if (fstat(file, &made) != 0 || fstat(old, &was) != 0) return -1;
    if (!S_ISREG(was.st_mode)) return 0;
    // Root may give files away, others may choose among their groups: what is not allowed stays as it is.
    if (made.st_uid != was.st_uid || made.st_gid != was.st_gid) {
        int is_done = fchown(file, was.st_uid, was.st_gid) == 0;
        if (!is_done && made.st_gid != was.st_gid) is_done = fchown(file, (uid_t)-1, was.st_gid) == 0;
    }
    char list[16384];
    ssize_t size = access_list(old, list, sizeof list);
    if (size < 0) return -1;
    // Its group's permissions are those of the list's mask: without the list, they would be the group's own.
    if (size > 0 && fsetxattr(file, ACCESS_LIST, list, (size_t)size, 0) != 0) return -1;
    if (size == 0 && fremovexattr(file, ACCESS_LIST) != 0 && errno != ENODATA && errno != ENOTSUP) return -1;
    if (fstat(file, &made) != 0) return -1;
    mode_t mode = was.st_mode & 0777;
    return (made.st_mode & 07777) == mode ? 0 : fchmod(file, mode);
}

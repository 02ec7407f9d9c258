"""File systems on loop devices that lose their power. They end with the fault's mount namespace."""
import fcntl, os, struct, subprocess, time

FS_IOC_SHUTDOWN, NOLOGFLUSH = 0x8004587D, 2  # linux/fs.h: everything that is not on the disk, or in its journal, is lost
BUSY = 10  # s

SYSTEMS = {
    # name: how it is made, mount options, how it is repaired before a mount
    "ext4": (["mkfs.ext4", "-q", "-F"], "loop", None),
    "ext4 writeback": (["mkfs.ext4", "-q", "-F"], "loop,data=writeback,noauto_da_alloc", None),
    "ext4 no journal": (["mkfs.ext4", "-q", "-F", "-O", "^has_journal"], "loop,noauto_da_alloc", ["e2fsck", "-fy"]),
    "XFS": (["mkfs.xfs", "-q", "-f"], "loop", None),
}


class Disk:
    def __init__(self, image, mount, system, *, size=320 << 20):
        self.image, self.mount, self.system = image, mount, system
        mount.mkdir(exist_ok=True)
        image.write_bytes(b"")
        os.truncate(image, size)
        run(*SYSTEMS[system][0], image)
        self.attach()

    def attach(self):
        run("mount", "-o", SYSTEMS[self.system][1], self.image, self.mount)

    def cut(self):
        """Cuts the power. Whoever still writes gets errors."""
        folder = os.open(self.mount, os.O_RDONLY)
        try:
            fcntl.ioctl(folder, FS_IOC_SHUTDOWN, struct.pack("I", NOLOGFLUSH))
        finally:
            os.close(folder)

    def restart(self):
        """Mounts what reached the disk; nobody may use it."""
        self.detach()
        repair = SYSTEMS[self.system][2]
        if repair:
            # 1: errors were corrected, as after every cut without a journal.
            if subprocess.run([*repair, self.image], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode > 1:
                raise OSError(f"{self.image} cannot be repaired")
        self.attach()

    def detach(self):
        # XFS is busy for a moment after a shutdown.
        end = time.monotonic() + BUSY
        while subprocess.run(["umount", self.mount], stderr=subprocess.DEVNULL).returncode != 0:
            if time.monotonic() > end:
                return run("umount", self.mount)
            time.sleep(0.05)


def run(*words):
    subprocess.run([str(word) for word in words], check=True)

"""Addresses, files and names of the namespaces in which the frame runs a fault."""
import os, pathlib, subprocess

PUBLIC = "93.184.216.0/24"  # where the servers of a fault are: public addresses that nobody else has in here
PUBLIC6 = "2606:2800:220:1::/64"


def answer(*networks):
    """Lets this namespace answer at all addresses of `networks`, and at the public ones above."""
    for network in (PUBLIC, PUBLIC6, *networks):
        ip("-6" if ":" in network else "-4", "route", "replace", "local", network, "dev", "lo")
    # Without a global address getaddrinfo looks no name up (AI_ADDRCONFIG).
    ip("address", "replace", "93.184.216.1/32", "dev", "lo")
    ip("-6", "address", "replace", "2606:2800:220:1::1/128", "dev", "lo")


def public(number):
    """The public address with this number, from 1 to 254."""
    return f"93.184.216.{number}"


def replace(path, text, folder):
    """Replaces a file of the system within this namespace; `folder` keeps the replacement."""
    copy = pathlib.Path(folder) / path.strip("/").replace("/", "-")
    copy.write_text(text)
    subprocess.run(["mount", "--bind", copy, os.path.realpath(path)], check=True)


def use_resolver(folder, options="timeout:1 attempts:2"):
    """Asks 127.0.0.1 for all names that are not in the host file."""
    replace("/etc/resolv.conf", f"nameserver 127.0.0.1\noptions {options}\n", folder)


def trust(authority, folder):
    """Trusts this certificate authority and no other."""
    replace("/etc/ssl/certs/ca-certificates.crt", authority.certificate.read_text(), folder)


def bound_buffers(count=65536):
    """Limits what a TCP connection buffers, so that what a server could send is about what the client has read."""
    for name in ("tcp_rmem", "tcp_wmem"):
        pathlib.Path(f"/proc/sys/net/ipv4/{name}").write_text(f"4096 {count} {count}")


def mount_memory(folder, size):
    """Mounts a file system in memory of a size."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=True)


def ip(*words):
    subprocess.run(["ip", *words], check=True)

"""Free ports of the loopback interface that two servers never choose at the same time."""
import random
import socket

# Below the range from which the kernel takes the ports of outgoing connections (32768 and above), so that no
# connection takes a port between its choice and the server's bind.
LOWEST, HIGHEST = 15000, 32000

_claims = []


def free_ports(count):
    """`count` ports that nothing listens on, claimed until this process ends."""
    ports = []
    while len(ports) < count:
        port = random.randint(LOWEST, HIGHEST)
        if _claim(port) and _is_free(port):
            ports.append(port)
    return ports


def _claim(port):
    """Binds an abstract socket, which every other process of this network namespace sees and the kernel removes."""
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        claim.bind(f"\0nuke-batch-object-store-{port}")
    except OSError:
        claim.close()
        return False
    _claims.append(claim)
    return True


def _is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True

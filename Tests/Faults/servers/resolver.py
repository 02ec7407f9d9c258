"""A DNS server over UDP on 127.0.0.1 whose answers are chosen name by name (RFC 1035)."""
import ipaddress, socket, struct, threading, time

A, CNAME, AAAA = 1, 5, 28
NOERROR, SERVFAIL, NXDOMAIN, REFUSED = 0, 2, 3, 5


class Resolver:
    """`answer(name, kind, count)` gives a code and records, bytes for a packet as it is, or None for silence.

    Records are addresses, or names for an alias. `count` is how often the name was asked for with this kind before.
    """

    def __init__(self, answer):
        self.answer = answer
        self.queries = []  # (time, name, kind)
        self.counts = {}
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 53))
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            packet, client = self.socket.recvfrom(4096)
            name, kind, end = question(packet)
            count = self.counts.get((name, kind), 0)
            self.counts[name, kind] = count + 1
            self.queries.append((time.monotonic(), name, kind))
            answer = self.answer(name, kind, count)
            if answer is None:
                continue
            if not isinstance(answer, bytes):
                code, records = answer
                answer = reply(packet, end, code, [record for record in records if fits(record, kind)])
            else:
                answer = packet[:2] + answer
            self.socket.sendto(answer, client)


def fits(record, kind):
    """Whether a record may be in the answer to a question: its family's addresses, and aliases."""
    try:
        return {4: A, 6: AAAA}[ipaddress.ip_address(record).version] == kind
    except ValueError:
        return True


def question(packet):
    labels, position = [], 12
    while length := packet[position]:
        labels.append(packet[position + 1:position + 1 + length].decode("latin-1"))
        position += 1 + length
    kind, _ = struct.unpack_from(">HH", packet, position + 1)
    return ".".join(labels).lower(), kind, position + 5


def reply(packet, end, code, records, flags=0x8180):
    answers = b""
    owner = b"\xc0\x0c"  # a pointer to the question's name
    for record in records:
        try:
            address = ipaddress.ip_address(record)
            kind, data = (A if address.version == 4 else AAAA), address.packed
        except ValueError:
            kind, data = CNAME, encoded(record)
        answers += owner + struct.pack(">HHIH", kind, 1, 0, len(data)) + data
        if kind == CNAME:
            owner = data
    return packet[:2] + struct.pack(">HHHHH", flags | code, 1, len(records), 0, 0) + packet[12:end] + answers


def encoded(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"

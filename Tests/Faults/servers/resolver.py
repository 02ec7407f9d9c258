"""A DNS server over UDP and TCP on 127.0.0.1 whose answers are chosen name by name (RFC 1035)."""
import ipaddress, socket, struct, threading, time

A, CNAME, AAAA = 1, 5, 28
NOERROR, SERVFAIL, NXDOMAIN, REFUSED = 0, 2, 3, 5
SO_RCVBUFFORCE = 33  # asm-generic/socket.h
TRUNCATED = 0x8380  # the flags of an answer that asks for TCP


class Resolver:
    """`answer(name, kind, count)` gives a code and records, bytes for a packet as it is, or None for silence.

    Records are addresses, or names for an alias; they may be used for `ttl` seconds. `count` is how often the name was asked
    for with this kind before. An answer of more than 512 bytes comes over TCP alone.
    """

    def __init__(self, answer, ttl=0):
        self.answer, self.ttl = answer, ttl
        self.queries = []  # (time, name, kind)
        self.counts = {}
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 8 << 20)
        self.socket.bind(("127.0.0.1", 53))
        self.listener = socket.create_server(("127.0.0.1", 53))
        threading.Thread(target=self._run, daemon=True).start()
        threading.Thread(target=self._accept, daemon=True).start()

    def _run(self):
        while True:
            packet, client = self.socket.recvfrom(4096)
            name, kind, end = question(packet)
            count = self.counts.get((name, kind), 0)
            self.counts[name, kind] = count + 1
            self.queries.append((time.monotonic(), name, kind))
            answer = self._packet(packet, name, kind, end, count)
            if answer and len(answer) > 512:
                answer = reply(packet, end, NOERROR, [], flags=TRUNCATED)
            if answer:
                self.socket.sendto(answer, client)

    def _accept(self):
        while True:
            handle, _ = self.listener.accept()
            threading.Thread(target=self._converse, args=(handle,), daemon=True).start()

    def _converse(self, handle):
        """Answers questions over a connection; they were counted when they came over UDP."""
        with handle, handle.makefile("rb") as stream:
            while length := stream.read(2):
                packet = stream.read(struct.unpack(">H", length)[0])
                name, kind, end = question(packet)
                answer = self._packet(packet, name, kind, end, self.counts.get((name, kind), 1) - 1)
                if answer:
                    handle.sendall(struct.pack(">H", len(answer)) + answer)

    def _packet(self, packet, name, kind, end, count):
        answer = self.answer(name, kind, count)
        if answer is None or isinstance(answer, bytes):
            return answer and packet[:2] + answer
        code, records = answer
        return reply(packet, end, code, [record for record in records if fits(record, kind)], ttl=self.ttl)


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


def reply(packet, end, code, records, flags=0x8180, ttl=0):
    answers = b""
    owner = b"\xc0\x0c"  # a pointer to the question's name
    for record in records:
        try:
            address = ipaddress.ip_address(record)
            kind, data = (A if address.version == 4 else AAAA), address.packed
        except ValueError:
            kind, data = CNAME, encoded(record)
        answers += owner + struct.pack(">HHIH", kind, 1, ttl, len(data)) + data
        if kind == CNAME:
            owner = data
    return packet[:2] + struct.pack(">HHHHH", flags | code, 1, len(records), 0, 0) + packet[12:end] + answers


def encoded(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"

"""An origin that answers each request of any loopback address after a fixed time: PORT FILE SECONDS.

An empty line on standard input is answered with the number of requests and of bytes sent since the last one.
"""
import asyncio, pathlib, sys


class Connection(asyncio.Protocol):
    requests = sent = 0

    def connection_made(self, transport):
        self.transport, self.received = transport, b""

    def data_received(self, data):
        self.received += data
        while b"\r\n\r\n" in self.received:
            _, _, self.received = self.received.partition(b"\r\n\r\n")
            Connection.requests += 1
            asyncio.get_running_loop().call_later(latency, self.answer)

    def answer(self):
        if not self.transport.is_closing():
            self.transport.write(answer)
            Connection.sent += len(body)


async def main():
    loop = asyncio.get_running_loop()
    await loop.create_server(Connection, "0.0.0.0", int(sys.argv[1]), backlog=4096)
    print("ready", flush=True)
    while await loop.run_in_executor(None, sys.stdin.readline):
        print(Connection.requests, Connection.sent, flush=True)
        Connection.requests = Connection.sent = 0


body, latency = pathlib.Path(sys.argv[2]).read_bytes(), float(sys.argv[3])
answer = b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nETag: \"one\"\r\nContent-Length: %d\r\n\r\n" % len(body) + body
asyncio.run(main())

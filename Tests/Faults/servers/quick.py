"""A server of one image for very many connections: a process with one loop, without threads."""
import multiprocessing, selectors, socket

from frame import png
from .server import response


def serve(port=80):
    """Starts a process that answers every request at all addresses with the same small image, and then closes."""
    listener = socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=4096)
    process = multiprocessing.get_context("fork").Process(target=run, args=(listener,), daemon=True)
    process.start()
    listener.close()
    return process


def run(listener):
    answer = response(png(1, 8, 8), Content_Type="image/png", Cache_Control="max-age=86400", Connection="close")
    loop = selectors.EpollSelector()
    listener.setblocking(False)
    loop.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in loop.select():
            if key.fileobj is listener:
                accept(listener, loop)
            else:
                reply(key.fileobj, loop, answer)


def accept(listener, loop):
    while True:
        try:
            handle, _ = listener.accept()
        except OSError:
            return
        handle.setblocking(False)
        loop.register(handle, selectors.EVENT_READ)


def reply(handle, loop, answer):
    """A request's head comes in one piece over loopback."""
    loop.unregister(handle)
    try:
        if handle.recv(8192):
            handle.send(answer)
            handle.shutdown(socket.SHUT_WR)
    except OSError:
        pass
    handle.close()

import Foundation

/// The streams that a process gets from its parent.
enum StandardStreams {
    /// Makes a failed write return its error in place of a signal, and replaces closed streams.
    ///
    /// A file that the process opens must not get the number of a closed stream: results would be written into it.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) < 0 {
            // The lowest free number is this one. Unsafe by its C string alone, which lives as long as the call.
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }

    /// False if the reader of standard output has closed its end of the pipe.
    static var isOutputRead: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        // Unsafe by its pointer alone, which lives as long as the call.
        guard unsafe poll(&output, 1, 0) > 0 else { return true }
        return Int32(output.revents) & POLLERR == 0
    }
}

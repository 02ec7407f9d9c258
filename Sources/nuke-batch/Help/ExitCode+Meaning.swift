import JobPlanning

extension ExitCode {
    /// The exit codes and their meanings, in numerical order, for the help and the manual page.
    static let all: [(code: String, meaning: String)] = [
        ("0", "everything succeeded"),
        ("1", "the run finished, but some items failed"),
        ("2", "wrong command line or manifest; nothing was done"),
        ("3", "another run holds the job; nothing was done"),
        (
            "4",
            "local problem (disk full, permissions, damaged state, no network); finished work is recorded"
        ),
        ("5", "stopped by --limit or --max-duration with work left; run it again to continue"),
        ("129, 130, 143", "interrupted by SIGHUP, SIGINT or SIGTERM; run it again to continue"),
    ]
}

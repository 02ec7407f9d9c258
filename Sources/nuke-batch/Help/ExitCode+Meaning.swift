import JobPlanning

extension ExitCode {
    /// An exit code with its meaning.
    typealias Meaning = (code: String, brief: String, meaning: String)

    /// The exit codes in numerical order, in a few words for the help and in a sentence for the manual page.
    static let all: [Meaning] = [
        ("0", "success", "everything succeeded"),
        ("1", "some items failed", "the run finished, but some items failed (see --fail-on)"),
        ("2", "wrong command line or manifest", "wrong command line or manifest; nothing was done"),
        ("3", "another run holds the job", "another run holds the job; nothing was done"),
        (
            "4", "local problem",
            "local problem (disk full, permissions, damaged state, no network); finished work is recorded"
        ),
        (
            "5", "stopped by a limit",
            "stopped by --limit or --max-duration with work left; run it again to continue"
        ),
        ("42", "do not try again", "fleet work cannot do the partition, on this machine or another"),
        (
            "129, 130, 143", "interrupted",
            "interrupted by SIGHUP, SIGINT or SIGTERM; run it again to continue"
        ),
    ]
}

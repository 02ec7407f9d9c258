import NukeBatch

extension ExitCode {
    /// The exit codes with what they mean, in the order of their numbers: for the help and the manual page.
    static let all: [(code: String, meaning: String)] = [
        ("0", "everything asked for is done"),
        ("1", "the run went through, some items failed"),
        ("2", "the command line or the manifest is wrong; nothing was done"),
        ("3", "another run holds the job; nothing was done"),
        (
            "4",
            "the machine is in the way (disk full, folder not writable, state damaged); what was done is recorded"
        ),
        ("5", "stopped by --limit or --max-duration with work left; run again to go on"),
        ("129, 130, 143", "interrupted by SIGHUP, SIGINT or SIGTERM; run again to go on"),
    ]
}

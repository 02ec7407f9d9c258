import JobManifest
import JobPlanning

/// A call of GNU parallel, on this machine or over ssh.
enum ParallelTemplate {
    /// Source: parallel(1): it gives its words to another shell, so that they are quoted twice.
    static func text(_ facts: TemplateFacts) -> String {
        """
        #!/bin/bash
        # Runs the \(Quantity.count(facts.partitions, "partition")) of plan \(facts.hash.short) with GNU parallel: bash fleet.sh
        # With SSH=hosts.txt (a line a machine, ":" for this one) it runs them over ssh; all machines need the program and the store.
        # fleet.log remembers what has ended well: run it again to go on.
        seq 0 \(max(0, facts.partitions - 1)) | parallel --jobs "${JOBS:-1}" --joblog fleet.log --resume-failed --retries 8 \\
          ${SSH:+--sshloginfile "$SSH"} \\
          \(facts.program) fleet work --store \(Shell.quoted(facts.quotedStore)) --plan \(facts.hash) --partition {}
        \(facts.program) fleet collect --store \(facts.quotedStore) --plan \(facts.hash)

        """
    }
}

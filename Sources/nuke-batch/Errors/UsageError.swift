import JobManifest

/// A wrong command line, in a sentence that says what to type instead.
struct UsageError: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    /// Returns `; did you mean run?`, or a reference to the help of `command` if no known word is near.
    ///
    /// `synonyms` are the words of other programs.
    static func hint(
        for word: String,
        among known: [String],
        synonyms: [String: String] = [:],
        of command: String? = nil
    ) -> String {
        let meant = synonyms[word].flatMap { known.contains($0) ? $0 : nil }
        return (meant ?? NearestName.nearest(to: word, among: known)).map { "; did you mean \($0)?" }
            ?? "; see nuke-batch \(command.map { $0 + " " } ?? "")--help"
    }
}

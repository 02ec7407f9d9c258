/// A wrong command line, in a sentence that says what to type instead.
struct UsageError: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

/// The remedies of libyaml's errors, which name the problem alone.
enum YAMLRemedy {
    /// Returns what to do about `problem`, which libyaml found within `context`.
    static func sentence(for problem: String, context: String) -> String {
        if context.contains("alias") { return "put text that begins with * in quotes" }
        if context.contains("anchor") { return "put text that begins with & in quotes" }
        if context.contains("a tag") { return "put text that begins with ! in quotes" }
        if problem.contains("tab character") { return "indent with spaces" }
        if problem.contains("end of stream"), context.contains("quoted scalar") {
            return "close the quotes"
        }
        if problem.contains("escape") { return "write a backslash as \\\\, or use single quotes" }
        if problem.contains("mapping values are not allowed") {
            return "check the indentation, and put text that holds \": \" in quotes"
        }
        if problem.contains("cannot start any token") {
            return "indent with spaces, and put text that begins with this character in quotes"
        }
        if problem.contains("',' or") { return "separate values by commas and close the bracket" }
        return "check the indentation, and put text with braces or brackets in quotes"
    }
}

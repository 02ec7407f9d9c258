import Foundation

/// The questions that `init` asks on a terminal, each with the answer that Enter gives.
struct InitQuestions {
    /// Asks for sizes, formats and destination, and for the manifest's path if `asksForPath`.
    func ask(_ draft: inout InitDraft, asksForPath: Bool) {
        draft.widths = answer(
            "Widths in pixels",
            draft.widths.map(String.init).joined(separator: ","),
            as: .sides
        )
        draft.formats = answer("Formats", draft.formats.map(\.rawValue).joined(separator: ","), as: .formats)
        draft.destination = answer("Folder for the results", draft.destination, as: .text("DIR"))
        if asksForPath { draft.path = answer("File for the manifest", draft.path, as: .text("FILE")) }
    }

    /// Asks until the answer has the form; an empty one, and the end of standard input, mean `standard`.
    private func answer<Value>(
        _ question: String,
        _ standard: String,
        as form: ArgumentValue<Value>
    ) -> Value {
        while true {
            Output.ask("\(question) [\(standard)]: ")
            let line = readLine()?.trimmingCharacters(in: .whitespaces) ?? ""
            if let value = form.read(line.isEmpty ? standard : line) { return value }
            Output.message("It takes \(form.description.form).")
        }
    }
}

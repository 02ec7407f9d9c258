import JobManifest
import JobReports

extension ItemSelection {
    /// The options that select items; an item must match each that is given.
    static let table: [Option<ItemSelection>] = [
        .value(
            "--state",
            \.states,
            as: .itemStates,
            help: "Select items in these states: \(knownStates.joined(separator: ", "))"
        ),
        .value("--error", \.errors, as: .errors, help: "Select items with these errors, such as http_404"),
        .value(
            "--url",
            \.url,
            as: .text("TEXT"),
            help: "Select items whose URL contains TEXT; with * in TEXT, the whole URL must match"
        ),
    ]
}

extension ArgumentValue where Value == Set<String> {
    /// A list without states is none: it would select every item.
    fileprivate static var itemStates: Self {
        let known = ItemSelection.knownStates
        return ArgumentValue(
            "STATE,…",
            form: "one or more of \(known.joined(separator: ", ")) (--state-file FILE names the state file)",
            completion: .list(known)
        ) { text in
            let states = Set(text.split(separator: ",").map(String.init))
            return !states.isEmpty && states.isSubset(of: known) ? states : nil
        }
    }

    fileprivate static var errors: Self {
        let known = ErrorCode.listed.map(\.rawValue)
        return ArgumentValue(
            "ERROR,…",
            form: "one or more of \(known.joined(separator: ", ")) and other http_STATUS",
            completion: .list(known)
        ) { text in
            let errors = text.split(separator: ",").map(String.init)
            return !errors.isEmpty && errors.allSatisfy { ErrorCode(rawValue: $0) != nil } ? Set(errors) : nil
        }
    }
}

import JobManifest

/// The form of an option's or operand's value: how the help shows it and how its text is read.
struct ArgumentValue<Value: Sendable>: Sendable {
    let description: ValueDescription
    /// Reads the text; nil if it has another form.
    let read: @Sendable (_ text: String) -> Value?

    /// Makes a form that the help shows as `placeholder` and an error names as `form`, after "takes".
    init(
        _ placeholder: String,
        form: String,
        completion: ValueDescription.Completion = .none,
        read: @escaping @Sendable (_ text: String) -> Value?
    ) {
        description = ValueDescription(placeholder: placeholder, form: form, completion: completion)
        self.read = read
    }
}

extension ArgumentValue where Value == String {
    static var file: Self { path("FILE") }

    static var folder: Self { ArgumentValue("DIR", form: "a folder", completion: .folder) { $0 } }

    /// A manifest, or a folder that `resize` or `convert` has filled, in which its manifest is.
    static var manifest: Self {
        ArgumentValue("MANIFEST", form: "a file", completion: .file) { KeptManifest.path(in: $0) ?? $0 }
    }

    /// Returns the form of any text.
    static func text(_ placeholder: String) -> Self {
        ArgumentValue(placeholder, form: placeholder) { $0 }
    }

    private static func path(_ placeholder: String) -> Self {
        ArgumentValue(placeholder, form: "a file", completion: .file) { $0 }
    }
}

extension ArgumentValue where Value == Int {
    /// A number of bytes.
    static var size: Self {
        ArgumentValue("SIZE", form: "a size such as 500MB or 1GiB", read: ManifestValue.size)
    }

    /// Returns the form of a whole number within `range`.
    static func number(_ range: ClosedRange<Int>) -> Self {
        let upper = range.upperBound == .max ? "up" : "to \(range.upperBound)"
        return ArgumentValue("N", form: "a whole number from \(range.lowerBound) \(upper)") { text in
            ManifestValue.count(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension ArgumentValue where Value: CaseIterable & RawRepresentable<String> {
    /// Returns the form of one of a few words; without a placeholder the help shows the words.
    static func choice(_ placeholder: String? = nil) -> Self {
        let words = Value.allCases.map(\.rawValue)
        return ArgumentValue(
            placeholder ?? words.joined(separator: "|"),
            form: "one of \(words.joined(separator: ", "))",
            completion: .words(words),
            read: Value.init(rawValue:)
        )
    }
}

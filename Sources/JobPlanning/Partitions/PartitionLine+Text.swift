import JobManifest

extension PartitionLine {
    /// The line, without its line break.
    package var text: String {
        var text = "{"
        text.reserveCapacity(160 + url.utf8.count)
        func key(_ name: String) {
            if text.utf8.count > 1 { text += "," }
            text += "\""
            text += name
            text += "\":"
        }
        if !blocked.isEmpty {
            key("blocked")
            text +=
                CanonicalJSON.array(
                    blocked.map {
                        [
                            "output": .string($0.output), "path": .string($0.path),
                            "skipped": .bool($0.isSkipped),
                        ]
                    }
                ).text
        }
        if !headers.isEmpty {
            key("headers")
            text += CanonicalJSON.object(headers.mapValues(CanonicalJSON.string)).text
        }
        if let id {
            key("id")
            Self.append(id, to: &text)
        }
        key("key")
        Self.append(self.key, to: &text)
        key("ordinal")
        text += String(ordinal)
        key("priority")
        Self.append(priority.rawValue, to: &text)
        if let problem {
            key("problem")
            text +=
                CanonicalJSON.object([
                    "error": .string(problem.code.rawValue), "message": .string(problem.message),
                ]).text
        }
        key("source")
        text += String(source)
        key("url")
        Self.append(url, to: &text)
        if let validator {
            key("validator")
            Self.append(validator, to: &text)
        }
        if columns != ItemColumns([]) {
            key("vars")
            text += columns.object.text
        }
        text += "}"
        return text
    }

    /// Appends a string of JSON; most need no escapes, and are copied as they are.
    private static func append(_ value: String, to text: inout String) {
        let isPlain = value.utf8.allSatisfy { byte in
            byte >= 0x20 && byte != 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        guard isPlain else {
            text += CanonicalJSON.string(value).text
            return
        }
        text += "\""
        text += value
        text += "\""
    }
}

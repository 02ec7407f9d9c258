import Files

/// Rows of comma-separated values (RFC 4180).
public enum CSVRow {
    /// The fields as one row, without a line's end.
    ///
    /// With `isFormulaSafe` an apostrophe goes before each text that a spreadsheet would calculate: one that begins with
    /// `=`, `+`, `-`, `@`, a tab or a carriage return and is no number. Without it every field is what it was.
    public static func text(_ fields: [String], isFormulaSafe: Bool = false) -> String {
        fields.map { field(isFormulaSafe && isFormula($0) ? "'" + $0 : $0) }.joined(separator: ",")
    }

    private static func isFormula(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first) else {
            return false
        }
        return Double(text) == nil
    }

    private static func field(_ text: String) -> String {
        // Scalars, as a carriage return and a line feed are one character.
        guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else {
            return text
        }
        return quoted(text)
    }

    /// Returns a field in quotation marks, with those inside doubled.
    static func quoted(_ text: String) -> String {
        "\"\(text.parts(at: "\"").joined(separator: "\"\""))\""
    }
}

import JobManifest

/// The value of a column in a row.
struct RowCell {
    /// A kind of the values of a column of Parquet, by its name for the program that reads it.
    enum ParquetKind: String, Sendable {
        /// Text.
        case text
        /// Values of JSON.
        case json
        /// A floating-point number, which may be whole without a point, and none that JSON has.
        case double
    }

    /// The text, for paths; nil if there is none.
    let text: String?
    /// The value as JSON; nil if it is its text.
    let json: String?

    /// Creates a cell from its parts, of text unless it says otherwise.
    init(text: String?, json: String? = nil) {
        (self.text, self.json) = (text, json)
    }

    /// A cell without a value, which is empty in a path.
    static let null = RowCell(text: "", json: "null")

    /// A cell of a query without a value, which no path can have.
    static let absent = RowCell(text: nil, json: "null")

    /// The cell of a number as JSON has it.
    static func number(_ written: String) -> RowCell { RowCell(text: written, json: written) }

    /// The cell of a number, with the fewest digits that tell it from others; null where JSON has none.
    init(_ number: Double) {
        self = number.isFinite ? .number("\(number)") : .absent
    }

    /// The cell of a value of JSON, whose text is its JSON unless it is a text.
    init(_ value: JSONValue) {
        switch value.kind {
        case .string(let text): self.init(text: text)
        case .null: self = .null
        case .number, .bool, .array, .object:
            let json = value.text
            self.init(text: json, json: json)
        }
    }

    /// The cell of a value of JSON from Parquet.
    static func parquet(_ value: JSONValue) -> RowCell {
        let cell = RowCell(value)
        return RowCell(text: cell.text.map(wholeWithoutPoint), json: cell.json)
    }

    /// The text in paths of a value of a typed column that is not null.
    static func pathText(_ json: String, of source: Source?) -> String {
        if case .list(let list) = source?.kind, list.format == .parquet { return wholeWithoutPoint(json) }
        return json
    }

    /// Numbers of Parquet have no `.0` in paths: identifiers become floating-point numbers where one is missing.
    private static func wholeWithoutPoint(_ json: String) -> String {
        guard json.hasSuffix(".0") else { return json }
        return String(json.dropLast(2))
    }

    /// The text of a value that a URL or an id can be: nil for null, a list and an object.
    var scalar: String? {
        json.map { $0.hasPrefix("[") || $0.hasPrefix("{") } == true ? nil : text
    }
}

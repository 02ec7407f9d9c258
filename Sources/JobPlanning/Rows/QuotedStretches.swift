/// The quoted fields of a list that run over lines and hold as many delimiters as a row: a stray quote may have swallowed rows.
struct QuotedStretches {
    /// The most that a message names.
    private static let named = 3

    private var first: [ClosedRange<Int>] = []
    private var count = 0

    mutating func add(lines: ClosedRange<Int>) {
        count += 1
        if first.count < Self.named { first.append(lines) }
    }

    /// Returns a sentence about them in the list `name`; nil if there are none.
    func warning(_ name: String, delimiter: UInt8) -> String? {
        guard count > 0 else { return nil }
        let lines = first.map { "\($0.lowerBound) to \($0.upperBound)" }.joined(separator: ", ")
        let more = count > first.count ? " and \(count - first.count) more" : ""
        let fields = count == 1 ? "a quoted field runs" : "\(count) quoted fields run"
        return """
            \(name): \(fields) over several lines with \(Self.name(of: delimiter)) in them, lines \(lines)\(more): if a quote \
            there is stray, rows are missing; remove it, or write it twice within quotes
            """
    }

    private static func name(of delimiter: UInt8) -> String {
        switch delimiter {
        case UInt8(ascii: ","): "commas"
        case UInt8(ascii: ";"): "semicolons"
        case UInt8(ascii: "\t"): "tabs"
        default: "\"\(Character(Unicode.Scalar(delimiter)))\""
        }
    }
}

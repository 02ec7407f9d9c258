import JobManifest

/// The values of one row, before the source's own values are added.
struct Row: Sendable {
    var url: ItemURL.Checked
    /// The URL to load if it differs from `url`.
    var target: String?
    var id: String?
    var priority: ItemPriority?
    var headers: [String: String] = [:]
    var variables: [String: String] = [:]
    /// The columns that are no texts, as JSON.
    var typedColumns: [String: String] = [:]
    var validator: String?
    var position: PlannedItem.Position

    /// Creates an invalid row, which counts as a failed item.
    static func failed(_ text: String, _ message: String, position: PlannedItem.Position) -> Row {
        Row(
            url: ItemURL.Checked(url: text, problem: ItemProblem(code: .badURL, message: message)),
            position: position
        )
    }
}

/// The settings of the manifest that every reader of rows needs.
package struct RowContext: Sendable {
    /// The folder that bare paths are relative to.
    let folder: String
    /// The allowed schemes.
    let schemes: Set<String>
    /// Returns true if the rows are no longer wanted.
    var isStopped: @Sendable () -> Bool = { false }

    func check(_ text: String) -> ItemURL.Checked {
        ItemURL.check(text, folder: folder, schemes: schemes)
    }

    func check(_ text: UnsafeBufferPointer<UInt8>) -> ItemURL.Checked {
        ItemURL.check(text, folder: folder, schemes: schemes)
    }
}

/// A source, read one row or one chunk at a time.
protocol RowReading {
    /// Returns the next row; nil after the last, however often it is called.
    mutating func next() throws(SourceError) -> Row?

    /// Returns the next rows, at least one; nil after the last.
    ///
    /// They are fewer if no more are wanted.
    mutating func nextChunk() throws(SourceError) -> (any RowChunk)?

    /// Sentences about the rows that were read so far.
    var warnings: [String] { get }
}

extension RowReading {
    var warnings: [String] { [] }
}

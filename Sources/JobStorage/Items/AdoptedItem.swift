/// Outputs of an unfinished item that another tool made.
package struct AdoptedItem: Sendable {
    /// The text in the place of an original's SHA-256 while nobody has loaded it.
    package static let unknownOriginal = ""

    /// An output and the way its path is known.
    package struct Output: Sendable {
        /// Its record, of state `done` and with the reason ``OutputRecord/adopted``.
        package let record: OutputRecord
        /// True if planning does not know the path, so that another output can have it.
        package let isPathLate: Bool

        /// Describes an output.
        package init(_ record: OutputRecord, isPathLate: Bool) {
            (self.record, self.isPathLate) = (record, isPathLate)
        }
    }

    /// The item as it was read.
    package let item: ClaimedItem
    /// The outputs that were found.
    package let outputs: [Output]
    /// True if no run has anything left to do once they are recorded.
    package let isFinished: Bool

    /// Describes the outputs of an item.
    package init(_ item: ClaimedItem, outputs: [Output], isFinished: Bool) {
        (self.item, self.outputs, self.isFinished) = (item, outputs, isFinished)
    }
}

/// The columns of a dataset in Parquet.
extension Manifest {
    /// The columns of the images: `image` for that of the only output, else the outputs' names.
    package var imageColumns: [String] {
        outputs.count == 1 ? ["image"] : outputs.map { PathValue.sanitized($0.name) }
    }

    /// The columns about an item and its original that are texts.
    package static let itemTexts = ["key", "url", "id", "sha256"]
    /// The columns about an original that are whole numbers.
    package static let originalNumbers = ["bytes", "width", "height"]
    /// The column of the facts, as JSON.
    package static let factsColumn = "facts"
    /// The beginning of the names of the list's own columns.
    package static let listColumnPrefix = "columns."

    /// Returns true for the name of a column that is no image.
    static func isParquetColumn(_ name: String) -> Bool {
        (itemTexts + originalNumbers + [factsColumn]).contains(name) || name.hasPrefix(listColumnPrefix)
    }
}

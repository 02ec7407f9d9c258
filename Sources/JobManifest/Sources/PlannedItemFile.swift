/// A file of planned items, which take the place of the rows of a manifest's sources.
package struct PlannedItemFile: Sendable, Equatable {
    /// The path of the gzip file.
    package let path: String
    /// The name in messages.
    package let name: String
    /// The number of items; nil if it is not known.
    package let items: Int?
    /// SHA-256 of the lines; nil if it is not known.
    package let sha256: String?

    package init(path: String, name: String, items: Int?, sha256: String?) {
        (self.path, self.name, self.items, self.sha256) = (path, name, items, sha256)
    }
}

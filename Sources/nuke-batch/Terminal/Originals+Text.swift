import JobManifest
import JobPlanning
import JobReports

extension Originals.Statistics {
    /// The statistics as lines for people.
    var text: String {
        var lines = [
            directory,
            "\(Quantity.count(count, "original")), \(Quantity.bytes(bytes))"
                + (sizeLimit.map { " of \(Quantity.bytes($0))" } ?? ""),
            "\(Quantity.bytes(allocatedBytes)) on disk",
        ]
        if pinnedBytes > 0 {
            lines.append("\(Quantity.bytes(pinnedBytes)) pinned by \(pinnedBy.joined(separator: ", "))")
        }
        return Output.printableLines(lines.joined(separator: "\n"))
    }
}

extension Originals.Entry {
    /// The original as a line of a table: size, last use and URL.
    var text: String {
        let size = Quantity.bytes(bytes)
        let padding = String(repeating: " ", count: max(0, 10 - size.count))
        // Headers that the copy depends on follow the URL on lines of their own.
        let url = ItemListing.shown(String(key.prefix { $0 != "\n" }))
        return Output.printable("\(padding)\(size)  \(used)  \(url)")
    }
}

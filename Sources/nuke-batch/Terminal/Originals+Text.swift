import Files
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
        if jxl.count > 0 { lines.append(Self.line(jxl, " as JPEG XL")) }
        if keptJPEGs > 0 {
            lines.append(
                "\(Quantity.count(keptJPEGs, "JPEG")) as before, since JPEG XL cannot keep it exactly, or smaller"
            )
        }
        if deflate.count > 0 { lines.append(Self.line(deflate, " compressed")) }
        if pinnedBytes > 0 {
            lines.append("\(Quantity.bytes(pinnedBytes)) pinned by \(pinnedBy.joined(separator: ", "))")
        }
        return Output.printableLines(lines.joined(separator: "\n"))
    }

    private static func line(_ files: Originals.Compressed, _ form: String) -> String {
        let saved = 100 - 100 * Double(files.bytes) / Double(max(1, files.originalBytes))
        return
            "\(Quantity.count(files.count, "original"))\(form), \(Quantity.bytes(files.bytes)) in place of "
            + "\(Quantity.bytes(files.originalBytes)) (\(Int(saved.rounded())) % less)"
    }
}

extension Originals.Entry {
    /// The original as a line of a table: size, last use and URL.
    var text: String {
        Output.printable("\(Quantity.bytes(bytes).leftPadded(to: 10))  \(used)  \(Self.shown(key))")
    }

    /// The URL of a key; headers that the copy depends on follow it on lines of their own.
    static func shown(_ key: String) -> String {
        ItemListing.shown(key.unicodeScalars.firstIndex(of: "\n").map { String(key[..<$0]) } ?? key)
    }
}

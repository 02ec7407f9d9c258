import Files
import Foundation
import JobManifest
import JobStorage

/// An index of markup: a JSON object with an entry for each item, one a line, in the manifest's order.
///
/// It is written to a temporary file that replaces the old one when it is complete; an equal one stays as it is.
struct MarkupIndex {
    /// Entries are written in chunks of this many bytes.
    private static let chunkSize = 4 << 20

    /// The path below the destination.
    let path: String
    private var file: PublishedFile
    private let digest = RunningDigest()
    private var chunk = Data("{".utf8)
    private var isEmpty = true
    /// True as long as the old file begins with what has been written.
    private var isEqual = true

    /// Opens the temporary file.
    /// - Throws: `FileError`.
    init(_ path: String, in destination: DestinationFiles) throws(FileError) {
        self.path = path
        file = try destination.begin(path)
    }

    /// Adds the entry of the item with this key, which no other entry has.
    /// - Throws: `FileError`.
    mutating func add(_ key: String, _ picture: Picture) throws(FileError) {
        let separator = isEmpty ? "\n" : ",\n"
        chunk += Data("\(separator)\(CanonicalJSON.string(key).text): \(picture.json.text)".utf8)
        isEmpty = false
        if chunk.count >= Self.chunkSize { try flush() }
    }

    /// Completes the temporary file.
    /// - Throws: `FileError`.
    mutating func finish(of markup: Markup) throws(FileError) -> MarkupRecord {
        chunk += Data("\n}\n".utf8)
        try flush()
        return MarkupRecord(
            path: path,
            itemID: nil,
            name: markup.name,
            bytes: file.size,
            sha256: Digest.hex(digest.value)
        )
    }

    /// Puts the complete file into its place, unless the old one in a folder has the same bytes.
    /// - Throws: `FileError`, `StoreError`.
    func publish() async throws {
        if isEqual, try file.replacesEqualSize {
            try file.discard()
        } else {
            try await file.publish()
        }
    }

    private mutating func flush() throws(FileError) {
        if isEqual { isEqual = file.replaced(count: chunk.count) == chunk }
        try file.write(chunk)
        digest.append(chunk)
        chunk.removeAll(keepingCapacity: true)
    }
}

import Files
import Foundation
import JobManifest
import JobStorage

/// Reads planned items, file by file, as they were planned: nothing about them is derived again.
final class PlannedItemReader {
    private let manifest: Manifest
    private var files: ArraySlice<PlannedItemFile>
    private var lines: ArraySlice<Data> = []
    /// The lines of a file without a digest, which are read as they are needed; nil for one that has a digest.
    private var stream: LineReader?
    private var name = ""
    private var number = 0
    /// The outputs of the items read so far that are not made, because earlier rows have their paths.
    private(set) var blocked: [BlockedOutput] = []

    init(_ manifest: Manifest) {
        self.manifest = manifest
        files = manifest.plannedItems[...]
    }

    /// Returns the next item; nil after the last.
    func next() throws(SourceError) -> PlannedItem? {
        guard let bytes = try nextLine() else { return nil }
        number += 1
        let line = try PartitionLine(parsing: bytes, name: name, number: number)
        guard manifest.sources.indices.contains(line.source) else {
            throw SourceError(
                "\(name):\(number)",
                "belongs to sources[\(line.source)], which the manifest does not have: use the manifest it was planned with"
            )
        }
        for output in line.blocked {
            blocked.append(
                BlockedOutput(
                    ordinal: line.ordinal,
                    output: output.output,
                    path: output.path,
                    owner: 0,
                    isSkipped: output.isSkipped
                )
            )
        }
        return line.item(of: manifest, name: name, number: number)
    }

    /// Returns the next items, at least one; nil after the last.
    func nextChunk() throws(SourceError) -> ItemChunk? {
        var items: [PlannedItem] = []
        while items.count < ParsedRows.most, let item = try next() { items.append(item) }
        return items.isEmpty ? nil : ItemChunk(items)
    }

    /// Returns the bytes of the next line; nil after the last of all files.
    private func nextLine() throws(SourceError) -> Data? {
        while true {
            if let line = lines.popFirst() { return line }
            switch try stream?.next() {
            case .text(let bytes): return Data(buffer: bytes)
            case .tooLong(let count, _):
                throw SourceError(
                    "\(name):\(number + 1)",
                    "is a line of \(count) bytes, which no planned item has: it was changed"
                )
            case nil:
                stream = nil
                guard let file = files.popFirst() else { return nil }
                try open(file)
            }
        }
    }

    private func open(_ file: PlannedItemFile) throws(SourceError) {
        (name, number) = (file.name, 0)
        guard file.sha256 != nil else {
            let file = try FileStream(path: file.path, name: name, mustBeRegular: true)
            stream = try LineReader(try GzipStream(file, name: name), name: name)
            return
        }
        let damaged = SourceError(
            file.name,
            "\(file.path) is not the file that was planned: it is missing, cut short or changed",
            isTemporary: true
        )
        guard let data = FileManager.default.contents(atPath: file.path),
            let text = Gzip.decompress(data, limit: 1 << 32),
            Digest.sha256.hex(of: text) == file.sha256
        else { throw damaged }
        lines = text.lines[...]
        guard file.items == nil || file.items == lines.count else { throw damaged }
    }
}

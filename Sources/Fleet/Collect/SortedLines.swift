import Files
import Foundation
import JobPlanning

/// The lines of items in the order of their ordinals: they are sorted in files, so that memory does not grow with their number.
struct SortedLines {
    private let folder: ScratchFolder
    /// The bytes of lines that are sorted in memory.
    private let most: Int
    private var lines: [(ordinal: Int, text: Data)] = []
    private var bytes = 0
    /// The paths of files with sorted lines.
    private var files: [String] = []
    private(set) var count = 0

    init(in folder: ScratchFolder, most: Int = 64 << 20) {
        (self.folder, self.most) = (folder, most)
    }

    /// Adds the line of an item.
    /// - Throws: `RunError.machine`.
    mutating func add(_ line: PartitionLine) throws {
        let text = Data(line.text.utf8)
        lines.append((line.ordinal, text))
        bytes += text.count + MemoryLayout<(Int, Data)>.size
        count += 1
        if bytes >= most { try spill() }
    }

    /// Calls `body` with each line, in the order of ordinals, without its line break.
    /// - Throws: `RunError.machine`, or what `body` throws.
    mutating func forEach(_ body: (Data) throws -> Void) throws {
        try spill()
        var runs = try files.map(Run.init)
        var heads = try runs.indices.map { try runs[$0].next() }
        while true {
            let first = heads.indices.filter { heads[$0] != nil }.min { one, other in
                (heads[one]?.ordinal ?? .max) < (heads[other]?.ordinal ?? .max)
            }
            guard let first, let head = heads[first] else { return }
            try body(head.text)
            heads[first] = try runs[first].next()
        }
    }

    /// Writes the lines in memory to a file of their own.
    private mutating func spill() throws {
        guard !lines.isEmpty else { return }
        let path = "\(folder.path)/lines-\(files.count)"
        let file = try FileHandle.scratch(path)
        defer { try? file.close() }
        var text = Data()
        for line in lines.sorted(by: { $0.ordinal < $1.ordinal }) {
            text += Data("\(line.ordinal) ".utf8) + line.text + Data([UInt8(ascii: "\n")])
            guard text.count >= Run.size else { continue }
            try file.write(contentsOf: text)
            text.removeAll(keepingCapacity: true)
        }
        try file.write(contentsOf: text)
        files.append(path)
        (lines, bytes) = ([], 0)
    }

    /// The sorted lines of a file.
    private struct Run {
        /// The bytes that are read at a time.
        static let size = 1 << 20

        private let file: FileHandle
        private var lines: ArraySlice<Data> = []
        /// The beginning of a line whose end was not read yet.
        private var rest = Data()

        init(_ path: String) throws {
            file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        }

        /// Returns the next line; nil after the last.
        mutating func next() throws -> (ordinal: Int, text: Data)? {
            while lines.isEmpty {
                guard let bytes = try file.read(upToCount: Self.size), !bytes.isEmpty else { return nil }
                rest += bytes
                guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { continue }
                lines = Data(rest[...end]).lines[...]
                rest = Data(rest[(end + 1)...])
            }
            guard let line = lines.popFirst(), let space = line.firstIndex(of: UInt8(ascii: " ")),
                let ordinal = Int(String(decoding: line[..<space], as: UTF8.self))
            else { return nil }
            return (ordinal, line[(space + 1)...])
        }
    }
}

import Foundation

/// Finds outputs that would write to the same path, among any number of items.
///
/// Takes a few megabytes of memory, and up to 80 bytes more for each row whose path may be another's.
///
/// In a first pass over all items, call `add`, then `endFirstPass`. If `needsSecondPass` is true, call `compare` with
/// the same paths in a second pass, which returns each collision. The caller gives equal rows the same item number, since
/// they are one item. Paths that differ only in case or in their Unicode form are also found, because
/// some file systems treat them as one.
public struct PathCollisions: Sendable {
    /// A row, by its position in the manifest and its place in the lists.
    public struct Row: Sendable, Equatable {
        /// The position in the manifest, from 1.
        public let index: Int
        /// The place, such as `urls.txt:17`; nil for the first row of a collision if there are too many to remember.
        public let location: String?

        /// Describes a row.
        public init(index: Int, location: String?) {
            self.index = index
            self.location = location
        }
    }

    /// Two rows with one path.
    public struct Collision: Sendable, Equatable {
        /// The row that has the path.
        public let first: Row
        /// The later row.
        public let second: Row
        /// The path of the second row, relative to the destination.
        public let path: String
        /// The index of the second row's output in the manifest, from 0.
        public let output: Int
        /// True if the paths are equal; false if they differ only in case or in their Unicode form.
        public let isExact: Bool
    }

    /// A path that an output of an item needs, as two hashes; they differ between processes.
    struct Claim: Sendable {
        fileprivate let path: UInt64
        fileprivate let owner: UInt64

        /// Hashes the path of the output with index `output` of the item with number `item`.
        init(_ path: String, output: Int, of item: UInt64) {
            self.path = PathCollisions.foldedHash(path)
            owner = PathCollisions.owner(item, output)
        }
    }

    /// The number of first rows whose paths and places the second pass remembers.
    private static let rememberedRows = 10_000

    private var paths = SharedHashes()
    private var suspects = HashSet64()
    private var owners = HashSet64()
    /// The position of the first row of each path, by the path's hash.
    private var positions: [UInt64: Int] = [:]
    private var firsts: [UInt64: (path: String, row: Row)] = [:]

    /// Creates an empty search.
    public init() {}

    /// True if some paths may be equal, which only a second pass can decide.
    public var needsSecondPass: Bool { suspects.count > 0 }

    /// Adds a path in the first pass: that of the output with index `output` of the item with number `item`.
    /// - Throws: `RunError.machine` if the temporary folder is not writable.
    public mutating func add(_ path: String, output: Int, of item: UInt64) throws(RunError) {
        try add(Claim(path, output: output, of: item))
    }

    /// Adds a path in the first pass.
    /// - Throws: As above.
    mutating func add(_ claim: Claim) throws(RunError) {
        try paths.add(claim.path, of: claim.owner)
    }

    /// Ends the first pass.
    /// - Throws: `RunError.machine` if the temporary folder is not readable.
    public mutating func endFirstPass() throws(RunError) {
        suspects = try paths.finish()
    }

    /// Compares a path in the second pass with those of earlier rows; `output` is the index of the row's output.
    /// - Returns: The collision; nil if the row gets the path.
    public mutating func compare(
        _ path: String,
        output: Int,
        of item: UInt64,
        row: @autoclosure () -> Row
    ) -> Collision? {
        let folded = Self.foldedHash(path)
        guard suspects.contains(folded) else { return nil }
        // An equal row is the same item again.
        guard owners.insert(folded &+ Self.owner(item, output) &* 3) else { return nil }
        let (hash, first, row) = (Self.hash(path), firsts[folded], row())
        if let position = positions[hash] {
            let known = first?.path.utf8.elementsEqual(path.utf8) == true ? first?.row : nil
            return Collision(
                first: known ?? Row(index: position, location: nil),
                second: row,
                path: path,
                output: output,
                isExact: true
            )
        }
        positions[hash] = row.index
        guard let first else {
            if firsts.count < Self.rememberedRows { firsts[folded] = (path, row) }
            return nil
        }
        // Different paths may have equal hashes.
        guard !first.path.utf8.elementsEqual(path.utf8), Self.folded(first.path) == Self.folded(path) else {
            return nil
        }
        return Collision(first: first.row, second: row, path: path, output: output, isExact: false)
    }

    /// A number that identifies one output of an item.
    fileprivate static func owner(_ item: UInt64, _ output: Int) -> UInt64 {
        item &+ UInt64(output) &* 0x9E37_79B9_7F4A_7C15
    }

    fileprivate static func foldedHash(_ path: String) -> UInt64 {
        // Nearly all paths are in lower case already.
        let isLower = path.utf8.allSatisfy { $0 < 0x80 && $0 &- UInt8(ascii: "A") >= 26 }
        return hash(isLower ? path : folded(path))
    }

    /// The path in lower case and in normalisation form C.
    private static func folded(_ path: String) -> String {
        path.lowercased().precomposedStringWithCanonicalMapping
    }

    /// Seeded randomly in every process, so that nobody can craft a list of paths with equal hashes.
    private static func hash(_ path: String) -> UInt64 {
        var hasher = Hasher()
        var path = path
        path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

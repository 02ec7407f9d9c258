/// Finds outputs that would write to the same path, among any number of items, in a few megabytes of memory.
///
/// In a first pass over all items, call `add`, then `endFirstPass`. If `needsSecondPass` is true, call `compare` with
/// the same paths in a second pass; `found` then names both rows of each collision. The caller gives equal rows the
/// same item number, since they are one item. Paths that differ only in case are also found, because some file systems
/// treat them as one.
public struct PathCollisions: Sendable {
    /// Two rows with one path.
    public struct Collision: Sendable, Equatable, CustomStringConvertible {
        /// The location of the first row; nil if there are too many to remember.
        public let first: String?
        /// The location of the second row.
        public let second: String
        /// The path of the second row, relative to the destination.
        public let path: String
        /// The index of the second row's output in the manifest, from 0.
        public let output: Int
        /// True if the paths are equal; false if they differ only in case.
        public let isExact: Bool

        /// The consequence and the remedy, one sentence.
        public var description: String {
            let rows = "\(first ?? "an earlier row") and \(second)"
            return isExact
                ? "\(rows) would both write \(path): add {index} or {id} to outputs[\(output)].path"
                : "\(rows) write paths that differ only in case: \(path)"
        }
    }

    /// The collisions, in the order of their second rows; at most `limit` of each kind.
    public private(set) var found: [Collision] = []
    /// The number of paths that equal an earlier one.
    public private(set) var exactCount = 0
    /// The number of paths that differ from an earlier one only in case.
    public private(set) var caseCount = 0

    /// The maximum number of collisions of each kind in `found`.
    public static let limit = 100
    /// The number of first rows that the second pass remembers.
    private static let rememberedRows = 10_000

    private var paths = SharedHashes()
    private var suspects = HashSet64()
    private var compared = HashSet64()
    private var owners = HashSet64()
    private var firsts: [UInt64: (path: String, location: String)] = [:]

    /// Creates an empty search.
    public init() {}

    /// True if some paths may be equal, which only a second pass can tell.
    public var needsSecondPass: Bool { suspects.count > 0 }

    /// Adds a path in the first pass: that of the output with index `output` of the item with number `item`.
    /// - Throws: `RunError.machine` if the temporary folder is not writable.
    public mutating func add(_ path: String, output: Int, of item: UInt64) throws(RunError) {
        try paths.add(Self.foldedHash(path), of: Self.owner(item, output))
    }

    /// Ends the first pass.
    /// - Throws: `RunError.machine` if the temporary folder is not readable.
    public mutating func endFirstPass() throws(RunError) {
        suspects = try paths.finish()
    }

    /// Compares a path in the second pass; `location` names its row, `output` is the index of its output.
    public mutating func compare(
        _ path: String,
        output: Int,
        of item: UInt64,
        location: @autoclosure () -> String
    ) {
        let folded = Self.foldedHash(path)
        guard suspects.contains(folded) else { return }
        // An equal row is the same item again.
        guard owners.insert(folded &+ Self.owner(item, output) &* 3) else { return }
        let first = firsts[folded]
        if !compared.insert(Self.hash(path)) {
            exactCount += 1
            let name = first?.path == path ? first?.location : nil
            if exactCount <= Self.limit {
                found.append(
                    Collision(first: name, second: location(), path: path, output: output, isExact: true)
                )
            }
        } else if let first, first.path != path, first.path.lowercased() == path.lowercased() {
            caseCount += 1
            if caseCount <= Self.limit {
                found.append(
                    Collision(
                        first: first.location,
                        second: location(),
                        path: path,
                        output: output,
                        isExact: false
                    )
                )
            }
        } else if firsts.count < Self.rememberedRows {
            firsts[folded] = (path, location())
        }
    }

    /// A number that identifies one output of an item.
    private static func owner(_ item: UInt64, _ output: Int) -> UInt64 {
        item &+ UInt64(output) &* 0x9E37_79B9_7F4A_7C15
    }

    private static func foldedHash(_ path: String) -> UInt64 {
        // Nearly all paths are in lower case already.
        let isLower = path.utf8.allSatisfy { $0 < 0x80 && $0 &- UInt8(ascii: "A") >= 26 }
        return hash(isLower ? path : path.lowercased())
    }

    /// Seeded randomly in every process, so that nobody can craft a list of paths with equal hashes.
    private static func hash(_ path: String) -> UInt64 {
        var hasher = Hasher()
        var path = path
        path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

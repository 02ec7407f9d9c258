/// Finds different items that would write one path, among any number of them, in a few megabytes.
///
/// A first pass over all items calls `add` and then `endFirstPass`; where it leaves `needsSecondPass`, a second one calls
/// `compare` with the same paths, and `found` then names both rows. Equal rows are one item, which the caller gives one
/// number.
/// Paths that differ only in case are found too, as they are one file on some systems.
public struct PathCollisions: Sendable {
    /// Two rows with one path.
    public struct Collision: Sendable, Equatable, CustomStringConvertible {
        /// Of the row that came first; nil where there are too many to know.
        public let first: String?
        /// Of the other row.
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
    /// All paths that another one equals.
    public private(set) var exactCount = 0
    /// All paths that another one equals but for case.
    public private(set) var caseCount = 0

    /// The number of collisions of each kind that are named.
    public static let limit = 100
    /// The number of first rows that the second pass remembers.
    private static let rememberedRows = 10_000

    private var paths = SharedHashes()
    private var suspects = HashSet64()
    private var compared = HashSet64()
    private var owners = HashSet64()
    private var firsts: [UInt64: (path: String, location: String)] = [:]

    /// Nothing is known yet.
    public init() {}

    /// True if some paths may be equal, which only a second pass can tell.
    public var needsSecondPass: Bool { suspects.count > 0 }

    /// Takes up a path in the first pass, which the `output`th output of the item of this number writes.
    /// - Throws: `RunError.machine` where the temporary folder cannot be written to.
    public mutating func add(_ path: String, output: Int, of item: UInt64) throws(RunError) {
        try paths.add(Self.foldedHash(path), of: Self.owner(item, output))
    }

    /// Ends the first pass.
    /// - Throws: `RunError.machine` where the temporary folder cannot be read.
    public mutating func endFirstPass() throws(RunError) {
        suspects = try paths.finish()
    }

    /// Takes up a path in the second pass; `location` names its row, `output` is the place of its output.
    public mutating func compare(
        _ path: String,
        output: Int,
        of item: UInt64,
        location: @autoclosure () -> String
    ) {
        let folded = Self.foldedHash(path)
        guard suspects.contains(folded) else { return }
        // An equal row is the same item once more.
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

    /// The number of one output of an item.
    private static func owner(_ item: UInt64, _ output: Int) -> UInt64 {
        item &+ UInt64(output) &* 0x9E37_79B9_7F4A_7C15
    }

    private static func foldedHash(_ path: String) -> UInt64 {
        // Nearly all paths are in lower case already.
        let isLower = path.utf8.allSatisfy { $0 < 0x80 && $0 &- UInt8(ascii: "A") >= 26 }
        return hash(isLower ? path : path.lowercased())
    }

    /// Seeded anew in every process, so that nobody can write a list of paths with equal hashes.
    private static func hash(_ path: String) -> UInt64 {
        var hasher = Hasher()
        var path = path
        path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

import JobManifest

/// The limit of what a compressed list may expand to, so that a small file cannot fill the disk with rows.
struct ExpansionLimit {
    /// The bytes or rows that every list may expand to.
    private let free: Int
    /// The bytes or rows that each of its bytes may expand to.
    private let each: Int
    private let name: String
    private let message: String
    /// The bytes of the list, as far as they are known.
    var bytes = 0

    /// The limit of the bytes in gzip: deflate reaches 1032 to 1, and lists of distinct URLs some 30 to 1.
    static func gzip(_ name: String) -> ExpansionLimit {
        ExpansionLimit(
            free: 1 << 20,
            each: 200,
            name: name,
            message:
                "expands to more than 200 times its size, as no list of images does: decompress it to use it anyway"
        )
    }

    /// The limit of the rows of a file in Parquet, which can repeat one value for next to nothing; `bytes` is its size.
    static func parquet(_ name: String, bytes: Int) -> ExpansionLimit {
        ExpansionLimit(
            free: 10_000,
            each: 8,
            name: name,
            message:
                "has more than 8 rows for each of its bytes, as no list of images has: write it as CSV to use it anyway",
            bytes: bytes
        )
    }

    /// Checks what has come so far: the bytes, or the rows.
    /// - Throws: `SourceError`.
    func check(_ count: Int) throws(SourceError) {
        guard count > free, (count - free) / each > bytes else { return }
        throw SourceError(name, message)
    }
}

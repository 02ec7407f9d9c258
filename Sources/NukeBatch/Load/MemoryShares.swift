/// The parts of `limits.memory` that the stages of a run share.
///
/// An image may take all of it: it is then decoded alone.
struct MemoryShares: Sendable {
    /// Originals in memory that wait for a processor, and outputs that wait for the disk.
    let originals: Int
    /// Transfers in memory.
    let transfers: Int
    /// JPEGs on their way into the cache as JPEG XL, and back.
    let transcoding: Int
    /// Pixels, the originals in files that they are decoded from, and outputs until they are written.
    let rendering: Int
    /// The largest original of this machine that is read into memory; a larger one is used from a file.
    let largestInMemory: Int

    init(_ memory: Int, isTranscoding: Bool = false) {
        transcoding = isTranscoding ? memory / 4 : 0
        originals = memory / 8
        transfers = memory / 16
        rendering = memory - originals - transfers - transcoding
        largestInMemory = originals / 4
    }
}

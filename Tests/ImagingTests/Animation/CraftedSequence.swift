import Foundation

/// An AVIF sequence written by hand around the compressed pixels of stills, each a key frame (ISO/IEC 14496-12, 8): any times,
/// plays and claims, and a still image that differs from the frames.
struct CraftedSequence {
    /// The stills, all of one kind, and the time of each in ticks.
    var frames: [(media: CraftedMedia, ticks: Int)]
    var timescale = 1000
    /// The edit list: nil for none, else whether it repeats, and the times of one play and of all in the movie's ticks.
    var edits: (repeats: Bool, once: Int, total: Int)?
    /// The still image beside the frames.
    var still: CraftedMedia?
    /// The first brand.
    var brand = "avis"
    /// Boxes that describe the frames further: colours, rotations, crops.
    var properties: [[UInt8]] = []
    /// The number of frames that the track claims, all of the first one's length, in place of the real one.
    var claimedCount: Int?
    /// The number of bytes that the file is cut short by.
    var withoutLastBytes = 0

    var data: Data {
        let brands = still == nil ? "avis" : "avisavif"
        let head = Self.box("ftyp", Array((brand + "\0\0\0\0" + brands + "msf1miaf").utf8))
        let start = head.count + (still?.meta(offset: 0).count ?? 0) + movie(offset: 0).count + 8
        let shown = still?.compressed ?? []
        let pixels = frames.flatMap(\.media.compressed)
        let file =
            head + (still?.meta(offset: start) ?? []) + movie(offset: start + shown.count)
            + Self.box("mdat", shown + pixels)
        return Data(file.dropLast(withoutLastBytes))
    }

    private func movie(offset: Int) -> [UInt8] {
        let total = edits?.total ?? frames.map(\.ticks).reduce(0, +)
        let size = frames.first.map { ($0.media.width, $0.media.height) } ?? (0, 0)
        var head: [UInt8] = [0, 0, 0, 1] + zeros(8) + bytes32(1) + zeros(4) + bytes32(total) + zeros(52)
        head += bytes32(size.0 << 16) + bytes32(size.1 << 16)
        let media: [UInt8] = zeros(12) + bytes32(timescale) + bytes32(total) + zeros(4)
        let handler: [UInt8] = zeros(8) + Array("pict".utf8) + zeros(13)
        var track = Self.box("tkhd", head)
        if let edits {
            let list = [0, 0, 0, edits.repeats ? 1 : 0] + bytes32(1) + bytes32(edits.once) + zeros(4)
            track += Self.box("edts", Self.box("elst", list + [0, 1, 0, 0]))
        }
        let information = Self.box("minf", Self.box("stbl", table(offset: offset, size: size)))
        track += Self.box("mdia", Self.box("mdhd", media) + Self.box("hdlr", handler) + information)
        return Self.box("moov", Self.box("trak", track))
    }

    private func table(offset: Int, size: (Int, Int)) -> [UInt8] {
        var entry: [UInt8] = zeros(7) + [1] + zeros(16)
        entry += CraftedMedia.bytes16(size.0) + CraftedMedia.bytes16(size.1) + zeros(50)
        entry += (frames.first?.media.configuration ?? []) + properties.flatMap { $0 }
        let lengths = frames.map(\.media.compressed.count)
        let count = claimedCount ?? frames.count
        var sizes = zeros(4) + bytes32(claimedCount == nil ? 0 : lengths.first ?? 0) + bytes32(count)
        if claimedCount == nil { sizes += lengths.flatMap(bytes32) }
        let times = frames.flatMap { bytes32(1) + bytes32($0.ticks) }
        return Self.box("stsd", zeros(4) + bytes32(1) + Self.box("av01", entry))
            + Self.box("stts", zeros(4) + bytes32(frames.count) + times)
            + Self.box("stsc", zeros(4) + bytes32(1) + bytes32(1) + bytes32(count) + bytes32(1))
            + Self.box("stsz", sizes)
            + Self.box("stco", zeros(4) + bytes32(1) + bytes32(offset))
    }

    private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] { CraftedMedia.box(type, content) }
}

#if AVIF || PlugIns
internal import Foundation

/// A track of pictures, as its boxes describe it (ISO/IEC 14496-12, 8).
struct SequenceTrack {
    /// The number of frames that it claims (`stsz`).
    let frameCount: Int
    /// The number of times that it is played; 0 for ever.
    let plays: Int
    let times: Times

    /// Reads a track; nil for one without AV1 pictures, or with those of another track's transparency.
    init?(_ bytes: ByteReader, _ track: MediaBox) {
        func box(_ path: String...) -> Range<Int>? {
            path.reduce(track.content) { range, type in
                range.flatMap { bytes.boxes(in: $0).first { $0.type == type }?.content }
            }
        }
        func isEmpty(_ type: String) -> Bool {
            (box("mdia", "minf", "stbl", type).flatMap { bytes.bigEndian32(at: $0.lowerBound + 4) } ?? 0) == 0
        }
        guard let head = box("tkhd"), let descriptions = box("mdia", "minf", "stbl", "stsd"),
            let sizes = box("mdia", "minf", "stbl", "stsz"), let media = box("mdia", "mdhd"),
            let frameCount = bytes.bigEndian32(at: sizes.lowerBound + 8),
            let timescale = bytes.bigEndian32(at: media.lowerBound + (Self.isLong(bytes, media) ? 20 : 12)),
            bytes.boxes(in: descriptions.dropFirst(8)).contains(where: { $0.type == "av01" }),
            !isEmpty("stco") || !isEmpty("co64"), box("tref", "auxl") == nil
        else { return nil }
        self.frameCount = frameCount
        plays = Self.plays(bytes, head: head, edits: box("edts", "elst"))
        times = Times(
            bytes,
            box("mdia", "minf", "stbl", "stts"),
            frameCount: frameCount,
            timescale: timescale
        )
    }

    /// True for a box whose times have 64 bits.
    private static func isLong(_ bytes: ByteReader, _ box: Range<Int>) -> Bool {
        bytes.byte(at: box.lowerBound) == 1
    }

    /// The number of plays, as libavif 1.0 and Chromium count them.
    ///
    /// An edit list that repeats says how long one play is (ISO/IEC 23008-12, 9.6.1), the track's head how long all are. Without
    /// a list, as earlier writers leave it, for ever.
    private static func plays(_ bytes: ByteReader, head: Range<Int>, edits: Range<Int>?) -> Int {
        guard let edits, let flags = bytes.byte(at: edits.lowerBound + 3) else { return 0 }
        guard flags & 1 == 1 else { return 1 }
        let isLong = isLong(bytes, head)
        let total = time(bytes, at: head.lowerBound + (isLong ? 28 : 20), isLong: isLong)
        let once = time(bytes, at: edits.lowerBound + 8, isLong: Self.isLong(bytes, edits))
        guard let total, let once, once > 0 else { return 0 }
        let plays = total / once + (total % once == 0 ? 0 : 1)
        return plays > Int(Int32.max) ? 0 : max(1, plays)
    }

    /// A time; nil if it is without end.
    private static func time(_ bytes: ByteReader, at offset: Int, isLong: Bool) -> Int? {
        guard let first = bytes.bigEndian32(at: offset) else { return nil }
        guard isLong else { return first == Int(UInt32.max) ? nil : first }
        guard let second = bytes.bigEndian32(at: offset + 4), first < 1 << 31 else { return nil }
        return first << 32 | second
    }
}

extension SequenceTrack {
    /// The times of a track's frames (`stts`): runs of frames that are shown equally long, in ticks.
    struct Times: Sendable {
        let timescale: Int
        private let bytes: ByteReader
        private var entries: Range<Int>
        private var left: Int

        init(_ bytes: ByteReader, _ box: Range<Int>?, frameCount: Int, timescale: Int) {
            self.bytes = bytes
            self.timescale = timescale
            let all = box?.dropFirst(8) ?? 0..<0
            let claimed = box.flatMap { bytes.bigEndian32(at: $0.lowerBound + 4) } ?? 0
            entries = all.prefix(claimed.multipliedClamping(by: 8))
            left = frameCount
        }

        /// Returns the next run; nil behind the last frame.
        ///
        /// As in libavif, the last run goes on for all frames that are left.
        mutating func next() -> (count: Int, ticks: Int)? {
            while left > 0 {
                let isLast = entries.count < 16
                guard entries.count >= 8, let count = bytes.bigEndian32(at: entries.lowerBound),
                    let ticks = bytes.bigEndian32(at: entries.lowerBound + 4)
                else {
                    defer { left = 0 }
                    return (left, 1)
                }
                entries = entries.dropFirst(8)
                let run = isLast ? left : min(count, left)
                guard run > 0 else { continue }
                left -= run
                return (run, ticks)
            }
            return nil
        }
    }
}
#endif

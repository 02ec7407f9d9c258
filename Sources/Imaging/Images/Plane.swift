internal import CImageCodecs

/// One channel of an image: rows of 8 or 16-bit samples, the latter in native byte order.
public struct Plane: Sendable {
    /// Samples in a row.
    public let width: Int
    /// Rows.
    public let height: Int
    /// Bytes from one row to the next: a multiple of 64, so that each row begins on a cache line.
    public let stride: Int
    /// The part of the samples that the image covers.
    ///
    /// Its edges may lie within samples.
    ///
    /// A DCT-scaled decode of 1001 pixels at 4/8 has 501 samples, of which the image covers 500.5. The chroma of an
    /// odd-sized 4:2:0 image ends in the middle of its last sample. Resampling starts from this region, so nothing
    /// shifts.
    let region: Region
    /// Bytes per sample: 1 or 2.
    let sampleBytes: Int
    /// Bits per sample, 8 or 16.
    public var bitDepth: Int { 8 * sampleBytes }
    private let buffer: PixelBuffer

    /// Allocates a plane.
    ///
    /// `columns` and `rows` (at least those of `size`) leave room for a codec's whole blocks.
    init(
        _ size: PixelSize,
        columns: Int = 0,
        rows: Int = 0,
        region: Region? = nil,
        sampleBytes: Int = 1
    ) throws(ImagingError) {
        (width, height) = (size.width, size.height)
        self.sampleBytes = sampleBytes
        self.region = region ?? Region(size)
        stride = Self.stride(columns: max(width, columns), sampleBytes: sampleBytes)
        let count = stride.multipliedReportingOverflow(by: max(height, rows))
        guard !count.overflow else { throw .noMemory }
        buffer = try PixelBuffer(byteCount: count.partialValue)
    }

    /// Allocates an unfilled plane for the same samples, optionally of another depth.
    func sibling(sampleBytes: Int? = nil) throws(ImagingError) -> Plane {
        try Plane(size, region: region, sampleBytes: sampleBytes ?? self.sampleBytes)
    }

    var byteCount: Int { buffer.byteCount }
    var size: PixelSize { PixelSize(width: width, height: height) }

    /// Calls `body` with all rows, each `stride` bytes after the one before.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
    {
        try withExtendedLifetime(buffer) {
            try body(UnsafeRawBufferPointer(start: buffer.base, count: stride * height))
        }
    }

    static func stride(columns: Int, sampleBytes: Int = 1) -> Int { (columns * sampleBytes + 63) & ~63 }

    /// Bytes of a plane of a size in either orientation.
    ///
    /// A narrow plane is mostly padding.
    static func byteCount(_ size: PixelSize, sampleBytes: Int = 1) -> Int {
        max(
            stride(columns: size.width, sampleBytes: sampleBytes).multipliedClamping(by: size.height),
            stride(columns: size.height, sampleBytes: sampleBytes).multipliedClamping(by: size.width)
        )
    }

    fileprivate var unsafePlane: nb_plane {
        nb_plane(
            data: buffer.base.assumingMemoryBound(to: UInt8.self),
            stride: stride,
            width: Int32(width),
            height: Int32(height),
            sample_bytes: Int32(sampleBytes)
        )
    }
}

extension [Plane] {
    /// Allocates planes of one size, which are not filled.
    init(_ count: Int, of size: PixelSize, region: Region? = nil, sampleBytes: Int = 1) throws(ImagingError) {
        self = try (0..<count).map { _ throws(ImagingError) in
            try Plane(size, region: region, sampleBytes: sampleBytes)
        }
    }

    /// Allocates planes for the same samples, which are not filled.
    func siblings() throws(ImagingError) -> [Plane] {
        try map { plane throws(ImagingError) in try plane.sibling() }
    }

    /// Calls `body` with the planes as C structs, which are valid until it returns.
    ///
    /// C writes only to planes that the calling function has just allocated (see `PixelBuffer`).
    func withCPlanes<Result>(_ body: ([nb_plane]) -> Result) -> Result {
        withExtendedLifetime(self) { body(map(\.unsafePlane)) }
    }
}

/// A part of a plane or image in samples, with edges anywhere between them.
struct Region: Hashable, Sendable {
    var x, y, width, height: Double
    var maxX: Double { x + width }
    var maxY: Double { y + height }

    /// The part of this region that corresponds to `window` in a whole of the given size.
    func part(_ window: Region, of whole: PixelSize) -> Region {
        let scaleX = width / Double(whole.width)
        let scaleY = height / Double(whole.height)
        return Region(
            x: x + window.x * scaleX,
            y: y + window.y * scaleY,
            width: window.width * scaleX,
            height: window.height * scaleY
        )
    }
}

extension Region {
    /// Whole samples.
    init(x: Int = 0, y: Int = 0, _ size: PixelSize) {
        self.init(x: Double(x), y: Double(y), width: Double(size.width), height: Double(size.height))
    }
}

/// Memory for samples, on a 64-byte boundary.
private final class PixelBuffer: Sendable {
    // Proof of sendability: only the function that allocates the plane writes the bytes, on one thread, and shares the
    // plane once it is filled. From then on, all access is read-only.
    nonisolated(unsafe) let base: UnsafeMutableRawPointer
    let byteCount: Int

    init(byteCount: Int) throws(ImagingError) {
        guard let memory = nb_allocate(byteCount) else { throw .noMemory }
        base = memory
        self.byteCount = byteCount
    }

    deinit {
        nb_free(base)
    }
}

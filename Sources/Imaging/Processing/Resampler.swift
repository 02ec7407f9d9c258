internal import CImageCodecs
internal import Synchronization

/// The filter that weights neighbouring pixels in a resize.
public enum ResampleFilter: String, Sendable, Hashable, CaseIterable {
    // In the order of nb_filter.

    /// Sharp; the default.
    case lanczos3
    /// Softer than `bicubic`, without its halos: the Mitchell-Netravali cubic, b = c = 1/3.
    case mitchell
    /// The Catmull-Rom cubic, b = 0, c = 1/2.
    case bicubic
    /// Linear interpolation.
    case bilinear
    /// The average of the pixels that each result pixel covers.
    case box

    var code: nb_filter { nb_filter(rawValue: UInt32(Self.allCases.firstIndex(of: self) ?? 0)) }
}

enum Resampler {
    /// A plane of `size` that shows `region` of the given plane.
    ///
    /// The region may extend slightly past its edges.
    static func resample(
        _ plane: Plane,
        region: Region,
        to size: PixelSize,
        filter: ResampleFilter,
        showing shown: Region? = nil
    ) throws(ImagingError) -> Plane {
        let result = try Plane(size, region: shown, sampleBytes: plane.sampleBytes)
        let prepared = try PreparedResampling.kept(
            .init(
                source: plane.size,
                region: region,
                size: size,
                filter: filter,
                sampleBytes: plane.sampleBytes
            )
        )
        try call("The image") { error in
            [plane].withCPlanes { source in
                [result].withCPlanes { target in prepared.run(source, into: target, error: error) }
            }
        }
        return result
    }
}

/// A resampling whose weights are computed.
///
/// For a thumbnail, that takes as long as using them, and several times as long where zimg does both.
///
/// Batches repeat sizes, so the most recently used ones are cached.
private final class PreparedResampling: Sendable {
    struct Key: Hashable {
        var source: PixelSize
        var region: Region
        var size: PixelSize
        var filter: ResampleFilter
        var sampleBytes: Int
    }

    // Proof of sendability: the C object is constant from creation to release. zimg's `zimg_filter_graph_process` takes
    // the graph as a pointer to const, keeps the state of a run in scratch memory that each run allocates, and
    // documents that graphs may be shared between threads. The direct resampler only reads its weights, and the box
    // filter its parameters.
    private nonisolated(unsafe) let resampler: OpaquePointer

    private init(_ key: Key) throws(ImagingError) {
        var what = nb_resampling(
            source_width: Int32(key.source.width),
            source_height: Int32(key.source.height),
            width: Int32(key.size.width),
            height: Int32(key.size.height),
            x: key.region.x,
            y: key.region.y,
            region_width: key.region.width,
            region_height: key.region.height,
            filter: key.filter.code,
            sample_bytes: Int32(key.sampleBytes),
            by_library: 0
        )
        var made: OpaquePointer?
        try call("The resize") { error in nb_resampler_make(&what, &made, error) }
        guard let made else { throw .noMemory }
        resampler = made
    }

    deinit {
        nb_resampler_free(resampler)
    }

    func run(
        _ source: [nb_plane],
        into target: [nb_plane],
        error: UnsafeMutablePointer<nb_error>
    ) -> nb_status {
        nb_resampler_run(resampler, source, target, error)
    }

    private struct Kept {
        var entries: [Key: (prepared: PreparedResampling, lastUse: Int)] = [:]
        var clock = 0
    }
    private static let capacity = 128
    private static let kept = Mutex(Kept())

    /// The prepared resampling for a key, from a cache of the 128 most recently used.
    static func kept(_ key: Key) throws(ImagingError) -> PreparedResampling {
        let found = kept.withLock { kept in
            kept.clock += 1
            kept.entries[key]?.lastUse = kept.clock
            return kept.entries[key]?.prepared
        }
        if let found { return found }
        // Prepared outside the lock. Two threads may prepare the same one, which costs less than all threads waiting
        // for each.
        let made = try PreparedResampling(key)
        kept.withLock { kept in
            if kept.entries.count >= capacity,
                let oldest = kept.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                kept.entries[oldest.key] = nil
            }
            kept.entries[key] = (made, kept.clock)
        }
        return made
    }
}

internal import CImageCodecs
internal import Synchronization

/// The weighting of neighbouring pixels when an image is resized.
public enum ResampleFilter: String, Sendable, Hashable, CaseIterable {
    /// Sharp; the default.
    case lanczos3
    /// Softer than `bicubic`, without its halos: Mitchell and Netravali's cubic, b = c = 1/3.
    case mitchell
    /// Catmull and Rom's cubic, b = 0, c = 1/2.
    case bicubic
    /// Linear between neighbours.
    case bilinear
    /// The average of what each pixel covers.
    case box

    var code: nb_filter {
        switch self {
        case .lanczos3: NB_LANCZOS3
        case .mitchell: NB_MITCHELL
        case .bicubic: NB_BICUBIC
        case .bilinear: NB_BILINEAR
        case .box: NB_BOX
        }
    }
}

/// Resampling of single planes.
enum Resampler {
    /// A plane of `size` that shows `region` of the given one; the region may end a little outside.
    static func resample(
        _ plane: Plane,
        region: Region,
        to size: PixelSize,
        filter: ResampleFilter,
        showing shown: Region? = nil
    ) throws(ImagingError) -> Plane {
        let result = try Plane(
            width: size.width,
            height: size.height,
            region: shown,
            sampleBytes: plane.sampleBytes
        )
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
                [result].withCPlanes { target in prepared.run(source, target, error) }
            }
        }
        return result
    }
}

/// A resampling that zimg has prepared, which takes several times as long as to run it on a thumbnail.
///
/// Batches repeat sizes, so the last ones are kept.
private final class PreparedResampling: Sendable {
    struct Key: Hashable {
        var source: PixelSize
        var region: Region
        var size: PixelSize
        var filter: ResampleFilter
        var sampleBytes: Int
    }

    // Proof of sendability: the C object is const from its making to its freeing. zimg's `zimg_filter_graph_process` takes
    // the graph as a pointer to const, keeps the state of a run in the scratch memory that each run allocates for itself,
    // and zimg documents that graphs may be shared so; the box filter reads nothing but its parameters.
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
            sample_bytes: Int32(key.sampleBytes)
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
        _ target: [nb_plane],
        _ error: UnsafeMutablePointer<nb_error>
    ) -> nb_status {
        nb_resampler_run(resampler, source, target, error)
    }

    private struct Kept {
        var entries: [Key: (prepared: PreparedResampling, lastUse: Int)] = [:]
        var clock = 0
    }
    private static let capacity = 128
    private static let kept = Mutex(Kept())

    /// The prepared resampling for a key, from the last 128 that were used or newly made.
    static func kept(_ key: Key) throws(ImagingError) -> PreparedResampling {
        let found = kept.withLock { kept in
            kept.clock += 1
            kept.entries[key]?.lastUse = kept.clock
            return kept.entries[key]?.prepared
        }
        if let found { return found }
        // Made outside the lock: two threads may make the same one, which costs less than all waiting for each.
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

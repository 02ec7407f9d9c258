import Imaging
import JobPlanning

/// The fate of an original's gain map in an output; the raw values of those that went are reasons in the fact `gainMap`.
enum GainMapFate: String, Sendable, Codable {
    /// The output has it.
    case kept
    /// The output's `hdr` does not keep it.
    case hdr
    /// The output's format has none.
    case format
    /// The output's format has them, but not with this version of its library.
    case library
    /// A processor cannot be followed.
    case processors
    /// It is damaged, or its numbers mean nothing.
    case damaged
    /// It is in Apple's form, which is not read.
    case apple
    /// With its pixels, the image would exceed a limit.
    case limits
}

extension Recipe {
    /// Reads the gain map that the output keeps of an original; the fate is nil for an original without one.
    /// - Throws: `ImagingError` of reason `memory`, or for parameters of processors.
    func gainMap(of source: DecodedOriginal) throws(ImagingError) -> (map: GainMap?, fate: GainMapFate?) {
        guard let fate = expectedFate(of: source.header) else { return (nil, nil) }
        guard fate == .kept else { return (nil, fate) }
        do {
            let chain = chain(of: source.header)
            let map = try GainMap(
                of: source.original.data,
                source.header,
                covering: try chain.coveringSize(for: source.header.size),
                limits: chain.limits
            )
            return (map, .kept)
        } catch {
            switch error.reason {
            case .corrupt, .truncated, .unsupported: return (nil, .damaged)
            case .limits: return (nil, .limits)
            default: throw error
            }
        }
    }

    /// Returns what becomes of an original's gain map as far as its header tells; nil if it has none.
    ///
    /// An output of one of several formats keeps none.
    private func expectedFate(of header: ImageHeader) -> GainMapFate? {
        guard let found = header.gainMap else { return nil }
        if output.hdr != .keep { return .hdr }
        guard let format = onlyEncoding(of: header) else { return .format }
        guard format.keepsGainMaps else { return format.imageFormat == .avif ? .library : .format }
        if found.form == .apple { return .apple }
        return found.isReadable ? .kept : .damaged
    }

    /// Returns the most bytes that reading and processing the gain map holds at once; 0 if the output keeps none.
    func gainMapCost(of header: ImageHeader) throws(ImagingError) -> Int {
        guard expectedFate(of: header) == .kept, let found = header.gainMap, let stored = found.size else {
            return 0
        }
        let size = header.orientation.oriented(stored)
        let work = try chain(of: header).memoryCost(
            of: size,
            originalSize: header.size,
            bitDepth: 8,
            for: onlyEncoding(of: header)
        )
        // The decode, and then its values as they are, in red, green and blue, and turned.
        return found.decodeCost.addingClamping(size.area.multipliedClamping(by: 9)).addingClamping(work)
    }
}

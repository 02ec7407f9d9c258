public import Foundation

/// A gain map: an image, mostly smaller than the one beside it, that tells how much brighter each of its places is in high dynamic
/// range.
///
/// To operations, it is a decode of the image beside it at a smaller scale: see ``OperationChain/apply(to:gainMap:originalSize:for:)``.
public struct GainMap: Sendable {
    /// The values, upright: gray, or RGB where each colour has its own; without alpha, 8 bits.
    public internal(set) var image: Image
    /// The meaning of the values.
    public internal(set) var metadata: GainMapMetadata
    /// Pixels of the map for each pixel of the image that it was read with, on each axis; at most 1.
    var scale: (x: Double, y: Double)
    /// The ICC profile of the colours that the map is about; nil for those of the image beside it.
    var profile: Data?

    /// Reads the gain map of a file: upright, and no larger than needed.
    ///
    /// - Parameters:
    ///   - data: The whole file.
    ///   - header: The file's header.
    ///   - size: The upright size at which the image beside the map is needed; nil for its own.
    ///   - limits: The limits above which a map is refused: their pixels are those of the image and the map together.
    /// - Throws: `ImagingError`: `corrupt` or `unsupported` if there is no map that can be read, `limits`, `memory`.
    public init(
        of data: Data,
        _ header: ImageHeader,
        covering size: PixelSize? = nil,
        limits: ImageLimits = ImageLimits()
    ) throws(ImagingError) {
        guard let found = header.gainMap, let mapSize = found.size, let metadata = found.metadata else {
            throw ImagingError(.unsupported, "The image has no gain map that can be read. Leave it out.")
        }
        var limits = limits
        limits.maxPixels = max(0, limits.maxPixels - min(limits.maxPixels, header.storedSize.area))
        let file = ByteReader(data).slice(found.range)
        let base = header.storedSize
        let covering = size.map(header.orientation.oriented).map { size in
            // Never larger than the map, so that it cannot overflow.
            PixelSize(
                width: Self.part(size.width, of: base.width, mapSize.width),
                height: Self.part(size.height, of: base.height, mapSize.height)
            )
        }
        // Its values are not colours, so that a profile of its own has no effect on them.
        let plain = try JPEGDecoder.readHeader(file, findsGainMap: false)
        let own = plain.profile.bytes(in: file)
        let decoded = try ImageDecoder.decode(
            file,
            header: plain.withoutProfile,
            covering: covering,
            limits: limits
        )
        let values = decoded.colorModel == .gray ? decoded : try decoded.converted(to: .rgb)
        image = try values.oriented(header.orientation)
        self.metadata = metadata
        let stored = (
            x: min(1, Double(mapSize.width) / Double(base.width)),
            y: min(1, Double(mapSize.height) / Double(base.height))
        )
        scale = header.orientation.swapsSides ? (stored.y, stored.x) : stored
        // Pixels become sRGB. A gain that all colours share is the same there, others are not.
        let isAboutColors = values.colorModel == .rgb || metadata.channels.count > 1
        profile = metadata.usesBaseColors ? header.profile.bytes(in: data) : own
        if !isAboutColors { profile = nil }
        self.metadata.usesBaseColors = profile == nil
    }

    private static func part(_ side: Int, of base: Int, _ map: Int) -> Int {
        min(map, Int((Double(side) * Double(map) / Double(base)).rounded(.up)))
    }

    /// The map with other values.
    func with(_ image: Image) -> GainMap {
        var map = self
        map.image = image
        return map
    }

    /// The map in whole pixels, as it is written.
    var wholePixels: GainMap {
        get throws(ImagingError) {
            let region = image.planes[0].region
            let size = PixelSize(width: Self.pixels(region.width), height: Self.pixels(region.height))
            let whole = Region(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
            guard region != whole || image.size != size else { return self }
            return with(try image.resampled(showing: region, to: size))
        }
    }

    static func pixels(_ side: Double) -> Int { max(1, Int(side.rounded())) }
}

extension Image {
    /// The part of a gray or RGB image, at a size: without the halos of sharper filters, which would shine.
    func resampled(showing part: Region, to size: PixelSize) throws(ImagingError) -> Image {
        var result: [Plane] = []
        for plane in planes {
            result.append(try Resampler.resample(plane, region: part, to: size, filter: .bilinear))
        }
        return Image(colorModel: colorModel, planes: result)
    }
}

extension ImageHeader {
    /// The header of the same image, upright and without a profile.
    fileprivate var withoutProfile: ImageHeader {
        ImageHeader(
            format: format,
            storedSize: storedSize,
            isProgressive: isProgressive,
            colorModel: colorModel,
            details: details
        )
    }
}

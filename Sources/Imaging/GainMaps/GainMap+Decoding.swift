public import Foundation

extension GainMap {
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
        guard let found = header.gainMap, let mapSize = found.size, var metadata = found.metadata else {
            throw .unsupported("The image has no gain map that can be read. Leave it out.")
        }
        var limits = limits
        limits.maxPixels = max(0, limits.maxPixels - min(limits.maxPixels, header.storedSize.area))
        let base = header.storedSize
        let covering = size.map(header.orientation.oriented).map { size in
            // Never larger than the map, so that it cannot overflow.
            PixelSize(
                width: Self.part(size.width, of: base.width, mapSize.width),
                height: Self.part(size.height, of: base.height, mapSize.height)
            )
        }
        let (values, profile) = try found.decode(data, header, covering: covering, limits: limits)
        let covered = found.coveredSize ?? base
        let stored = (
            x: min(1, Double(mapSize.width) / Double(covered.width)),
            y: min(1, Double(mapSize.height) / Double(covered.height))
        )
        // Pixels become sRGB. A gain that all colours share is the same there, others are not.
        let isAboutColors = values.colorModel == .rgb || metadata.channels.count > 1
        metadata.usesBaseColors = !isAboutColors || profile == nil
        self.init(
            image: try values.oriented(header.orientation),
            metadata: metadata,
            scale: header.orientation.swapsSides ? (stored.y, stored.x) : stored,
            profile: isAboutColors ? profile : nil
        )
    }

    private static func part(_ side: Int, of base: Int, _ map: Int) -> Int {
        min(map, Int((Double(side) * Double(map) / Double(base)).rounded(.up)))
    }
}

extension GainMapHeader {
    /// The size of the image that the map covers; nil for that of the image that the file shows.
    fileprivate var coveredSize: PixelSize? {
        switch place {
        case .picture: return nil
        #if AVIF || PlugIns
        case .item(let map): return map.coveredSize
        #endif
        }
    }

    /// Decodes the values as stored, with the profile of the colours that they are about.
    fileprivate func decode(
        _ data: Data,
        _ header: ImageHeader,
        covering size: PixelSize?,
        limits: ImageLimits
    ) throws(ImagingError) -> (values: Image, profile: Data?) {
        switch place {
        case .picture(let range):
            return try JPEGDecoder.decodeGainMap(at: range, of: data, header, covering: size, limits: limits)
        #if AVIF || PlugIns
        case .item(let map):
            return try AVIFDecoder.decode(map, of: data, header, covering: size, limits: limits)
        #endif
        }
    }
}

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
        let stored = (
            x: min(1, Double(mapSize.width) / Double(base.width)),
            y: min(1, Double(mapSize.height) / Double(base.height))
        )
        // Pixels become sRGB. A gain that all colours share is the same there, others are not.
        let isAboutColors = values.colorModel == .rgb || metadata.channels.count > 1
        let profile = metadata.usesBaseColors ? header.profile.bytes(in: data) : own
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

internal import Foundation

extension GainMapHeader {
    /// Finds the gain map of a JPEG by its index of pictures (MPF), or by the lengths in its XMP (GContainer); nil if it has none.
    static func find(in data: Data, _ segments: JPEGSegments) -> GainMapHeader? {
        let bytes = ByteReader(data)
        var apples: GainMapHeader?
        for range in segments.pictures.flatMap({ MultiPictureIndex.pictures(bytes, in: $0) }) ?? [] {
            guard let found = GainMapHeader(data, at: range, isNamed: false) else { continue }
            guard found.form == .apple else { return found }
            apples = found
        }
        if let apples { return apples }
        let length = segments.xmp.map(bytes.slice).flatMap(Self.length)
        if let length, length > 2, length < data.count,
            let found = GainMapHeader(data, at: data.count - length..<data.count, isNamed: true)
        {
            return found
        }
        // The picture says that it has one, and the file was cut, or written anew without it.
        let isISO = segments.gainMap?.count == GainMapMetadata.isoVersion.count
        guard isISO || length != nil else { return nil }
        return GainMapHeader(
            form: isISO ? .iso : .adobe,
            size: nil,
            metadata: nil,
            decodeCost: 0,
            place: .picture(data.count..<data.count)
        )
    }

    /// Reads the header of a picture; nil if it is no gain map.
    ///
    /// `isNamed` is true where the file names the picture as its gain map.
    private init?(_ data: Data, at range: Range<Int>, isNamed: Bool) {
        let picture = ByteReader(data).slice(range)
        guard picture.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
        let (segments, bytes) = (JPEGSegments(picture), ByteReader(picture))
        let iso = segments.gainMap.flatMap { GainMapMetadata(iso: bytes.slice($0)) }
        let xmp = EmbeddedMetadata(xmp: segments.xmp.map(bytes.slice)).xmp.flatMap(GainMapXMP.init)
        let isAdobes = xmp?.hasVersion ?? false
        let otherForm: Form? = xmp?.isApples == true ? .apple : isNamed ? .adobe : nil
        let form: Form? = iso == nil && isAdobes ? .adobe : segments.gainMap != nil ? .iso : otherForm
        guard let form else { return nil }
        let header = try? JPEGDecoder.readHeader(picture, findsGainMap: false)
        let isRead = header.map { $0.colorModel != .cmyk } ?? false
        self.init(
            form: form,
            size: isRead ? header?.storedSize : nil,
            metadata: iso ?? xmp?.metadata,
            decodeCost: header?.largestDecodeCost(covering: nil) ?? 0,
            place: .picture(range)
        )
    }

    /// The bytes from the gain map to the file's end, if the packet names one.
    private static func length(inXMP packet: Data) -> Int? {
        // Most packets are not about this, and need not be parsed. `firstRange` takes thirty times as long.
        guard packet.range(of: Data("GainMap".utf8)) != nil else { return nil }
        return EmbeddedMetadata(xmp: packet).xmp.flatMap(GainMapXMP.init)?.bytesToEnd
    }
}

extension JPEGDecoder {
    /// Decodes a gain map, as stored.
    ///
    /// - Parameters:
    ///   - range: The map's own JPEG.
    ///   - data: The whole file.
    ///   - header: The header of the file.
    ///   - size: The size of the map that is needed; nil for its own.
    ///   - limits: What the map may take.
    /// - Returns: The values, gray or RGB, and the profile of the colours that they are about; nil for sRGB.
    /// - Throws: `ImagingError` of reason `limits`, or that of the decoder.
    static func decodeGainMap(
        at range: Range<Int>,
        of data: Data,
        _ header: ImageHeader,
        covering size: PixelSize?,
        limits: ImageLimits
    ) throws(ImagingError) -> (values: Image, profile: Data?) {
        let file = ByteReader(data).slice(range)
        // Its values are not colours, so that a profile of its own has no effect on them.
        let plain = try readHeader(file, findsGainMap: false)
        let decoded = try ImageDecoder.decode(
            file,
            header: plain.withoutProfile,
            covering: size,
            limits: limits
        )
        let values = decoded.colorModel == .gray ? decoded : try decoded.converted(to: .rgb)
        let usesBaseColors = header.gainMap?.metadata?.usesBaseColors ?? true
        return (values, usesBaseColors ? header.profile.bytes(in: data) : plain.profile.bytes(in: file))
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

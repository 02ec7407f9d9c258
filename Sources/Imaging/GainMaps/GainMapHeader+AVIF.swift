#if AVIF || PlugIns
internal import CImageCodecs
internal import Foundation

extension GainMapHeader {
    /// Reads what an AVIF that has a gain map says of it; a map that cannot be read is there all the same.
    init(ofAVIF data: Data) {
        var map = nb_avif_gain_map()
        do {
            try AVIFDecoder.call(data) { nb_avif_read_gain_map($0, $1, &map, $2) }
        } catch {
            self.init(form: .iso, size: nil, metadata: nil, decodeCost: 0, place: .item(map))
            return
        }
        self.init(
            form: .iso,
            size: map.size,
            metadata: GainMapMetadata(iso: withUnsafeBytes(of: map.numbers) { Data($0) }),
            decodeCost: AVIFDecoder.decodeCost(map),
            place: .item(map)
        )
    }
}

extension AVIFDecoder {
    /// The most bytes that decoding a gain map holds at once, at its full size.
    fileprivate static func decodeCost(_ map: nb_avif_gain_map) -> Int {
        let planes = Plane.byteCount(map.size, sampleBytes: 1).multipliedClamping(by: 2 * map.channels)
        return frameCost(map.size, samples: map.samples, depth: map.depth)
            .addingClamping(map.size.area.multipliedClamping(by: 3)).addingClamping(planes)
            .addingClamping(MediaBoxes.decoderCost)
    }

    /// Decodes a gain map: its part that the image shows, as stored.
    ///
    /// - Parameters:
    ///   - map: What the boxes say of the map.
    ///   - data: The whole file.
    ///   - header: The header of the file.
    ///   - size: The size of the whole map that is needed; nil for its own.
    ///   - limits: What the map may take.
    /// - Returns: The values, gray or RGB, and the profile of the colours that they are about; nil for sRGB.
    /// - Throws: `ImagingError` of reason `limits`, or that of the decoder.
    static func decode(
        _ map: nb_avif_gain_map,
        of data: Data,
        _ header: ImageHeader,
        covering size: PixelSize?,
        limits: ImageLimits
    ) throws(ImagingError) -> (values: Image, profile: Data?) {
        try limits.check(map.size, subject: "The gain map")
        try limits.check(memory: decodeCost(map))
        let plain = ImageHeader(
            format: .avif,
            storedSize: map.size,
            colorModel: map.gray != 0 ? .gray : .rgb,
            profile: .boxed
        )
        let request = DecodeRequest(plain, covering: size, bitDepth: 8, limits: limits)
        var expected = map
        let (whole, profile) = try pixels(of: data, header: plain, request: request) {
            nb_avif_decode_gain_map($0, $1, &expected, $2, $3)
        }
        let window = Region(x: Int(map.left), y: Int(map.top), header.storedSize)
        let shown = try whole.cropped(to: window, of: map.coveredSize).warned(of: whole.warnings)
        return (shown, profile.isEmpty ? nil : profile)
    }
}

extension nb_avif_gain_map {
    var size: PixelSize { PixelSize(width: Int(width), height: Int(height)) }
    /// The size of the compressed image that the map covers.
    var coveredSize: PixelSize { PixelSize(width: Int(coded_width), height: Int(coded_height)) }
    fileprivate var channels: Int { gray != 0 ? 1 : 3 }
}
#endif

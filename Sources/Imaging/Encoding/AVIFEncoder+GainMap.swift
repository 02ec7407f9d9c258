internal import CImageCodecs
internal import Foundation

extension AVIFEncoder {
    /// The quality of maps, at which they have fewer bytes than JPEGs of quality 85, and no more noise (libaom 3.12).
    private static let mapQuality = 60

    /// True if libavif reads and writes gain maps, as it does since 1.2; false too where it cannot be loaded.
    static var keepsGainMaps: Bool {
        #if AVIF || PlugIns
        var answer: Int32 = 0
        do {
            try call("The AVIF") { nb_avif_keeps_gain_maps(&answer, $0) }
        } catch {
            return false
        }
        return answer != 0
        #else
        return false
        #endif
    }

    /// Calls `body` with a map in gray or YCbCr; with nil for none.
    static func withCGainMap(
        _ map: GainMap?,
        _ body: (UnsafePointer<nb_avif_gain_map_source>?) -> nb_status
    ) -> nb_status {
        guard let map else { return body(nil) }
        let (numbers, profile) = ([UInt8](map.metadata.iso), [UInt8](map.profile ?? Data()))
        return map.image.planes.withCPlanes { planes in
            planes.withUnsafeBufferPointer { planes in
                numbers.withUnsafeBufferPointer { numbers in
                    profile.withUnsafeBufferPointer { profile in
                        var source = nb_avif_gain_map_source(
                            planes: planes.baseAddress,
                            channels: Int32(planes.count),
                            quality: Int32(mapQuality),
                            numbers: numbers.baseAddress,
                            numbers_count: numbers.count,
                            icc: profile.isEmpty ? nil : profile.baseAddress,
                            icc_count: profile.count
                        )
                        return body(&source)
                    }
                }
            }
        }
    }
}

extension GainMap {
    /// The map as it is written: in whole pixels, and in YCbCr unless it is gray.
    var asYCbCr: GainMap {
        get throws(ImagingError) {
            let map = try wholePixels
            return map.image.colorModel == .gray ? map : map.with(try map.image.converted(to: .ycbcr))
        }
    }
}

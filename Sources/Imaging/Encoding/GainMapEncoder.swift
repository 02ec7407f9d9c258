internal import Foundation

/// Writes a gain map as a JPEG of its own, ready to be put behind another one.
enum GainMapEncoder {
    /// The quality of maps; their chroma is not subsampled.
    private static let quality = 85

    /// Encodes a map, in gray or RGB, with its numbers as XMP and by ISO 21496-1.
    static func encode(_ map: GainMap) throws(ImagingError) -> Data {
        let options = JPEGOptions(quality: quality, subsampling: .s444)
        let pixels = try JPEGEncoder.encode(map.wholePixels.image, options)
        var segments = JPEGSegmentWriter()
        segments.add(marker: 0xE1, prefix: JPEGSegmentWriter.xmpPrefix, GainMapXMP.packet(map.metadata))
        segments.add(profile: map.profile)
        segments.add(marker: 0xE2, prefix: GainMapMetadata.isoPrefix, map.metadata.iso)
        return segments.inserted(into: pixels)
    }
}

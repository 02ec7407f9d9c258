internal import Foundation

/// A gain map as a JPEG of its own, ready to be put behind another one.
struct EncodedGainMap {
    /// The whole JPEG, with its numbers as XMP and by ISO 21496-1.
    let file: Data

    /// The quality of maps, above which files grow and gains stay within a hundredth of a stop.
    private static let quality = 85

    /// Encodes a map: gray, or with all of its colour.
    init(_ map: GainMap) throws(ImagingError) {
        let whole = try map.wholePixels
        let options = JPEGOptions(quality: Self.quality, subsampling: .s444)
        let pixels = try JPEGEncoder.encode(whole.image, options)
        var segments = JPEGSegmentWriter()
        segments.add(marker: 0xE1, prefix: JPEGSegments.xmpPrefixText, GainMapXMP.packet(map.metadata))
        segments.add(profile: map.profile)
        segments.add(marker: 0xE2, prefix: GainMapMetadata.isoPrefix, map.metadata.iso)
        file = segments.inserted(into: pixels)
    }
}

extension EncodedGainMap {
    /// The file of an image with this map behind it.
    ///
    /// - Parameters:
    ///   - segments: The segments of the image's metadata, without XMP.
    ///   - xmp: Its XMP; nil for none.
    ///   - image: The JPEG of the image.
    func file(with segments: JPEGSegmentWriter, xmp: Data?, image: Data) -> Data {
        var segments = segments
        let most = JPEGSegmentWriter.mostContent - JPEGSegments.xmpPrefixText.utf8.count
        let directory = GainMapXMP.directory(ofMap: file.count, in: xmp, most: most)
        segments.add(marker: 0xE1, prefix: JPEGSegments.xmpPrefixText, directory)
        segments.add(marker: 0xE2, prefix: GainMapMetadata.isoPrefix, GainMapMetadata.isoVersion)
        // The index tells its own place and the size of the file with it.
        let place = JPEGSegmentWriter.place(in: image) + segments.bytes.count + JPEGSegmentWriter.headCount
        let size =
            image.count + segments.bytes.count + JPEGSegmentWriter.headCount + MultiPictureIndex.count
        let index = MultiPictureIndex.content(first: size, second: file.count, at: place)
        segments.add(marker: 0xE2, prefix: "", index)
        return segments.inserted(into: image) + file
    }
}

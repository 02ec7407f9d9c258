internal import Foundation

extension JPEGSegmentWriter {
    /// Inserts these segments into the JPEG of an image, and puts a gain map behind it.
    ///
    /// - Parameters:
    ///   - map: The JPEG of the map.
    ///   - xmp: The image's XMP, which these segments do not have; nil for none.
    ///   - image: The JPEG of the image.
    /// - Returns: The whole file.
    func inserted(withMap map: Data, xmp: Data?, into image: Data) -> Data {
        var segments = self
        let most = Self.mostContent - Self.xmpPrefix.utf8.count
        let directory = GainMapXMP.directory(ofMap: map.count, in: xmp, most: most)
        segments.add(marker: 0xE1, prefix: Self.xmpPrefix, directory)
        segments.add(marker: 0xE2, prefix: GainMapMetadata.isoPrefix, GainMapMetadata.isoVersion)
        // The index tells its own place and the size of the image with it.
        let place = Self.place(in: image) + segments.bytes.count + Self.headCount
        let size = image.count + segments.bytes.count + Self.headCount + MultiPictureIndex.count
        let index = MultiPictureIndex.content(first: size, second: map.count, at: place)
        segments.add(marker: 0xE2, prefix: "", index)
        return segments.inserted(into: image) + map
    }
}

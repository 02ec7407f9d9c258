internal import Foundation

/// Photoshop's image resource blocks in JPEG and TIFF, one of which holds the IPTC datasets (Adobe Photoshop File
/// Formats Specification, "Image Resource Blocks").
enum PhotoshopResources {
    /// The prefix of a JPEG segment of resources.
    static let jpegPrefixText = "Photoshop 3.0\0"
    static let jpegPrefix = Array(jpegPrefixText.utf8)

    /// The identifier of the block of IPTC datasets.
    private static let iptcNumber = 0x0404

    /// The range of the IPTC datasets within a range of blocks; nil if there are none.
    static func iptc(_ bytes: ByteReader, in range: Range<Int>) -> Range<Int>? {
        var offset = range.lowerBound
        while offset < range.upperBound, bytes.tag(at: offset) == "8BIM",
            let number = bytes.bigEndian16(at: offset + 4), let nameLength = bytes.byte(at: offset + 6)
        {
            // The name with its length byte, and the content, are each padded to an even length.
            let name = (nameLength + 2) & ~1
            guard let length = bytes.bigEndian32(at: offset + 6 + name) else { return nil }
            let start = offset + 10 + name
            guard length <= range.upperBound - start else { return nil }
            if number == iptcNumber { return start..<start + length }
            offset = start + (length + 1) & ~1
        }
        return nil
    }

    static func iptc(_ blocks: Data) -> Data? {
        let bytes = ByteReader(blocks)
        return iptc(bytes, in: 0..<blocks.count).map(bytes.slice)
    }

    static func resource(_ iptc: Data) -> Data {
        Data("8BIM".utf8) + Data(iptcNumber.bigEndianBytes(2) + [0, 0] + iptc.count.bigEndianBytes()) + iptc
            + Data(count: iptc.count % 2)
    }

    /// Datasets from TIFF's own tag; nil for other bytes, such as the whole segment of a JPEG that libvips stores there.
    ///
    /// Some writers store them as byte-swapped 32-bit numbers.
    static func inOrder(_ iptc: Data) -> Data? {
        let bytes = [UInt8](iptc)
        if bytes.first == IPTCDatasets.marker { return iptc }
        guard bytes.count >= 4, bytes.count % 4 == 0, bytes[3] == IPTCDatasets.marker else { return nil }
        return Data(stride(from: 0, to: bytes.count, by: 4).flatMap { bytes[$0..<$0 + 4].reversed() })
    }
}

import Foundation
import Imaging

/// EXIF data and XMP: bytes are what stands in a JPEG's segment.
enum MetadataTrial {
    private static let jpeg = Seeds.file("gray.jpg")
    private static let policies: [MetadataPolicy] = [.keep] + Outputs.choices
    private static let formats: [EncodingFormat] = [
        .jpeg(), .png(PNGOptions(compression: 1)), .webp(WebPOptions(effort: 0)),
    ]

    /// Keeps metadata, which must then say that the result is upright, and hold nothing of the classes that go.
    ///
    /// The last three bytes choose the format that the data is read as, the metadata to keep, and the format to write.
    static func run(_ bytes: Data) -> Bool {
        guard bytes.count <= 65_000 else { return false }
        var choices = Choices(bytes.suffix(3))
        let prefix = choices.byte() % 4 > 0 ? "Exif\0\0" : "http://ns.adobe.com/xap/1.0/\0"
        let (policy, format) = (choices.one(of: policies), choices.one(of: formats))
        let content = Data(prefix.utf8) + bytes.dropLast(3)
        let length = content.count + 2
        let segment = Data([0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)]) + content
        let file = jpeg.prefix(2) + segment + jpeg.dropFirst(2)
        _ = Trial.outcome {
            let header = try ImageHeader.read(file)
            let image = try Image(width: 2, height: 1, rgba: Data(count: 8))
            let kept = ImageMetadata(of: file, header, keeping: policy, size: image.size)
            let written = try ImageEncoder.encode(image, as: format, metadata: kept)
            let result = try ImageHeader.read(written)
            guard result.orientation == .up, result.size == image.size else {
                fatalError("\(policy) into \(format): \(result.orientation), \(result.size)")
            }
            guard case .only(let classes) = policy else { return }
            let others = ImageMetadata(of: written, result, keeping: .except(classes), size: result.size)
            guard others?.exif == nil, others?.xmp == nil else {
                fatalError("\(policy) into \(format): fields of other classes were written")
            }
        }
        return true
    }
}

public import Foundation

/// What an output keeps of its original beside the pixels.
public enum MetadataPolicy: String, Sendable, Hashable, CaseIterable {
    /// Nothing: the pixels are upright and sRGB.
    case strip
    /// EXIF and XMP, with what is no longer true set right, and an sRGB profile.
    case keep
    /// EXIF's Artist and Copyright alone, and an sRGB profile.
    case copyright
}

/// EXIF and XMP of an image, as they are written into another one.
///
/// They are read from JPEG, PNG and WebP, and written into the same formats. Pixels are always sRGB, so the original's
/// own ICC profile would be wrong: outputs get sRGB's instead.
public struct ImageMetadata: Sendable, Hashable {
    /// EXIF data from its byte order on, without a format's prefix; nil if there is none.
    public let exif: Data?
    /// XMP, UTF-8 text; nil if there is none.
    public let xmp: Data?

    /// What a file has to keep under a policy; nil under `strip`.
    ///
    /// Kept EXIF data says that the image is upright and how large it is now, and loses the thumbnail, which shows the
    /// original. MakerNotes stay where they are, as offsets in them may be relative to the data's beginning.
    ///
    /// - Parameters:
    ///   - data: the whole file.
    ///   - header: its header.
    ///   - policy: what to keep.
    ///   - size: the size of the image that it is written into, in pixels.
    public init?(of data: Data, _ header: ImageHeader, keeping policy: MetadataPolicy, size: PixelSize) {
        let exif = header.exif.map { ByteReader(data).slice($0) }
        switch policy {
        case .strip: return nil
        case .keep:
            self.exif = exif.flatMap { EXIFWriter.upright($0, size: size) }
            xmp = header.xmp.map { ByteReader(data).slice($0) }
        case .copyright:
            self.exif = exif.flatMap(EXIFWriter.rights)
            xmp = nil
        }
    }
}

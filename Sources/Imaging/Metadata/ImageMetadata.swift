public import Foundation

/// EXIF, XMP and IPTC datasets of an image, ready to be written into another one.
///
/// They are read from JPEG, PNG, WebP, AVIF, JPEG XL, HEIC and TIFF, and written into JPEG, PNG, WebP, AVIF and JPEG XL. IPTC
/// datasets are read from JPEG and TIFF and written only into JPEG. Pixels are always sRGB, so the original's ICC profile
/// would be wrong: JPEG and WebP get an sRGB profile instead (a gray JPEG that of gray with sRGB's curve), PNG, AVIF and JPEG XL mark
/// sRGB natively.
public struct ImageMetadata: Sendable, Hashable {
    /// EXIF data from its byte order on, without the file format's prefix; nil if there is none.
    public let exif: Data?
    /// XMP as UTF-8 text; nil if there is none.
    public let xmp: Data?
    /// Datasets of the IPTC Information Interchange Model; nil if there are none.
    public let iptc: Data?

    /// Selects the metadata of a file to keep under a policy; nil under `strip`.
    ///
    /// Kept data is updated to upright, sRGB and the new size, and loses its thumbnails, which show the original. The
    /// GPS location stays. MakerNotes stay unread and at their offset, because offsets in them may be relative to the
    /// start of the data; a TIFF's MakerNotes are lost, because its EXIF data is gathered from the whole file.
    ///
    /// Of classes, only known fields are kept, written anew: fields of EXIF as EXIF, and properties of XMP as XMP, which
    /// the IPTC datasets complete by the mapping of the IPTC Photo Metadata Standard. Damaged data and parts above 1 MiB
    /// count as absent.
    ///
    /// - Parameters:
    ///   - data: The whole file.
    ///   - header: The file's header.
    ///   - policy: The metadata to keep.
    ///   - size: The size in pixels of the image to write it into.
    public init?(of data: Data, _ header: ImageHeader, keeping policy: MetadataPolicy, size: PixelSize) {
        guard policy != .strip else { return nil }
        let found = header.embeddedMetadata(in: data)
        if case .only(let classes) = policy {
            exif = found.exif.flatMap { EXIFDirectory($0) }.flatMap {
                EXIFValues.selected($0, keeping: classes)
            }
            xmp = XMPPacket.selected(found.xmp, found.iptc.map(IPTCDatasets.init), keeping: classes)
            iptc = nil
        } else {
            exif = found.exif.flatMap { EXIFWriter.upright($0, size: size) }
            xmp = found.xmp.flatMap { XMPPacket.updated($0, size: size) }
            iptc = found.iptc
        }
    }

    /// XMP for formats without IPTC datasets: if there is none, a packet with the rights of the datasets.
    var xmpForOthers: Data? {
        xmp ?? XMPPacket.selected(nil, iptc.map(IPTCDatasets.init), keeping: [.rights])
    }
}

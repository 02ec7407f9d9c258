public import Foundation

/// What an output keeps of its original beside the pixels.
public enum MetadataPolicy: String, Sendable, Hashable, CaseIterable {
    /// Nothing: the pixels are upright and sRGB.
    case strip
    /// EXIF, XMP and IPTC datasets, with what is no longer true set right, and an sRGB profile.
    case keep
    /// Who owns the picture and what may be done with it, and an sRGB profile.
    case copyright
}

/// EXIF, XMP and IPTC datasets of an image, as they are written into another one.
///
/// They are read from JPEG, PNG, WebP, AVIF, HEIC and TIFF, and written into JPEG, PNG, WebP and AVIF; IPTC datasets are
/// read from JPEG and TIFF and written into JPEG alone. Pixels are always sRGB, so the original's own ICC profile would be
/// wrong: JPEG and WebP get sRGB's instead, PNG and AVIF have their own word for it.
public struct ImageMetadata: Sendable, Hashable {
    /// EXIF data from its byte order on, without a format's prefix; nil if there is none.
    public let exif: Data?
    /// XMP, UTF-8 text; nil if there is none.
    public let xmp: Data?
    /// Datasets of the IPTC's Information Interchange Model; nil if there are none.
    public let iptc: Data?

    /// What a file has to keep under a policy; nil under `strip`.
    ///
    /// Kept data says that the image is upright, in sRGB and how large it is now, and loses its thumbnails, which show the
    /// original. The place where it was taken stays, and so do MakerNotes, unread and in their place, as offsets in them may
    /// be relative to the data's beginning; TIFF's are lost, since its EXIF data is gathered from all over the file.
    ///
    /// Rights are EXIF's Artist and Copyright, the IPTC Photo Metadata Standard's properties on rights and licensing, and
    /// of the IPTC datasets By-line, Credit and Copyright Notice, which become XMP. Damaged data counts as none, and so
    /// does a part of more than one megabyte.
    ///
    /// - Parameters:
    ///   - data: the whole file.
    ///   - header: its header.
    ///   - policy: what to keep.
    ///   - size: the size of the image that it is written into, in pixels.
    public init?(of data: Data, _ header: ImageHeader, keeping policy: MetadataPolicy, size: PixelSize) {
        guard policy != .strip else { return nil }
        let found = header.embeddedMetadata(in: data)
        if policy == .keep {
            exif = found.exif.flatMap { EXIFWriter.upright($0, size: size) }
            xmp = found.xmp.flatMap { XMPPacket.updated($0, size: size) }
            iptc = found.iptc
        } else {
            exif = found.exif.flatMap(EXIFWriter.rights)
            xmp = XMPPacket.rights(found.xmp, found.iptc.map(IPTCDatasets.init))
            iptc = nil
        }
    }

    /// The XMP for formats that hold no IPTC datasets: without any, it tells the rights that those do.
    var xmpForOthers: Data? { xmp ?? XMPPacket.rights(nil, iptc.map(IPTCDatasets.init)) }
}

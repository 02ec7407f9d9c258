internal import CImageCodecs
internal import Foundation

/// What a file says about its picture beside the pixels, as it stands there.
///
/// A part above one megabyte is no description of a picture, and is not read.
struct EmbeddedMetadata {
    /// EXIF data from its byte order on, without a format's prefix.
    private(set) var exif: Data?
    /// An XMP packet.
    private(set) var xmp: Data?
    /// Datasets of the IPTC's Information Interchange Model.
    private(set) var iptc: Data?

    private static let maxByteCount = 1 << 20

    init(exif: Data? = nil, xmp: Data? = nil, iptc: Data? = nil) {
        func bounded(_ part: Data?) -> Data? {
            part.flatMap { $0.isEmpty || $0.count > Self.maxByteCount ? nil : $0 }
        }
        self.exif = bounded(exif)
        // Some writers end the packet with zero bytes, which are no XML.
        self.xmp = bounded(xmp.map { packet in packet.dropLast(packet.reversed().prefix { $0 == 0 }.count) })
        self.iptc = bounded(iptc)
    }

    /// What a function of the C codecs reads; nothing where it fails, since the decoder reports that.
    init(_ body: (UnsafeMutablePointer<nb_metadata>, UnsafeMutablePointer<nb_error>) -> nb_status) {
        var found = nb_metadata()
        var error = nb_error()
        defer {
            nb_free(found.exif)
            nb_free(found.xmp)
        }
        guard body(&found, &error) == NB_OK else {
            self.init()
            return
        }
        self.init(
            exif: found.exif.flatMap { Self.exif(inItem: Data(bytes: $0, count: found.exif_count)) },
            xmp: found.xmp.map { Data(bytes: $0, count: found.xmp_count) }
        )
    }

    /// EXIF data of an item of AVIF or HEIC.
    ///
    /// It begins with the offset of its byte order, which libavif takes off and libheif does not (ISO/IEC 23008-12, annex A),
    /// and then with "Exif" or at once.
    private static func exif(inItem item: Data) -> Data? {
        let bytes = ByteReader(item)
        let starts = [0, 6, (bytes.bigEndian32(at: 0) ?? 0) + 4]
        return starts.lazy.map { bytes.slice($0..<max($0, item.count)) }.first { EXIFDirectory($0) != nil }
    }
}

extension ImageHeader {
    /// What the file says about its picture.
    func embeddedMetadata(in data: Data) -> EmbeddedMetadata {
        (try? ImageDecoder.codec(of: format))?.readMetadata(data, self) ?? EmbeddedMetadata()
    }
}

internal import CImageCodecs
internal import Foundation

/// The metadata of a file as stored.
///
/// A part above 1 MiB is not plausible metadata and is ignored.
struct EmbeddedMetadata {
    /// EXIF data from its byte order on, without the file format's prefix.
    private(set) var exif: Data?
    private(set) var xmp: Data?
    /// Datasets of the IPTC Information Interchange Model.
    private(set) var iptc: Data?

    static let maxByteCount = 1 << 20

    init(exif: Data? = nil, xmp: Data? = nil, iptc: Data? = nil) {
        func bounded(_ part: Data?) -> Data? {
            part.flatMap { $0.isEmpty || $0.count > Self.maxByteCount ? nil : $0 }
        }
        self.exif = bounded(exif)
        // Some writers end the packet with zero bytes, which are not valid XML.
        self.xmp = bounded(xmp.map { packet in packet.dropLast(packet.reversed().prefix { $0 == 0 }.count) })
        // What begins otherwise is nothing that a reader could find datasets in.
        self.iptc = bounded(iptc).flatMap { $0.first == IPTCDatasets.marker ? $0 : nil }
    }

    /// The metadata that a function of the C codecs reads; empty if it fails, because the decoder reports the failure.
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

    /// EXIF data from an item of AVIF or HEIC, or a box of JPEG XL.
    ///
    /// The item begins with the offset of the byte order, which libavif strips and libheif and libjxl do not (ISO/IEC
    /// 23008-12, annex A; ISO/IEC 18181-2). After it comes "Exif" or the byte order itself.
    private static func exif(inItem item: Data) -> Data? {
        let bytes = ByteReader(item)
        return [0, 4, (bytes.bigEndian32(at: 0) ?? 0) + 4].lazy.map { start in
            bytes.slice(EXIFDirectory.start(in: bytes, start..<max(start, item.count)))
        }.first { EXIFDirectory($0) != nil }
    }
}

#if AVIF || PlugIns
internal import CImageCodecs
internal import Foundation

/// The pixels of an AVIF sequence's frames.
///
/// Copies share the decoder, which finds its frame again if another copy took it elsewhere. One thread at a time may use them.
final class AVIFSequence {
    private var pointer: OpaquePointer?
    private let header: ImageHeader

    /// Prepares to decode frames of the file with this header, which is of its frames.
    ///
    /// - Throws: `ImagingError`, as `readHeader`.
    init(_ data: Data, header: ImageHeader) throws(ImagingError) {
        if AVIFDecoder.details(of: header).isFrame {
            self.header = header
        } else {
            // It could not be read when the header was, and says why.
            let frame = try Self.readHeader(data, frameCount: header.animation?.frameCount ?? 0)
            self.header = AVIFDecoder.header(AVIFDetails(picture: frame, isFrame: true), header.animation)
        }
    }

    deinit {
        try? close()
    }

    /// Reads the header of the frames.
    ///
    /// - Throws: `ImagingError` of reason `limits` for more than 65,536 frames, and as for still images.
    static func readHeader(_ data: Data, frameCount: Int) throws(ImagingError) -> nb_avif_header {
        guard frameCount <= Int(NB_AVIF_MOST_FRAMES) else {
            throw .limits(
                "The AVIF has \(frameCount) frames, but at most \(NB_AVIF_MOST_FRAMES) are read. Leave out \"animation\" to "
                    + "show its still image."
            )
        }
        var header = nb_avif_header()
        try AVIFDecoder.call(data) { nb_avif_read_frame_header($0, $1, &header, $2) }
        return header
    }

    /// Decodes a frame, as stored, in sRGB; in their order is fastest.
    func decode(_ index: Int, of data: Data, limits: ImageLimits) throws(ImagingError) -> Image {
        var picture = AVIFDecoder.details(of: header).picture
        try limits.check(picture.codedSize, subject: "The frame before it is cropped")
        let request = DecodeRequest(header, covering: nil, bitDepth: 8, limits: limits)
        let image = try AVIFDecoder.decode(data, header: header, request: request) {
            nb_avif_decode_frame(&pointer, Int32(index), $0, $1, &picture, $2, $3)
        }
        return try header.hdr?.toneMapped(image) ?? image
    }

    private func close() throws(ImagingError) {
        let pointer = pointer
        try call(ImageFormat.avif.subject) { nb_avif_close_sequence(pointer, $0) }
    }
}
#endif

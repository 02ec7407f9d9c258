internal import CImageCodecs
internal import Foundation

/// Reads BMP: palettes of 1 to 8 bits, with or without run-length coding, and 16 to 32 bits per pixel with any masks.
///
/// An alpha mask counts only if a pixel uses it. OS/2 compression and embedded JPEG and PNG are not supported.
enum BMPDecoder: ImageCodec {
    static let format = ImageFormat.bmp

    static func readHeader(_ data: Data) throws(ImagingError) -> ImageHeader {
        var header = nb_bmp_header()
        try call(data) { nb_bmp_read_header($0, $1, &header, $2) }
        let profile = header.profile..<header.profile + header.profile_count
        return ImageHeader(
            format: .bmp,
            storedSize: PixelSize(width: Int(header.width), height: Int(header.height)),
            hasAlpha: header.alpha != 0,
            details: header,
            profile: profile.isEmpty ? .none : .ranges([profile])
        )
    }

    /// Decodes row by row and averages by the factor that the request allows.
    static func decode(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        var details = header.details(nb_bmp_header())
        return try decode(data, header: header, request: request) { nb_bmp_decode($0, $1, &details, $2, $3) }
    }

    static func decodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        let size = header.storedSize
        let isRunLengthCoded = header.details(nb_bmp_header()).rle == 1
        // One row of colours, plus the indices of a run-length coded image.
        return request.cost(of: header).addingClamping(header.channels * size.width)
            .addingClamping(isRunLengthCoded ? size.area : 0)
    }
}

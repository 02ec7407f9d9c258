internal import CImageCodecs
internal import Foundation

/// Reads BMP: palettes of 1 to 8 bits, with or without run-length coding, and 16 to 32 bits per pixel with any masks.
///
/// An alpha mask counts only if a pixel uses it. OS/2 compression and embedded JPEG and PNG are not supported.
enum BMPDecoder: ImageCodec {
    static let format = ImageFormat.bmp

    static func readHeader(_ data: Data) throws(ImagingError) -> ImageHeader {
        var header = nb_bmp_header()
        try call("The BMP", data: data) { nb_bmp_read_header($0, $1, &header, $2) }
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
        let details = header.details as? nb_bmp_header ?? nb_bmp_header()
        let factor = request.shrinkFactor(for: header.storedSize)
        let planes = try request.planes(
            channels(of: header),
            of: header.storedSize,
            shrunkBy: factor
        )
        let warnings = try call("The BMP", data: data, into: planes) {
            nb_bmp_decode($0, $1, [details], Int32(factor), $2, $3)
        }
        return try ColorProfile.convert(
            Image(colorModel: .rgb, planes: planes),
            profile: header.profile.bytes(in: data)
        ).warned(of: warnings)
    }

    static func decodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        let size = header.storedSize
        let count = channels(of: header)
        let cost = request.cost(count, of: size, shrunkBy: request.shrinkFactor(for: size))
        let isRunLengthCoded = (header.details as? nb_bmp_header)?.rle == 1
        // One row of colours, plus the indices of a run-length coded image.
        return cost.addingClamping(count * size.width).addingClamping(isRunLengthCoded ? size.area : 0)
    }

    private static func channels(of header: ImageHeader) -> Int { header.hasAlpha ? 4 : 3 }
}

internal import CImageCodecs
public import Foundation

/// The result of one of the two decoders of a PNG's pixels.
public enum PNGPixels: Equatable {
    case samples([UInt8])
    /// The direct decoder leaves the file to libpng.
    case left
    case refused(String)

    /// The decoders.
    public enum Decoder: Sendable { case direct, libpng }

    /// Decodes a PNG of this width, height and number of planes.
    public init(
        of file: Data,
        width: Int,
        height: Int,
        planes: Int,
        sampleBytes: Int,
        factor: Int,
        by decoder: Decoder
    ) {
        let (columns, rows) = ((width + factor - 1) / factor, (height + factor - 1) / factor)
        let stride = columns * sampleBytes
        var samples = [UInt8](repeating: 0xA5, count: stride * rows * planes)
        var error = nb_error()
        let status = samples.withUnsafeMutableBufferPointer { samples in
            let targets = (0..<planes).map {
                nb_plane(
                    data: samples.baseAddress?.advanced(by: $0 * stride * rows),
                    stride: stride,
                    width: Int32(columns),
                    height: Int32(rows),
                    sample_bytes: Int32(sampleBytes)
                )
            }
            return [UInt8](file).withUnsafeBufferPointer { file in
                targets.withUnsafeBufferPointer { targets in
                    var target = nb_target(
                        planes: targets.baseAddress,
                        channels: Int32(planes),
                        factor: Int32(factor),
                        icc: nil,
                        icc_capacity: 0,
                        icc_count: 0
                    )
                    let way = decoder == .direct ? NB_PNG_DIRECT : NB_PNG_LIBRARY
                    let size = (Int32(width), Int32(height))
                    return nb_png_decode(file.baseAddress, file.count, size.0, size.1, way, &target, &error)
                }
            }
        }
        switch status {
        case NB_OK: self = .samples(samples)
        case NB_UNSUPPORTED: self = .left
        default:
            let message = withUnsafeBytes(of: error.message) { Array($0.prefix { $0 != 0 }) }
            self = .refused(String(decoding: message, as: UTF8.self))
        }
    }
}

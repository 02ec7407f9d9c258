internal import CImageCodecs
public import Foundation

/// A decoded, upright sRGB image: immutable planes of 8 or 16-bit samples, which copies of the value share.
///
/// The colour channels come first, in the order of the colour model. Straight alpha, if any, is the last plane. The
/// planes of `gray` and `rgb` and the alpha plane have the image's size; chroma planes may be smaller. All planes have
/// the same depth, which is always 8 bits for YCbCr.
public struct Image: Sendable {
    /// Width and height.
    public let size: PixelSize
    /// The meaning of the colour channels; never `cmyk`.
    public let colorModel: ColorModel
    /// The channels.
    public let planes: [Plane]
    /// What was wrong with the file that the image was decoded from, but did not keep its pixels from being known.
    ///
    /// Images that operations make of this one have no warnings.
    public internal(set) var warnings: Set<ImageWarning> = []

    /// True if the last plane is alpha.
    public var hasAlpha: Bool { planes.count == 2 || planes.count == 4 }
    /// Bits per sample, 8 or 16.
    public var bitDepth: Int { planes[0].bitDepth }
    /// Bytes that the planes occupy.
    public var byteCount: Int { planes.reduce(0) { $0 + $1.byteCount } }

    /// Creates an image from matching planes.
    init(colorModel: ColorModel, planes: [Plane]) {
        size = planes[0].size
        self.colorModel = colorModel
        self.planes = planes
    }

    /// Creates an image from interleaved red, green, blue and straight alpha, 8 bits each, in rows from the top without
    /// gaps.
    ///
    /// - Throws: `ImagingError` of reason `processing` if the data does not have `width * height * 4` bytes.
    public init(width: Int, height: Int, rgba: Data) throws(ImagingError) {
        let size = PixelSize(width: width, height: height)
        guard width > 0, height > 0, width <= Int32.max, height <= Int32.max, size.area <= rgba.count,
            rgba.count == size.area * 4
        else {
            throw .processing(
                "\(rgba.count) bytes do not match \(size) RGBA pixels. Give four bytes per pixel."
            )
        }
        let planes = try [Plane](4, of: size)
        planes.withCPlanes { target in
            rgba.withUnsafeBytes {
                nb_deinterleave($0.baseAddress?.assumingMemoryBound(to: UInt8.self), width * 4, target, 4)
            }
        }
        self.init(colorModel: .rgb, planes: planes)
    }

    /// The pixels as interleaved red, green, blue and straight alpha, 8 bits each, rows without gaps.
    ///
    /// - Throws: `ImagingError` of reason `memory`.
    public func rgba() throws(ImagingError) -> Data {
        let source = try converted(to: .rgb).converted(toBitDepth: 8)
        var packed = Data(repeating: 255, count: size.width * size.height * 4)
        let opaque = source.hasAlpha ? nil : try Plane.filled(size, with: 255)
        let channels = source.planes + (opaque.map { [$0] } ?? [])
        packed.withUnsafeMutableBytes { target in
            channels.withCPlanes {
                nb_interleave($0, 4, target.baseAddress?.assumingMemoryBound(to: UInt8.self), size.width * 4)
            }
        }
        return packed
    }

    /// The image with the warnings of its decoder.
    func warned(of warnings: Set<ImageWarning>) -> Image {
        var image = self
        image.warnings.formUnion(warnings)
        return image
    }

    /// The image with each plane changed.
    func mapPlanes(_ change: (Plane) throws(ImagingError) -> Plane) throws(ImagingError) -> Image {
        Image(colorModel: colorModel, planes: try planes.map(change))
    }

    /// The colour planes, without alpha.
    var colorPlanes: [Plane] { hasAlpha ? planes.dropLast() : planes }
    /// The alpha plane as a list, empty if there is none.
    var alphaPlanes: [Plane] { hasAlpha ? planes.suffix(1) : [] }
}

extension Plane {
    /// A plane filled with one 8-bit value.
    static func filled(
        _ size: PixelSize,
        with value: UInt8,
        region: Region? = nil,
        sampleBytes: Int = 1
    ) throws(ImagingError) -> Plane {
        let plane = try Plane(size, region: region, sampleBytes: sampleBytes)
        // Both bytes of value × 257 equal the value.
        let count = size.width * sampleBytes
        [plane].withCPlanes { target in
            for row in 0..<size.height {
                (target[0].data + row * target[0].stride).update(repeating: value, count: count)
            }
        }
        return plane
    }
}

internal import CImageCodecs
internal import Foundation

/// Draws SVG with librsvg at the size that is asked for, which may be larger than its own.
///
/// The size is read in any process, and the drawing is made only where `ImageLimits.allowsSVG` is set. Of other files, nothing
/// is opened; fonts are those of the machine.
enum SVGDecoder: ImageCodec {
    static let format = ImageFormat.svg

    /// Images of the drawing's size for which there is memory: itself, and groups, masks and filters within one another.
    private static let layers = 7

    static func readHeader(_ data: Data) throws(ImagingError) -> ImageHeader {
        guard let root = SVGRoot(data), root.width > 0, root.height > 0 else {
            throw .corrupt(
                "The SVG has no pixels: a side of it, or of its viewBox, is 0. Replace it at its source."
            )
        }
        return ImageHeader(format: .svg, storedSize: root.size, hasAlpha: true, details: root)
    }

    static func decode(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        guard request.limits.allowsSVG, let root = header.details as? SVGRoot else {
            throw .unconfined(
                "SVG is drawn only in a confined process, such as the child of a run. Convert the file to PNG, or set "
                    + "allowsSVG of ImageLimits in a process that is confined."
            )
        }
        let size = decodedSize(header, request)
        try check(size, request.limits)
        let planes = try [Plane](4, of: size)
        let warnings = try call(data) { bytes, count, error in
            planes.withCPlanes { nb_svg_draw(bytes, count, root.width, root.height, $0, error) }
        }
        return Image(colorModel: .rgb, planes: planes).warned(of: warnings)
    }

    /// Throws if a drawing of this size is not made.
    fileprivate static func check(_ size: PixelSize, _ limits: ImageLimits) throws(ImagingError) {
        try limits.check(size, subject: "The drawing at the size that is asked for")
        guard max(size.width, size.height) > NB_LONGEST_SVG_SIDE else { return }
        throw .limits(
            "The drawing is to be \(size), but cairo draws at most \(NB_LONGEST_SVG_SIDE) pixels a side. "
                + "Ask for a smaller size."
        )
    }

    /// The requested size itself, unless it has other proportions than the drawing: then the smallest that covers it.
    static func decodedSize(_ header: ImageHeader, _ request: DecodeRequest) -> PixelSize {
        let own = header.storedSize
        guard let covering = request.covering else { return own }
        let scale = max(
            Double(covering.width) / Double(own.width),
            Double(covering.height) / Double(own.height)
        )
        func side(_ own: Int, _ wanted: Int) -> Int {
            let scaled = Double(own) * scale
            return scaled - Double(wanted) < 1 ? wanted : Int(min(scaled, Double(Int32.max)).rounded())
        }
        return PixelSize(width: side(own.width, covering.width), height: side(own.height, covering.height))
    }

    static func decodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        let size = decodedSize(header, request)
        return Plane.byteCount(size).multipliedClamping(by: 2 * 4)
            .addingClamping(size.area.multipliedClamping(by: 4 * layers))
    }
}

extension ImageHeader {
    /// Throws if the image is a drawing that is not drawn so large.
    ///
    /// - Parameters:
    ///   - size: As for `ImageDecoder.decode`.
    ///   - limits: As for `ImageDecoder.decode`.
    /// - Throws: `ImagingError` of reason `limits`.
    package func checkDrawing(covering size: PixelSize?, _ limits: ImageLimits) throws(ImagingError) {
        guard format.isDrawnPerOutput else { return }
        try SVGDecoder.check(decodedSize(covering: size), limits)
    }
}

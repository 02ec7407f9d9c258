internal import CImageCodecs
internal import Foundation

/// Adjusts tones: brightness, contrast and gamma of each channel, in this order, then saturation.
public struct Adjust: ImageOperation {
    /// The offset as a fraction of the range from black to white: -1 to 1; 0 changes nothing.
    public var brightness: Double
    /// The factor on the distance from middle gray: 0 to 10; 1 changes nothing.
    public var contrast: Double
    /// The factor on the distance from gray: 0 to 10; 0 removes all colour, 1 changes nothing.
    public var saturation: Double
    /// Gamma, 0.1 to 10: each channel is raised to 1/gamma.
    ///
    /// Values above 1 lighten; 1 changes nothing.
    public var gamma: Double

    /// Creates an adjustment; the default changes nothing.
    public init(brightness: Double = 0, contrast: Double = 1, saturation: Double = 1, gamma: Double = 1) {
        self.brightness = brightness
        self.contrast = contrast
        self.saturation = saturation
        self.gamma = gamma
    }

    /// The same size.
    public func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize {
        guard (-1...1).contains(brightness), (0...10).contains(contrast), (0...10).contains(saturation),
            (0.1...10).contains(gamma)
        else {
            throw .processing(
                "Adjusting needs a brightness from -1 to 1, a contrast and a saturation from 0 to 10, "
                    + "and a gamma from 0.1 to 10."
            )
        }
        return input
    }

    /// The image as RGB, and the result before and after saturation.
    public var workingMemory: WorkingMemory { WorkingMemory(perInputPixel: 5, perOutputPixel: 6) }

    /// The adjusted image.
    ///
    /// YCbCr is kept if every step is linear; luma and chroma then use one table each. That requires no gamma and no
    /// clipped luma, because a luma clipped to black or white would keep its chroma.
    public func apply(to image: Image, nominalSize: PixelSize, chroma: ChromaSubsampling?)
        throws(ImagingError) -> Image
    {
        _ = try outputSize(for: nominalSize)
        guard self != Adjust() else { return image }
        if image.colorModel == .ycbcr, isLinear { return try adjustChroma(of: image) }
        let source = image.colorModel == .ycbcr ? try image.converted(to: .rgb) : image
        let table = table(bitDepth: source.bitDepth)
        var result = try source.colorPlanes.map { plane throws(ImagingError) in try plane.mapped(by: table) }
        if source.colorModel == .rgb, saturation != 1 { result = try saturated(result) }
        return Image(colorModel: source.colorModel, planes: result + source.alphaPlanes)
    }

    private var isLinear: Bool {
        let black = (brightness - 0.5) * contrast + 0.5
        return gamma == 1 && black >= 0 && black + contrast <= 1
    }

    private func adjustChroma(of image: Image) throws(ImagingError) -> Image {
        let factor = contrast * saturation
        let chroma = (0..<256).map { Self.sample(128 + (Double($0) - 128) * factor, most: 255) }
        var result = [try image.planes[0].mapped(by: table(bitDepth: 8))]
        for plane in image.planes[1...2] { result.append(try plane.mapped(by: chroma)) }
        return Image(colorModel: .ycbcr, planes: result + image.alphaPlanes)
    }

    private func saturated(_ planes: [Plane]) throws(ImagingError) -> [Plane] {
        let result = try planes.siblings()
        result.withCPlanes { target in planes.withCPlanes { nb_saturate($0, saturation, target) } }
        return result
    }

    private func table(bitDepth: Int) -> [UInt16] {
        let most = Double(1 << bitDepth - 1)
        return (0..<1 << bitDepth).map { index in
            let value = (Double(index) / most + brightness - 0.5) * contrast + 0.5
            let clamped = min(max(value, 0), 1)
            return Self.sample((gamma == 1 ? clamped : pow(clamped, 1 / gamma)) * most, most: most)
        }
    }

    private static func sample(_ value: Double, most: Double) -> UInt16 {
        UInt16(min(max(value, 0), most).rounded())
    }
}

extension Plane {
    fileprivate func mapped(by table: [UInt16]) throws(ImagingError) -> Plane {
        let result = try sibling()
        [self, result].withCPlanes { nb_map([$0[0]], table, [$0[1]]) }
        return result
    }
}

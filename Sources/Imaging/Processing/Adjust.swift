internal import CImageCodecs
internal import Foundation

/// Changes tones: brightness, contrast and gamma of each channel, in this order, then saturation about the luma.
public struct Adjust: ImageOperation {
    /// What is added, as a part of the way from black to white: -1 to 1; 0 changes nothing.
    public var brightness: Double
    /// By what the distance from middle gray is multiplied: 0 to 10; 1 changes nothing.
    public var contrast: Double
    /// By what the distance from gray is multiplied: 0 to 10; 0 leaves gray, 1 changes nothing.
    public var saturation: Double
    /// The power 1/gamma is taken of each channel: 0.1 to 10; above 1 lightens, 1 changes nothing.
    public var gamma: Double

    /// An adjustment; by default one that changes nothing.
    public init(
        brightness: Double = 0,
        contrast: Double = 1,
        saturation: Double = 1,
        gamma: Double = 1
    ) {
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
            throw ImagingError(
                .processing,
                "To adjust takes a brightness from -1 to 1, contrast and saturation from 0 to 10, "
                    + "and a gamma from 0.1 to 10."
            )
        }
        return input
    }

    /// The image as RGB, and the result before and after saturation.
    public var workingMemory: WorkingMemory { WorkingMemory(perInputPixel: 5, perOutputPixel: 6) }

    /// The adjusted image.
    ///
    /// YCbCr stays so where all is linear, luma and chroma each by a table: without gamma, and where no luma is clipped, since
    /// what is clipped to black or white would keep its chroma.
    public func apply(
        to image: Image,
        nominalSize: PixelSize,
        chroma: ChromaSubsampling?
    ) throws(ImagingError) -> Image {
        _ = try outputSize(for: nominalSize)
        guard self != Adjust() else { return image }
        if image.colorModel == .ycbcr, isLinear { return try adjustChroma(of: image) }
        let source = image.colorModel == .ycbcr ? try image.converted(to: .rgb) : image
        let table = table(bitDepth: source.bitDepth)
        var result: [Plane] = []
        for plane in source.colorPlanes { result.append(try plane.mapped(by: table)) }
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
        var result: [Plane] = []
        for plane in planes { result.append(try plane.sibling()) }
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

internal import CImageCodecs

/// The colours of a picture whose brightness goes beyond that of standard screens.
struct HDRSignal: Sendable {
    /// As the C codecs have them.
    private let signal: nb_hdr
    /// The brightest light in cd/m², as far as that of PQ is known; 0 otherwise.
    private let peak: Double

    /// Takes what a codec has found, and what the file tells of its brightest light in cd/m²: the first of it that can be true.
    ///
    /// Nil for other pictures. Only PQ has use for the light: HLG is made for a screen of 1,000 cd/m².
    init?(_ found: nb_hdr, brightness: @autoclosure () -> [Double?] = []) {
        guard found.curve != Int32(NB_HDR_NONE.rawValue) else { return nil }
        signal = found
        let told = found.curve == Int32(NB_HDR_PQ.rawValue) ? brightness() : []
        // PQ ends at 10,000, and no screen for it is darker than an ordinary one.
        peak = told.compactMap { $0 }.first { (100...10_000).contains($0) } ?? 0
    }

    /// True if it can be tone mapped: PQ or HLG around sRGB's white.
    var isMappable: Bool { signal.curve != Int32(NB_HDR_OTHER.rawValue) }

    /// Maps an image of this signal to sRGB; in place, so it must come straight from its decoder.
    func toneMapped(_ image: Image) throws(ImagingError) -> Image {
        try call("The image") { error in
            var signal = signal
            return image.colorPlanes.withCPlanes { nb_tone_map(&signal, peak, $0, Int32($0.count), error) }
        }
        return image.warned(of: [.toneMapped])
    }
}

extension ImageHeader {
    /// True if the pixels have a brightness beyond that of standard screens: in PQ, HLG or the like, without an ICC profile.
    public var isHDR: Bool { hdr != nil }

    /// Throws if the brightness of an image cannot be treated so.
    ///
    /// - Throws: `ImagingError` of reason `unsupported` for an image in PQ or HLG that is not to be tone mapped, and for one in
    ///   another such curve.
    public func check(_ handling: HDRHandling) throws(ImagingError) {
        guard let hdr, handling != .tonemap || !hdr.isMappable else { return }
        let advice =
            hdr.isMappable
            ? "Set \"hdr\": \"tonemap\" to map it to sRGB." : "Convert the file to sRGB, PQ or HLG."
        throw .unsupported(
            "\(format.subject) is not supported: its brightness is coded for HDR screens (PQ, HLG or the like). \(advice)"
        )
    }
}

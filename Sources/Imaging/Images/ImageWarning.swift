/// A fault of a file that does not keep its pixels from being known, so that the image is shown; or a change of its brightness.
///
/// Common decoders pass over such faults too. The raw value is what an item's fact `warnings` says.
public enum ImageWarning: String, Sendable, Hashable, CaseIterable, Codable {
    // In the order of the bits of nb_warning.

    /// Between the parts of the file are bytes that belong to none.
    case strayBytes = "stray_bytes"
    /// The file has more compressed pixels than the image.
    case extraPixels = "extra_pixels"
    /// After the image's end, the file goes on.
    case trailingData = "trailing_data"
    /// All pixels are there, but not the mark of the file's end.
    case missingEnd = "missing_end"
    /// A field of a header has a value that the format does not allow and that no pixel depends on.
    case headerValue = "header_value"
    /// A part beside the pixels has a wrong checksum and is ignored.
    case partChecksum = "part_checksum"
    /// Parts are in an order or number that the format does not allow.
    case partPlace = "part_place"
    /// The description of the transparency is invalid and ignored.
    case transparency
    /// The description of the colours is invalid and ignored.
    case colors
    /// Pixels have colours beyond the palette, and are black.
    case paletteIndex = "palette_index"
    /// The palette is missing.
    case missingPalette = "missing_palette"
    /// Rows of pixels are longer or shorter than the image is wide.
    case rowLength = "row_length"
    /// Behind some of its frames, the animation is damaged, and ends there.
    case animationEnd = "animation_end"
    /// A drawing refers to another file, which is not opened (SVG 2, section 2.7: secure static mode).
    case externalReference = "external_reference"

    // Of no codec.

    /// The picture is brighter than standard screens (PQ, HLG), and was mapped to their brightness.
    case toneMapped = "tone_mapped"

    /// What is wrong with the file and how the image is shown, as one sentence.
    public var sentence: String {
        switch self {
        case .strayBytes: "Between the parts of the file are bytes that belong to none; they are ignored."
        case .extraPixels: "The file has more pixel data than the image has pixels; the rest is ignored."
        case .trailingData: "The file goes on after the image's end; the rest is ignored."
        case .missingEnd: "The mark of the file's end is missing; all pixels are there."
        case .headerValue: "A field has a value that the format does not allow; no pixel depends on it."
        case .partChecksum: "A part beside the pixels has a wrong checksum; it is ignored."
        case .partPlace:
            "Parts of the file are in an order or number that the format does not allow; no pixel depends on them."
        case .transparency: "The description of the transparency is invalid; it is ignored."
        case .colors: "The description of the colours is invalid; it is ignored."
        case .paletteIndex: "Some pixels have a colour beyond the palette; they are black."
        case .missingPalette: "The palette is missing."
        case .animationEnd: "The animation is damaged or cut short after some of its frames; it ends there."
        case .externalReference:
            "The drawing refers to another file, which is not opened; it is drawn without it."
        case .toneMapped:
            "The picture is made for HDR screens (PQ, HLG); its brightness is tone mapped to that of standard screens."
        case .rowLength: "Some rows are longer or shorter than the image is wide; what is outside is ignored."
        }
    }

    /// The warnings whose bits a C codec has set.
    static func set(_ bits: UInt32) -> Set<ImageWarning> {
        guard bits != 0 else { return [] }
        return Set(allCases.enumerated().filter { bits & 1 << UInt32($0.offset) != 0 }.map(\.element))
    }
}

import Foundation
import Imaging
import JobStorage

/// The facts that are asked for of one original: which earlier runs found in the same bytes, and which are to be found.
struct FactSearch: Sendable {
    let asked: [Fact]
    private let known: [Fact: CanonicalJSON]

    init(_ asked: [Fact], of item: ClaimedItem, _ original: Original) {
        let isSame = item.originalSHA256 == original.sha256
        self.init(asked, recorded: isSame ? ItemFacts(json: item.facts) : nil)
    }

    /// Of an original of which `recorded` is known.
    init(_ asked: [Fact], recorded: ItemFacts?) {
        self.asked = asked
        known = Dictionary(
            uniqueKeysWithValues: asked.compactMap { fact in recorded?[fact].map { (fact, $0) } }
        )
    }

    private var missing: [Fact] { asked.filter { known[$0] == nil } }

    /// Whether everything is known already.
    var isDone: Bool { missing.isEmpty }

    /// What tells how small the original may be decoded: nothing where no pixel has to be seen.
    var chains: [OperationChain] {
        missing.contains(where: \.needsPixels) ? [OperationChain([Miniature.resize])] : []
    }

    /// What earlier runs found, as the state has it.
    var knownJSON: String? { known.isEmpty ? nil : ItemFacts(known).json }

    /// What earlier runs found, where nothing is left to be found; nil where nothing is asked for.
    var recorded: ItemFacts? { asked.isEmpty ? nil : ItemFacts(known) }

    /// Finds what is missing.
    ///
    /// - Parameters:
    ///   - original: the bytes.
    ///   - header: what they begin with.
    ///   - image: a decode that covers what `chains` needs; nil where they are empty.
    /// - Returns: all facts that are asked for; nil where none is.
    /// - Throws: `ImagingError` of reason `memory`.
    func find(
        in original: Original,
        _ header: ImageHeader,
        _ image: Image? = nil
    ) throws(ImagingError) -> ItemFacts? {
        guard !asked.isEmpty else { return nil }
        var facts = known
        var miniature: Miniature?
        if let image, !chains.isEmpty { miniature = try Miniature(image, of: header.size) }
        for fact in missing {
            facts[fact] = try Self.value(of: fact, original.data, header, miniature) ?? .null
        }
        return ItemFacts(facts)
    }

    private static func value(
        of fact: Fact,
        _ data: Data,
        _ header: ImageHeader,
        _ miniature: Miniature?
    ) throws(ImagingError) -> CanonicalJSON? {
        switch fact {
        case .size:
            return .object([
                "width": .integer(header.size.width), "height": .integer(header.size.height),
            ])
        case .format: return .string(header.format.rawValue)
        case .orientation: return .integer(header.orientation.rawValue)
        case .exif: return EXIFSummary(of: data, header).map(object)
        case .location: return EXIFLocation(of: data, header).map(object)
        case .dominantColor: return miniature.flatMap { DominantColor($0) }.map { .string($0.text) }
        case .thumbHash: return miniature.map { .string(ThumbHash($0).text) }
        case .blurHash:
            guard let miniature else { return nil }
            return .string(try BlurHash(miniature).text)
        }
    }

    private static func object(_ exif: EXIFSummary) -> CanonicalJSON {
        .object([
            "make": text(exif.make), "model": text(exif.model), "lens": text(exif.lens),
            "taken": text(exif.taken), "exposureTime": number(exif.exposureTime),
            "fNumber": number(exif.fNumber), "iso": exif.iso.map(CanonicalJSON.integer) ?? .null,
            "focalLength": number(exif.focalLength),
        ])
    }

    private static func object(_ place: EXIFLocation) -> CanonicalJSON {
        .object([
            "latitude": number(place.latitude), "longitude": number(place.longitude),
            "altitude": number(place.altitude),
        ])
    }

    private static func text(_ value: String?) -> CanonicalJSON { value.map(CanonicalJSON.string) ?? .null }

    private static func number(_ value: Double?) -> CanonicalJSON { value.map(CanonicalJSON.number) ?? .null }
}

import Foundation
import Imaging
import JobManifest
import JobPlanning
import JobStorage

/// The facts requested for one original: those that earlier runs found in the same bytes, and those still to be found.
struct FactExtractor: Sendable {
    let asked: [Fact]
    private let known: [Fact: CanonicalJSON]

    init(_ asked: [Fact], of item: ClaimedItem, _ original: Original) {
        let isSame = item.originalSHA256 == original.sha256
        self.init(asked, recorded: isSame ? ItemFacts(json: item.facts) : nil)
    }

    /// Extracts facts of an original for which earlier runs recorded `recorded`.
    init(_ asked: [Fact], recorded: ItemFacts?) {
        self.asked = asked
        var known: [Fact: CanonicalJSON] = [:]
        if let recorded {
            for fact in asked + Fact.unasked { known[fact] = recorded[fact] }
        }
        self.known = known
    }

    /// No fact.
    static let none = FactExtractor([], recorded: nil)

    private var missing: [Fact] { asked.filter { known[$0] == nil } }

    /// True if every requested fact is known already.
    var isDone: Bool { missing.isEmpty }

    /// The operations that determine how small an original may be decoded; empty if no fact needs pixels.
    func chains(of header: ImageHeader) -> [OperationChain] {
        var chains: [OperationChain] = []
        if needsMiniature { chains.append(OperationChain([Miniature.resize])) }
        if missing.contains(.pdq) {
            let isDrawn = header.format.isDrawnPerOutput
            chains.append(OperationChain([isDrawn ? PDQ.resize(ofDrawing: header.size) : PDQ.resize]))
        }
        return chains
    }

    private var needsMiniature: Bool { missing.contains { $0.needsPixels && $0 != .pdq } }

    /// The facts that earlier runs found, as the state file stores them.
    var knownJSON: String? { recordedUnasked?.json }

    /// The facts that earlier runs found, if none is missing; nil if no facts are requested.
    var recorded: ItemFacts? { asked.isEmpty ? nil : ItemFacts(known) }

    /// The facts that earlier runs found, whether or not any was asked for; nil if there are none.
    var recordedUnasked: ItemFacts? { known.isEmpty ? nil : ItemFacts(known) }

    /// Finds the missing facts, and the warnings, an animation and a gain map even if nobody asked for them.
    ///
    /// - Parameters:
    ///   - original: the bytes.
    ///   - header: the header of these bytes.
    ///   - image: a decode that covers the size that `chains` needs; nil if `chains` is empty.
    /// - Returns: all requested facts; nil if none is requested and there are no warnings.
    /// - Throws: `ImagingError` of reason `memory`.
    func find(
        in original: Original,
        _ header: ImageHeader,
        _ image: Image? = nil
    ) throws(ImagingError) -> ItemFacts? {
        guard hasWork(on: image, header) else { return recorded }
        var facts = known
        if let image, facts[.warnings] == nil, asked.contains(.warnings) || !image.warnings.isEmpty {
            facts[.warnings] = Self.list(image.warnings)
        }
        var miniature: Miniature?
        if let image, needsMiniature { miniature = try Miniature(image, of: header.size) }
        for fact in missing where fact != .warnings {
            facts[fact] =
                try Self.value(
                    of: fact,
                    in: original.data,
                    header: header,
                    image: image,
                    miniature: miniature
                ) ?? .null
        }
        if facts[.animation] == nil, let animation = header.animation {
            facts[.animation] = Self.object(animation)
        }
        if facts[.gainMap] == nil, let map = header.gainMap { facts[.gainMap] = Self.object(map) }
        return ItemFacts(facts)
    }

    /// Returns facts with the warnings of a later stage added to theirs.
    func adding(_ warnings: Set<ImageWarning>, to facts: ItemFacts?) -> ItemFacts? {
        guard !warnings.isEmpty else { return facts }
        // What is returned takes the place of all that was recorded.
        let facts = facts ?? recordedUnasked
        var names = Set(warnings.map(\.rawValue))
        if case .array(let known) = facts?[.warnings] {
            for case .string(let name) in known { names.insert(name) }
        }
        let listed = Self.list(Set(names.compactMap(ImageWarning.init)))
        return facts?.setting(.warnings, to: listed) ?? ItemFacts([.warnings: listed])
    }

    /// Returns facts with what became of the gain map in outputs that were made now; what is known of others stays.
    func adding(_ outputs: [RenderedOutput], to facts: ItemFacts?) -> ItemFacts? {
        guard let found = facts ?? recordedUnasked, case .object(var map) = found[.gainMap] else {
            return facts
        }
        let isRecorded = map["kept"] != nil
        var kept: Set<String> = []
        var dropped: [String: CanonicalJSON] = [:]
        if case .array(let names) = map["kept"] {
            for case .string(let name) in names { kept.insert(name) }
        }
        if case .object(let reasons) = map["dropped"] { dropped = reasons }
        for output in outputs {
            let name = output.recipe.output.name
            kept.remove(name)
            dropped[name] = nil
            guard case .encoded(let encoded) = output.result, let fate = encoded.gainMap else { continue }
            if fate == .kept { kept.insert(name) } else { dropped[name] = .string(fate.rawValue) }
        }
        guard isRecorded || !kept.isEmpty || !dropped.isEmpty else { return facts }
        map["kept"] = .array(kept.sorted().map { .string($0) })
        map["dropped"] = .object(dropped)
        return found.setting(.gainMap, to: .object(map))
    }

    private static func value(
        of fact: Fact,
        in data: Data,
        header: ImageHeader,
        image: Image?,
        miniature: Miniature?
    ) throws(ImagingError) -> CanonicalJSON? {
        switch fact {
        case .size:
            return .object(["width": .integer(header.size.width), "height": .integer(header.size.height)])
        case .format: return .string(header.format.rawValue)
        case .orientation: return .integer(header.orientation.rawValue)
        case .exif: return EXIFSummary(of: data, header).map(object)
        case .location: return EXIFLocation(of: data, header).map(object)
        case .animation: return header.animation.map(object)
        case .gainMap: return header.gainMap.map(object)
        case .warnings: return nil
        case .pdq:
            guard let image else { return nil }
            return object(try PDQ(image, of: header.size))
        case .dominantColor: return miniature.flatMap { DominantColor($0) }.map { .string($0.text) }
        case .thumbHash: return miniature.map { .string(ThumbHash($0).text) }
        case .blurHash:
            guard let miniature else { return nil }
            return .string(try BlurHash(miniature).text)
        case .placeholder:
            guard let miniature else { return nil }
            return .string(try InlineImage(miniature).text)
        }
    }

    /// True if `find` has something to find in an original with this header, decoded or not.
    func hasWork(on image: Image?, _ header: ImageHeader) -> Bool {
        !isDone || (known[.warnings] == nil && image?.warnings.isEmpty == false)
            || (known[.animation] == nil && header.animation != nil)
            || (known[.gainMap] == nil && header.gainMap != nil)
    }

    /// The warnings in the order in which they are documented.
    private static func list(_ warnings: Set<ImageWarning>) -> CanonicalJSON {
        .array(ImageWarning.allCases.filter(warnings.contains).map { .string($0.rawValue) })
    }

    private static func object(_ exif: EXIFSummary) -> CanonicalJSON {
        .object([
            "make": text(exif.make), "model": text(exif.model), "lens": text(exif.lens),
            "taken": text(exif.taken), "exposureTime": number(exif.exposureTime),
            "fNumber": number(exif.fNumber), "iso": exif.iso.map(CanonicalJSON.integer) ?? .null,
            "focalLength": number(exif.focalLength),
        ])
    }

    private static func object(_ location: EXIFLocation) -> CanonicalJSON {
        .object([
            "latitude": number(location.latitude), "longitude": number(location.longitude),
            "altitude": number(location.altitude),
        ])
    }

    private static func object(_ animation: AnimationSummary) -> CanonicalJSON {
        .object([
            "frames": .integer(animation.frameCount),
            // The quotient by seconds is not the number nearest to their decimals.
            "seconds": .number(animation.duration / .milliseconds(1) / 1000),
            "plays": .integer(animation.plays),
        ])
    }

    private static func object(_ map: GainMapHeader) -> CanonicalJSON {
        .object([
            "form": .string(map.form.rawValue), "width": map.size.map { .integer($0.width) } ?? .null,
            "height": map.size.map { .integer($0.height) } ?? .null,
        ])
    }

    private static func object(_ pdq: PDQ) -> CanonicalJSON {
        .object(["hash": .string(pdq.hash.text), "quality": .integer(pdq.quality)])
    }

    private static func text(_ value: String?) -> CanonicalJSON { value.map(CanonicalJSON.string) ?? .null }

    private static func number(_ value: Double?) -> CanonicalJSON { value.map(CanonicalJSON.number) ?? .null }
}

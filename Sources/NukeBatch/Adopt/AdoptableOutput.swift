import Imaging
import JobManifest
import JobStorage

/// An output of a source's items, with what a file must be to count as one.
struct AdoptableOutput: Sendable {
    let output: Output
    /// The digest of its recipe.
    let recipe: String
    /// The reason that no file is taken for it; nil if a file can be.
    let refusal: RefusedFile?
    private let shape: String
    private let sizes: ObtainableSizes
    private let acceptsSmaller: Bool

    /// - Throws: `ImagingError` for a processor that cannot be.
    init(_ output: Output, source: Int, of manifest: Manifest, acceptsSmaller: Bool) throws(ImagingError) {
        self.output = output
        self.acceptsSmaller = acceptsSmaller
        recipe = manifest.digest(of: output, source: source)
        shape = manifest.shape(of: output, source: source)
        sizes = try ObtainableSizes(manifest.steps(of: output, source: source))
        refusal = Self.refusal(of: output, sizes)
    }

    private static func refusal(of output: Output, _ sizes: ObtainableSizes) -> RefusedFile? {
        guard output.format != .original else {
            return RefusedFile(
                .copy,
                "it is a copy of the original, which nothing but the original confirms: run makes it"
            )
        }
        let (path, fixed) = (output.path, sizes.fixed)
        let unknown = [
            ("{hash} or {shard}", path.needsHash), ("{width}", path.needsWidth && fixed.width == nil),
            ("{height}", path.needsHeight && fixed.height == nil),
        ].filter(\.1).map(\.0)
        guard !unknown.isEmpty else { return nil }
        return RefusedFile(
            .path,
            "the path \(path) needs the original for \(unknown.joined(separator: " and ")): give the output another path"
        )
    }

    /// The formats that a file may have.
    private var formats: [ImageFormat] {
        var formats: [ImageFormat] = []
        for format in output.format.encodings.map(\.imageFormat) where !formats.contains(format) {
            formats.append(format)
        }
        guard formats.isEmpty else { return formats }
        // Without the encoder of its own format, an original becomes a JPEG or a PNG.
        return [.jpeg, .png, .webp, .avif, .jxl].filter(ImageEncoder.formats.contains)
    }

    /// The paths that the output of `item` can have, each with the formats that a file may have there.
    func places(of item: PlannedItem) -> [(path: String, formats: [ImageFormat])] {
        let planned = output.path.planned(for: item)
        guard !output.path.isKnownInPlanning else { return [(planned, formats)] }
        let fixed = sizes.fixed
        var places: [(path: String, formats: [ImageFormat])] = []
        for format in formats {
            let facts = OutputFacts(
                fileExtension: format.fileExtension,
                width: fixed.width ?? 0,
                height: fixed.height ?? 0,
                hash: ""
            )
            let path = output.path.finished(planned, with: facts)
            if let index = places.firstIndex(where: { $0.path == path }) {
                places[index].formats.append(format)
            } else {
                places.append((path, [format]))
            }
        }
        return places
    }

    /// Checks that the processors can make an image of this size.
    /// - Throws: `RefusedFile`.
    func check(_ size: PixelSize) throws(RefusedFile) {
        if sizes.contains(size) || acceptsSmaller && sizes.containsUnresized(size) { return }
        let hint =
            sizes.containsUnresized(size) ? "; --smaller takes those of originals that were not enlarged" : ""
        throw RefusedFile(
            .size,
            "it has \(size) pixels, which its processors make of no larger original\(hint)"
        )
    }

    /// Returns the record of a file that counts as the output of `item`.
    func record(_ file: AdoptableFile, of item: ClaimedItem) -> OutputRecord {
        let original = item.originalSHA256 ?? AdoptedItem.unknownOriginal
        return OutputRecord(name: output.name, recipe: recipe, state: .done, reason: OutputRecord.adopted) {
            $0.path = file.path
            $0.spec = Recipe.specification(originalSHA256: original, shape: shape)
            $0.bytes = file.bytes
            $0.sha256 = file.sha256
            $0.width = file.size.width
            $0.height = file.size.height
            $0.format = file.format.rawValue
        }
    }
}

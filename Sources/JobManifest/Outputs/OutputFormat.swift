public import Imaging

/// The format of an output, with the settings of its encoder.
public enum OutputFormat: Sendable, Hashable {
    /// One format for all items.
    case encoded(EncodingFormat)
    /// The source's format; one that cannot be written becomes PNG with alpha, else JPEG.
    case same
    /// The bytes as they came.
    case original

    /// The extension of the files if the format alone decides it.
    var fixedExtension: String? {
        if case .encoded(let format) = self { format.imageFormat.fileExtension } else { nil }
    }

    /// The word for it in a manifest, without its settings.
    var word: String {
        switch self {
        case .encoded(let format): format.imageFormat.rawValue
        case .same: FormatKeys.same.name
        case .original: FormatKeys.original.name
        }
    }

    /// The format with all its settings, the defaults too.
    var canonical: CanonicalJSON {
        switch self {
        case .encoded(.jpeg(let options)):
            .object([
                "jpeg": .object(
                    [
                        "quality": .integer(options.quality),
                        "progressive": .bool(options.progressive),
                        "subsampling": .string(options.subsampling.rawValue),
                    ].merging(Self.limit(options.maxBytes)) { $1 }
                )
            ])
        case .encoded(.png(let options)):
            // The palette was added later: without one, the text is what it was, and nothing is made again.
            .object([
                "png": .object(
                    ["compression": .integer(options.compression)]
                        .merging(options.palette ? ["palette": .bool(true)] : [:]) { $1 }
                )
            ])
        case .encoded(.webp(let options)):
            .object([
                "webp": .object(
                    [
                        "quality": .integer(options.quality),
                        "lossless": .bool(options.lossless),
                        "effort": .integer(options.effort),
                    ].merging(Self.limit(options.maxBytes)) { $1 }
                )
            ])
        case .encoded(.avif(let options)):
            .object([
                "avif": .object(
                    ["quality": .integer(options.quality), "speed": .integer(options.speed)]
                        .merging(Self.limit(options.maxBytes)) { $1 }
                )
            ])
        case .same: .string("same")
        case .original: .string("original")
        }
    }

    /// The member for the maximum size, which was added later: without one, the text is what it was, as for the palette.
    private static func limit(_ maxBytes: Int?) -> [String: CanonicalJSON] {
        maxBytes.map { [LossyKeys.maxBytes.name: .integer($0)] } ?? [:]
    }
}

extension OutputFormat {
    /// Reads `"jpeg"` or `{"jpeg": {"quality": 82}}`; nothing at all is `same`.
    init(_ node: ManifestNode?) {
        self = .same
        guard let node else { return }
        read(node)
        if case .encoded(let format) = self, !ImageEncoder.formats.contains(format.imageFormat) {
            let name = format.imageFormat.rawValue
            node.report(
                "this build does not write \(name): build with the trait \(name.uppercased()), or choose another format"
            )
        }
    }

    private mutating func read(_ node: ManifestNode) {
        if case .string(let name) = node.value.kind {
            if let plain = Self.named[name] {
                self = plain
            } else {
                node.report(name, isNoneOf: Self.named.keys, synonyms: ManifestSection.format.synonyms)
            }
            return
        }
        guard let fields = node.fields(.format) else { return }
        guard fields.count == 1 else {
            node.report("should be a name, or an object with one key, the format's name, not \(fields.count)")
            return
        }
        if let settings = fields[FormatKeys.jpeg] {
            self = .encoded(.jpeg(JPEGOptions(settings)))
        } else if let settings = fields[FormatKeys.png] {
            self = .encoded(.png(PNGOptions(settings)))
        } else if let settings = fields[FormatKeys.webp] {
            self = .encoded(.webp(WebPOptions(settings)))
        } else if let settings = fields[FormatKeys.avif] {
            self = .encoded(.avif(AVIFOptions(settings)))
        } else if let settings = fields[FormatKeys.same] ?? fields[FormatKeys.original] {
            _ = settings.fields(.same)
            self = fields[FormatKeys.same] == nil ? .original : .same
        }
    }

    private static let named: [String: OutputFormat] = [
        FormatKeys.jpeg.name: .encoded(.jpeg()), FormatKeys.png.name: .encoded(.png()),
        FormatKeys.webp.name: .encoded(.webp()),
        FormatKeys.avif.name: .encoded(.avif()),
        FormatKeys.same.name: .same, FormatKeys.original.name: .original,
    ]
}

extension JPEGOptions {
    fileprivate init(_ node: ManifestNode) {
        self.init()
        guard let fields = node.fields(.jpeg) else { return }
        quality = fields[JPEGKeys.quality] ?? quality
        maxBytes = fields[LossyKeys.maxBytes]
        progressive = fields[JPEGKeys.progressive] ?? progressive
        subsampling = fields[JPEGKeys.subsampling] ?? subsampling
    }
}

extension PNGOptions {
    fileprivate init(_ node: ManifestNode) {
        self.init()
        guard let fields = node.fields(.png) else { return }
        compression = fields[PNGKeys.compression] ?? compression
        palette = fields[PNGKeys.palette] ?? palette
    }
}

extension WebPOptions {
    fileprivate init(_ node: ManifestNode) {
        self.init()
        guard let fields = node.fields(.webp) else { return }
        quality = fields[WebPKeys.quality] ?? quality
        maxBytes = fields[LossyKeys.maxBytes]
        lossless = fields[WebPKeys.lossless] ?? lossless
        effort = fields[WebPKeys.effort] ?? effort
        if lossless, let node = fields.node(LossyKeys.maxBytes) {
            node.report(
                "cannot be combined with \"lossless\", which has no quality to lower: remove one of them"
            )
        }
    }
}

extension AVIFOptions {
    fileprivate init(_ node: ManifestNode) {
        self.init()
        guard let fields = node.fields(.avif) else { return }
        quality = fields[AVIFKeys.quality] ?? quality
        maxBytes = fields[LossyKeys.maxBytes]
        speed = fields[AVIFKeys.speed] ?? speed
    }
}

public import Imaging

/// What an output is encoded as, with the settings of its encoder.
public enum OutputFormat: Sendable, Hashable {
    /// One format for all items.
    case encoded(EncodingFormat)
    /// The source's format; one that cannot be written becomes PNG where there is alpha, else JPEG.
    case same
    /// The bytes as they came.
    case original

    /// The extension of the files where the format alone tells it.
    var fixedExtension: String? {
        if case .encoded(let format) = self { format.imageFormat.fileExtension } else { nil }
    }

    /// The format with all its settings, the defaults too.
    var canonical: CanonicalJSON {
        switch self {
        case .encoded(.jpeg(let options)):
            .object([
                "jpeg": .object([
                    "quality": .integer(options.quality),
                    "progressive": .bool(options.progressive),
                    "subsampling": .string(options.subsampling.rawValue),
                ])
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
                "webp": .object([
                    "quality": .integer(options.quality),
                    "lossless": .bool(options.lossless),
                    "effort": .integer(options.effort),
                ])
            ])
        case .encoded(.avif(let options)):
            .object([
                "avif": .object(["quality": .integer(options.quality), "speed": .integer(options.speed)])
            ])
        case .same: .string("same")
        case .original: .string("original")
        }
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
                "this build does not write \(name): build it with the trait \(name.uppercased()), or choose another"
            )
        }
    }

    private mutating func read(_ node: ManifestNode) {
        if case .string(let name) = node.value.kind {
            if let plain = Self.named[name] {
                self = plain
            } else {
                node.report(noneOf: Self.named.keys, later: NotSupportedYet.formats, name)
            }
            return
        }
        guard let fields = node.fields(.format) else { return }
        guard fields.keys.count == 1 else {
            node.report("a format is a name, or an object with one key, its name, not \(fields.keys.count)")
            return
        }
        if let settings = fields["jpeg"] {
            self = .encoded(.jpeg(JPEGOptions(settings)))
        } else if let settings = fields["png"] {
            self = .encoded(.png(PNGOptions(settings)))
        } else if let settings = fields["webp"] {
            self = .encoded(.webp(WebPOptions(settings)))
        } else if let settings = fields["avif"] {
            self = .encoded(.avif(AVIFOptions(settings)))
        } else if let settings = fields["same"] ?? fields["original"] {
            _ = settings.fields(.same)
            self = fields["same"] == nil ? .original : .same
        }
    }

    private static let named: [String: OutputFormat] = [
        "jpeg": .encoded(.jpeg()), "png": .encoded(.png()), "webp": .encoded(.webp()),
        "avif": .encoded(.avif()),
        "same": .same, "original": .original,
    ]
}

extension JPEGOptions {
    fileprivate init(_ node: ManifestNode) {
        self.init()
        guard let fields = node.fields(.jpeg) else { return }
        quality = fields["quality"]?.integer(1...100) ?? quality
        progressive = fields["progressive"]?.bool() ?? progressive
        subsampling = fields["subsampling"]?.choice(ChromaSubsampling.self) ?? subsampling
    }
}

extension PNGOptions {
    fileprivate init(_ node: ManifestNode) {
        self.init()
        guard let fields = node.fields(.png) else { return }
        compression = fields["compression"]?.integer(1...9) ?? compression
        palette = fields["palette"]?.bool() ?? palette
    }
}

extension WebPOptions {
    fileprivate init(_ node: ManifestNode) {
        self.init()
        guard let fields = node.fields(.webp) else { return }
        quality = fields["quality"]?.integer(0...100) ?? quality
        lossless = fields["lossless"]?.bool() ?? lossless
        effort = fields["effort"]?.integer(0...6) ?? effort
    }
}

extension AVIFOptions {
    fileprivate init(_ node: ManifestNode) {
        self.init()
        guard let fields = node.fields(.avif) else { return }
        quality = fields["quality"]?.integer(0...100) ?? quality
        speed = fields["speed"]?.integer(0...10) ?? speed
    }
}

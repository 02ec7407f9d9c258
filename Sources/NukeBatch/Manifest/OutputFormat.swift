/// What an output is encoded as, with the settings of its encoder.
public enum OutputFormat: Sendable, Hashable {
    /// JPEG.
    case jpeg(JPEG)
    /// PNG.
    case png(PNG)
    /// WebP.
    case webp(WebP)
    /// The source's format; one that cannot be written becomes PNG where there is alpha, else JPEG.
    case same
    /// The bytes as they came.
    case original

    /// The settings of JPEG.
    public struct JPEG: Sendable, Hashable {
        /// From 1 to 100.
        public var quality = 82
        /// Whether the image comes in passes.
        public var progressive = false
        /// How many samples of colour there are to those of brightness.
        public var subsampling = Subsampling.halfBoth

        /// Makes the default settings.
        public init() {}
    }

    /// How many samples of colour a JPEG keeps.
    public enum Subsampling: String, Sendable, CaseIterable {
        /// As many as of brightness.
        case full = "4:4:4"
        /// Half as many across.
        case halfWidth = "4:2:2"
        /// Half as many across and down.
        case halfBoth = "4:2:0"
    }

    /// The settings of PNG.
    public struct PNG: Sendable, Hashable {
        /// From 1, the fastest, to 9, the smallest.
        public var compression = 6

        /// Makes the default settings.
        public init() {}
    }

    /// The settings of WebP.
    public struct WebP: Sendable, Hashable {
        /// From 0 to 100.
        public var quality = 80
        /// Whether every pixel is kept as it is; quality then is how hard the encoder tries.
        public var lossless = false
        /// From 0, the fastest, to 6, the smallest.
        public var effort = 4

        /// Makes the default settings.
        public init() {}
    }

    /// The extension of the files where the format alone tells it.
    var fixedExtension: String? {
        switch self {
        case .jpeg: "jpg"
        case .png: "png"
        case .webp: "webp"
        case .same, .original: nil
        }
    }

    /// The format with all its settings, the defaults too.
    var canonical: CanonicalJSON {
        switch self {
        case .jpeg(let settings):
            .object([
                "jpeg": .object([
                    "quality": .integer(settings.quality),
                    "progressive": .bool(settings.progressive),
                    "subsampling": .string(settings.subsampling.rawValue),
                ])
            ])
        case .png(let settings):
            .object(["png": .object(["compression": .integer(settings.compression)])])
        case .webp(let settings):
            .object([
                "webp": .object([
                    "quality": .integer(settings.quality),
                    "lossless": .bool(settings.lossless),
                    "effort": .integer(settings.effort),
                ])
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
        if case .string(let name) = node.value.kind {
            if let plain = Self.named(name) {
                self = plain
            } else if NotSupportedYet.formats.contains(name) {
                node.notSupported("\"\(name)\"")
            } else {
                let known = ManifestSection.format.keys.sorted()
                let words = known.map { "\"\($0)\"" }.joined(separator: ", ")
                let hint = NearestName.hint(for: name, among: known + ["avif"])
                node.report("\(ManifestNode.quoted(name)) is none of \(words)\(hint)")
            }
            return
        }
        guard let fields = node.fields(.format) else { return }
        guard fields.keys.count == 1 else {
            node.report("a format is a name, or an object with one key, its name, not \(fields.keys.count)")
            return
        }
        if let settings = fields["jpeg"] {
            self = .jpeg(JPEG(settings))
        } else if let settings = fields["png"] {
            self = .png(PNG(settings))
        } else if let settings = fields["webp"] {
            self = .webp(WebP(settings))
        } else if let settings = fields["same"] ?? fields["original"] {
            _ = settings.fields(.same)
            self = fields["same"] == nil ? .original : .same
        }
    }

    private static func named(_ name: String) -> OutputFormat? {
        switch name {
        case "jpeg": .jpeg(JPEG())
        case "png": .png(PNG())
        case "webp": .webp(WebP())
        case "same": .same
        case "original": .original
        default: nil
        }
    }
}

extension OutputFormat.JPEG {
    fileprivate init(_ node: ManifestNode) {
        guard let fields = node.fields(.jpeg) else { return }
        quality = fields["quality"]?.integer(1...100) ?? quality
        progressive = fields["progressive"]?.bool() ?? progressive
        subsampling = fields["subsampling"]?.choice(OutputFormat.Subsampling.self) ?? subsampling
    }
}

extension OutputFormat.PNG {
    fileprivate init(_ node: ManifestNode) {
        guard let fields = node.fields(.png) else { return }
        compression = fields["compression"]?.integer(1...9) ?? compression
    }
}

extension OutputFormat.WebP {
    fileprivate init(_ node: ManifestNode) {
        guard let fields = node.fields(.webp) else { return }
        quality = fields["quality"]?.integer(0...100) ?? quality
        lossless = fields["lossless"]?.bool() ?? lossless
        effort = fields["effort"]?.integer(0...6) ?? effort
    }
}

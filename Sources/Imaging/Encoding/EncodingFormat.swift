/// An output format with its settings.
public enum EncodingFormat: Sendable, Hashable {
    /// JPEG.
    case jpeg(JPEGOptions = JPEGOptions())
    /// PNG.
    case png(PNGOptions = PNGOptions())
    /// WebP.
    case webp(WebPOptions = WebPOptions())
    /// AVIF, in builds that support it (see `ImageEncoder.formats`).
    case avif(AVIFOptions = AVIFOptions())
    /// JPEG XL, in builds that support it (see `ImageEncoder.formats`).
    case jxl(JPEGXLOptions = JPEGXLOptions())
    /// GIF, in builds that support it.
    case gif(GIFOptions = GIFOptions())

    /// The file format.
    public var imageFormat: ImageFormat {
        switch self {
        case .jpeg: .jpeg
        case .png: .png
        case .webp: .webp
        case .avif: .avif
        case .jxl: .jxl
        case .gif: .gif
        }
    }

    /// True if an image of 16 bits per sample is written with more than 8.
    public var keepsDepth: Bool {
        switch self {
        case .png(let options): !options.palette
        case .avif, .jxl: true
        case .jpeg, .webp, .gif: false
        }
    }

    /// The most bytes that encoding holds at once beside the image, including the file.
    ///
    /// Covers the converted image and each library's working memory: the coefficients for a JPEG's scans, twice the
    /// rows of a PNG, WebP's search for repetitions, AV1's frames and per-block state, JPEG XL's planes of floating-point samples.
    var workingMemory: WorkingMemory {
        var memory =
            switch self {
            // The smallest file also holds exact coefficients beside the quantised ones, and the best file so far.
            case .jpeg(let options): WorkingMemory(perOutputPixel: options.effort == .smallest ? 26 : 18)
            case .png(let options): WorkingMemory(perOutputPixel: options.palette ? 64 : 12)
            case .webp(let options): WorkingMemory(perOutputPixel: options.lossless ? 60 : 20)
            case .avif: WorkingMemory(perOutputPixel: 48)
            case .jxl(let options): options.workingMemory
            case .gif: WorkingMemory(perOutputPixel: 64)
            }
        // The best file so far is kept while another one is encoded.
        if maxBytes != nil { memory.perOutputPixel += 4 }
        // The image and the decoded file, each as it is, in RGB, and over a background.
        if minimumSSIMULACRA2 != nil { memory.perOutputPixel += 28 }
        return memory
    }

    /// The chroma subsampling that the format needs of an image; nil for RGB formats.
    ///
    /// A file with a floor is compared with an image that has all of its colour.
    public var chromaSubsampling: ChromaSubsampling? {
        switch self {
        case .jpeg(let options): minimumSSIMULACRA2 == nil ? options.subsampling : .s444
        case .avif(let options): minimumSSIMULACRA2 == nil ? options.subsampling : .s444
        case .png, .webp, .gif, .jxl: nil
        }
    }

    /// The quality that decides about the size of a file; nil if nothing is lost.
    var quality: Int? {
        switch self {
        case .jpeg(let options): options.quality
        case .webp(let options): options.lossless ? nil : options.quality
        case .avif(let options): options.quality
        case .jxl(let options): options.isLossless ? nil : options.quality
        case .png, .gif: nil
        }
    }

    /// The score of SSIMULACRA2 that a file has at least; nil if the quality is given, or nothing is lost.
    public var minimumSSIMULACRA2: Double? {
        switch self {
        case .jpeg(let options): options.minimumSSIMULACRA2
        case .webp(let options): options.lossless ? nil : options.minimumSSIMULACRA2
        case .avif(let options): options.minimumSSIMULACRA2
        case .jxl(let options): options.isLossless ? nil : options.minimumSSIMULACRA2
        case .png, .gif: nil
        }
    }

    /// The maximum size of a file in bytes; nil for no limit.
    var maxBytes: Int? {
        switch self {
        case .jpeg(let options): options.maxBytes
        case .webp(let options): options.maxBytes
        case .avif(let options): options.maxBytes
        case .jxl(let options): options.maxBytes
        case .png, .gif: nil
        }
    }

    /// True if files of the format keep a gain map: JPEG, and AVIF where libavif is 1.2 or later.
    public var keepsGainMaps: Bool {
        switch self {
        case .jpeg: true
        case .avif: AVIFEncoder.keepsGainMaps
        case .png, .webp, .jxl, .gif: false
        }
    }

    /// The plug-in that encodes as this format; nil if the codec is always linked.
    public var plugIn: CodecPlugIn? {
        switch self {
        case .avif: .avif
        case .jxl: .jxl
        case .png(let options) where options.palette: .palette
        case .gif: .palette
        case .jpeg, .png, .webp: nil
        }
    }
}

/// JPEG settings.
public struct JPEGOptions: Sendable, Hashable {
    /// Quality, 1 to 100; 82 by default.
    public var quality: Int
    /// True to write scans of rising quality: a few per cent smaller, several times slower to write.
    public var progressive: Bool
    /// The number of luma samples per chroma sample; 4:2:0 by default.
    public var subsampling: ChromaSubsampling
    /// True to compute Huffman tables for this image: a few per cent smaller, slower.
    ///
    /// Progressive files always do.
    public var optimizesTables: Bool
    /// The maximum size of the file in bytes, for which the quality is lowered; nil for no limit.
    public var maxBytes: Int?
    /// The score of SSIMULACRA2 that the file has at least, for which the quality is searched; nil to use `quality`.
    ///
    /// If no quality has it, the chroma gets full resolution (4:4:4).
    public var minimumSSIMULACRA2: Double?
    /// The time that a smaller file is worth; ``Effort/standard`` by default.
    public var effort: Effort
    /// True for a file halfway to the next lower quality, which only the search for a floor makes.
    var isHalfLower = false

    /// The time that a smaller file is worth.
    public enum Effort: String, Sendable, Hashable, CaseIterable {
        /// The file that libjpeg writes by itself.
        case standard
        /// The fewest bytes that are known for the same look, in about ten times the time: a fifth fewer for photographs.
        ///
        /// The file has Huffman tables of its own, and is progressive where that is smaller. A quality is about as good as the
        /// same one of `standard`.
        case smallest
    }

    /// Creates settings; the defaults suit photographs on the web.
    public init(
        quality: Int = 82,
        progressive: Bool = false,
        subsampling: ChromaSubsampling = .s420,
        optimizesTables: Bool = false,
        maxBytes: Int? = nil,
        minimumSSIMULACRA2: Double? = nil,
        effort: Effort = .standard
    ) {
        self.quality = quality
        self.progressive = progressive
        self.subsampling = subsampling
        self.optimizesTables = optimizesTables
        self.maxBytes = maxBytes
        self.minimumSSIMULACRA2 = minimumSSIMULACRA2
        self.effort = effort
    }
}

/// PNG settings.
public struct PNGOptions: Sendable, Hashable {
    /// libdeflate's level, 1 (fast) to 9 (small); 4 by default, which is within 4 % of the smallest size in an eighth
    /// of the time.
    public var compression: Int
    /// True to reduce to at most 256 dithered 8-bit colours, at a third of the bytes or less; false by default.
    public var palette: Bool

    /// Creates settings.
    public init(compression: Int = 4, palette: Bool = false) {
        self.compression = compression
        self.palette = palette
    }
}

/// WebP settings.
public struct WebPOptions: Sendable, Hashable {
    /// Quality, 0 to 100; 80 by default.
    ///
    /// For a lossless image, the search effort.
    public var quality: Int
    /// True to keep every pixel unchanged.
    public var lossless: Bool
    /// Effort, 0 (fast) to 6 (small); 4 by default.
    public var effort: Int
    /// The maximum size of the file in bytes, for which the quality is lowered; nil for no limit.
    ///
    /// A lossless image that is larger fails.
    public var maxBytes: Int?
    /// The score of SSIMULACRA2 that the file has at least, for which the quality is searched; nil to use `quality`.
    public var minimumSSIMULACRA2: Double?
    /// True for a file halfway to the next lower quality, which only the search for a floor makes.
    var isHalfLower = false

    /// Creates settings.
    public init(
        quality: Int = 80,
        lossless: Bool = false,
        effort: Int = 4,
        maxBytes: Int? = nil,
        minimumSSIMULACRA2: Double? = nil
    ) {
        self.quality = quality
        self.lossless = lossless
        self.effort = effort
        self.maxBytes = maxBytes
        self.minimumSSIMULACRA2 = minimumSSIMULACRA2
    }
}

/// GIF settings.
public struct GIFOptions: Sendable, Hashable {
    /// The most colours of a frame, 2 to 256; 256 by default.
    public var colors: Int

    /// Creates settings.
    public init(colors: Int = 256) {
        self.colors = colors
    }
}

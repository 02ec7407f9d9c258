/// A format to write, with its settings.
public enum EncodingFormat: Sendable, Hashable {
    /// JPEG.
    case jpeg(JPEGOptions = JPEGOptions())
    /// PNG.
    case png(PNGOptions = PNGOptions())
    /// WebP.
    case webp(WebPOptions = WebPOptions())
    /// AVIF, in builds that have it (see `ImageEncoder.formats`).
    case avif(AVIFOptions = AVIFOptions())

    /// The file format.
    public var imageFormat: ImageFormat {
        switch self {
        case .jpeg: .jpeg
        case .png: .png
        case .webp: .webp
        case .avif: .avif
        }
    }

    /// Whether an image of 16 bits a sample is written with more than 8.
    public var keepsDepth: Bool {
        switch self {
        case .png(let options): !options.palette
        case .avif: true
        case .jpeg, .webp: false
        }
    }

    /// The most that encoding an image holds at once beside it, with the file.
    ///
    /// What the image is converted to, and what each library keeps: coefficients for a JPEG's scans, two times the rows of a
    /// PNG, WebP's search for repetitions, AV1's pictures and what it knows of their blocks.
    var workingMemory: WorkingMemory {
        switch self {
        case .jpeg: WorkingMemory(perOutputPixel: 18)
        case .png(let options): WorkingMemory(perOutputPixel: options.palette ? 64 : 12)
        case .webp(let options): WorkingMemory(perOutputPixel: options.lossless ? 60 : 20)
        case .avif: WorkingMemory(perOutputPixel: 48)
        }
    }

    /// The subsampling that chroma is stored with; nil for formats of RGB.
    public var chromaSubsampling: ChromaSubsampling? {
        switch self {
        case .jpeg(let options): options.subsampling
        case .avif(let options): options.subsampling
        case .png, .webp: nil
        }
    }
}

/// Settings of a JPEG.
public struct JPEGOptions: Sendable, Hashable {
    /// 1 to 100; 82 by default.
    public var quality: Int
    /// Whether the image comes in scans of rising quality: a few per cent smaller, several times slower to write.
    public var progressive: Bool
    /// How many luma samples share a chroma sample; 4:2:0 by default.
    public var subsampling: ChromaSubsampling
    /// Whether entropy tables are made for this image, as always if progressive: smaller by a few per cent, slower.
    public var optimizesTables: Bool

    /// Settings, by default those for photographs on the web.
    public init(
        quality: Int = 82,
        progressive: Bool = false,
        subsampling: ChromaSubsampling = .s420,
        optimizesTables: Bool = false
    ) {
        self.quality = quality
        self.progressive = progressive
        self.subsampling = subsampling
        self.optimizesTables = optimizesTables
    }
}

/// Settings of a PNG.
public struct PNGOptions: Sendable, Hashable {
    /// libdeflate's level, 1 (fast) to 9 (small); 4 by default, which is within 4 % of the smallest at an eighth of the time.
    public var compression: Int
    /// Whether at most 256 colours of 8 bits are kept, dithered: a third of the bytes or less; false by default.
    public var palette: Bool

    /// Settings.
    public init(compression: Int = 4, palette: Bool = false) {
        self.compression = compression
        self.palette = palette
    }
}

/// Settings of a WebP.
public struct WebPOptions: Sendable, Hashable {
    /// 0 to 100, of a lossless image how hard to search; 80 by default.
    public var quality: Int
    /// Whether every pixel is kept.
    public var lossless: Bool
    /// 0 (fast) to 6 (small); 4 by default.
    public var effort: Int

    /// Settings.
    public init(quality: Int = 80, lossless: Bool = false, effort: Int = 4) {
        self.quality = quality
        self.lossless = lossless
        self.effort = effort
    }
}

/// Settings of an AVIF.
public struct AVIFOptions: Sendable, Hashable {
    /// 0 to 100; 60 by default.
    ///
    /// From 90 on, every pixel has its own colour (4:4:4); below, four share one (4:2:0).
    public var quality: Int
    /// 0 (small) to 10 (fast); 6 by default.
    public var speed: Int

    /// Settings.
    public init(quality: Int = 60, speed: Int = 6) {
        self.quality = quality
        self.speed = speed
    }

    var subsampling: ChromaSubsampling { quality < 90 ? .s420 : .s444 }
}

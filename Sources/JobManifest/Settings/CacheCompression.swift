import Imaging

extension CacheSettings {
    /// A compression of originals; what does not get smaller stays as it is.
    public enum Compression: Sendable {
        /// Originals are kept as they are.
        case none
        /// Every original is compressed (RFC 1951).
        case deflate
        /// JPEGs are kept as JPEG XL, from which their exact bytes are had back, and others are compressed.
        case jpegXL
    }
}

extension KeyKind where Value == CacheSettings.Compression {
    /// True, false or `"jxl"`.
    static var cacheCompression: Self {
        KeyKind("boolean, or `jxl`", schema: ["enum": [false, true, "jxl"]]) { node in
            switch node.value.kind {
            case .bool(let isCompressed): return isCompressed ? .deflate : CacheSettings.Compression.none
            case .string("jxl"):
                if ImageEncoder.formats.contains(.jxl) { return .jpegXL }
                node.report("this build does not write JPEG XL: build with the trait JXL, or write true")
            default: node.wrongType("true, false or \"jxl\"")
            }
            return nil
        } write: { compression in
            switch compression {
            case .none: false
            case .deflate: true
            case .jpegXL: "jxl"
            }
        }
    }
}

extension EncodingFormat {
    /// True if files of the format keep a gain map: JPEG, and AVIF where libavif is 1.2 or later.
    public var keepsGainMaps: Bool {
        switch self {
        case .jpeg: true
        case .avif: AVIFEncoder.keepsGainMaps
        case .png, .webp, .jxl, .gif: false
        }
    }
}

extension EncodingFormat {
    /// True if files of the format keep a gain map: JPEG alone.
    public var keepsGainMaps: Bool { imageFormat == .jpeg }
}

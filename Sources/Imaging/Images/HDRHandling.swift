/// The treatment of brightness above that of standard screens: high dynamic range (HDR).
///
/// The raw value is the word of a manifest's key `hdr`.
public enum HDRHandling: String, Sendable, Hashable, CaseIterable {
    /// Shows what standard screens show: gain maps are left out, and a picture that has its brightness in PQ or HLG is refused.
    case drop
    /// Keeps the brightness where the result's format can hold it; a picture that has it in PQ or HLG is refused.
    case keep
    /// Maps the brightness of a picture in PQ or HLG to that of standard screens (Report ITU-R BT.2408, annex 5).
    case tonemap
}

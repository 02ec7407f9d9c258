internal import Foundation

/// A gain map: an image, mostly smaller than the one beside it, that tells how much brighter each of its places is in high dynamic
/// range.
///
/// To operations, it is a decode of the image beside it at a smaller scale: see ``OperationChain/apply(to:gainMap:originalSize:for:)``.
public struct GainMap: Sendable {
    /// The values, upright: gray, or RGB where each colour has its own; without alpha, 8 bits.
    public internal(set) var image: Image
    /// The meaning of the values.
    public internal(set) var metadata: GainMapMetadata
    /// Pixels of the map for each pixel of the image that it was read with, on each axis; at most 1.
    var scale: (x: Double, y: Double)
    /// The ICC profile of the colours that the map is about; nil for those of the image beside it.
    var profile: Data?

    /// The map with other values.
    func with(_ image: Image) -> GainMap {
        var map = self
        map.image = image
        return map
    }
}

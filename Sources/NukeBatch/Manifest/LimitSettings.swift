import Foundation
import Imaging

/// What a run and an image may cost at most.
public struct LimitSettings: Sendable, Equatable {
    /// Images that are processed at the same time; default: the machine's cores.
    public var processing = max(1, ProcessInfo.processInfo.activeProcessorCount)
    /// Bytes of decoded pixels in flight.
    public var memory = 1 << 30
    /// Pixels of an original, and of what is made of it on the way to an output.
    public var maxPixels = 100_000_000
    /// Pixels of a side, of originals and of outputs.
    public var maxDimension = Self.largestDimension
    /// How long a run takes new items; nil for as long as there are any.
    public var maxDuration: Duration?

    /// The largest side that JPEG's 16 bits and libjpeg allow.
    public static let largestDimension = 65_500

    init(_ node: ManifestNode?) {
        guard let fields = node?.fields(.limits) else { return }
        processing = fields["processing"]?.integer(1...1024) ?? processing
        memory = fields["memory"]?.size() ?? memory
        maxPixels = fields["maxPixels"]?.pixels() ?? maxPixels
        maxDimension = fields["maxDimension"]?.integer(1...Self.largestDimension) ?? maxDimension
        maxDuration = fields["maxDuration"]?.duration()
        if let node = fields["maxFrames"], let frames = node.integer(1...100_000),
            frames != NotSupportedYet.maxFrames
        {
            node.notSupported("more than one frame")
        }
    }
}

extension ImageLimits {
    init(_ settings: LimitSettings) {
        self.init()
        maxPixels = settings.maxPixels
        maxDimension = settings.maxDimension
    }
}

import Foundation
package import Imaging

/// The limits of a run and of an image.
public struct LimitSettings: Sendable, Equatable {
    /// The maximum number of images processed at once; default: the number of cores.
    public var processing = max(1, ProcessInfo.processInfo.activeProcessorCount)
    /// Bytes of decoded pixels in flight.
    public var memory = LimitKeys.memory.standard
    /// Pixels of an original, and of every step on the way to an output.
    public var maxPixels = LimitKeys.maxPixels.standard
    /// Pixels of a side, of originals and of outputs.
    public var maxDimension = LimitKeys.maxDimension.standard
    /// The time after which a run takes no new items; nil for no limit.
    public var maxDuration: Duration?

    /// The largest side that JPEG's 16 bits and libjpeg allow.
    public static let largestDimension = 65_500

    /// Creates the defaults.
    public init() {}

    init(_ node: ManifestNode?) {
        guard let fields = node?.fields(.limits) else { return }
        processing = fields[LimitKeys.processing] ?? processing
        memory = fields[LimitKeys.memory] ?? memory
        maxPixels = fields[LimitKeys.maxPixels] ?? maxPixels
        maxDimension = fields[LimitKeys.maxDimension] ?? maxDimension
        maxDuration = fields[LimitKeys.maxDuration]
        if let frames = fields[LimitKeys.maxFrames], frames != NotSupportedYet.maxFrames {
            fields.node(LimitKeys.maxFrames)?.report(NotSupportedYet.sentence("more than one frame"))
        }
    }
}

extension ImageLimits {
    /// The limits of pixels and sides that the manifest sets.
    package init(_ settings: LimitSettings) {
        self.init()
        maxPixels = settings.maxPixels
        maxDimension = settings.maxDimension
    }
}

import Imaging
import JobManifest

/// The sizes that processors give, of originals whose sizes are not known.
///
/// A size is obtainable if an original of the result's proportions gives it. Originals are taken to be larger than the result:
/// any smaller size can come from one that is not enlarged.
struct ObtainableSizes: Sendable {
    /// The original is taken to be so many times as large as the result.
    private static let scale = 16

    private let chain: OperationChain
    private let isResized: Bool

    /// The sizes that `steps` give.
    init(_ steps: [Step]) throws(ImagingError) {
        var operations: [any ImageOperation] = []
        isResized = steps.contains { if case .resize = $0 { true } else { false } }
        for step in steps {
            // A watermark needs its image, and changes no size.
            if case .watermark = step { continue }
            operations.append(try step.operation([:]))
        }
        // No original of this size is decoded.
        var limits = ImageLimits()
        (limits.maxDimension, limits.maxPixels) = (1 << 30, Int.max)
        chain = OperationChain(operations, limits: limits)
    }

    /// The width and the height that every large original gets; nil if they follow from its aspect ratio.
    var fixed: (width: Int?, height: Int?) {
        let sizes = [(48_000, 36_000), (36_000, 48_000), (40_000, 40_000)].map { width, height in
            try? chain.outputSize(for: PixelSize(width: width, height: height))
        }
        let (widths, heights) = (Set(sizes.map { $0?.width }), Set(sizes.map { $0?.height }))
        return (
            widths.count == 1 ? widths.first ?? nil : nil, heights.count == 1 ? heights.first ?? nil : nil
        )
    }

    /// True if an original that is larger than the result gives `size`; without a resize, also one of that size.
    func contains(_ size: PixelSize) -> Bool {
        holds(size, by: Self.scale) || (!isResized && holds(size, by: 1))
    }

    /// True if an original gives `size` that is too small for the processors to make it smaller.
    func containsUnresized(_ size: PixelSize) -> Bool {
        isResized && holds(size, by: 1)
    }

    private func holds(_ size: PixelSize, by scale: Int) -> Bool {
        let original = PixelSize(width: size.width * scale, height: size.height * scale)
        // A quarter turn may be among the processors.
        return [original, original.transposed].contains { (try? chain.outputSize(for: $0)) == size }
    }
}

import Foundation
import Imaging
import JobPlanning

/// The output of one recipe for one original, before it is written.
struct RenderedOutput: Sendable {
    /// An encoded file, ready to be written, with the details to record.
    struct Encoded: Sendable, Codable {
        let data: Data
        let sha256: String
        let size: PixelSize
        let format: ImageFormat
        /// The encoder and its version; nil if the bytes are the original's own.
        let encoder: String?
        /// The quality in the format's own numbers; nil if nothing was lost.
        var quality: Int?
        /// The likeness to the image; nil if the format has no floor.
        var score: EncodedImage.Score?
        /// The fate of the original's gain map; nil if it has none.
        var gainMap: GainMapFate?
    }

    /// The result of rendering.
    enum Result: Sendable, Codable {
        case encoded(Encoded)
        /// Skipped, for this reason.
        case skipped(String)
        case failed(ItemError)
    }

    let recipe: Recipe
    let result: Result
    /// The faults of the original that reading all of its frames has shown.
    var warnings: Set<ImageWarning> = []

    /// The bytes it holds in memory; a copy shares the bytes of the original and counts as 0.
    var bytes: Int {
        if case .encoded(let encoded) = result, !recipe.isCopy { encoded.data.count } else { 0 }
    }
}

import Foundation
import Imaging

/// What one recipe made of an original, before it is written.
struct Picture: Sendable {
    /// A file's bytes, ready to be written, and what is recorded of them.
    struct Encoded: Sendable {
        let data: Data
        let sha256: String
        let size: PixelSize
        /// Of the format, without a dot.
        let fileExtension: String
        /// The encoder and its version; nil where the bytes are the original's own.
        let encoder: String?
    }

    /// What came of it.
    enum Result: Sendable {
        case encoded(Encoded)
        /// Not made, for this reason.
        case skipped(String)
        case failed(ItemError)
    }

    let recipe: Recipe
    let result: Result

    /// What is in memory of it; a copy of the original shares its bytes.
    var bytes: Int {
        if case .encoded(let encoded) = result, !recipe.isCopy { encoded.data.count } else { 0 }
    }
}

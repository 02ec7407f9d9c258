import Imaging
import JobPlanning
import JobStorage

extension OutputRecord {
    /// Returns the result of an output that is skipped for this reason.
    static func skipped(_ recipe: Recipe, reason: String) -> OutputRecord {
        OutputRecord(name: recipe.output.name, recipe: recipe.digest, state: .skipped, reason: reason)
    }

    /// Returns the result of an output that cannot be made.
    static func failed(_ recipe: Recipe, _ error: ItemError) -> OutputRecord {
        OutputRecord(
            name: recipe.output.name,
            recipe: recipe.digest,
            state: .failed,
            reason: "\(error.code): \(error.message)"
        ) { $0.failure = RecordedError(code: error.code.rawValue, message: error.message) }
    }
}

extension OutputRecord.Shortfall {
    /// The obstacle as the encoder has found it.
    init(_ shortfall: EncodedImage.Shortfall) {
        self =
            switch shortfall {
            case .quality: .quality
            case .maxBytes: .maxBytes
            }
    }
}

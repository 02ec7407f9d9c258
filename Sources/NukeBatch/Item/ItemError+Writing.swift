import Datasets
import JobManifest
import ObjectStorage

/// The classes of errors of the stage "write".
extension ItemError {
    /// The codes of refusals that are about one key or one object (Amazon S3 API Reference, "List of error codes"; MinIO has
    /// names of its own).
    private static let codesAboutKeys: Set<String> = [
        "KeyTooLongError", "KeyTooLong", "InvalidURI", "EntityTooLarge", "XMinioInvalidObjectName",
        "XMinioInvalidResourceName",
    ]

    /// The item's error for an output that a store did not take: a key that it cannot keep is the item's own, anything else
    /// concerns all items.
    init(_ error: StoreError, writing store: any Store) {
        switch error.reason {
        case .cancelled:
            self = .interrupted
        case .refused where error.service.map { Self.codesAboutKeys.contains($0.code) } ?? false:
            self.init(.processing, error.description)
        default:
            self.init(
                .local,
                "the destination \(store) takes no outputs: \(error); the items concerned stay pending: run again when this is mended"
            )
        }
    }

    /// The item's error for trouble of the destination.
    init(_ trouble: DestinationTrouble) {
        switch trouble {
        case .store(let error, let store): self.init(error, writing: store)
        case .local(let message): self.init(.local, message)
        }
    }
}

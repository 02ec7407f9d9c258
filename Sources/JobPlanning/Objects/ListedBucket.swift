import JobManifest
package import ObjectStorage
import Synchronization

/// The objects that a source selects at one place of a bucket, which may still be listed.
package final class ListedBucket: Sendable {
    /// The bucket.
    package let bucket: String
    /// The beginning of the keys that are looked at.
    package let prefix: String
    /// The selected objects, in the order of their keys.
    package let objects: ListedObjects
    private let own = Atomic(0)

    /// Creates the value for objects of `bucket` whose keys begin with `prefix`.
    package init(bucket: String, prefix: String = "", objects: ListedObjects) {
        (self.bucket, self.prefix, self.objects) = (bucket, prefix, objects)
    }

    /// A sentence about a listing that has selected nothing; nil for another.
    var warning: String? {
        guard objects.isEmpty, leftOut == 0 else { return nil }
        return
            "selects nothing of s3://\(bucket)/\(prefix): check the pattern, and that the objects are there"
    }

    /// The number of objects that were left out so far, because they are the job's own.
    package var leftOut: Int { own.load(ordering: .relaxed) }

    /// Counts objects that are left out.
    package func leaveOut(_ count: Int) {
        own.add(count, ordering: .relaxed)
    }
}

extension SourceError {
    /// The error of a listing, for the source with the index `source`.
    init(listing error: any Error, ofSource source: Int) {
        let file = "sources[\(source)].objects"
        switch error {
        case let error as SourceError: self = error
        case let error as StoreError: self = SourceError(file, error)
        case is CancellationError:
            self = SourceError(file, "was not listed to its end", isRemote: true)
        case is ListedObjects.Restarted:
            self = SourceError(
                file,
                "the bucket lists its keys in another order than at first",
                isRemote: true
            )
        default: self = SourceError(file, "the listing cannot be read: \(error)")
        }
    }

    /// The error of a list or a listing that a store has failed.
    init(_ file: String, _ error: StoreError) {
        self.init(file, error.description, isTemporary: error.isTemporary, isRemote: true)
    }
}

import Files
import JobManifest
package import ObjectStorage

/// The objects that a source selects in one bucket.
package struct ListedBucket: Sendable {
    /// The bucket.
    package let bucket: String
    /// The selected objects, in the order of their keys.
    package let objects: ListedObjects
    /// The number of objects that were left out, because they are the job's own.
    package let leftOut: Int

    /// Creates the value from its parts.
    package init(bucket: String, objects: ListedObjects, leftOut: Int) {
        (self.bucket, self.objects, self.leftOut) = (bucket, objects, leftOut)
    }
}

extension [ListedBucket] {
    /// Returns a digest that changes when an object is added, changed or removed.
    func digest() throws(SourceError) -> String {
        var digests = ""
        for bucket in self {
            do throws(FileError) {
                digests += "\(bucket.bucket) \(try bucket.objects.digest())\n"
            } catch {
                throw SourceError(
                    file: "s3://\(bucket.bucket)",
                    message: "its listing cannot be read: \(error)"
                )
            }
        }
        return Digest.sha256.hex(of: digests)
    }
}

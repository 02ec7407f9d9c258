import Files
import JobManifest
import ObjectStorage

/// The objects of a listing, in the order of their keys.
struct ObjectRows: RowReading {
    /// The number of objects that were left out, because they are the job's own.
    private(set) var leftOut: Int

    private let context: RowContext
    private var buckets: ArraySlice<ListedBucket>
    private var reader: ListedObjects.Reader?

    init(_ buckets: [ListedBucket], context: RowContext) {
        self.buckets = buckets[...]
        self.context = context
        leftOut = buckets.reduce(0) { $0 + $1.leftOut }
    }

    mutating func next() throws(SourceError) -> Row? {
        while let bucket = buckets.first {
            if reader == nil { reader = bucket.objects.makeReader() }
            do throws(FileError) {
                if let object = try reader?.next() { return row(object, in: bucket.bucket) }
            } catch {
                throw SourceError(
                    file: "s3://\(bucket.bucket)",
                    message: "its listing cannot be read: \(error)"
                )
            }
            reader = nil
            buckets.removeFirst()
        }
        return nil
    }

    private func row(_ object: ObjectPage.Entry, in bucket: String) -> Row {
        let url = "s3://\(bucket)/\(object.key)"
        var row = Row(url: context.check(url), position: .file(url))
        if let archive = object.facts.archive, row.url.problem == nil {
            // An item that is done stays so: its validator is not touched.
            let message =
                "the object is in the storage class \(archive): restore it, or copy it to another class"
            row.url = ItemURL.Checked(
                url: row.url.url,
                problem: ItemProblem(code: .archived, message: message)
            )
        } else {
            row.validator = ObjectValidator.text(of: object.facts)
        }
        return row
    }
}

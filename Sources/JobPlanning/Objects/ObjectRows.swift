import Files
import JobManifest
import ObjectStorage

/// The objects of a listing, in the order of their keys, which are read while they are listed.
struct ObjectRows: RowReading {
    private let source: Int
    private let context: RowContext
    private let buckets: [ListedBucket]
    private var rest: ArraySlice<ListedBucket>
    private var reader: ListedObjects.Reader?

    /// Reads the objects of the source with the index `source`.
    init(_ buckets: [ListedBucket], source: Int, context: RowContext) {
        (self.buckets, rest, self.source, self.context) = (buckets, buckets[...], source, context)
    }

    /// The number of objects that were left out so far, because they are the job's own.
    var leftOut: Int { buckets.reduce(0) { $0 + $1.leftOut } }

    mutating func next() throws(SourceError) -> Row? {
        while let bucket = rest.first {
            if reader == nil { reader = bucket.objects.makeReader() }
            do {
                if let object = try reader?.next(isStopped: context.isStopped) {
                    return row(object, in: bucket.bucket)
                }
            } catch {
                throw SourceError(listing: error, ofSource: source)
            }
            reader = nil
            rest.removeFirst()
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

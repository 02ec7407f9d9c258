import JobManifest
import ObjectStorage

/// The objects of a listing, in the order of their keys, which are read while they are listed.
struct ObjectRows: RowReading {
    private let source: Int
    private let context: RowContext
    private let own: OwnFiles
    private let buckets: [ListedBucket]
    private var rest: ArraySlice<ListedBucket>
    private var reader: ListedObjects.Reader?
    private var outputs = 0

    /// Reads the objects of the source with the index `source`, but for those of `own`.
    init(_ buckets: [ListedBucket], source: Int, own: OwnFiles, context: RowContext) {
        (self.buckets, rest, self.source) = (buckets, buckets[...], source)
        (self.own, self.context) = (own, context)
    }

    /// The number of objects that were left out so far, because they are the job's own.
    var leftOut: Int { buckets.reduce(outputs) { $0 + $1.leftOut } }

    mutating func next() throws(SourceError) -> Row? {
        while let bucket = rest.first {
            if reader == nil { reader = bucket.objects.makeReader() }
            do {
                while let object = try reader?.next(isStopped: context.isStopped) {
                    let url = "s3://\(bucket.bucket)/\(object.key)"
                    guard own.containsOutput(url) else { return row(object, at: url) }
                    outputs += 1
                }
            } catch {
                throw SourceError(listing: error, ofSource: source)
            }
            reader = nil
            rest.removeFirst()
        }
        return nil
    }

    private func row(_ object: ObjectPage.Entry, at url: String) -> Row {
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

/// The fields of a request that are stored with an object, checked.
struct ObjectFields: Sendable {
    private static let stored = [
        "content-type", "cache-control", "content-disposition", "content-encoding", "content-language",
        "expires",
    ]
    private static let storageClasses: Set<String> = [
        "STANDARD", "REDUCED_REDUNDANCY", "STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER",
        "DEEP_ARCHIVE", "GLACIER_IR", "EXPRESS_ONEZONE", "OUTPOSTS", "SNOW",
    ]
    /// The most bytes in the names and values of an object's own metadata.
    private static let metadataLimit = 2048

    let headers: [String: String]
    let storageClass: String

    init(_ request: LoopbackServer.Request) throws(ObjectStoreError) {
        let sent = request.headers.filter { Self.stored.contains($0.key) || $0.key.hasPrefix("x-amz-meta-") }
        headers = ["content-type": "binary/octet-stream"].merging(sent) { $1 }
        let metadata = headers.filter { $0.key.hasPrefix("x-amz-meta-") }
        let size = metadata.reduce(0) { size, field in
            size + field.key.utf8.count - "x-amz-meta-".utf8.count + field.value.utf8.count
        }
        guard size <= Self.metadataLimit else {
            throw ObjectStoreError(
                400,
                code: "MetadataTooLarge",
                "Your metadata headers exceed the maximum allowed metadata size",
                details: [("Size", String(size)), ("MaxSizeAllowed", String(Self.metadataLimit))]
            )
        }
        storageClass = request.headers["x-amz-storage-class"] ?? "STANDARD"
        guard Self.storageClasses.contains(storageClass) else {
            throw ObjectStoreError(
                400,
                code: "InvalidStorageClass",
                "The storage class you specified is not valid",
                details: [("StorageClassRequested", storageClass)]
            )
        }
    }
}

package import ObjectStorage

/// The attributes of an output that is stored as an object.
public struct ObjectSettings: ManifestSettings, Sendable, Hashable {
    /// The `Cache-Control` with which the object is served; nil for none.
    public var cacheControl: String?
    /// The media type; nil for that of the output's format.
    public var contentType: String?
    /// The storage class, such as `STANDARD_IA`; nil for the bucket's.
    public var storageClass: String?
    /// The metadata by names in lower case, without the prefix `x-amz-meta-`.
    public var metadata: [String: String] = [:]

    /// Creates settings without attributes.
    public init() {}

    /// Returns the attributes of an object; `mediaType` is that of its format.
    package func attributes(of mediaType: String) -> ObjectAttributes {
        ObjectAttributes(
            contentType: contentType ?? mediaType,
            cacheControl: cacheControl,
            storageClass: storageClass,
            metadata: metadata
        )
    }
}

/// Settings from a manifest.
extension ObjectSettings: ManifestObject {
    static let standard = ObjectSettings()
    static let section = ManifestSection(
        "object",
        title: "Attributes of objects",
        about: [
            "Attributes of outputs whose destination is `s3://bucket/prefix`; see [Object storage](object-storage.md). "
                + "When they change, the next run writes the output again from the cached original, without a request for it."
        ],
        example: .manifest(
            """
            {
              "sources": [{"files": "photos/*"}],
              "outputs": [
                {"format": "webp", "object": {"cacheControl": "public, max-age=31536000, immutable"}}
              ],
              "destination": "s3://my-images/thumbnails"
            }
            """
        ),
        keys: keys
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("cacheControl", "The `Cache-Control` header with which the store serves the object.")
            .synonyms(["cache-control", "cache_control"])
            .sets(\.cacheControl, as: .text(read: text), example: "public, max-age=31536000, immutable"),
        KeyName("contentType", "The `Content-Type` header with which the store serves the object.")
            .synonyms(["content-type", "mimeType", "mime", "type"])
            .sets(
                \.contentType,
                as: .text(read: text),
                default: .described("that of the output's format, such as `image/jpeg`"),
                example: "image/jpeg"
            ),
        KeyName("storageClass", "The storage class.")
            .synonyms(["storage-class", "class", "tier"])
            .sets(
                \.storageClass,
                as: .text(read: text),
                default: .described("the bucket's, `STANDARD` in Amazon S3"),
                example: "STANDARD_IA"
            ),
        KeyName(
            "metadata",
            "Metadata of the object, at most 2,048 bytes; the store serves each as `x-amz-meta-NAME`."
        )
        .synonyms(["meta", "userMetadata"])
        .sets(\.metadata, as: metadata, default: .described("none"), example: ["licence": "CC-BY-4.0"]),
    ]

    /// The most bytes of all names and values of metadata (Amazon S3 User Guide, "Working with object metadata").
    private static let longestMetadata = 2048

    private static var metadata: KeyKind<[String: String]> {
        let headers = KeyKind.headers
        return KeyKind(headers.type, schema: headers.schema, read: metadata, write: headers.write)
    }

    private static func metadata(_ node: ManifestNode) -> [String: String] {
        var metadata: [String: String] = [:]
        for (name, value) in node.headers() {
            // Header fields are ASCII (RFC 9110, section 5.5), and their names ignore case.
            let lower = name.lowercased()
            if !isHeaderText(value) {
                node.report("has the value \"\(value)\" of \"\(name)\": write printable ASCII")
            } else if lower.hasPrefix("x-amz-") {
                node.report("has the name \"\(name)\": leave out the prefix")
            } else if metadata[lower] != nil {
                node.report("has the name \"\(name)\" twice; case is ignored")
            } else {
                metadata[lower] = value
            }
        }
        let size = metadata.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        if size > longestMetadata {
            node.report("has \(size) bytes of names and values: object stores keep \(longestMetadata)")
        }
        return metadata
    }

    private static func text(_ node: ManifestNode) -> String? {
        guard let text = node.string() else { return nil }
        if text.isEmpty || !isHeaderText(text) { node.report("should be printable ASCII") }
        return text
    }

    private static func isHeaderText(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.hasPrefix(" ") && !text.hasSuffix(" ")
    }
}

/// The keys of an output's `object`.
enum ObjectKeys {
    static let cacheControl = Key(
        "cacheControl",
        .string,
        summary: "The `Cache-Control` header with which the store serves the object.",
        example: "public, max-age=31536000, immutable",
        synonyms: ["cache-control", "cache_control"]
    )
    static let contentType = Key(
        "contentType",
        .string,
        default: .described("that of the output's format, such as `image/jpeg`"),
        summary: "The `Content-Type` header with which the store serves the object.",
        example: "image/jpeg",
        synonyms: ["content-type", "mimeType", "mime", "type"]
    )
    static let storageClass = Key(
        "storageClass",
        .string,
        default: .described("the bucket's, `STANDARD` in Amazon S3"),
        summary: "The storage class.",
        example: "STANDARD_IA",
        synonyms: ["storage-class", "class", "tier"]
    )
    static let metadata = Key(
        "metadata",
        .headers,
        default: .described("none"),
        summary: "Metadata of the object, at most 2,048 bytes; the store serves each as `x-amz-meta-NAME`.",
        example: ["licence": "CC-BY-4.0"],
        synonyms: ["meta", "userMetadata"]
    )
}

extension ManifestSection {
    static let objectSettings = ManifestSection(
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
        keys: [ObjectKeys.cacheControl, ObjectKeys.contentType, ObjectKeys.storageClass, ObjectKeys.metadata]
    )
}

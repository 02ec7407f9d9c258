package import ObjectStorage

/// The attributes of an output that is stored as an object.
public struct ObjectSettings: Sendable, Hashable {
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

    /// The settings as a manifest writes them; null where there are none.
    package var json: CanonicalJSON {
        guard self != ObjectSettings() else { return .null }
        return [
            "cacheControl": cacheControl.map(CanonicalJSON.string) ?? .null,
            "contentType": contentType.map(CanonicalJSON.string) ?? .null,
            "storageClass": storageClass.map(CanonicalJSON.string) ?? .null,
            "metadata": .object(metadata.mapValues(CanonicalJSON.string)),
        ]
    }
}

/// Settings from a manifest.
extension ObjectSettings {
    /// The most bytes of all names and values of metadata (Amazon S3 User Guide, "Working with object metadata").
    private static let longestMetadata = 2048

    init(_ node: ManifestNode?) {
        guard let fields = node?.fields(.objectSettings) else { return }
        cacheControl = Self.value(fields, ObjectKeys.cacheControl)
        contentType = Self.value(fields, ObjectKeys.contentType)
        storageClass = Self.value(fields, ObjectKeys.storageClass)
        guard let written = fields[ObjectKeys.metadata], let node = fields.node(ObjectKeys.metadata) else {
            return
        }
        for (name, value) in written { add(name, value, at: node) }
        let size = metadata.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        if size > Self.longestMetadata {
            node.report("has \(size) bytes of names and values: object stores keep \(Self.longestMetadata)")
        }
    }

    private mutating func add(_ name: String, _ value: String, at node: ManifestNode) {
        // Header fields are ASCII (RFC 9110, section 5.5), and their names ignore case.
        let lower = name.lowercased()
        if !Self.isHeaderText(value) {
            node.report("has the value \"\(value)\" of \"\(name)\": write printable ASCII")
        } else if lower.hasPrefix("x-amz-") {
            node.report("has the name \"\(name)\": leave out the prefix")
        } else if metadata[lower] != nil {
            node.report("has the name \"\(name)\" twice; case is ignored")
        } else {
            metadata[lower] = value
        }
    }

    private static func value(_ fields: Fields, _ key: Key<String>) -> String? {
        guard let text = fields[key] else { return nil }
        if text.isEmpty || !isHeaderText(text) { fields.node(key)?.report("should be printable ASCII") }
        return text
    }

    private static func isHeaderText(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.hasPrefix(" ") && !text.hasSuffix(" ")
    }
}

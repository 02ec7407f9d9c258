// Initializers with all settings of an output as parameters. What is left out has its default, which stands at the
// property alone.

extension ObjectSettings {
    /// Creates settings.
    public init(
        cacheControl: String? = nil,
        contentType: String? = nil,
        storageClass: String? = nil,
        metadata: [String: String] = [:]
    ) {
        self.init()
        self.cacheControl = cacheControl
        self.contentType = contentType
        self.storageClass = storageClass
        self.metadata = metadata
    }
}

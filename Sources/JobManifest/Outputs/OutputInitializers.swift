public import Imaging

// Initializers with all settings of an output as parameters. What is left out has its default, which stands at the
// property alone.

extension OutputCondition {
    /// Creates conditions.
    public init(
        minWidth: Int? = nil,
        minHeight: Int? = nil,
        maxAspect: Double? = nil,
        minBytes: Int? = nil,
        types: Set<ImageFormat> = []
    ) {
        self.init()
        self.minWidth = minWidth
        self.minHeight = minHeight
        self.maxAspect = maxAspect
        self.minBytes = minBytes
        self.types = types
    }
}

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

/// Settings that all have defaults.
public protocol ManifestSettings {
    /// Creates the defaults.
    init()
}

extension ManifestSettings {
    /// Creates settings that differ from the defaults by a change: `LoadingSettings { $0.maxRedirects = 0 }`.
    public init(_ change: (inout Self) -> Void) {
        self.init()
        change(&self)
    }
}

/// An output that the manifest asks for, of every item of one source.
public struct OutputRecipe: Hashable, Sendable {
    /// The manifest's source, from 0.
    public var source: Int
    /// The output's name.
    public var output: String
    /// A text that identifies the settings that determine its bytes, besides the original; the store only compares it.
    public var recipe: String
    /// Texts that change with the settings that `recipe` covers, by their names.
    ///
    /// One more, `shape`, goes into `OutputRecord.spec` with the original's digest: it is no setting of its own.
    public var parts: [String: String] = [:]
    /// True if a file that the state does not know is replaced; otherwise the output is skipped as `OutputRecord.exists`.
    public var replacesFiles = true

    /// The name of the part that is no setting.
    package static let shape = "shape"
    /// The names of the parts that decide where the output is, but not its bytes.
    package static let placement: Set<String> = ["path", "destination"]

    /// Describes an output of the items of `source`; `change` sets what differs from the defaults.
    public init(source: Int, output: String, recipe: String, _ change: (inout Self) -> Void = { _ in }) {
        (self.source, self.output, self.recipe) = (source, output, recipe)
        change(&self)
    }
}

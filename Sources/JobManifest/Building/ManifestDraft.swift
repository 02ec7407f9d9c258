/// A manifest that a program writes; a key that is nil is left out.
package struct ManifestDraft: Sendable {
    package var version: Int?
    package var name: String?
    package var include: String?
    package var sources: [ManifestSource]?
    package var items: String?
    package var partitionItems: Int?
    package var processors: [Step]?
    package var outputs: [ManifestOutput]?
    package var facts: [Fact]?
    package var destination: String?
    package var state: String?
    package var cache: CacheSettings?
    package var loading: LoadingSettings?
    package var retry: RetrySettings?
    package var limits: LimitSettings?
    package var network: NetworkSettings?
    package var dataset: DatasetSettings?
    package var storage: StorageSettings?

    /// Creates a manifest without keys.
    package init() {}

    /// The manifest as a file has it.
    package var json: CanonicalJSON {
        let members: CanonicalJSON = [
            "version": version.map(CanonicalJSON.integer) ?? .null,
            "name": name.map(CanonicalJSON.string) ?? .null,
            "include": include.map(CanonicalJSON.string) ?? .null,
            "sources": sources.map { .array($0.map(\.json)) } ?? .null,
            "items": items.map(CanonicalJSON.string) ?? .null,
            "partitionItems": partitionItems.map(CanonicalJSON.integer) ?? .null,
            "processors": processors.map { .array($0.map(\.canonical)) } ?? .null,
            "outputs": outputs.map { .array($0.map(\.json)) } ?? .null,
            "facts": facts.map { .array($0.map(CanonicalJSON.word)) } ?? .null,
            "destination": destination.map(CanonicalJSON.string) ?? .null,
            "state": state.map(CanonicalJSON.string) ?? .null,
            "cache": cache?.json ?? .null,
            "loading": loading?.json ?? .null,
            "retry": retry?.json ?? .null,
            "limits": limits?.json ?? .null,
            "network": network?.json ?? .null,
            "dataset": dataset?.json ?? .null,
            "storage": storage?.json ?? .null,
        ]
        return members.withoutNulls
    }
}

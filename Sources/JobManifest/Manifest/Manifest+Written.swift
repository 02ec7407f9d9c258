import Foundation

extension Manifest {
    /// The top-level keys as they are written, those of included manifests too, in the order of the schema.
    var written: [JSONMember] {
        let shared = ManifestReading.Shared(
            environment: variables.all,
            files: ManifestFiles(files),
            objectWithKey: ManifestSection.article(ofObjectWithKey:)
        )
        guard let text = ownText else { return [] }
        let fields = ManifestFile.fields(of: ManifestFile.all(origin, text: text, shared))
        return Self.section.keys.compactMap { key in
            fields?.nodes[key.name].map {
                JSONMember(key: key.name, offset: $0.value.offset, value: $0.value)
            }
        }
    }

    /// The bytes of its own file, without those that it includes; nil if they are not at hand.
    var ownText: Data? { text ?? files[origin.path] }

    private var origin: Origin { Origin(path, in: FileManager.default.currentDirectoryPath) }
}

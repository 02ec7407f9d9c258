import Foundation
import JobFixtures
import JobManifest
import TestSupport
import Testing

/// `docs/manifest.md` shows every key, and its examples are valid.
@Suite struct ManifestReferenceTests {
    private static let path = Repository.root.appendingPathComponent("docs/manifest.md").path

    @Test("the document is what the descriptions make: NUKE_BATCH_RECORD=1 writes it anew")
    func published() throws {
        if ProcessInfo.processInfo.environment["NUKE_BATCH_RECORD"] == "1" {
            try ManifestReference.markdown.write(toFile: Self.path, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOfFile: Self.path, encoding: .utf8) == ManifestReference.markdown)
    }

    @Test("every key has a row, every section an own heading")
    func complete() {
        let lines = ManifestReference.markdown.split(separator: "\n")
        for section in ManifestSection.chapters.flatMap(\.self) {
            #expect(
                lines.count { $0 == "## \(section.title)" || $0 == "### \(section.title)" } == 1,
                "\(section.name)"
            )
            for key in section.keys {
                #expect(
                    lines.contains {
                        $0.hasPrefix("| `\(key.name)` | ") && $0.hasSuffix("| \(key.summary) |")
                    }
                )
            }
        }
        let left = Set(ManifestSection.all.map(\.name)).subtracting(
            ManifestSection.chapters.flatMap(\.self).map(\.name)
        )
        #expect(left == ["same", "hostLoading"])
    }

    @Test("every row of a table has as many cells as its head")
    func tables() {
        for line in ManifestReference.markdown.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).count - 2
            #expect(cells == 3 || cells == 4, "\(line)")
        }
    }

    @Test("every example is a manifest without an error", arguments: ManifestSection.all.map(\.name))
    func examples(name: String) throws {
        guard let example = ManifestSection.all.first(where: { $0.name == name })?.example else { return }
        let folder = try ManifestFolder()
        try FileManager.default.copyItem(atPath: Repository.photos.path, toPath: folder.folder.path("photos"))
        if case .list(_, let list, let rows) = example { try folder.folder.write(rows, to: list) }
        let errors = try folder.errors(example.manifest)
        #expect(errors.isEmpty, "\(errors)")
    }

    @Test("the first example is one too")
    func opening() throws {
        let folder = try ManifestFolder()
        try FileManager.default.createDirectory(
            atPath: folder.folder.path("photos"),
            withIntermediateDirectories: true
        )
        #expect(try folder.errors(ManifestReference.example) == [])
        #expect(ManifestReference.markdown.contains(ManifestReference.example))
    }
}

import Foundation
import Imaging
import JobFixtures
import JobPlanning
import TestSupport
import Testing

@testable import JobManifest

/// A manifest that is read again where its files are not.
@Suite struct ManifestFilesTests {
    private static let json = #"""
        {"include": "shared/common.yaml", "destination": "out", "state": "a.sqlite",
         "sources": [{"list": "urls.csv", "columns": {"url": "address"}}, {"files": "photos"}, {"files": "none"}],
         "outputs": [{"name": "small", "path": "{dir}/{stem}.{ext}", "processors": [
             {"watermark": {"image": "mark.png"}}, {"watermark": {"image": "mark.png", "scale": 0.5}}]}]}
        """#
    private static let yaml = """
        include: shared/common.yaml
        destination: out
        state: a.sqlite
        sources:
          - {list: urls.csv, columns: {url: address}}
          - {files: photos}
          - {files: none}
        outputs:
          - name: small
            path: "{dir}/{stem}.{ext}"
            processors: [{watermark: {image: mark.png}}, {watermark: {image: mark.png, scale: 0.5}}]
        """

    private func write(to folder: TemporaryFolder) throws {
        let image = try Image(width: 2, height: 1, rgba: Data([9, 2, 3, 4, 5, 6, 7, 8]))
        let picture = try ImageEncoder.encode(image, as: .png())
        try folder.write(picture, to: "mark.png")
        try folder.write(picture + Data([0]), to: "shared/other.png")
        try folder.write(
            "processors: [{watermark: {image: other.png}}]\nretry: {attempts: 7}\n",
            to: "shared/common.yaml"
        )
        try folder.write("address\n", to: "urls.csv")
        try folder.write("", to: "photos/a.jpg")
        try folder.write("", to: "none")
    }

    private func expectSame(_ again: Manifest, as first: Manifest) {
        #expect(again.sha256 == first.sha256 && again.folder == first.folder && again.name == first.name)
        #expect(again.destination == first.destination && again.statePath == first.statePath)
        #expect(again.network.fileRoots == first.network.fileRoots && again.retry.attempts == 7)
        #expect(again.outputs.map(\.name) == ["small"])
        #expect(again.outputs.map { "\($0.path)" } == first.outputs.map { "\($0.path)" })
        #expect(again.sources.map(\.base) == first.sources.map(\.base) && again.sources.count == 3)
        for source in first.sources.indices {
            for (output, before) in zip(again.outputs, first.outputs) {
                #expect(again.recipe(of: output, source: source) == first.recipe(of: before, source: source))
            }
        }
        #expect(again.files == first.files && again.isFromFiles && !first.isFromFiles)
    }

    @Test(
        "a manifest is the same when it is read from the files of its first reading",
        arguments: [("job.json", json), ("job.yaml", yaml)]
    )
    func again(name: String, text: String) throws {
        let folder = try ManifestFolder()
        try write(to: folder.folder)
        let first = try folder.read(text, as: name)
        let path = folder.folder.path(name)
        let names = [name, "shared/common.yaml", "mark.png", "shared/other.png", "photos/"]
        #expect(Set(first.files.keys) == Set(names.map(folder.folder.path)))
        #expect(first.files[path] == Data(text.utf8))
        try FileManager.default.removeItem(atPath: folder.folder.path)
        #expect(throws: ManifestErrors.self) { try Manifest.readRecorded(path: path, environment: [:]) }
        expectSame(
            try Manifest.readRecorded(path: path, files: first.files, environment: [:]),
            as: first
        )
    }

    @Test("a manifest from standard input has a path to be read again by", arguments: [json, yaml])
    func standardInput(text: String) throws {
        let folder = FileManager.default.currentDirectoryPath
        let absent = try ManifestFolder()
        let inside = text.replacing("mark.png", with: absent.folder.path("mark.png"))
            .replacing("shared/", with: absent.folder.path("shared/"))
        try write(to: absent.folder)
        let first = try Manifest.readRecorded(path: "-", text: Data(inside.utf8), environment: [:])
        try FileManager.default.removeItem(atPath: absent.folder.path)
        let path = folder + "/stdin"
        #expect(first.files[path] == Data(inside.utf8))
        let again = try Manifest.readRecorded(path: path, files: first.files, environment: [:])
        expectSame(again, as: first)
    }

    @Test("what is damaged among the files is an error at its place")
    func damaged() throws {
        let folder = try ManifestFolder()
        try write(to: folder.folder)
        var files = try folder.read(Self.json).files
        files[folder.folder.path("mark.png")] = Data("x".utf8)
        files[folder.folder.path("shared/common.yaml")] = Data("retry: 5".utf8)
        let path = folder.folder.path("job.json")
        let errors = #expect(throws: ManifestErrors.self) {
            try Manifest.readRecorded(path: path, files: files, environment: [:])
        }
        let messages = errors?.errors.map(\.description) ?? []
        #expect(messages.contains { $0.contains("job.json:4") && $0.contains("mark.png cannot be used") })
        #expect(messages.contains { $0.contains("shared/common.yaml:1:8: retry: should be an object") })
    }
}

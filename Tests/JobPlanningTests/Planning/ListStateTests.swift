import Foundation
import Glibc
import JobFixtures
import JobManifest
import TestSupport
import Testing

@testable import JobPlanning

@Suite struct ListStateTests {
    private func state(_ folder: ManifestFolder, _ source: String) throws -> ListState {
        let manifest = try folder.read(#"{"sources": [\#(source)]}"#)
        return try ListState(manifest, loaded: LoadedSources(), own: OwnFiles(manifest)) { false }
    }

    @Test("a pipe, a folder and a missing file have no fingerprint")
    func none() throws {
        let folder = try ManifestFolder()
        let pipe = folder.folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, folder.folder.path, folder.folder.path("missing")] {
            #expect(ListFingerprint(path: path) == nil, "\(path)")
        }
    }

    @Test("a replaced file with the same size and time has another fingerprint")
    func inode() throws {
        let folder = try ManifestFolder()
        let date = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 100)]
        let path = try folder.folder.write("a", to: "urls.txt")
        try FileManager.default.setAttributes(date, ofItemAtPath: path)
        let first = try #require(ListFingerprint(path: path))
        let other = try folder.folder.write("b", to: "other.txt")
        try FileManager.default.setAttributes(date, ofItemAtPath: other)
        #expect(rename(other, path) == 0)
        let second = try #require(ListFingerprint(path: path))
        #expect(first.size == second.size && first.modified == second.modified && first != second)
        #expect(first.description != second.description)
        #expect(first.description == "1:100000000000:\(first.inode)")
    }

    @Test("the manifest's own URLs are known by the manifest; a list by its fingerprint")
    func kinds() throws {
        let folder = try ManifestFolder()
        let own = try state(folder, #"{"urls": ["https://a.example/1"]}"#)
        #expect(own.isKnown && own.text == "manifest")
        let path = try folder.folder.write("https://a.example/1\n", to: "urls.txt")
        let list = try state(folder, #"{"list": "urls.txt"}"#)
        #expect(list.isKnown && list.text == ListFingerprint(path: path)?.description)
        let both = try state(folder, #"{"urls": ["https://a.example/1"]}, {"list": "urls.txt"}"#)
        #expect(both.isKnown && both.text == "manifest\n" + (list.text ?? ""))
        let input = try state(folder, #"{"list": "-", "as": "txt"}"#)
        #expect(!input.isKnown)
    }

    @Test("files of a glob: another name, size or time is another state, and the same files are the same")
    func files() throws {
        let folder = try ManifestFolder()
        let path = try folder.folder.write("a", to: "photos/1.jpg")
        let glob = #"{"files": "photos/*.jpg"}"#
        let first = try state(folder, glob)
        #expect(try first.isKnown && state(folder, glob).text == first.text)
        try folder.folder.write("a", to: "photos/notes.txt")
        #expect(try state(folder, glob).text == first.text, "the pattern does not fit it")
        try folder.folder.write("ab", to: "photos/1.jpg")
        let longer = try state(folder, glob)
        #expect(longer.text != first.text)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 5)],
            ofItemAtPath: path
        )
        let older = try state(folder, glob)
        #expect(older.text != longer.text)
        try folder.folder.write("a", to: "photos/2.jpg")
        #expect(try state(folder, glob).text != older.text)
    }
}

import Foundation
import JobManifest
import JobPlanning
import TestSupport
import Testing

@Suite struct LocalFilesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("one", to: "photos/1.jpg")
        try folder.write("two", to: "photos/sub/2.jpg")
        try folder.write("secret", to: "secret.txt")
    }

    private func read(_ url: String, limit: Int = 100) throws -> String {
        let files = LocalFiles(roots: [folder.path("photos"), folder.path("missing")])
        return String(decoding: try files.read(url, limit: limit), as: UTF8.self)
    }

    @Test("files below a root are read, up to the limit")
    func inside() throws {
        #expect(try read("file://" + folder.path("photos/1.jpg")) == "one")
        #expect(try read("file://" + folder.path("photos/sub/../sub/2.jpg")) == "two")
        #expect(try read("file://" + folder.path("photos/1.jpg"), limit: 3) == "one")
        let error = #expect(throws: ItemError.self) {
            try read("file://" + folder.path("photos/1.jpg"), limit: 2)
        }
        #expect(error?.code == .tooLarge)
    }

    @Test("more roots than are kept open")
    func manyRoots() throws {
        for number in 0..<100 { try folder.write("\(number)", to: "folders/\(number)/a.jpg") }
        let files = LocalFiles(roots: (0..<100).map { folder.path("folders/\($0)") })
        for number in 0..<100 {
            let data = try files.read("file://" + folder.path("folders/\(number)/a.jpg"), limit: 10)
            #expect(String(decoding: data, as: UTF8.self) == "\(number)")
        }
        #expect(throws: ItemError.self) {
            try files.read("file://" + folder.path("secret.txt"), limit: 10)
        }
    }

    @Test("nothing outside is read, by no path and by no link")
    func outside() throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("photos/link"),
            withDestinationPath: folder.path("secret.txt")
        )
        try folder.write("neighbour", to: "photos-private/1.jpg")
        for name in [
            "secret.txt", "photos/../secret.txt", "photos/link", "photos-private/1.jpg", "photos",
            "photos/missing.jpg",
        ] {
            #expect(throws: ItemError.self, "\(name)") { try read("file://" + folder.path(name)) }
        }
        let error = #expect(throws: ItemError.self) {
            try read("file://" + folder.path("photos/../secret.txt"))
        }
        #expect(error?.code == .address)
        #expect(
            error?.message.hasPrefix(folder.path("secret.txt") + " is in none of network.fileRoots") == true
        )
        let nameless = #expect(throws: ItemError.self) { try read("file:") }
        #expect(nameless?.code == .badURL)
    }

    @Test("the innermost root wins")
    func nested() throws {
        let files = LocalFiles(roots: [folder.path, folder.path("photos"), "/"])
        let data = try files.read("file://" + folder.path("photos/1.jpg"), limit: 10)
        #expect(String(decoding: data, as: UTF8.self) == "one")
    }
}

import Files
import Foundation
import TestSupport
import Testing

@Suite struct ResultFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("a file is replaced as a whole, through a link as well, and nothing else is left")
    func replaces() throws {
        try folder.write("old", to: "a")
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "a")
        try ResultFile.write(Data("new".utf8), to: folder.path("link"))
        #expect(try String(contentsOfFile: folder.path("a"), encoding: .utf8) == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link")) == "a")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a", "link"])
    }

    @Test("a device gets the bytes and stays")
    func device() throws {
        let path = try folder.makeFullDevice("full")
        let error = #expect(throws: FileError.self) { try ResultFile.write(Data("x".utf8), to: path) }
        #expect(error?.code == ENOSPC)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test("a folder and a missing folder are errors that name the path")
    func missing() throws {
        for path in [folder.path, folder.path("none/a")] {
            let error = #expect(throws: FileError.self) { try ResultFile.write(Data("x".utf8), to: path) }
            #expect(error?.path == path)
        }
    }
}

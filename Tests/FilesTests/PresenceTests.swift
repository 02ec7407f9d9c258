import Foundation
import TestSupport
import Testing

@testable import Files

@Suite struct PresenceTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("123", to: "file")
        for (link, target) in [
            ("loop", "loop2"), ("loop2", "loop"), ("dead", "/none/disk"), ("good", "file"),
        ] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path(link),
                withDestinationPath: target
            )
        }
    }

    @Test("what is there is described, links followed, and a name that is not there is nothing")
    func presence() throws {
        #expect(try Presence.status(of: folder.path("good"))?.size == 3)
        #expect(try Presence.status(of: folder.path)?.isFolder == true)
        for name in ["none", "none/below", "none/../none"] {
            #expect(try !Presence.exists(folder.path(name)))
            #expect(try Presence.folder(folder.path(name)) == nil)
        }
        #expect(try Presence.folder(folder.path)?.names().count == 5)
    }

    @Test(
        "everything else is an error, whatever is asked",
        arguments: [
            ("file/below", ENOTDIR), ("loop", ELOOP), ("loop/below", ELOOP), ("dead", ENOLINK),
            ("dead/below/it", ENOLINK), (String(repeating: "x", count: 300), ENAMETOOLONG),
        ]
    )
    func trouble(name: String, code: Int32) throws {
        let path = folder.path(name)
        func found(_ work: () throws -> Void) -> Int32? {
            do { try work() } catch { return (error as? FileError)?.code }
            return nil
        }
        #expect(found { _ = try Presence.status(of: path) } == code)
        #expect(found { _ = try Presence.exists(path) } == code)
        #expect(found { _ = try Presence.folder(path) } == code)
        #expect(found { try Presence.requireReadable(path) } == code)
        #expect(found { _ = try Folder(path: path) } == code)
        #expect(found { _ = try Folder(path: path, create: true) } == code)
    }

    @Test("a link to something missing is named with its target and the remedy")
    func deadLink() {
        let error = #expect(throws: FileError.self) {
            _ = try Presence.exists(folder.path("dead/job.sqlite"))
        }
        #expect(
            error?.description
                == "cannot examine \(folder.path("dead")) -> /none/disk: the link leads to something missing; "
                + "mount the disk that it leads to, or correct the link"
        )
    }
}

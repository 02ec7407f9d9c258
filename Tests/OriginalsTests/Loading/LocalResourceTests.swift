import Foundation
import Originals
import TestSupport
import Testing

/// Data in URLs and in files of this machine.
@Suite struct LocalResourceTests {
    @Test("a file and data in a URL may have as many bytes as the limit, and not one more")
    func limit() throws {
        let folder = try TemporaryFolder()
        let file = URL(fileURLWithPath: try folder.write("12345", to: "a b.txt"))
        for url in [file, try #require(URL(string: "data:,12345"))] {
            let resource = try #require(LocalResource(url))
            for limit in [nil, 6, 5] { #expect(try resource.bytes(limit: limit) == Data("12345".utf8)) }
            #expect(throws: FetchError.tooLarge) { try resource.bytes(limit: 4) }
        }
    }

    @Test("a file of another machine is an error, though this one has a file of that name")
    func otherHost() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("12345", to: "a.txt")
        for (host, isHere) in [("", true), ("localhost", true), ("other.example", false)] {
            let resource = try #require(URL(string: "file://\(host)\(path)").flatMap(LocalResource.init))
            guard isHere else {
                #expect(throws: DataLoadingError.self) { try resource.bytes(limit: nil) }
                continue
            }
            #expect(try resource.bytes(limit: nil) == Data("12345".utf8))
        }
        #expect(LocalResource(try #require(URL(string: "https://other.example/a.txt"))) == nil)
    }
}

import Foundation
import JobStorage
import TestSupport
import Testing

/// Archives of members, read back by Python's tarfile and by tar.
@Suite(.timeLimit(.minutes(10))) struct TarMemberTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func archive(_ members: [(name: String, data: Data)]) -> Data {
        var archive = Data()
        for (name, data) in members {
            archive += TarMember.header(name: name, size: data.count)
            archive += data
            archive += TarMember.padding(after: data.count)
        }
        return archive + TarMember.end
    }

    /// Returns the members that Python finds, one per line.
    private func told(_ archive: Data) async throws -> Program.Outcome {
        let path = try folder.write(archive, to: "a.tar")
        let script = """
            import sys, tarfile
            with tarfile.open(sys.argv[1], "r:") as archive:
                for m in archive:
                    print(m.name, m.size, oct(m.mode), m.uid, m.gid, m.mtime, m.isreg(), len(m.pax_headers),
                        archive.extractfile(m).read().hex())
            """
        return try await Program(path: "/usr/bin/python3", ["-c", script, path], in: "/").wait()
    }

    @Test("names, sizes and bytes come back, and nothing tells when or by whom it was made")
    func readBack() async throws {
        let sizes = [0, 1, 511, 512, 513, 1024]
        let members = sizes.map { ("\($0).bin", Data((0..<$0).map { UInt8($0 % 251) })) }
        let outcome = try await told(archive(members))
        #expect(outcome.exit == 0, "\(outcome.errors)")
        let expected = members.map { name, data in
            "\(name) \(data.count) 0o644 0 0 0 True 0 \(data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())"
        }
        #expect(
            outcome.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
                == expected.map { $0.trimmingCharacters(in: .whitespaces) }
        )
        let listing = try await Program(path: "/bin/tar", ["tf", folder.path("a.tar")], in: "/").wait()
        #expect(listing.exit == 0 && listing.lines == members.map(\.0), "\(listing.errors)")
    }

    @Test(
        "a name of 100 bytes needs no extended header; a longer one, or one in other letters, has one",
        arguments: [
            (String(repeating: "n", count: 96) + ".jpg", 0), (String(repeating: "n", count: 97) + ".jpg", 1),
            (String(repeating: "n", count: 240) + ".jpg", 1), ("000000001.größe.jpg", 1),
        ]
    )
    func names(name: String, extended: Int) async throws {
        let outcome = try await told(archive([(name, Data([7])), ("next.json", Data([8]))]))
        #expect(
            outcome.lines == [
                "\(name) 1 0o644 0 0 0 True \(extended) 07", "next.json 1 0o644 0 0 0 True 0 08",
            ],
            "\(outcome.errors)"
        )
        let listing = try await Program(
            path: "/bin/tar",
            ["tf", folder.path("a.tar"), "--quoting-style=literal"],
            in: "/",
            environment: ["LC_ALL": "C.UTF-8"]
        ).wait()
        #expect(listing.exit == 0 && listing.lines == [name, "next.json"], "\(listing.errors)")
    }

    @Test("the readers can say no: a header with another byte is refused")
    func damaged() async throws {
        var damaged = archive([("a.jpg", Data([7]))])
        damaged[0] ^= 1
        #expect(try await told(damaged).exit != 0)
    }
}

import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Paths that items of several partitions have written with different bytes, so that one file has replaced another.
@Suite(.timeLimit(.minutes(10))) struct FleetClashTests {
    private static let secret = ["NUKE_BATCH_COLLECT_SECRET": "a secret of this test alone"]

    /// Four pictures in four partitions, at these paths in their destination; which ones meet, only their workers know.
    private func worked(_ path: String, pictures: [Int] = [1, 2, 3, 4]) async throws -> FleetFolder {
        let fleet = try FleetFolder(4)
        let urls = pictures.enumerated().map { #""\#(fleet.origin.address)/\#($0)/\#($1).png""# }
        try fleet.job.write(
            """
            "sources": [{"urls": [\(urls.joined(separator: ", "))]}],
            "outputs": [{"name": "small", "format": "same", "path": "\(path)"}]
            """
        )
        #expect(try await fleet.plan(1) == 4)
        _ = try await fleet.work(0..<4)
        return fleet
    }

    private func prove(_ fleet: FleetFolder, parts: Int) async throws -> Program.Outcome {
        for part in 1...parts {
            let outcome = try await fleet.fleet("collect", "--part", "\(part)/\(parts)", more: Self.secret)
            #expect(outcome.exit == 0, "\(outcome.errors)")
        }
        return try await fleet.fleet("collect", "--parts", "\(parts)", "--proof", "--json", more: Self.secret)
    }

    @Test(
        "the proof of parts names the path as the whole does, in one part and in several",
        arguments: [1, 2, 4]
    )
    func named(parts: Int) async throws {
        let fleet = try await worked("pic.{ext}")
        let whole = try await fleet.fleet("collect", "--json")
        #expect(
            whole.exit == 4 && whole.errors.contains("pic.png was written by two items"),
            "\(whole.errors)"
        )
        let report = try fleet.job.data("store/collected/report.json")
        let proof = try await prove(fleet, parts: parts)
        #expect(
            proof.exit == 4 && proof.output == whole.output && proof.errors == whole.errors,
            "\(proof.errors)"
        )
        #expect(proof.output.contains(#""proven":4"#), "\(proof.output)")
        #expect(try fleet.job.data("store/collected/report.json") == report)
        let merge = try await fleet.fleet("collect", "--parts", "\(parts)", "--json", more: Self.secret)
        #expect(
            merge.exit == 4 && merge.output == whole.output && merge.errors == whole.errors,
            "\(merge.errors)"
        )
    }

    @Test("items with the same bytes may share a path, and paths of their own are never named")
    func shared() async throws {
        for (path, pictures) in [("pic.{ext}", [7, 7, 7, 7]), ("{hash}.{ext}", [1, 2, 1, 2])] {
            let fleet = try await worked(path, pictures: pictures)
            let proof = try await prove(fleet, parts: 2)
            #expect(
                proof.exit == 0 && proof.output.contains(#""contradictions":[]"#),
                "\(proof.output)\(proof.errors)"
            )
        }
    }

    @Test("digests that are missing, torn or others are named, and the part is proven again")
    func forged() async throws {
        let fleet = try await worked("{index}.{ext}")
        #expect(try await prove(fleet, parts: 2).exit == 0)
        let folder = "store/collected/parts/000001-of-000002"
        let record = try #require(
            try JSONSerialization.jsonObject(with: fleet.job.data("\(folder)/part.json")) as? [String: Any]
        )
        let files = try #require(record["files"] as? [[String: Any]])
        #expect(files.count == 1 && files.first?["bytes"] as? Int == 2 * 32)
        let name = try #require(files.first?["sha256"] as? String)
        let key = "\(folder)/\(name)"
        let honest = try fleet.job.data(key)
        var changed = honest
        changed[honest.count / 2] ^= 1
        for data in [changed, honest.dropLast(), honest + Data([0]), Data(), nil] {
            if let data {
                try fleet.job.folder.write(data, to: key)
            } else {
                try FileManager.default.removeItem(atPath: fleet.job.folder.path(key))
            }
            let proof = try await fleet.fleet("collect", "--parts", "2", "--proof", more: Self.secret)
            #expect(proof.exit == 42 && proof.errors.contains(name), "\(proof.errors)")
        }
        #expect(try await prove(fleet, parts: 2).exit == 0)
    }
}

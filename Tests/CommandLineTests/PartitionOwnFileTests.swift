import Foundation
import Imaging
import TestSupport
import Testing

/// Files of one partition that another one finds: they are the job's own, as far as their states are beside each other.
@Suite(.timeLimit(.minutes(10))) struct PartitionOwnFileTests {
    private static let count = 8
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        for number in 1...Self.count {
            try job.folder.write(
                try TestImages.gradient(width: 20 + number, height: 10),
                to: "photos/\(number).png"
            )
        }
    }

    /// Writes a job that keeps what it finds, with ids that begin with `ids`.
    private func write(ids: String, width: Int) throws {
        let rows = (1...Self.count).map { "photos/\($0).png,\(ids)\($0)\n" }
        try job.folder.write("url,id\n" + rows.joined(), to: "list.csv")
        try job.write(
            """
            "sources": [{"list": "list.csv"}], "network": {"fileRoots": ["."]},
            "outputs": [{"processors": [{"resize": {"width": \(width)}}], "format": "png", "path": "{stem}.{ext}",
                "existing": "keep"}]
            """
        )
    }

    private func runPartitions() async throws {
        for number in 1...3 { try await job.run("--shard", "\(number)/3") }
    }

    /// Checks that each file is of this width, but for that of a stranger.
    private func check(width: Int) throws {
        #expect(job.files() == (1...Self.count).map { "\($0).png" })
        #expect(try job.data("out/2.png") == Data("theirs".utf8))
        for number in 1...Self.count where number != 2 {
            #expect(try job.image("out/\(number).png").size.width == width, "\(number)")
        }
    }

    @Test(
        "an item that moves to another partition gets its file anew, which prune leaves; a stranger's stays"
    )
    func moved() async throws {
        try write(ids: "a", width: 8)
        try await runPartitions()
        try job.folder.write("theirs", to: "out/2.png")
        try write(ids: "b", width: 6)
        try await runPartitions()
        try check(width: 6)
        for number in 1...3 {
            let pruned = try await job.nukeBatch(
                "prune",
                "job.json",
                "--shard",
                "\(number)/3",
                "--delete",
                "--max-delete=100%"
            )
            #expect(pruned.exit == 0, "\(pruned.output)\(pruned.errors)")
        }
        try check(width: 6)
        #expect(try await job.nukeBatch("verify", "job.json", "--all-shards").exit == 0)
    }

    @Test("partitions take over what the whole job has written, and the whole job what they have")
    func divided() async throws {
        try write(ids: "a", width: 8)
        try await job.run()
        try job.folder.write("theirs", to: "out/2.png")
        try write(ids: "a", width: 6)
        try await runPartitions()
        try check(width: 6)
        try write(ids: "b", width: 5)
        try await job.run()
        try check(width: 5)
    }

    @Test("outputs of one partition among the sources are no sources of another")
    func sources() async throws {
        try job.write(
            """
            "sources": [{"files": "photos/*.png"}], "destination": "photos",
            "outputs": [{"processors": [{"resize": {"width": 8}}], "format": "png", "path": "{stem}-small.{ext}"}]
            """
        )
        for _ in 1...2 { try await runPartitions() }
        let names = (1...Self.count).flatMap { ["\($0)-small.png", "\($0).png"] }
        #expect(job.files(in: "photos") == names)
    }
}

import Files
import Foundation
import SQLite
import TestSupport
import Testing

/// Sets of pictures (`widths`) of two rows with one path: all files of a set are of one original.
@Suite(.timeLimit(.minutes(10))) struct MixedSetTests {
    private let job: JobFolder
    private static let files = ["S1-40.jpg", "S1-40.webp", "S1-80.jpg", "S1-80.webp"]

    init() throws {
        job = try JobFolder()
        let photos = Repository.root.appendingPathComponent("Jobs/photos")
        for (name, photo) in [("a.jpg", "rocket.jpg"), ("b.jpg", "hubble_deep_field.jpg")] {
            let source = photos.appendingPathComponent(photo).path
            try FileManager.default.copyItem(atPath: source, toPath: job.folder.path(name))
        }
    }

    private func write(_ rows: [String], _ rest: String = "", destination: String = "out") throws {
        try job.folder.write((["id,url"] + rows).map { $0 + "\n" }.joined(), to: "list.csv")
        let outputs = ["webp", "jpeg"].map { format in
            #"{"name": "\#(format)", "format": "\#(format)", "widths": [40, 80], "path": "{id}-{width}.{ext}"\#(rest)}"#
        }
        try job.write(
            """
            "sources": [{"list": "list.csv", "columns": {"url": "url", "id": "id"}}], "destination": "\(destination)",
            "network": {"fileRoots": ["."]}, "outputs": [\(outputs.joined(separator: ", "))]
            """
        )
    }

    /// The files of a set that was made of one photograph alone.
    private func set(of photo: String) async throws -> [String: Data] {
        try write(["S1,\(photo)"], destination: "alone-\(photo)")
        try await job.run("--state-file", "alone-\(photo).sqlite")
        return try contents("alone-\(photo)")
    }

    private func contents(_ folder: String) throws -> [String: Data] {
        Dictionary(
            uniqueKeysWithValues: try job.files(in: folder).map { ($0, try job.data("\(folder)/\($0)")) }
        )
    }

    @Test(
        "the first row has all files of a set, in every run, and the policy is obeyed",
        arguments: ["fail", "first", "error"]
    )
    func oneOriginal(_ policy: String) async throws {
        let first = try await set(of: "a.jpg")
        #expect(first.keys.sorted() == Self.files)
        try write(["S1,a.jpg", "S1,b.jpg"], #", "onCollision": "\#(policy)""#)
        for _ in 1...3 {
            try? FileManager.default.removeItem(atPath: job.folder.path("out"))
            let run = try await job.run("--fresh", exit: ["fail": 1, "first": 0, "error": 2][policy] ?? -1)
            #expect(try contents("out") == (policy == "error" ? [:] : first))
            let told = run.output + run.errors
            #expect(told.contains("would both write S1-{width}.webp"), "\(told)")
            #expect(!told.contains("add {id}") && told.contains("{index}"), "\(told)")
        }
        guard policy != "error" else { return }
        #expect(try await job.nukeBatch("verify", "job.json").exit == 0)
        // The other row alone has them, once the first is gone.
        let second = try await set(of: "b.jpg")
        try write(["S1,b.jpg"], #", "onCollision": "\#(policy)""#)
        try await job.run()
        #expect(try contents("out") == second)
    }

    @Test(
        "verify names the mixture that an earlier release left, and repairs it; a run mends it as well",
        arguments: [true, false]
    )
    func earlier(isRepaired: Bool) async throws {
        let (first, second) = (try await set(of: "a.jpg"), try await set(of: "b.jpg"))
        try write(["S1,a.jpg", "S1,b.jpg"])
        try await job.run(exit: 1)
        try mix(second)
        let found = try await job.nukeBatch("verify", "job.json", "--json")
        #expect(found.exit == 1)
        let damaged = try ToldJob.objects(found).filter { $0["problem"] as? String == "mixture" }
        #expect(Set(damaged.compactMap { $0["path"] as? String }) == Set(Self.files), "\(found.output)")
        if isRepaired {
            #expect(
                try await job.nukeBatch("verify", "job.json", "--repair").exit == 1,
                "the second row fails"
            )
        } else {
            try await job.run(exit: 1)
        }
        #expect(try contents("out") == first)
        #expect(try await job.nukeBatch("verify", "job.json").exit == 0)
        #expect(try await job.items().map { $0["state"] as? String } == ["done", "failed"])
    }

    @Test(
        "a set whose format follows the original is of one original as well, also if the other has more widths"
    )
    func same() async throws {
        let names = [("small.png", 60), ("large.png", 200)]
        for (name, width) in names {
            try job.folder.write(try TestImages.gradient(width: width, height: 20), to: name)
        }
        for rows in [["S1,small.png"], ["S1,small.png", "S1,large.png"]] {
            try job.folder.write((["id,url"] + rows).map { $0 + "\n" }.joined(), to: "list.csv")
            try job.write(
                """
                "sources": [{"list": "list.csv", "columns": {"url": "url", "id": "id"}}], "network": {"fileRoots": ["."]},
                "outputs": [{"name": "a", "format": "same", "widths": [40, 80, 160], "path": "{id}-{width}.{ext}"}]
                """
            )
            let run = try await job.nukeBatch("run", "job.json")
            #expect(run.exit == (rows.count == 1 ? 0 : 1), "\(run.output)")
            // The second has 160 pixels, the first has not.
            #expect(job.files() == ["S1-40.png", "S1-60.png"], "\(job.files())")
        }
    }

    /// Makes of the state what release 0.1.0 left: each row has the files that it was the first to write.
    private func mix(_ second: [String: Data]) throws {
        let state = try Connection(path: job.folder.path(".nuke-batch/job.sqlite"), mode: .readWrite)
        let reason = "collision: another output has already written different bytes to "
        for (name, file) in [("jpeg-40", "S1-40.jpg"), ("webp-80", "S1-80.webp")] {
            let bytes = try #require(second[file])
            try bytes.write(to: URL(fileURLWithPath: job.folder.path("out/\(file)")))
            try state.statement(
                """
                UPDATE output SET (state, reason, path, spec_sha256, bytes, width, height, encoder, sha256) = (
                    SELECT 'done', NULL, path, 'of b', ?3, width, height, encoder, ?4 FROM output
                    WHERE item_id = 1 AND name = ?1) WHERE item_id = 2 AND name = ?1 AND ?2 = ?2
                """
            ).run(name, file, bytes.count, Digest.sha256.hex(of: bytes))
            try state.statement(
                """
                UPDATE output SET state = 'failed', reason = ?2, path = NULL, bytes = NULL, sha256 = NULL
                WHERE item_id = 1 AND name = ?1
                """
            ).run(name, "\(reason)\(file): add {output}, {id} or {index} to the output's path")
        }
        try state.statement("UPDATE output SET reason = ? WHERE state = 'failed' AND reason NOT LIKE ?")
            .run("\(reason)S1: add {id}", "\(reason)%")
        try state.execute(
            """
            UPDATE item SET state = 'failed', error = 'collision', message = 'output jpeg-40';
            UPDATE item SET original_sha256 = 'of b', attempts = 1 WHERE item_id = 2;
            DELETE FROM collision;
            UPDATE revision SET manifest_sha256 = 'of release 0.1.0'
            """
        )
    }
}

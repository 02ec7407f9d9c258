import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import TestSupport
import Testing

@Suite struct RecordedPartitionsTests {
    private let folder: ManifestFolder
    private let manifest: Manifest

    init() throws {
        folder = try ManifestFolder()
        manifest = try folder.read(PlannedJob.manifest(["https://a.example/1.jpg"]))
    }

    private func write(_ names: String...) throws {
        for name in names { try folder.folder.write("state", to: ".nuke-batch/\(name)") }
    }

    private func find(_ options: RunOptions = RunOptions()) throws -> RecordedPartitions {
        try RecordedPartitions(of: manifest, options: options)
    }

    @Test("a job that was never run has none")
    func none() throws {
        #expect(try find().count == 0 && find().options.isEmpty && find().warning == nil)
        try write("job.sqlite", "job.lock")
        #expect(try find().count == 0 && find().options.isEmpty && find().warning == nil)
    }

    @Test("states are found by their names, in the order of their numbers; similar names are no states")
    func names() throws {
        for number in [10, 2, 1] { try write("job.shard-\(number)-of-10.sqlite") }
        try write(
            "job.sqlite",
            "job.shard-3-of-10.lock",
            "job.shard-3-of-10.sqlite-wal",
            "job.shard-03-of-10.sqlite",
            "job.shard-11-of-10.sqlite",
            "job.shard-3-of-x.sqlite",
            "job.shard-3.sqlite",
            "other.shard-1-of-4.sqlite",
            "a.job.shard-1-of-4.sqlite"
        )
        var options = RunOptions()
        options.destination = "elsewhere"
        let found = try find(options)
        #expect(found.count == 10 && found.options.map(\.shard) == [1, 2, 10].map { Partition("\($0)/10") })
        #expect(found.options.allSatisfy { $0.destination == "elsewhere" })
        let path = folder.folder.path(".nuke-batch/job.shard-2-of-10.sqlite")
        #expect(found.options[1].statePath(of: manifest) == path)
    }

    @Test("a state that the manifest places, also one without an extension, has its partitions beside it")
    func places() throws {
        for (state, shard) in [
            ("states/a.v2.sqlite", "states/a.v2.shard-1-of-1.sqlite"), ("b/state", "b/state.shard-1-of-1"),
        ] {
            let text = PlannedJob.manifest(["https://a.example/1.jpg"], more: #", "state": "\#(state)""#)
            let manifest = try folder.read(text)
            #expect(try RecordedPartitions(of: manifest, options: RunOptions()).count == 0)
            try folder.folder.write("state", to: shard)
            let found = try RecordedPartitions(of: manifest, options: RunOptions())
            #expect(found.options.map { $0.statePath(of: manifest) } == [folder.folder.path(shard)])
            #expect(found.warning == nil)
        }
    }

    @Test("partitions without a state are named, ten at most")
    func missing() throws {
        try write("job.shard-2-of-4.sqlite", "job.shard-3-of-4.sqlite")
        let place = folder.folder.path(".nuke-batch")
        let beginning = "partitions without a state in \(place) are left out: "
        #expect(try find().warning?.hasPrefix(beginning + "1/4, 4/4 (run them") == true)
        let many = try ManifestFolder()
        let manifest = try many.read(PlannedJob.manifest(["https://a.example/1.jpg"]))
        try many.folder.write("state", to: ".nuke-batch/job.shard-1-of-2000000000.sqlite")
        let warning = try RecordedPartitions(of: manifest, options: RunOptions()).warning
        #expect(warning?.contains("11/2000000000 and 1,999,999,989 more (run them") == true)
    }

    @Test("states of different numbers of partitions are wrong input that says what to do")
    func different() throws {
        try write("job.shard-1-of-2.sqlite", "job.shard-3-of-3.sqlite")
        let error = #expect(throws: RunError.self) { try find() }
        #expect(error?.exit == .wrongInput)
        let message = error?.description ?? ""
        #expect(message.contains("has states of 2 and of 3 partitions: give --shard I/N, such as 1/2"))
        #expect(message.contains(folder.folder.path(".nuke-batch")))
    }

    @Test("a manifest from standard input has no states without a name")
    func nameless() throws {
        let manifest = try Manifest.readRecorded(
            path: "-",
            text: Data(#"{"sources": [{"urls": []}]}"#.utf8),
            environment: [:]
        )
        let error = #expect(throws: RunError.self) {
            try RecordedPartitions(of: manifest, options: RunOptions())
        }
        #expect(error?.exit == .wrongInput)
    }

    @Test("the other states of a job are that of the whole job and those of all its partitions")
    func others() throws {
        let all = [
            "job.sqlite", "job.shard-1-of-2.sqlite", "job.shard-2-of-2.sqlite", "job.shard-1-of-3.sqlite",
        ]
        for name in all { try write(name) }
        func others(_ shard: String?, state: String? = nil) throws -> [String] {
            var options = RunOptions()
            (options.shard, options.state) = (shard.flatMap { Partition($0) }, state)
            return try options.otherStates(of: manifest).map { String($0.split(separator: "/").last ?? "") }
        }
        #expect(try others(nil) == Array(all[1...]))
        #expect(try others("1/2") == [all[0], all[2], all[3]])
        let named = folder.folder.path(".nuke-batch/job.shard-2-of-2.sqlite")
        #expect(try others(nil, state: named) == [all[0], all[1], all[3]])
        #expect(try others(nil, state: "/elsewhere.sqlite") == all)
    }
}

import Foundation
import LoopbackServer
import SQLite
import Synchronization
import TestSupport
import Testing

/// Promise P10: an image that kills the process costs at most two deaths, then it is quarantined and all others finish.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PoisonTests {
    /// A fault, its effect on a run, and the message about the image.
    struct Fault: Sendable {
        let poison: String
        let exit: Int32
        let message: String

        static let all = [
            Fault(poison: "segv", exit: 128 + SIGSEGV, message: "SIGSEGV in the phase decode"),
            Fault(poison: "abort", exit: 128 + SIGABRT, message: "SIGABRT in the phase decode"),
            // What the kernel kills when memory runs out cannot be told from what anybody kills.
            Fault(poison: "kill", exit: 128 + SIGKILL, message: "SIGKILL (possibly out of memory)"),
            Fault(poison: "exit", exit: 7, message: "with code 7 in the phase decode"),
            // The run got its terabyte of addresses; the child had a limit.
            Fault(poison: "memory", exit: 128 + SIGKILL, message: "SIGABRT in the phase decode"),
        ]
    }

    @Test("a child renders what a manifest from standard input asks for")
    func standardInput() async throws {
        let job = try PoisonedJob(images: 8)
        let text = try String(contentsOfFile: job.folder.path("job.json"), encoding: .utf8)
        let words = ["run", "-", "--state-file", ".nuke-batch/job.sqlite"]
        let first = try await job.run("segv", words, input: text)
        #expect(first.exit == 128 + SIGSEGV, "\(first.output)\(first.errors)")
        let second = try await job.run("segv", words, input: text)
        #expect(second.exit == 1, "\(second.output)\(second.errors)")
        let deaths = try job.deaths()
        #expect(deaths.count == 2 && deaths[0] != deaths[1])
        let items = try await job.items()
        #expect(items.count { $0.state == "done" } == 7)
        let guilty = items.first { $0.state == "quarantined" }
        #expect(guilty?.message?.contains("SIGSEGV in the phase decode") == true, "\(guilty as Any)")
    }

    @Test(
        "a decoder's fault costs the run once and a child once, then the image is quarantined and all others are done",
        arguments: Fault.all
    )
    func decoderFault(expected: Fault) async throws {
        let poison = expected.poison
        let job = try PoisonedJob(images: 40)
        let first = try await job.run(poison)
        #expect(first.exit == expected.exit, "\(first.output)\(first.errors)")
        let second = try await job.run(poison)
        #expect(second.exit == 1, "\(second.output)\(second.errors)")

        let deaths = try job.deaths()
        #expect(deaths.count == 2 && deaths[0] != deaths[1])
        let items = try await job.items()
        #expect(items.count { $0.state == "done" } == 39)
        let guilty = try #require(items.first { $0.state == "quarantined" })
        print("poison \(poison): \(deaths.count) deaths, \(guilty.message ?? "")")
        #expect(guilty.url == job.poisonURL)
        #expect(guilty.error == "crashed")
        #expect(guilty.message?.contains(expected.message) == true, "\(guilty.message ?? "")")
        #expect(guilty.message?.contains(PoisonedJob.poisonSHA256) == true)
        #expect(try job.pins() == 1)

        // It stays where it is, until somebody asks for it.
        let third = try await job.run(poison)
        #expect(third.exit == 1 && third.output.hasPrefix("0 made"), "\(third.output)")
        #expect(try job.deaths().count == 2)
        let again = try await job.run(poison, ["retry", "job.json", "--state", "quarantined"])
        #expect(again.exit == 1, "\(again.output)\(again.errors)")
        #expect(try job.deaths().count == 3, "the second try is a child's as well")
        let mended = try await job.run(nil, ["retry", "job.json"])
        #expect(mended.exit == 0, "\(mended.output)\(mended.errors)")
        #expect(try await job.items().allSatisfy { $0.state == "done" })
        #expect(try job.pins() == 0)
        #expect(!FileManager.default.fileExists(atPath: job.blackBox))
    }

    @Test(
        "a decoder that never ends is given up by the run, ended in a child, and holds up nobody",
        arguments: ["spin", "header"]
    )
    func endless(poison: String) async throws {
        let job = try PoisonedJob(images: 40)
        let run = try await job.run(poison)
        #expect(run.exit == 1, "\(run.output)\(run.errors)")
        let items = try await job.items()
        #expect(items.count { $0.state == "done" } == 39)
        let guilty = try #require(items.first { $0.state == "quarantined" })
        let message = try #require(guilty.message)
        // Where the processor is not its own, the limit of time that passes comes first.
        #expect(message.contains("SIGXCPU") || message.contains("SIGALRM"), "\(message)")
        #expect(try job.deaths().count == 2, "the run, which goes on, and the child")
    }

    @Test("a program without a child to offer loses two runs to a poison, and none more")
    func withoutChild() async throws {
        let job = try PoisonedJob(images: 12)
        var exits: [Int32] = []
        while exits.last != 1, exits.count < 6 {
            exits.append(try await job.run("segv", ["job.json"], program: "run-a-job").exit)
        }
        #expect(exits == [128 + SIGSEGV, 128 + SIGSEGV, 1])
        let items = try await job.items()
        #expect(items.count { $0.state == "done" } == 11)
        #expect(items.first { $0.state == "quarantined" }?.url == job.poisonURL)
    }

    @Test(
        "a power cut and a death after a signal make no suspects",
        // The first byte of the boot id, and the flag of a run that was asked to stop.
        arguments: [16, 8] as [UInt64]
    )
    func noSuspects(offset: UInt64) async throws {
        let job = try PoisonedJob(images: 12)
        #expect(try await job.run("kill").exit == 128 + SIGKILL)
        let box = try FileHandle(forUpdating: URL(fileURLWithPath: job.blackBox))
        try box.seek(toOffset: offset)
        try box.write(contentsOf: Data([1]))
        try box.close()
        // Were it a suspect, a child would die of it and not the run.
        #expect(try await job.run("kill").exit == 128 + SIGKILL)
        let last = try await job.run("kill")
        #expect(last.exit == 1, "\(last.exit): \(last.output)\(last.errors)")
        #expect(try job.deaths().count == 3)
    }

    @Test("an innocent suspect is made in the child as in the run: the same bytes, the same facts")
    func sameBytes() async throws {
        let usual = try PoisonedJob(images: 3, outputs: PoisonedJob.manyOutputs)
        #expect(try await usual.run("none").exit == 0)
        let suspected = try PoisonedJob(images: 3, outputs: PoisonedJob.manyOutputs)
        #expect(try await suspected.run("kill").exit == 128 + SIGKILL)
        let second = try await suspected.run("none")
        #expect(second.exit == 0, "\(second.output)\(second.errors)")
        // The one that died, and a child: the run itself says nothing while it is well.
        #expect(Set(try suspected.deaths()).count == 2)
        let (expected, made) = (try usual.outputs(), try suspected.outputs())
        #expect(expected.count == 3 * 6)
        #expect(Set(made.keys) == Set(expected.keys))
        for (name, bytes) in made { #expect(bytes == expected[name], "\(name)") }
        let facts = try await usual.items().map(\.facts)
        #expect(facts.count == 3 && facts.allSatisfy { $0?.format == "jpeg" && $0?.blurHash != nil })
        #expect(try await suspected.items().map(\.facts) == facts)
    }

    @Test("in a child no file can be opened and none be made, where the kernel has Landlock")
    func confined() async throws {
        let job = try PoisonedJob(images: 3)
        // The control: a run can, and says so by dying.
        #expect(try await job.run("reach").exit == 128 + SIGSEGV)
        let second = try await job.run("reach")
        #expect(second.exit == 0, "\(second.output)\(second.errors)")
        #expect(Set(try job.deaths()).count == 2)
    }

    @Test("a signal ends a run that waits for a child, at once, and proves nothing")
    func signal() async throws {
        let job = try PoisonedJob(images: 12)
        #expect(try await job.run("kill").exit == 128 + SIGKILL)
        let program = try job.start("spin")
        try await eventually { try job.deaths().count >= 2 }
        program.signal(SIGTERM)
        #expect(await program.wait().exit == 143)
        let child = try #require(try job.deaths().last)
        // The kernel ends it with its run; whoever inherits it may be late to ask how it ended, or never ask.
        let deadline = try Deadline(seconds: 5)
        try await eventually {
            let status = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
            return status.map { $0.contains(") Z ") || $0.contains(") X ") } ?? true
        }
        #expect(await deadline.isMet(), "the child outlived its run")
        #expect(try await job.items().first { $0.url == job.poisonURL }?.state == "pending")
        #expect(try await job.run(nil).exit == 0)
    }

    @Test("kill -9 under load makes suspects of what was worked on, and quarantines none")
    func killed() async throws {
        let seed = SeededGenerator.seed(of: "poison test")
        var random = SeededGenerator(seed: seed)
        // Encoding takes most of an item's time, so that a kill that comes late still meets one.
        let job = try PoisonedJob(
            images: 400,
            outputs: #"{"processors": [{"resize": {"width": 100}}], "format": "avif"}"#
        )
        var (suspects, kills) = (0, 0)
        // A dozen kills may all meet moments in which no image is decoded.
        while kills < 12 || suspects == 0 && kills < 100 {
            // Each run is killed when it has told of so many items.
            let most = Int.random(in: 1...30, using: &random)
            let told = Mutex(0)
            let (ends, moment) = AsyncStream<Void>.makeStream()
            let program = try job.start(nil, ["run", "job.json", "--json"]) { line in
                let count = told.withLock { told in
                    told += 1
                    return told
                }
                if count > most || line.contains("run_finished") { moment.finish() }
            }
            for await _ in ends {}
            program.signal(SIGKILL)
            guard await program.wait().exit == 128 + SIGKILL else { break }
            kills += 1
            suspects += try job.suspects()
        }
        print("poison test: \(kills) kills, \(suspects) suspects")
        #expect(suspects > 0, "no kill met an image that was worked on")
        let last = try await job.run(nil)
        #expect(last.exit == 0, "\(last.output)\(last.errors)")
        #expect(try await job.items().allSatisfy { $0.state == "done" })
    }
}

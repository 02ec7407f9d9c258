import CacheTrials
import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// The contract of a fleet's worker, without an engine.
@Suite(.timeLimit(.minutes(10))) struct FleetWorkTests {
    @Test("a partition done twice is committed once, with the same bytes")
    func twice() async throws {
        let fleet = try FleetFolder(6)
        #expect(try await fleet.plan(3) == 2)
        let answers = try await fleet.work([0, 1, 0, 1, 7])
        #expect(answers.map { $0["committed"] as? Bool } == [true, true, true, true, false])
        #expect(answers.map { ($0["counts"] as? [String: Int])?["done"] } == [3, 3, nil, nil, nil])
        #expect(answers.allSatisfy { $0["error"] is NSNull })
        #expect(fleet.attempts(0, ".started").count == 1 && fleet.attempts(0, ".won").count == 1)
        #expect(fleet.job.files(in: "store/out") == (1...6).map { "\($0)-\($0).png" })
        #expect(fleet.job.files(in: "scratch").isEmpty, "what the worker needed is removed")
    }

    @Test("of two workers at the same partition one commits, and both succeed")
    func race() async throws {
        let arrived = Mutex(0)
        let gate = DispatchSemaphore(value: 0)
        let pictures = try LoopbackServer.tinyPictures()
        let origin = try LoopbackServer { request in
            // Both workers are at work before either can finish.
            let count = arrived.withLock { count in
                count += 1
                return count
            }
            if count == 2 { (0..<100).forEach { _ in gate.signal() } }
            gate.wait()
            return .redirect(to: "\(pictures.address)\(request.path)")
        }
        let fleet = try FleetFolder(1, origin: origin)
        #expect(try await fleet.plan(1) == 1)
        async let first = fleet.fleet("work", "--partition", "0")
        async let second = Program.run(
            "nuke-batch",
            [
                "fleet", "work", "--store", "store", "--partition", "0", "--scratch",
                fleet.job.folder.path("other"),
            ],
            in: fleet.job.folder.path
        )
        let exits = try await [first.exit, second.exit]
        #expect(exits == [0, 0])
        #expect(fleet.attempts(0, ".started").count == 2 && fleet.attempts(0, ".jsonl.gz").count == 2)
        #expect(fleet.attempts(0, ".won").count == 1)
        #expect(try await fleet.fleet("collect", "--gc").exit == 0)
        #expect(fleet.attempts(0, ".started").count == 1 && fleet.attempts(0, ".jsonl.gz").count == 1)
    }

    @Test("where files must have names, as on NFS, a commit is made by a call that replaces nothing")
    func namedFiles() async throws {
        let fleet = try FleetFolder(1)
        #expect(try await fleet.plan(1) == 1)
        let calls = fleet.job.folder.path("calls")
        let faults = [
            "LD_PRELOAD": try Faults.build(in: fleet.job.folder.path), "NB_CALLS": calls,
            "NB_FAIL": "create unnamed", "NB_ERRNO": "\(EOPNOTSUPP)", "NB_FAIL_COUNT": "1000000",
        ]
        let worked = try await fleet.fleet("work", "--partition", "0", more: faults)
        #expect(worked.exit == 0, "\(worked.errors)")
        let made = try String(contentsOfFile: calls, encoding: .utf8).split(separator: "\n").filter {
            $0.hasSuffix("/commits/000000.json")
        }
        #expect(made.map { $0.prefix { $0 != " " } } == ["link"], "\(made)")
        #expect(fleet.job.files(in: "store/commits") == ["000000.json"])
        #expect(try await fleet.fleet("collect").exit == 0)
    }

    @Test("a worker whose commit is made, but not answered for, has committed")
    func lostAnswer() async throws {
        let fleet = try FleetFolder(1)
        #expect(try await fleet.plan(1) == 1)
        let faults = [
            "LD_PRELOAD": try Faults.build(in: fleet.job.folder.path), "NB_LOST": "1",
            "NB_FAIL": "link", "NB_ERRNO": "\(EEXIST)", "NB_FAIL_PATH": "/commits/",
        ]
        let worked = try await fleet.fleet("work", "--partition", "0", more: faults)
        #expect(worked.exit == 0, "\(worked.errors)")
        #expect(fleet.attempts(0, ".won").count == 1)
        #expect(try await fleet.fleet("collect").exit == 0)
    }

    @Test(
        "the engine's variable names the partition, by order, offset and stride",
        arguments: [
            (["NUKE_BATCH_PARTITION": "1", "SLURM_ARRAY_TASK_ID": "0"], [], [1]),
            (["SLURM_ARRAY_TASK_ID": "1", "JOB_COMPLETION_INDEX": "0"], ["--offset", "1"], [2]),
            (["JOB_COMPLETION_INDEX": "1"], ["--stride", "2"], [2, 3]),
            (["AWS_BATCH_JOB_ARRAY_INDEX": "0"], [], [0]), (["AWS_BATCH_JOB_ARRAY_INDEX": "9"], [], []),
        ] as [([String: String], [String], [Int])]
    )
    func variables(_ environment: [String: String], words: [String], partitions: [Int]) async throws {
        let fleet = try FleetFolder(4)
        #expect(try await fleet.plan(1) == 4)
        let outcome = try await Program.run(
            "nuke-batch",
            ["fleet", "work", "--store", "store", "--from-env", "--scratch", fleet.job.folder.path("s")]
                + words,
            in: fleet.job.folder.path,
            environment: environment
        )
        #expect(outcome.exit == 0, "\(outcome.errors)")
        #expect(fleet.job.files(in: "store/commits") == partitions.map { "00000\($0).json" })
    }

    @Test("what no other try can help ends with 42, and a missing variable says so")
    func hopeless() async throws {
        let fleet = try FleetFolder(1)
        let missing = try await fleet.fleet("work", "--partition", "0")
        #expect(missing.exit == 4 && missing.errors.contains("does not exist on this machine"))
        #expect(!fleet.job.files(in: ".").contains { $0.hasPrefix("store") })
        try FileManager.default.createDirectory(
            atPath: fleet.job.folder.path("store"),
            withIntermediateDirectories: true
        )
        let none = try await fleet.fleet("work", "--partition", "0")
        #expect(none.exit == 42 && none.errors.contains("has no plan"), "\(none.errors)")
        _ = try await fleet.plan(1)
        let unset = try await fleet.fleet("work", "--from-env")
        #expect(
            unset.exit == 2 && unset.errors.contains("SLURM_ARRAY_TASK_ID"),
            "\(unset.exit) \(unset.errors)"
        )
        let twice = try await fleet.fleet("work", "--partition", "0", "-")
        #expect(twice.exit == 2, "\(twice.errors)")
    }

    @Test("a worker on the same node resumes after kill -9, and asks for almost nothing again")
    func resume() async throws {
        let (count, concurrency) = (600, 16)
        let requests = Mutex<[String: Int]>([:])
        let started = Mutex<Program?>(nil)
        let origin = try LoopbackServer { request in
            let all = requests.withLock { requests in
                requests[request.path, default: 0] += 1
                return requests.values.reduce(0, +)
            }
            if all == count * 6 / 10 { started.withLock { $0?.signal(SIGKILL) } }
            return LoopbackServer.tinyPicture(for: request)
        }
        // One at a time, so that the kill finds one in flight.
        let fleet = try FleetFolder(
            count,
            origin: origin,
            concurrency: concurrency,
            #", "limits": {"processing": 1}"#
        )
        #expect(try await fleet.plan(count) == 1)
        let words = ["fleet", "work", "--store", "store", "--partition", "0", "--scratch", "scratch"]
        let program = try Program("nuke-batch", words, in: fleet.job.folder.path)
        started.withLock { $0 = program }
        #expect(await program.wait().exit == 128 + SIGKILL)
        let before = requests.withLock { $0.values.reduce(0, +) }
        #expect(try await Program.run("nuke-batch", words, in: fleet.job.folder.path).exit == 0)
        let again = requests.withLock { $0.values.reduce(0) { $0 + $1 - 1 } }
        // Those that were in flight at the moment of the kill, and those that were loaded and not yet durable: backpressure
        // lets as many wait for a slow disk as may be in flight.
        #expect(before < count && again <= 2 * concurrency, "\(again) of \(count) were asked for again")
        #expect(fleet.attempts(0, ".started").count == 2 && fleet.attempts(0, ".won").count == 1)
    }

    @Test("SIGTERM ends a worker without a commit, and the next one finishes")
    func termination() async throws {
        let arrived = DispatchSemaphore(value: 0)
        let isHeld = Mutex(true)
        let pictures = try LoopbackServer.tinyPictures()
        let origin = try LoopbackServer { request in
            arrived.signal()
            if isHeld.withLock({ $0 }) { return .status(503) }
            return .redirect(to: "\(pictures.address)\(request.path)")
        }
        let fleet = try FleetFolder(
            2,
            origin: origin,
            #", "retry": {"attempts": 50, "backoff": "50ms..100ms"}"#
        )
        _ = try await fleet.plan(2)
        let words = ["fleet", "work", "--store", "store", "--partition", "0", "--scratch", "scratch"]
        let program = try Program("nuke-batch", words, in: fleet.job.folder.path)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                arrived.wait()
                continuation.resume()
            }
        }
        program.signal(SIGTERM)
        #expect(await program.wait().exit == 143)
        #expect(fleet.job.files(in: "store/commits").isEmpty)
        isHeld.withLock { $0 = false }
        #expect(try await fleet.fleet("work", "--partition", "0").exit == 0)
        #expect(try await fleet.fleet("collect").exit == 0)
    }

    @Test(
        "a worker that meets another one of its node at the partition leaves no sign of an image that ended it"
    )
    func occupied() async throws {
        let gate = DispatchSemaphore(value: 0)
        let pictures = try LoopbackServer.tinyPictures()
        let origin = try LoopbackServer { request in
            gate.wait()
            return .redirect(to: "\(pictures.address)\(request.path)")
        }
        let fleet = try FleetFolder(1, origin: origin)
        #expect(try await fleet.plan(1) == 1)
        async let first = fleet.fleet("work", "--partition", "0")
        _ = await origin.requests(atLeast: 1)
        for _ in 0..<2 {
            let second = try await fleet.fleet("work", "--partition", "0")
            #expect(second.exit == 4, "\(second.errors)")
        }
        #expect(fleet.attempts(0, ".started").count == 1)
        gate.signal()
        #expect(try await first.exit == 0)
    }

    @Test("a worker whose answers nobody reads commits nothing")
    func closedPipe() async throws {
        let fleet = try FleetFolder(1)
        _ = try await fleet.plan(1)
        let binary = Program.folder.appendingPathComponent("nuke-batch").path
        // The reader of the pipe is gone before the worker begins.
        let script =
            "exec 3> >(true); wait $!; echo 0 | \(binary) fleet work --store store --scratch s - >&3; echo $?"
        let outcome = try await Program(path: "/bin/bash", ["-c", script], in: fleet.job.folder.path).wait()
        #expect(outcome.output == "4\n", "\(outcome.output)\(outcome.errors)")
        #expect(fleet.job.files(in: "store/commits").isEmpty, "\(outcome.errors)")
    }

    @Test("with --chain, a partition waits for the one before it, at the host's whole rate")
    func chain() async throws {
        let fleet = try FleetFolder(9, #", "limits": {}"#)
        #expect(try await fleet.plan(3, "--chain") == 3)
        let early = try await fleet.fleet("work", "--partition", "1")
        #expect(early.exit == 4 && early.errors.contains("follows partition 0"), "\(early.errors)")
        let answers = try await fleet.work([0, 1, 2])
        #expect(answers.map { $0["committed"] as? Bool } == [true, true, true])
        let plan = try fleet.job.data("store/plan.json")
        #expect(String(decoding: plan, as: UTF8.self).components(separatedBy: #""rate":5000"#).count == 4)
    }

    @Test("secrets stay in the environment of those who work")
    func secrets() async throws {
        var fleet = try FleetFolder(
            1,
            #", "state": "x.sqlite", "loading": {"headers": {"X-Key": "${FLEET_KEY}"}}"#
        )
        try fleet.job.write(
            """
            "sources": [{"urls": ["\(fleet.origin.address)/1.png"]}], "outputs": [{"path": "{stem}.{ext}", "format": "png"}],
            "loading": {"headers": {"X-Key": "${FLEET_KEY}"}}
            """
        )
        fleet.environment = ["FLEET_KEY": "a-very-secret-text"]
        _ = try await fleet.plan(1)
        #expect(try await fleet.fleet("work", "--partition", "0").exit == 0)
        let keys = fleet.origin.requests.compactMap { $0.headers["x-key"] }
        #expect(keys == ["a-very-secret-text"])
        for path in fleet.job.files(in: "store") {
            let data = try fleet.job.data("store/\(path)")
            #expect(data.range(of: Data("a-very-secret-text".utf8)) == nil, "\(path)")
        }
        fleet.environment = [:]
        _ = try FileManager.default.removeItem(atPath: fleet.job.folder.path("store/commits"))
        let without = try await fleet.fleet("work", "--partition", "0")
        #expect(
            without.exit == 42 && without.errors.contains("FLEET_KEY"),
            "\(without.exit) \(without.errors)"
        )
    }
}

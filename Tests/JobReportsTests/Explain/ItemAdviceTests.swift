import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import TestSupport
import Testing

@testable import JobReports

/// The reason and the next step for each state of an item, told from records of a real state.
@Suite struct ItemAdviceTests {
    private func advice(_ job: PlannedJob, item number: Int = 1, files: Bool = true) throws -> ItemAdvice {
        let store = try job.open()
        defer { store.close() }
        let lives = try store.reader.lives(ItemFilter(url: "/\(number).jpg"), limit: 1)
        return advice(job, try #require(lives.first), files: files)
    }

    private func advice(_ job: PlannedJob, _ life: ItemLife, files: Bool = true) -> ItemAdvice {
        let commands = NextCommands(manifestPath: job.manifest.path, options: job.options)
        let missing = files ? [] : Set(life.outputs.compactMap(\.result.path))
        return ItemAdvice(manifest: job.manifest, life: life, commands: commands, missing: missing)
    }

    private func failed(_ error: String, message: String = "a sentence") async throws -> ItemAdvice {
        let job = try PlannedJob(items: 1)
        try await job.run { store, item in
            try await job.fail(item, in: store, as: error, message: message)
        }
        return try advice(job)
    }

    @Test("an item that no run has started")
    func pending() throws {
        let advice = try advice(try PlannedJob(items: 1))
        #expect(advice.why == "no run has started it yet")
        #expect(advice.next.count == 1 && advice.next[0].hasPrefix("nuke-batch run "))
        #expect(advice.outputs.map(\.name) == ["small"])
        #expect(advice.outputs[0].why == "not made yet" && advice.outputs[0].isWanted)
        #expect(advice.outputs[0].state == nil)
    }

    @Test("an item that was put back says why; one that is held says so")
    func putBackAndRunning() async throws {
        let job = try PlannedJob(items: 2)
        try await job.run(exit: nil) { store, item in
            if item.ordinal == 1 { try await store.putBack(item, reason: "the disk is full") }
            guard item.ordinal == 2 else { return }
            let reader = store.reader
            let life = try #require(try reader.lives(ItemFilter(url: "/2.jpg"), limit: 1).first)
            let advice = advice(job, life)
            #expect(advice.why == "a run is loading it")
            #expect(advice.next.map { $0.hasPrefix("nuke-batch status ") } == [true])
        }
        #expect(try advice(job).why == "it was put back: the disk is full")
    }

    @Test("an output that is outdated says so, and is to be made")
    func outdated() async throws {
        let job = try PlannedJob(items: 1)
        try await job.run { store, item in try await job.finish(item, in: store) }
        let store = try job.open()
        let item = try #require(try store.reader.items().first)
        try store.requeueOutputs([(item.itemID, "small")])
        store.close()
        let outputs = try advice(job).outputs
        #expect(outputs.map(\.why) == ["not made yet", "it is outdated; the next run makes it again"])
        #expect(outputs.map(\.isWanted) == [true, false])
    }

    @Test("an item that waits for another attempt names its error")
    func retry() async throws {
        let job = try PlannedJob(items: 1)
        try await job.run { store, item in
            try await store.retryLater(item, after: 5, error: "timeout", message: "30 s passed")
        }
        let advice = try advice(job)
        #expect(advice.why == "timeout: 30 s passed" && advice.next.count == 1)
        #expect(advice.outputs.map(\.why) == ["not made yet"])
    }

    @Test(
        "a permanent failure has the remedy of the table, and the command that retries the item",
        arguments: [
            ErrorCode.http(404), .http(403), .tls, .empty, .tooLarge, .redirects, .badURL, .scheme, .address,
            .notFound,
            .wrongType, .corrupt, .limits, .processing, .collision,
        ]
    )
    func permanent(code: ErrorCode) async throws {
        let advice = try await failed(code.rawValue)
        #expect(advice.why == "\(code.rawValue): a sentence")
        #expect(advice.next.count == 2 && advice.next[0] == code.entry.remedy)
        #expect(advice.next[1].hasPrefix("nuke-batch retry "))
        #expect(advice.next[1].hasSuffix(" --url https://a.example/1.jpg"))
        #expect(advice.outputs.map(\.why) == ["not made: the original could not be loaded"])
    }

    @Test(
        "what the next run retries needs no retry",
        arguments: [
            ErrorCode.dns, .refused, .timeout, .reset, .truncated, .integrity, .hostDown, .offline,
            .http(503), .http(429),
        ]
    )
    func retryable(code: ErrorCode) async throws {
        let advice = try await failed(code.rawValue)
        #expect(advice.next.count == 2 && advice.next[0] == "The next run retries it.")
        #expect(advice.next[1].hasPrefix("nuke-batch run "))
    }

    @Test("an error of a later release is shown, without a remedy")
    func unknown() async throws {
        let advice = try await failed("sunspots")
        #expect(advice.why == "sunspots: a sentence")
        #expect(advice.next.count == 1 && advice.next[0].hasPrefix("nuke-batch retry "))
    }

    @Test("the commands are about the state that was asked for")
    func elsewhere() async throws {
        var job = try PlannedJob(items: 1)
        job.options.state = job.folder.folder.path("a state.sqlite")
        try job.plan()
        #expect(try advice(job).next.first?.hasSuffix("/a state.sqlite'") == true)
        try await job.run { store, item in try await job.fail(item, in: store) }
        let retry = try advice(job).next.last
        #expect(retry?.contains(" retry ") == true && retry?.contains(" --state-file '/") == true)
    }

    @Test("the command for a signed URL hides the signature and is quoted for the shell")
    func signed() async throws {
        let url = "https://a.example/1.jpg?signature=SECRET&x=1"
        let job = try PlannedJob(PlannedJob.manifest([url]))
        try await job.run { store, item in try await job.fail(item, in: store) }
        let store = try job.open()
        defer { store.close() }
        let life = try #require(try store.reader.lives(ItemFilter(), limit: 1).first)
        let advice = advice(job, life)
        #expect(advice.next.last?.hasSuffix(" --url 'https://a.example/1.jpg?*'") == true, "\(advice.next)")
    }

    @Test("a done item has nothing to do, and its outputs say that they are current")
    func done() async throws {
        let job = try PlannedJob(items: 1)
        try await job.run { store, item in try await job.finish(item, in: store) }
        let advice = try advice(job)
        #expect(advice.why == "all its outputs are made" && advice.next.isEmpty)
        let output = try #require(advice.outputs.first)
        #expect(output.why == "it is current: same original, same recipe")
        #expect(output.state == "done" && output.path == "small/1.jpg" && output.width == 320)
        #expect(output.encoder == "libjpeg 9" && output.time != nil && output.sha256?.count == 64)
    }

    @Test("a file that is missing is told, with the command that makes it again")
    func missing() async throws {
        let job = try PlannedJob(items: 1)
        try await job.run { store, item in try await job.finish(item, in: store) }
        let advice = try advice(job, files: false)
        #expect(advice.outputs.map(\.why) == ["it was made, and its file is missing"])
        #expect(advice.next.count == 1 && advice.next[0].hasSuffix(" --repair"))
    }

    @Test("an output of an earlier recipe is orphaned, the one asked for is not made yet")
    func changed() async throws {
        var job = try PlannedJob(items: 1)
        try await job.run { store, item in try await job.finish(item, in: store) }
        try job.write(
            PlannedJob.manifest(["https://a.example/1.jpg"]).replacing("\"jpeg\"", with: "\"png\"")
        )
        try job.plan()
        let advice = try advice(job)
        #expect(advice.why == "the manifest or the original has changed since its outputs were made")
        #expect(advice.outputs.map(\.isWanted) == [true, false])
        #expect(advice.outputs[0].why == "not made yet" && advice.outputs[0].state == nil)
        #expect(advice.outputs[1].why.hasPrefix("an earlier manifest asked for it"))
    }

    @Test("the outputs come in the manifest's order")
    func order() async throws {
        let two = PlannedJob.manifest(["https://a.example/1.jpg"]).replacing(
            #""outputs": ["#,
            with: #""outputs": [{"name": "wide", "format": "png", "path": "wide/{index}.{ext}"}, "#
        )
        let job = try PlannedJob(two)
        #expect(try advice(job).outputs.map(\.name) == ["wide", "small"])
        try await job.run { store, item in try await job.finish(item, in: store) }
        #expect(try advice(job).outputs.map(\.name) == ["wide", "small"])
    }

    @Test("an item that left the manifest names the command that removes its outputs")
    func unlisted() async throws {
        var job = try PlannedJob(items: 2)
        try await job.run { store, item in
            if item.ordinal == 1 {
                try await job.finish(item, in: store)
            } else {
                try await job.fail(item, in: store)
            }
        }
        try job.write(PlannedJob.manifest(["https://a.example/3.jpg"]))
        try job.plan()
        let store = try job.open()
        defer { store.close() }
        let lives = try (1...2).map { number in
            let url = "https://a.example/\(number).jpg"
            return try #require(try store.reader.lives(of: url, path: url, limit: 1).first)
        }
        let advice = lives.map { self.advice(job, $0) }
        #expect(advice[0].why == "the manifest no longer lists it; its outputs stay until you prune them")
        #expect(advice[0].next.first?.hasPrefix("nuke-batch prune ") == true)
        #expect(advice[0].outputs.map(\.isWanted) == [false])
        #expect(advice[0].outputs[0].why.hasPrefix("the manifest no longer lists its item"))
        #expect(advice[1].next.isEmpty && advice[1].outputs.isEmpty, "it made nothing")
        let text = try #require(
            try await ItemExplainer(job.manifest).items("https://a.example/1.jpg").first
        ).text
        #expect(
            text.contains("was listed in sources[0].urls[0] as item 1") && text.contains("small  orphaned")
        )
    }

    @Test("a quarantined item is to be inspected")
    func quarantined() async throws {
        let job = try PlannedJob(items: 1)
        try await job.run { store, item in
            try await store.record(ItemResult(.quarantined(error: "crashed", message: "SIGSEGV")), of: item)
        }
        let advice = try advice(job)
        #expect(advice.why == "it ended the process more than once, so runs leave it out: SIGSEGV")
        #expect(advice.next.first?.hasPrefix("Inspect the original") == true && advice.next.count == 2)
        #expect(advice.outputs.map(\.why) == ["not made: the item is quarantined"])
    }

    @Test(
        "skipped outputs name the rule",
        arguments: [
            ("exists", "a file that the state does not know has its path, and `existing` is `keep`"),
            ("width", "the image is not wider than a smaller one of `widths`, which has it at its own width"),
            (Manifest.optOut, "its X-Robots-Tag forbids this use, and `dataset.honourOptOut` is set"),
            (
                "narrower than 5000 pixels",
                "the original does not meet `when`: it is narrower than 5000 pixels"
            ),
        ]
    )
    func skipped(reason: String, why: String) async throws {
        let job = try PlannedJob(items: 1)
        try await job.run { store, item in
            let recipe = job.manifest.digest(of: job.manifest.outputs[0], source: 0)
            let output = OutputRecord(name: "small", recipe: recipe, state: .skipped, reason: reason)
            try await store.record(ItemResult(.skipped(reason: reason), outputs: [output]), of: item)
        }
        let advice = try advice(job)
        #expect(advice.outputs.map(\.why) == [why])
        #expect(advice.why == "no output was needed: \(reason)" && advice.next.isEmpty)
    }

    @Test("a failed output says what failed")
    func failedOutput() async throws {
        let job = try PlannedJob(items: 1)
        try await job.run { store, item in
            let recipe = job.manifest.digest(of: job.manifest.outputs[0], source: 0)
            let output = OutputRecord(
                name: "small",
                recipe: recipe,
                state: .failed,
                reason: "processing: too small"
            )
            let result = ItemResult(
                .failed(error: "processing", message: "output small: too small"),
                outputs: [output],
                attempt: AttemptResult(started: 1, milliseconds: 1, outcome: "failed") { $0.bytes = 10 }
            )
            try await store.record(result, of: item)
        }
        #expect(try advice(job).outputs.map(\.why) == ["processing: too small"])
    }

    @Test(
        "words are quoted for a shell only if they must be",
        arguments: [
            ("job.json", "job.json"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#), ("", "''"),
            ("$HOME", "'$HOME'"), ("'\u{301}; x", "''\\''\u{301}; x'"),
            ("ä.json", "'ä.json'"), ("https://a.example/x?*", "'https://a.example/x?*'"),
            ("a/b_c-d.e@f%g+h=i:j,k", "a/b_c-d.e@f%g+h=i:j,k"),
        ]
    )
    func shell(word: String, quoted: String) {
        #expect(Shell.quoted(word) == quoted)
    }
}

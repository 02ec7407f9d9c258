import Foundation
import TestSupport
import Testing

/// Jobs of many items: what their time and memory are is shown by `Benchmarks/scale`; here it is what they do.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LargeJobTests {
    /// A gray picture of one pixel.
    private static let pixel = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
    )

    /// `NUKE_BATCH_LARGE_JOB=100000` in the environment makes it as large as `Benchmarks/scale` does.
    private static let count =
        ProcessInfo.processInfo.environment["NUKE_BATCH_LARGE_JOB"].flatMap { Int($0) } ?? 20_000

    // A sanitizer keeps a shadow of all memory, and what was freed for a while.
    @Test(
        "a list of a million lines is planned in less than 150 MB",
        .enabled(if: ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil)
    )
    func memory() async throws {
        let folder = try TemporaryFolder()
        let lines = (0..<1_000_000).map {
            "https://example.com/products/\($0 % 1000)/\($0)/front.jpg?w=1200\n"
        }
        try folder.write(lines.joined(), to: "urls.txt")
        try folder.write(
            #"{"sources": [{"list": "urls.txt"}], "outputs": [{"format": "jpeg"}], "cache": {"directory": "cache"}}"#,
            to: "job.json"
        )
        let script = """
            import resource, subprocess, sys
            print(subprocess.run(sys.argv[1:], capture_output=True, text=True).stdout.split("\\n")[0])
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
            """
        let binary = Program.folder.appendingPathComponent("nuke-batch").path
        let plan = try await Program(
            path: "/usr/bin/env",
            ["python3", "-c", script, binary, "plan", "job.json"],
            in: folder.path
        ).wait()
        let said = plan.output.split(separator: "\n")
        #expect(said.first?.hasPrefix("1000000 items") == true, "\(plan.output)\(plan.errors)")
        let kilobytes = try #require(said.last.flatMap { Int($0) })
        print("large job: a million lines planned in \(kilobytes) kB")
        // The list itself, 56 MB, would not fit.
        #expect(kilobytes < 150_000)
    }

    @Test("a finished job of many items has nothing to do, and its state does not change")
    func nothingToDo() async throws {
        let folder = try TemporaryFolder()
        let pixel = try #require(Self.pixel)
        try folder.write(pixel, to: "pixels/0.png")
        for number in 1..<1000 {
            try FileManager.default.linkItem(
                atPath: folder.path("pixels/0.png"),
                toPath: folder.path("pixels/\(number).png")
            )
        }
        // Many items for each file, told apart by their ids.
        let rows = (0..<Self.count).map {
            #"{"url": "pixels/\#($0 % 1000).png", "id": "\#($0)", "vars": {"part": "\#($0 % 100)"}}"#
        }
        try folder.write(rows.joined(separator: "\n"), to: "list.jsonl")
        try folder.write(
            """
            {"sources": [{"list": "list.jsonl"}], "cache": {"directory": "cache"},
             "outputs": [{"processors": [{"resize": {"width": 1}}], "format": "png", "path": "{part}/{id}.{ext}"}]}
            """,
            to: "job.json"
        )
        let first = try await Program.run("nuke-batch", ["run", "job.json", "--quiet"], in: folder.path)
        #expect(first.exit == 0, "\(first.output)\(first.errors)")
        let outputs = try FileManager.default.subpathsOfDirectory(atPath: folder.path("out"))
        #expect(outputs.count { $0.hasSuffix(".png") } == Self.count)

        let second = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(second.exit == 0)
        #expect(second.output.hasPrefix("nothing to do: \(Self.count) items, all done"), "\(second.output)")
        print("large job: \(second.output)", terminator: "")

        // One more line: one more item, and nothing else is looked at again.
        let more = rows + [#"{"url": "pixels/0.png", "id": "one-more", "vars": {"part": "0"}}"#]
        try folder.write(more.joined(separator: "\n"), to: "list.jsonl")
        let third = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(third.exit == 0)
        #expect(third.output.hasPrefix("1 made"), "\(third.output)")
    }
}

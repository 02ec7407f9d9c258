import Foundation
import Imaging
import TestSupport
import Testing

/// The options of `resize` and `convert`, and what is refused before anything is written.
@Suite(.timeLimit(.minutes(10))) struct ResizeOptionTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        for (name, width) in [("photos/a.png", 300), ("photos/b.png", 200), ("albums/x/c.png", 100)] {
            try job.folder.write(try TestImages.gradient(width: width, height: 100), to: name)
        }
        try job.folder.write("sku,image,page\n1,photos/a.png,https://a.example/1\n", to: "rows.csv")
        try job.folder.write("sku,colour\n1,red\n", to: "none.csv")
        try job.folder.write("photos/a.png\n", to: "list.txt")
    }

    private func nukeBatch(_ words: [String]) async throws -> Program.Outcome {
        try await Program.run("nuke-batch", words, in: job.folder.path)
    }

    private func made() -> [String] {
        job.files().filter { !$0.hasPrefix(".nuke-batch/") }
    }

    /// The size of each output of `photos/a.png`, which has 300 × 100 pixels.
    private func sizes(_ options: String...) async throws -> [String: PixelSize] {
        let run = try await nukeBatch(["resize", "photos/a.png", "-o", "out"] + options)
        #expect(run.exit == 0, "\(options): \(run.output)\(run.errors)")
        var sizes: [String: PixelSize] = [:]
        for name in made() { sizes[name] = try ImageHeader.read(job.data("out/\(name)")).size }
        try FileManager.default.removeItem(atPath: job.folder.path("out"))
        return sizes
    }

    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    @Test("sizes")
    func sizes() async throws {
        #expect(try await sizes("--width", "150") == ["a.png": size(150, 50)])
        #expect(try await sizes("--height", "50") == ["a.png": size(150, 50)])
        #expect(try await sizes("--width", "60", "--height", "50") == ["a.png": size(60, 20)])
        #expect(try await sizes("--width", "600") == ["a.png": size(300, 100)])
        #expect(
            try await sizes("--width", "150,60", "--width=30")
                == ["a-150.png": size(150, 50), "a-60.png": size(60, 20), "a-30.png": size(30, 10)]
        )
        #expect(
            try await sizes("--height", "50,20") == ["a-50.png": size(150, 50), "a-20.png": size(60, 20)]
        )
        #expect(try await sizes("--fit", "60x60") == ["a.png": size(60, 20)])
        for gravity in [[], ["--gravity", "north"], ["--gravity", "smart"]] {
            let words = ["resize", "photos/a.png", "-o", "out", "--fill", "60X50"] + gravity
            #expect(try await nukeBatch(words).exit == 0)
            #expect(try ImageHeader.read(job.data("out/a.png")).size == size(60, 50), "\(gravity)")
        }
    }

    @Test("formats, quality, names and metadata")
    func formats() async throws {
        let words = ["resize", "photos", "-o", "out", "--width", "100,200", "--format", "webp,jpg"]
        #expect(try await nukeBatch(words + ["--quality", "90"]).exit == 0)
        let names = ["a", "b"].flatMap { name in
            ["100", "200"].flatMap { ["\(name)-\($0).jpg", "\(name)-\($0).webp"] }
        }
        #expect(made() == names.sorted())
        let large = try job.data("out/a-200.jpg").count
        #expect(try await nukeBatch(words + ["--quality", "5"]).exit == 0)
        #expect(try job.data("out/a-200.jpg").count < large)
        let named = ["convert", "photos", "-o", "named", "--format", "png", "--name", "x/{index}.{ext}"]
        #expect(try await nukeBatch(named + ["--keep-metadata"]).exit == 0)
        #expect(job.files(in: "named").filter { $0.hasPrefix("x/") } == ["x/1.png", "x/2.png"])
        let printed = try await nukeBatch(named + ["--keep-metadata", "--print-manifest"]).output
        #expect(printed.contains(#""metadata": "keep""#) && !printed.contains("strip"))
        for (option, keys) in [
            (["--metadata", "rights,date"], #"{"keep":["rights","date"]}"#),
            (["--metadata=-location"], #"{"drop":["location"]}"#),
            (["--metadata", "-location,-people"], #"{"drop":["location","people"]}"#),
            (["--metadata=date,rights,-date"], #"{"keep":["date","rights"],"drop":["date"]}"#),
        ] {
            let printed = try await nukeBatch(named + option + ["--print-manifest"]).output
            let text = printed.filter { !$0.isWhitespace }
            #expect(text.contains(#""metadata":"# + keys), "\(printed)")
        }
        #expect(try await nukeBatch(named + ["--metadata=-location"]).exit == 0)
        let mapped = try await nukeBatch(named + ["--hdr", "tonemap", "--print-manifest"]).output
        #expect(mapped.contains(#""hdr": "tonemap""#) && !printed.contains("hdr"), "\(mapped)")
    }

    @Test(
        "--max-bytes bounds every file; where no quality keeps within it, that is said, and a smaller width helps"
    )
    func maxBytes() async throws {
        try job.folder.write(try Repository.photo("rocket.jpg"), to: "photos/rocket.jpg")
        let words = ["resize", "photos/rocket.jpg", "--width", "400", "--format", "jpeg,webp", "-o", "out"]
        func sizes() throws -> [Int] { try ["jpg", "webp"].map { try job.data("out/rocket.\($0)").count } }
        #expect(try await nukeBatch(words).exit == 0)
        let free = try sizes()
        let limit = (free.min() ?? 0) * 3 / 4
        #expect(try await nukeBatch(words + ["--max-bytes", "\(limit)"]).exit == 0)
        let limited = try sizes()
        #expect(limited.allSatisfy { $0 <= limit && $0 > limit / 2 }, "\(limited) of \(limit)")
        #expect(try await nukeBatch(words + ["--max-bytes", "20MB"]).exit == 0)
        #expect(try sizes() == free)
        #expect(try await nukeBatch(words + ["--max-bytes", "20kB"]).exit == 0)
        #expect(try sizes().allSatisfy { $0 <= 20_000 })

        let failed = try await nukeBatch(words + ["--max-bytes", "900"])
        #expect(failed.exit == 1, "\(failed.output)")
        let seen = try await job.shell(try job.advice("to see them: ", in: failed))
        #expect(
            seen.output.contains("but the format's maxBytes allows 900. Make the image narrower"),
            "\(seen.output)"
        )
        let narrow = words.map { $0 == "400" ? "16" : $0 }
        let made = try await nukeBatch(narrow + ["--max-bytes", "900"])
        #expect(made.exit == 0, "\(made.output)")
        #expect(try sizes().allSatisfy { $0 <= 900 })
    }

    @Test("a printed manifest is the one that runs, and printing it writes nothing")
    func printed() async throws {
        try job.folder.write("photos/b.png\n", to: "urls.txt")
        let words = [
            "resize", "photos/a.png", "albums/**/*.png", "urls.txt", "--width", "20,40", "--format",
            "webp,png",
            "-o", "out",
        ]
        let printed = try await nukeBatch(words + ["--print-manifest"])
        #expect(printed.exit == 0 && job.files().isEmpty)
        try job.folder.write(printed.output, to: "jobs/printed.json")
        #expect(try await nukeBatch(["validate", "jobs/printed.json"]).exit == 0)
        #expect(try await nukeBatch(["run", "jobs/printed.json"]).exit == 0)
        let files = job.files()
        #expect(files.count == 12, "\(files)")
        #expect(try await nukeBatch(words).exit == 0)
        #expect(made() == files)
        #expect(try job.data("out/.nuke-batch/job.json") == Data(printed.output.utf8))
        // Not written again.
        let before = try job.modified("out/.nuke-batch/job.json")
        #expect(try await nukeBatch(words + ["-q"]).output.isEmpty)
        #expect(try job.modified("out/.nuke-batch/job.json") == before)
    }

    @Test(
        "outputs with the names of their originals are refused, however a pattern names their folder",
        arguments: ["photos/*.png", "~/photos/*.png", #"ph\otos/*.png"#, "photos/../photos/[ab].png"]
    )
    func originals(pattern: String) async throws {
        let before = try ["a", "b"].map { try job.data("photos/\($0).png") }
        let run = try await Program.run(
            "nuke-batch",
            ["resize", pattern, "--width", "20", "-o", "photos"],
            in: job.folder.path,
            environment: ["HOME": job.folder.path]
        )
        #expect(
            run.exit == 2 && run.errors.contains("would have the names of their originals"),
            "\(run.errors)"
        )
        #expect(try ["a", "b"].map { try job.data("photos/\($0).png") } == before)
    }

    @Test("an output folder below the originals keeps the images that are there", arguments: [true, false])
    func mixed(isPattern: Bool) async throws {
        try job.folder.write(try TestImages.gradient(width: 50, height: 50), to: "albums/small/x/c.png")
        let before = try job.data("albums/small/x/c.png")
        let source = isPattern ? ["albums/**/*.png"] : ["albums", "--recursive"]
        let run = try await nukeBatch(["resize"] + source + ["--width", "20", "-o", "albums/small"])
        #expect(run.exit == 0 && !run.output.isEmpty, "\(run.output)\(run.errors)")
        #expect(try job.data("albums/small/x/c.png") == before)
    }

    @Test("a dry run prints the plan and writes nothing; other options of run hold, too")
    func runOptions() async throws {
        let words = ["resize", "photos", "--width", "20", "-o", "out"]
        let dry = try await nukeBatch(words + ["-n"])
        #expect(dry.exit == 0 && dry.output.contains("2 outputs to make") && job.files().isEmpty)
        let limited = try await nukeBatch(words + ["--limit", "1", "--progress", "none"])
        #expect(limited.exit == 5 && made().count == 1)
        let next = try #require(limited.lines.first { $0.hasPrefix("to continue: ") })
        #expect(next == "to continue: nuke-batch run out/.nuke-batch/job.json")
        let run = try await nukeBatch(["run", "out/.nuke-batch/job.json"])
        #expect(run.exit == 0 && made().count == 2)
    }

    @Test("the advised commands of a run with failures work")
    func advice() async throws {
        try job.folder.write("no image", to: "photos/broken.png")
        let run = try await nukeBatch(["resize", "photos", "--width", "20", "-o", "my out"])
        #expect(run.exit == 1)
        let seen = try await job.shell(try job.advice("to see them: ", in: run))
        #expect(seen.lines.count == 1 && seen.output.contains("broken.png"), "\(seen.output)\(seen.errors)")
    }

    @Test(
        "what is wrong is exit 2 with what to type, and nothing is written",
        arguments: [
            (["resize", "--width", "5", "-o", "out"], "resize needs SOURCE"),
            (["resize", "photos", "--width", "5"], "-o DIR"), (["resize", "photos", "-o", "out"], "--width"),
            (["convert", "photos", "-o", "out"], "--format"),
            (["resize", "photos/aa.png", "--width", "5", "-o", "out"], "did you mean photos/a.png?"),
            (["resize", "phtos/*.png", "--width", "5", "-o", "out"], "did you mean photos?"),
            (["resize", "zzz", "--width", "5", "-o", "out"], "there is no file or folder zzz"),
            (["resize", "photos/*.gif", "--width", "5", "-o", "out"], "photos/*.gif matches no file"),
            (["resize", "photos/[a", "--width", "5", "-o", "out"], "photos/[a: "),
            (["resize", "albums", "--width", "5", "-o", "out"], "--recursive"),
            (["resize", "", "--width", "5", "-o", "out"], "a source is empty"),
            (["resize", "-", "-", "--width", "5", "-o", "out"], "- is given twice"),
            (["resize", "gopher://a.example/1", "--width", "5", "-o", "out"], "use one of https"),
            (["resize", "http://?1.jpg", "--width", "5", "-o", "out"], "no host"),
            (["resize", "rows.csv", "--width", "5", "-o", "out"], "image and page hold URLs"),
            (["resize", "rows.csv:imag", "--width", "5", "-o", "out"], "did you mean image?"),
            (["resize", "none.csv", "--width", "5", "-o", "out"], "the columns are sku, colour"),
            (["resize", "list.txt:url", "--width", "5", "-o", "out"], "a text list has no columns"),
            (["resize", "photos", "--width", "0", "-o", "out"], "--width takes"),
            (["resize", "photos", "--width", "5,", "-o", "out"], "--width takes"),
            (["resize", "photos", "--fit", "5", "-o", "out"], "--fit takes"),
            (["resize", "photos", "--fit", "5x5", "--width", "5", "-o", "out"], "cannot be combined"),
            (["resize", "photos", "--width", "5,6", "--height", "5", "-o", "out"], "not both"),
            (
                ["resize", "photos", "--width", "5", "--gravity", "north", "-o", "out"],
                "--gravity needs --fill"
            ),
            (
                ["resize", "photos", "--width", "5", "--quality", "5", "-o", "out"],
                "--quality needs --format"
            ),
            (["convert", "photos", "--format", "png", "--quality", "5", "-o", "out"], "--quality needs"),
            (["convert", "photos", "--format", "jpeg,bmp", "-o", "out"], "--format takes"),
            (
                ["resize", "photos", "--width", "5", "--max-bytes", "9KB", "-o", "out"],
                "--max-bytes needs --format"
            ),
            (
                ["convert", "photos", "--format", "webp,png", "--max-bytes", "9KB", "-o", "out"],
                "--max-bytes needs --format with jpeg, webp, avif, jxl or smallest and no other"
            ),
            (
                ["convert", "photos", "--format", "webp", "--max-bytes", "9 KB", "-o", "out"],
                "--max-bytes takes"
            ),
            (
                ["convert", "photos", "--format", "webp", "--max-bytes", "0", "-o", "out"],
                "--max-bytes: 0 is not"
            ),
            (["resize", "photos", "--width", "5", "-o", "s3://bucket/x"], "name a folder, or write"),
            (["resize", "photos", "--width", "5", "-o", "list.txt"], "list.txt is no folder"),
            (["resize", "photos", "--width", "5", "-o", "out", "--name", "../{stem}"], "--name: "),
            (["resize", "photos", "--width", "5", "-o", "out", "--name", "{colour}.{ext}"], "--name: "),
            (["resize", "photos", "--width", "5", "-o", "out", "--allow", "a..b"], "--allow: "),
            (["resize", "photos", "--width", "5", "--destination", "out"], "did you mean --output?"),
            (["resize", "photos", "--width", "5", "-o", "out", "--strip", "--keep-metadata"], "combined"),
            (
                ["resize", "photos", "--width", "5", "-o", "out", "--strip", "--metadata", "date"],
                "--strip and --metadata cannot be combined"
            ),
            (["resize", "photos", "--width", "5", "-o", "out", "--metadata", "gps"], "--metadata takes"),
            (["resize", "photos", "--width", "5", "-o", "out", "--hdr", "sdr"], "--hdr takes"),
            (["resize", "photos", "--width", "5", "-o", "out", "--metadata=date,-date"], "--metadata takes"),
        ]
    )
    func refused(words: [String], message: String) async throws {
        let outcome = try await nukeBatch(words)
        #expect(outcome.exit == 2 && outcome.output.isEmpty, "\(outcome.output)")
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(job.files().isEmpty && !FileManager.default.fileExists(atPath: job.folder.path("s3:")))
    }

    @Test(
        "a source in the place of a command is answered with resize, a manifest with run",
        arguments: [
            (["photos/a.png"], "nuke-batch resize photos/a.png --width 800 -o out"),
            (["./photos"], "nuke-batch resize ./photos "),
            (["https://a.example/1.jpg"], "nuke-batch resize "),
            (["job.json"], "nuke-batch run job.json"), (["nothing.png"], "nuke-batch --help"),
        ]
    )
    func noCommand(words: [String], message: String) async throws {
        try job.folder.write(#"{"sources": [{"urls": []}]}"#, to: "job.json")
        let outcome = try await nukeBatch(words)
        #expect(outcome.exit == 2 && outcome.errors.contains(message), "\(outcome.errors)")
    }
}

import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Local trouble: what cannot be looked at is not absent.
///
/// Every command ends with 4, the path and what to do.
@Suite(.timeLimit(.minutes(10))) struct LocalTroubleTests {
    /// Something that stands between the program and a folder.
    enum Trouble: String, CaseIterable {
        /// The folder may not be searched.
        case forbidden
        /// A file stands in its place.
        case file
        /// Links lead in a circle.
        case loop
        /// A link leads to a disk that is not mounted.
        case unmounted

        /// Puts the trouble in the place of a folder, which is moved to `path` with `.away`.
        func make(at path: String) throws {
            let manager = FileManager.default
            switch self {
            case .forbidden:
                return try manager.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
            default: try manager.moveItem(atPath: path, toPath: path + ".away")
            }
            switch self {
            case .file: try Data("a file".utf8).write(to: URL(fileURLWithPath: path))
            case .loop: try manager.createSymbolicLink(atPath: path, withDestinationPath: path)
            default: try manager.createSymbolicLink(atPath: path, withDestinationPath: "/none/disk")
            }
        }

        /// Puts the folder back.
        func end(at path: String) throws {
            let manager = FileManager.default
            guard self != .forbidden else {
                return try manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
            }
            try manager.removeItem(atPath: path)
            try manager.moveItem(atPath: path + ".away", toPath: path)
        }

        /// A part of what the program says.
        var word: String {
            switch self {
            case .forbidden: "check the permissions"
            case .file: "move it away"
            case .loop: "circle"
            case .unmounted: "mount the disk"
            }
        }
    }

    private let job: JobFolder
    private let server: LoopbackServer

    init() async throws {
        job = try JobFolder()
        server = try .tinyPictures()
        try job.writeCopies(
            (1...2).map { "\"\(server.address)/\($0).png\"" } + ["\"\(server.address)/none\""],
            path: "small/{stem}.{ext}"
        )
        try await job.run(exit: 1)
    }

    /// Runs the program without the privilege of root to read and search everything.
    private func nukeBatch(_ words: [String]) async throws -> Program.Outcome {
        guard geteuid() == 0 else {
            return try await Program.run("nuke-batch", words, in: job.folder.path)
        }
        let lost = "-dac_override,-dac_read_search"
        return try await Program(
            path: "/usr/bin/setpriv",
            [
                "--bounding-set", lost, "--inh-caps", lost,
                Program.folder.appendingPathComponent("nuke-batch").path,
            ]
                + words,
            in: job.folder.path
        ).wait()
    }

    private func check(_ commands: [String], _ trouble: Trouble, at name: String) async throws {
        try trouble.make(at: job.folder.path(name))
        defer { try? trouble.end(at: job.folder.path(name)) }
        for command in commands {
            let outcome = try await nukeBatch(command.split(separator: " ").map(String.init))
            let said = outcome.output + outcome.errors
            #expect(outcome.exit == 4, "\(name) \(trouble), \(command): \(outcome.exit) \(said)")
            #expect(
                said.contains(job.folder.path(name)) || said.contains(name),
                "\(trouble), \(command): \(said)"
            )
            #expect(said.contains(trouble.word), "\(name) \(trouble), \(command): \(said)")
            for wrong in ["--rebuild", "never run", "0 outputs checked", "is damaged"] {
                #expect(!said.contains(wrong), "\(name) \(trouble), \(command): \(said)")
            }
        }
    }

    @Test("a state that cannot be looked at is told by every command", arguments: Trouble.allCases)
    func state(_ trouble: Trouble) async throws {
        let file = try job.data(".nuke-batch/job.sqlite")
        try await check(
            [
                "run job.json", "warm job.json", "plan job.json", "status job.json", "items job.json",
                "explain job.json 1.png", "log job.json", "retry job.json", "retry job.json --priority high",
                "verify job.json", "verify job.json --repair", "prune job.json", "prune job.json --delete",
                "export job.json", "report job.json -o report.html", "doctor job.json",
                "doctor job.json --rebuild",
            ],
            trouble,
            at: ".nuke-batch"
        )
        #expect(try job.data(".nuke-batch/job.sqlite") == file)
        #expect(try await job.nukeBatch("status", "job.json").exit == 0)
    }

    @Test("the same for the state's file alone")
    func stateFile() async throws {
        let path = job.folder.path(".nuke-batch/job.sqlite")
        for trouble in Trouble.allCases where trouble != .file {
            try await check(
                [
                    "run job.json", "status job.json", "verify job.json", "doctor job.json",
                    "run job.json --fresh",
                ].filter {
                    // Its own user may remove a file that nobody may read.
                    !($0.contains("--fresh") && trouble == .forbidden)
                        && !($0.hasPrefix("run") && trouble == .forbidden)
                },
                trouble,
                at: ".nuke-batch/job.sqlite"
            )
        }
        #expect(FileManager.default.fileExists(atPath: path))
        let long = String(repeating: "x", count: 300)
        for command in ["run", "plan", "status", "verify", "doctor"] {
            let outcome = try await job.nukeBatch(command, "job.json", "--state-file", "\(long).sqlite")
            #expect(
                outcome.exit == 4 && (outcome.output + outcome.errors).contains("File name too long"),
                "\(command)"
            )
        }
    }

    @Test("a cache that cannot be looked at is told", arguments: Trouble.allCases)
    func cache(_ trouble: Trouble) async throws {
        try await check(
            [
                "run job.json", "plan job.json", "explain job.json 1.png", "report job.json -o report.html",
                "doctor job.json", "cache stat job.json", "cache list --cache cache", "cache verify job.json",
            ],
            trouble,
            at: "cache"
        )
    }

    @Test("a destination that cannot be looked at is told", arguments: Trouble.allCases)
    func destination(_ trouble: Trouble) async throws {
        try await check(
            [
                "run job.json", "verify job.json", "verify job.json --repair", "prune job.json",
                "prune job.json --delete", "explain job.json 1.png", "report job.json -o report.html",
                "doctor job.json",
            ],
            trouble,
            at: "out"
        )
        // A folder in it, which hides its outputs.
        if trouble == .forbidden { try await check(["verify job.json"], trouble, at: "out/small") }
        let verified = try await job.nukeBatch("verify", "job.json")
        #expect(verified.exit == 0 && verified.output.contains("2 outputs checked"), "\(verified.output)")
    }

    @Test("resize and convert into such a folder", arguments: Trouble.allCases.filter { $0 != .file })
    func resize(_ trouble: Trouble) async throws {
        try job.folder.write(try TestImages.tiny(1), to: "in/a.png")
        try FileManager.default.createDirectory(
            atPath: job.folder.path("made"),
            withIntermediateDirectories: false
        )
        try await check(
            [
                "resize in --width 1 -o made", "resize in --width 1 -o made/deeper",
                "convert in --format webp -o made",
            ],
            trouble,
            at: "made"
        )
        #expect(job.files(in: "made").isEmpty)
    }

    @Test("something in the way of the folder for temporary names blames no item", arguments: [false, true])
    func staging(isLink: Bool) async throws {
        for number in 1...2 { try job.folder.write("changed", to: "out/small/\(number).png") }
        _ = try await job.nukeBatch("verify", "job.json", "--repair")
        let path = job.folder.path("out/.nuke-batch-writing")
        for isRunning in [true, false] {
            if isLink {
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "small")
            } else {
                try job.folder.write("a file", to: "out/.nuke-batch-writing")
            }
            let outcome = try await job.run(exit: 4)
            #expect(
                outcome.errors.contains(path) || outcome.output.contains(path),
                "\(outcome.output)\(outcome.errors)"
            )
            try FileManager.default.removeItem(atPath: path)
            #expect(try await job.errors() == ["-", "-", "http_404"], "\(isRunning)")
            // The control: without it, all is well, and is again with nothing to do.
            _ = try await job.nukeBatch("run", "job.json")
            #expect(job.files() == ["small/1.png", "small/2.png"])
        }
    }

    @Test("the store of a fleet that cannot be looked at", arguments: Trouble.allCases)
    func fleet(_ trouble: Trouble) async throws {
        try FileManager.default.createDirectory(
            atPath: job.folder.path("store"),
            withIntermediateDirectories: false
        )
        try await check(
            [
                "fleet plan job.json --store store", "fleet status --store store",
                "fleet work --partition 0 --store store",
                "fleet collect --store store",
            ],
            trouble,
            at: "store"
        )
    }
}

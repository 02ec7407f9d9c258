import Foundation
package import Files

/// The program `nuke-batch-parquet`, which reads and writes Parquet by Apache Arrow (`Integrations/parquet`).
package struct ParquetProgram: Sendable {
    /// The environment variable that has the program's path, where it is not in a folder of `PATH`.
    package static let variable = "NUKE_BATCH_PARQUET"
    /// The command that installs the program.
    package static let installation = "pipx install nuke-batch-parquet"
    private static let name = "nuke-batch-parquet"
    /// The address space that Python and Arrow take, and as much again for what they read.
    private static let memory = 4 << 30
    /// The most that a command prints; rows go to a connection.
    private static let longestAnswer = 256 << 20
    /// The time in which the program must send or take a byte of rows.
    static let rowSilence = Duration.seconds(60)
    /// The time in which a command that reads a whole file must write something.
    private static let commandSilence = Duration.seconds(600)

    /// The absolute path of the program, or as the environment has it.
    package let path: String
    private let environment: [String: String]

    /// Finds the program.
    /// - Throws: `ParquetError` that says how to install it.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) throws(ParquetError) {
        if let path = environment[Self.variable], !path.isEmpty {
            guard FileManager.default.isExecutableFile(atPath: path) else {
                throw ParquetError(
                    "\(Self.variable) names \(path), which is no program: run \(Self.installation), or correct it"
                )
            }
            self.path = path
        } else {
            let folders = (environment["PATH"] ?? "").split(separator: ":")
            let found = folders.map { "\($0)/\(Self.name)" }
                .first { FileManager.default.isExecutableFile(atPath: $0) }
            guard let found else {
                throw ParquetError(
                    "Parquet needs \(Self.name), which is not installed: run \(Self.installation), "
                        + "or set \(Self.variable) to its path"
                )
            }
            path = found
        }
        self.environment = environment
    }

    /// The world of the program; `fileSize` is the most that it writes to a file.
    private func sandbox(fileSize: Int?) -> Sandbox {
        var own = environment.filter { $0.key.hasPrefix("PYTHON") || $0.key == "VIRTUAL_ENV" }
        // It may write nothing beside its modules.
        own["PYTHONDONTWRITEBYTECODE"] = "1"
        // Each arena takes address space, which is limited.
        own["MALLOC_ARENA_MAX"] = "2"
        own[Sandbox.filterVariable] = Sandbox.filter
        return Sandbox(
            environment: environment,
            own: own,
            memory: Self.memory,
            fileSize: fileSize,
            silence: Self.commandSilence
        )
    }

    /// Starts the program with the command and its options in `arguments`; it ends with this thread.
    /// - Throws: `ParquetError` if it cannot be started.
    private func start(
        _ arguments: [String],
        input: any StandardStream,
        output: any StandardStream,
        fileSize: Int? = Self.longestAnswer
    ) throws(ParquetError) -> ParquetProcess {
        do {
            let errors = try ErrorPipe()
            let process = try ChildProcess(
                [path] + arguments,
                in: sandbox(fileSize: fileSize),
                input: input,
                output: output,
                errors: errors
            )
            return ParquetProcess(process, errors: errors)
        } catch {
            throw ParquetError("\(error)")
        }
    }

    /// Starts the program for a command that reads or writes files: it can read those that it is told of, and write only `output`,
    /// at most `fileSize` bytes, if that is a file.
    /// - Throws: `ParquetError` if it cannot be started.
    func startConfined(
        _ arguments: [String],
        input: any StandardStream,
        output: any StandardStream,
        fileSize: Int? = Self.longestAnswer
    ) throws(ParquetError) -> ParquetProcess {
        try start(arguments + ["--confined"], input: input, output: output, fileSize: fileSize)
    }

    /// SHA-256 in hexadecimal of each image in the file at `path`, by the path in its row.
    /// - Throws: `ParquetError`.
    package func imageDigests(of path: String) throws(ParquetError) -> [String: String] {
        Self.digests(try output(of: ["digests"], files: [path]))
    }

    /// The same of a file that this process holds open, which errors call `name`.
    /// - Throws: `ParquetError`.
    package func imageDigests(of file: UnnamedFile, named name: String) throws(ParquetError) -> [String:
        String]
    {
        do throws(ParquetError) {
            return Self.digests(
                try output { output throws(ParquetError) in
                    try startConfined(["digests", "-"], input: file, output: output)
                }
            )
        } catch {
            throw ParquetError(
                error.description.rest(behind: "-: ").map { "\(name): \($0)" } ?? error.description
            )
        }
    }

    private static func digests(_ text: Data) -> [String: String] {
        let lines = text.lines
        let pairs = lines.map { String(decoding: $0, as: UTF8.self).split(separator: "\t", maxSplits: 1) }
        return Dictionary(
            pairs.compactMap { $0.count == 2 ? (String($0[0]), String($0[1])) : nil },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Runs a command that reads `files`, and returns what it prints.
    /// - Throws: `ParquetError`.
    func output(of arguments: [String], files: [String] = []) throws(ParquetError) -> Data {
        try output { output throws(ParquetError) in
            guard !files.isEmpty else {
                return try start(arguments, input: try Self.names([]), output: output)
            }
            return try startConfined(
                arguments + ["--files0-from", "-"],
                input: try Self.names(files),
                output: output
            )
        }
    }

    /// Returns what a process prints that `start` starts.
    private func output(
        _ start: (MemoryFile) throws(ParquetError) -> ParquetProcess
    ) throws(ParquetError) -> Data {
        do {
            let output = try MemoryFile()
            try start(output).requireSuccess()
            return try output.read()
        } catch let error as ParquetError {
            throw error
        } catch {
            throw ParquetError("\(error)")
        }
    }

    /// Writes a row for each item in the first `size` bytes of a WebDataset archive to `file`; blocks the thread.
    /// - Throws: `ParquetError`.
    package func pack(
        _ archive: HeldFile,
        size: Int,
        columns: [ParquetColumn],
        to file: HeldFile
    ) throws(ParquetError) {
        let arguments = ["pack", "--size", String(size), "--schema", ParquetColumn.schema(columns), "-"]
        try startConfined(arguments, input: archive, output: file, fileSize: nil).requireSuccess()
    }

    /// The versions of the program and of pyarrow, a line each.
    /// - Throws: `ParquetError`.
    package func versions() throws(ParquetError) -> [String] {
        String(decoding: try output(of: ["version"]), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The names of files as the program reads them: each is ended by a NUL.
    /// - Throws: `ParquetError` if there is no memory.
    static func names(_ files: [String]) throws(ParquetError) -> MemoryFile {
        do throws(FileError) {
            let input = try MemoryFile()
            try input.write(Data(files.map { $0 + "\0" }.joined().utf8))
            return input
        } catch {
            throw ParquetError("\(error)")
        }
    }
}

/// The reason why a Parquet file cannot be read or written, one sentence with its remedy.
package struct ParquetError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }

    /// The error of a connection to the program.
    init(_ error: FileError) {
        self = error.code == ETIMEDOUT ? .silence : ParquetError("\(error)")
    }

    /// The program does nothing any more.
    static let silence = ParquetError(
        "nuke-batch-parquet has done nothing for too long, and was ended: run it again"
    )
}

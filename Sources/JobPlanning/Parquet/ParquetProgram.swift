import Foundation
package import Files
import JobManifest

/// The program `nuke-batch-parquet`, which reads and writes Parquet by Apache Arrow (`Integrations/parquet`).
package struct ParquetProgram: Sendable {
    /// The environment variable that has the program's path, where it is not in a folder of `PATH`.
    package static let variable = "NUKE_BATCH_PARQUET"
    /// The command that installs the program.
    package static let installation = "pipx install nuke-batch-parquet"
    private static let name = "nuke-batch-parquet"
    /// The variables that the program gets.
    ///
    /// Others can hold secrets, and files that it reads may be hostile.
    private static let passedOn: Set = [
        "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "VIRTUAL_ENV",
    ]

    /// The absolute path of the program, or as the environment has it.
    package let path: String
    private let environment: [String: String]

    /// Finds the program.
    /// - Throws: `ParquetError` that tells how to install it.
    package init(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ParquetError) {
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
        self.environment = environment.filter {
            Self.passedOn.contains($0.key) || $0.key.hasPrefix("PYTHON")
        }
    }

    /// Starts the program with the command and its options in `arguments`.
    /// - Throws: `ParquetError` if it cannot be started.
    func start(
        _ arguments: [String],
        input: any StandardStream,
        output: any StandardStream
    ) throws(ParquetError) -> ParquetProcess {
        do {
            let errors = try MemoryFile()
            let process = try ChildProcess(
                [path] + arguments,
                environment: environment,
                input: input,
                output: output,
                errors: errors
            )
            return ParquetProcess(process, errors: errors)
        } catch {
            throw ParquetError("\(error)")
        }
    }

    /// Starts the program confined: it can read the files that it is told of, write only `output`, and ends with this thread.
    /// - Throws: `ParquetError` if it cannot be started.
    func startConfined(
        _ arguments: [String],
        input: any StandardStream,
        output: any StandardStream
    ) throws(ParquetError) -> ParquetProcess {
        try start(arguments + ["--confined-by", String(getpid())], input: input, output: output)
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
        try startConfined(arguments, input: archive, output: file).requireSuccess()
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
}

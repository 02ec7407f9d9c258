public import Foundation

/// A program of this package, run as a user would run it.
public final class Program: Sendable {
    /// The exit code and the output of a program.
    public struct Outcome: Sendable {
        /// The exit code, or 128 and the signal's number for one that a signal ended.
        public let exit: Int32
        /// Standard output.
        public let output: String
        /// Standard error.
        public let errors: String

        /// The lines of standard output.
        public var lines: [String] {
            output.split(separator: "\n").map(String.init)
        }
    }

    private let process: Process
    private let outcome: Task<Outcome, Never>

    /// The folder of the package's built programs, next to the tests.
    public static var folder: URL {
        let tests = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: tests).resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// Starts the program `name` of this package with `arguments` in the folder `directory`.
    ///
    /// Its home, its folder of caches and its temporary folder are the test's own, unless `environment` names others.
    /// `input` is given on standard input; `onLine` is called with each line of standard output as it comes,
    /// on a thread of its own.
    /// - Throws: the error of `Process` if it cannot be started.
    public convenience init(
        _ name: String,
        _ arguments: [String],
        in directory: String,
        input: String? = nil,
        environment: [String: String] = [:],
        onLine: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        try self.init(
            path: Self.folder.appendingPathComponent(name).path,
            arguments,
            in: directory,
            input: input,
            environment: environment,
            onLine: onLine
        )
    }

    /// As above, with the program at `path`.
    /// - Throws: the error of `Process` if it cannot be started.
    public init(
        path: String,
        _ arguments: [String],
        in directory: String,
        input: String? = nil,
        environment: [String: String] = [:],
        onLine: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        let surroundings = try ProgramEnvironment(in: directory, adding: environment)
        process.environment = surroundings.variables
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        let source: Pipe? = input.map { _ in Pipe() }
        process.standardInput = source ?? FileHandle.nullDevice
        let ended = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { process in
            let status = process.terminationStatus
            ended.continuation.yield(process.terminationReason == .uncaughtSignal ? 128 + status : status)
            ended.continuation.finish()
        }
        try process.run()
        if let source, let input {
            try source.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try source.fileHandleForWriting.close()
        }
        self.process = process
        let outputText = Self.read(output.fileHandleForReading, onLine: onLine)
        let errorText = Self.read(errors.fileHandleForReading, onLine: { _ in })
        outcome = Task {
            var exit: Int32 = -1
            for await status in ended.stream { exit = status }
            let outcome = Outcome(exit: exit, output: await outputText.value, errors: await errorText.value)
            withExtendedLifetime(surroundings.folder) {}
            return outcome
        }
    }

    /// The process number.
    public var processIdentifier: Int32 { process.processIdentifier }

    /// Sends the program a signal.
    public func signal(_ number: Int32) {
        kill(process.processIdentifier, number)
    }

    /// Waits for the program's end.
    public func wait() async -> Outcome {
        await outcome.value
    }

    /// Runs `name` to its end.
    /// - Throws: the error of `Process` if it cannot be started.
    @discardableResult
    public static func run(
        _ name: String,
        _ arguments: [String],
        in directory: String,
        input: String? = nil,
        environment: [String: String] = [:]
    ) async throws -> Outcome {
        try await Program(name, arguments, in: directory, input: input, environment: environment).wait()
    }

    /// Reads until the end on a thread of its own, which a full pipe must never wait for.
    private static func read(
        _ handle: FileHandle,
        onLine: @escaping @Sendable (String) -> Void
    ) -> Task<String, Never> {
        let text = AsyncStream<String>.makeStream()
        let descriptor = handle.fileDescriptor
        let thread = Thread {
            var all: [UInt8] = []
            var lineStart = 0
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Foundation.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                all += buffer[..<count]
                while let end = all[lineStart...].firstIndex(of: 10) {
                    onLine(String(decoding: all[lineStart..<end], as: UTF8.self))
                    lineStart = end + 1
                }
            }
            // Foundation never releases a process with a termination handler, nor its pipes (Swift 6.3). With
            // thousands of them open, `Process.run`, which lists the descriptors, reads beyond the end of the list.
            try? handle.close()
            text.continuation.yield(String(decoding: all, as: UTF8.self))
            text.continuation.finish()
        }
        thread.start()
        return Task {
            var whole = ""
            for await part in text.stream { whole = part }
            return whole
        }
    }
}

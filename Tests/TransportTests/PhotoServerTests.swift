import Foundation
import LoopbackServer
import TestSupport
import Testing
import Transport

/// Runs `Examples/photo-server`, which is built beside the tests.
@Suite(.timeLimit(.minutes(10)))
struct PhotoServerTests {
    func start(_ arguments: [String]) throws -> (process: Process, output: FileHandle) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            .deletingLastPathComponent()
            .appendingPathComponent("photo-server")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        return (process, pipe.fileHandleForReading)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func servesAFolderUntilASignal(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        try folder.write("hello", to: "a.txt")
        let (process, output) = try start([folder.path, "0"])
        defer { process.terminate() }
        let line = String(decoding: output.availableData, as: UTF8.self)
        #expect(line.hasPrefix("serving \(folder.path) at http://127.0.0.1:"))
        let address = try #require(line.split(whereSeparator: \.isWhitespace).last)
        let outcome = await Transport().run(TransferRequest(url: "\(address)a.txt", host: "127.0.0.1"))
        #expect(outcome.body == Data("hello".utf8))
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
    }

    @Test(arguments: [[], ["/no/such/folder"], ["/", "port"], ["/", "1", "2"]])
    func refusesWrongArguments(arguments: [String]) throws {
        let (process, output) = try start(arguments)
        let text = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus != 0)
        #expect(text.hasPrefix("photo-server: "))
    }
}

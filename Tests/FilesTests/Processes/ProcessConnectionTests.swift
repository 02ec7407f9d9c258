import Foundation
import Testing

@testable import Files

@Suite(.timeLimit(.minutes(5))) struct ProcessConnectionTests {
    /// Reads to the end.
    private func read(_ connection: ProcessConnection) throws -> Data {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 1)
        defer { buffer.deallocate() }
        var data = Data()
        while case let count = try connection.read(into: buffer), count > 0 { data += Data(buffer[..<count]) }
        return data
    }

    private func start(_ script: String, input: any StandardStream, output: any StandardStream) throws
        -> ChildProcess
    {
        try ChildProcess(
            ["/bin/sh", "-c", script],
            environment: ["PATH": "/usr/bin:/bin"],
            input: input,
            output: output
        )
    }

    @Test("what a child writes is read to its end, although it is longer than any buffer")
    func reading() throws {
        let connection = try ProcessConnection(silence: .seconds(300))
        let child = try start(
            "head -c 1000000 /dev/zero",
            input: MemoryFile(),
            output: connection.takeChildEnd()
        )
        #expect(try read(connection) == Data(count: 1_000_000))
        #expect(child.wait() == .exit(0))
        #expect(throws: FileError.self) { try connection.takeChildEnd() }
    }

    @Test("what is sent arrives, and the end of it")
    func sending() throws {
        let (connection, output) = (try ProcessConnection(silence: .seconds(300)), try MemoryFile())
        let child = try start("wc -c", input: connection.takeChildEnd(), output: output)
        try connection.send(Data(count: 1_000_000))
        connection.finishSending()
        #expect(child.wait() == .exit(0))
        #expect(String(decoding: try output.read(), as: UTF8.self) == "1000000\n")
    }

    @Test("a child that ends without reading is an error of sending, not a signal")
    func broken() throws {
        let connection = try ProcessConnection(silence: .seconds(300))
        let child = try start("exit 3", input: connection.takeChildEnd(), output: MemoryFile())
        #expect(child.wait() == .exit(3))
        let error = #expect(throws: FileError.self) { try connection.send(Data(count: 1_000_000)) }
        #expect(error?.code == EPIPE || error?.code == ECONNRESET)
    }
}

import Foundation
import TestSupport
import Testing

@testable import Files

/// Children in a sandbox: what they cannot do, and what ends them.
@Suite(.timeLimit(.minutes(10))) struct SandboxTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Builds the program that tries system calls, and makes the file that it tries them on.
    private func buildCalls() throws -> String {
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let source = Repository.root.appendingPathComponent("Tests/Faults/children/calls.c").path
        compiler.arguments = ["clang", "-O1", "-w", "-o", folder.path("calls"), source]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)
        _ = try folder.write("x", to: "file")
        return folder.path("calls")
    }

    private func sandbox(
        own: [String: String] = [:],
        memory: Int? = nil,
        fileSize: Int? = nil,
        silence: Duration = .seconds(60)
    ) -> Sandbox {
        Sandbox(
            environment: ["PATH": "/usr/bin:/bin", "TOKEN": "secret"],
            own: own,
            memory: memory,
            fileSize: fileSize,
            silence: silence
        )
    }

    /// Runs a command of the shell in the test's folder, in a sandbox, or without one.
    private func run(
        _ command: String,
        in sandbox: Sandbox?,
        errors: ErrorPipe? = nil,
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) throws -> (end: ChildProcess.End, output: String) {
        let (input, output) = (try MemoryFile(), try MemoryFile())
        let words = ["/bin/sh", "-c", "cd '\(folder.path)'; \(command)"]
        let child =
            if let sandbox {
                try ChildProcess(words, in: sandbox, input: input, output: output, errors: errors)
            } else {
                try ChildProcess(words, environment: [:], input: input, output: output, errors: errors)
            }
        let end = child.wait(isStopped: isStopped)
        return (end, String(decoding: try output.read(), as: UTF8.self))
    }

    /// A call of the program, and what came of it.
    private struct Call {
        let name: String
        /// True if a program that still sets itself up may make it.
        let isForStart: Bool
    }

    private func calls(_ program: String) throws -> [Call] {
        try run("\(program) --list", in: nil).output.split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            return Call(name: String(words[0]), isForStart: words.count > 1)
        }
    }

    /// Refused by the filter: EPERM, ENOSYS, or the end by SIGSYS.
    private func isRefused(_ said: (end: ChildProcess.End, output: String)) -> Bool {
        let isKilled = said.end == .signal(SIGSYS) || said.end == .exit(128 + SIGSYS)
        return isKilled || ["\(EPERM)\n", "\(ENOSYS)\n", "\(EACCES)\n"].contains(said.output)
    }

    @Test("no system call that changes, sends or reaches into others gets through")
    func forbiddenCalls() throws {
        let program = try buildCalls()
        let calls = try calls(program)
        var controls = 0
        for call in calls {
            let free = try run("exec \(program) \(call.name) <file", in: nil)
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
                $0.hasPrefix("made") || $0 == "pipe"
            }
            .forEach { try FileManager.default.removeItem(atPath: folder.path($0)) }
            if !isRefused(free) { controls += 1 }
            if !call.isForStart {
                let started = try run("exec \(program) \(call.name) <file", in: sandbox())
                #expect(isRefused(started), "\(call.name): \(started)")
            }
            let own = [Sandbox.filterVariable: Sandbox.filter]
            let worked = try run("exec \(program) \(call.name) work <file", in: sandbox(own: own))
            #expect(isRefused(worked), "\(call.name) at work: \(worked)")
        }
        print("sandbox: \(calls.count) calls, \(controls) of them refused by nothing else")
        #expect(calls.count >= 100)
        // Without privileges, or in a container, the system itself refuses some.
        #expect(controls >= 60)
    }

    @Test("it gets no variable that it does not need, and no capability but that of reading")
    func environment() throws {
        let variables = try run("exec env", in: sandbox(own: ["OWN": "1"])).output
        #expect(variables.contains("OWN=1") && variables.contains("PATH=") && !variables.contains("secret"))
        let status = try run("exec cat /proc/self/status", in: sandbox()).output.split(separator: "\n")
        let read = UInt64(1) << 2
        for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
            let line = try #require(status.first { $0.hasPrefix(set) })
            let value = try #require(UInt64(line.split(separator: "\t")[1], radix: 16))
            let rest = value & ~read
            // Without privileges, a process cannot make this set smaller, and it is of no use.
            #expect(rest == 0 || set == "CapBnd" && getuid() != 0, "\(line)")
        }
        #expect(status.contains("NoNewPrivs:\t1"))
        // This process says so as soon as the child has begun.
        let offered = "until [ $(cat /proc/$$/oom_score_adj) = 1000 ]; do :; done; echo offered"
        #expect(try run(offered, in: sandbox()).output == "offered\n")
    }

    @Test("memory and files have limits that it cannot raise")
    func limits() throws {
        let limited = sandbox(memory: 256 << 20, fileSize: 1 << 20)
        let limits = try run("ulimit -H -v; ulimit -H -c; ulimit -v unlimited || echo refused", in: limited)
            .output
        #expect(limits.split(separator: "\n") == ["\((256 << 20) / 1024)", "0", "refused"], "\(limits)")
        #expect(try run("head -c 2000000 /dev/zero", in: limited).output.utf8.count == 1 << 20)
        #expect(try run("head -c 2000000 /dev/zero", in: sandbox()).output.utf8.count == 2_000_000)
    }

    @Test("of an endless standard error the beginning is kept, and it holds nobody up")
    func endlessErrors() throws {
        let errors = try ErrorPipe()
        let command = "echo first >&2; head -c 100000000 /dev/zero >&2; exit 3"
        #expect(try run(command, in: sandbox(), errors: errors).end != .silent)
        #expect(errors.lines() == ["first"])
        #expect(errors.lines().isEmpty)
    }

    @Test("a silent child is ended, one that writes is not")
    func silence() throws {
        let short = sandbox(silence: .seconds(2))
        #expect(try run("sleep 1000", in: short).end == .silent)
        let (end, output) = try run("for i in 1 2 3 4 5 6; do sleep 0.5; echo $i; done", in: short)
        #expect(end == .exit(0) && output.hasSuffix("6\n"))
    }

    @Test("a child that nobody needs any more is ended")
    func stopped() throws {
        #expect(try run("sleep 1000", in: sandbox(), isStopped: { true }).end == .stopped)
    }

    @Test("a child whose output nobody gets is no end of the wait", arguments: [true, false])
    func silentConnection(isStopped: Bool) throws {
        let connection = try ProcessConnection(silence: .seconds(1)) { isStopped }
        let child = try ChildProcess(
            ["/bin/sleep", "1000"],
            in: sandbox(),
            input: try MemoryFile(),
            output: connection.takeChildEnd()
        )
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 10, alignment: 1)
        defer { buffer.deallocate() }
        let error = #expect(throws: FileError.self) { try connection.read(into: buffer) }
        #expect(error?.code == (isStopped ? ECANCELED : ETIMEDOUT))
        let unread = #expect(throws: FileError.self) { try connection.send(Data(count: 10_000_000)) }
        #expect(unread?.code == (isStopped ? ECANCELED : ETIMEDOUT))
        child.kill()
        #expect(child.wait() == .signal(SIGKILL))
    }

    @Test("it ends with the thread that started it")
    func parent() async throws {
        let input = try MemoryFile()
        let output = try MemoryFile()
        let sandbox = sandbox()
        let child: ChildProcess = try await withCheckedThrowingContinuation { done in
            // A thread of its own, which ends.
            Thread.detachNewThread {
                done.resume(
                    with: Result {
                        try ChildProcess(["/bin/sleep", "1000"], in: sandbox, input: input, output: output)
                    }
                )
            }
        }
        #expect(child.wait() == .signal(SIGKILL))
    }

    @Test("what the machine has is told, and what would allow what is forbidden")
    func support() {
        func said(_ landlock: Int32, _ filters: Int32) -> SandboxSupport {
            SandboxSupport(landlock: landlock, filters: filters)
        }
        #expect(said(4, 1).description == "Landlock 4 and a filter of system calls confine child processes")
        #expect(
            said(0, 1).description.hasPrefix(
                "the kernel has no Landlock: child processes can read what you can, but"
            )
        )
        #expect(said(4, 0).description.contains("Landlock 4 alone"))
        #expect(said(0, 0).description.hasSuffix("can change and send what you can"))
        #expect(said(0, 0).remedy == nil && said(4, 1).remedy == nil)
        for forbidden in [said(-1, 1), said(4, -1), said(-1, -1)] {
            #expect(forbidden.description.contains("forbids"))
            #expect(forbidden.remedy?.contains("SystemCallFilter=") == true)
        }
    }
}

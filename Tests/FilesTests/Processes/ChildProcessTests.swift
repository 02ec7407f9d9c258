import Files
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ChildProcessTests {
    /// Runs a command of the shell to its end on a thread of its own.
    private func run(
        _ command: String,
        environment: [String: String] = [:],
        input: String = ""
    ) throws -> (end: ChildProcess.End, output: String) {
        let (source, target) = (try MemoryFile(), try MemoryFile())
        try source.write(Data(input.utf8))
        let child = try ChildProcess(
            ["/bin/sh", "-c", command],
            environment: environment,
            input: source,
            output: target
        )
        let end = child.wait()
        return (end, String(decoding: try target.read(), as: UTF8.self))
    }

    @Test("reports the exit code", arguments: [0, 1, 3, 255])
    func exitCode(code: Int32) throws {
        #expect(try run("exit \(code)").end == .exit(code))
    }

    @Test("reports the signal that ended it", arguments: [SIGTERM, SIGKILL, SIGUSR1])
    func signals(number: Int32) throws {
        #expect(try run("kill -\(number) $$; exit 7").end == .signal(number))
    }

    @Test("reads its input and writes its output")
    func streams() throws {
        let text = String(repeating: "more than a pipe would hold\n", count: 10_000)
        let (end, output) = try run("cat; echo error >&2", input: text)
        #expect(end == .exit(0))
        #expect(output == text)
    }

    @Test("writes its standard error to a file that is given, after its output if both are one")
    func standardError() throws {
        let file = try MemoryFile()
        let child = try ChildProcess(
            ["/bin/sh", "-c", "echo a; echo b >&2; echo c"],
            environment: [:],
            input: try MemoryFile(),
            output: file,
            errors: file
        )
        #expect(child.wait() == .exit(0))
        #expect(String(decoding: try file.read(), as: UTF8.self) == "a\nb\nc\n")
    }

    @Test("has the given environment and arguments, and no other")
    func environment() throws {
        let (_, output) = try run("/usr/bin/env", environment: ["GIVEN": "a=b c"])
        let lines = output.split(separator: "\n").filter { !$0.hasPrefix("PWD=") && !$0.hasPrefix("_=") }
        #expect(lines.filter { !$0.hasPrefix("SHLVL=") && !$0.hasPrefix("OLDPWD=") } == ["GIVEN=a=b c"])
    }

    @Test("inherits no descriptor but its streams")
    func descriptors() throws {
        let opened = open("/dev/null", O_RDONLY)
        // Without close-on-exec, as a library may open one, and with a number that the shell does not use.
        let file = fcntl(opened, F_DUPFD, 200)
        defer { for descriptor in [opened, file] { close(descriptor) } }
        try #require(file >= 200)
        let (_, output) = try run("for f in /proc/$$/fd/*; do echo ${f##*/}; done")
        let numbers = output.split(separator: "\n").compactMap { Int($0) }.filter { $0 < 10 }
        #expect(numbers.starts(with: [0, 1, 2]))
        #expect(!output.split(separator: "\n").contains("\(file)"))
    }

    @Test("is the leader of its own process group")
    func processGroup() throws {
        let (_, output) = try run("cut -d ' ' -f 5 /proc/self/stat; echo $$")
        let numbers = output.split(separator: "\n")
        #expect(numbers.count == 2)
        #expect(numbers.first == numbers.last)
        #expect(numbers.first.flatMap { Int32($0) } != getpgrp())
    }

    @Test("can be killed, before and after its end")
    func kill() throws {
        let child = try ChildProcess(
            ["/bin/sh", "-c", "while :; do :; done"],
            environment: [:],
            input: try MemoryFile(),
            output: try MemoryFile()
        )
        child.kill()
        #expect(child.wait() == .signal(SIGKILL))
        child.kill()
        #expect(child.wait() == .exit(-1))
    }

    @Test("a program that is missing is named")
    func missing() throws {
        let error = #expect(throws: FileError.self) {
            _ = try ChildProcess(
                ["/none/program"],
                environment: [:],
                input: try MemoryFile(),
                output: try MemoryFile()
            )
        }
        #expect(error == FileError("start", "/none/program", code: ENOENT))
    }
}

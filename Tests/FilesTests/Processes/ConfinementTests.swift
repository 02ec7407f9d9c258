import Files
import Foundation
import Testing

/// Each test confines a process of its own.
@Suite(.timeLimit(.minutes(10))) struct ConfinementTests {
    @Test("files are out of reach, those of libraries can be read, and none can be written")
    func files() async {
        await #expect(processExitsWith: .success) {
            let before = open(#filePath, O_RDONLY)
            _ = try Confinement()
            let hasLandlock = SandboxSupport.ofMachine.landlock == .available
            let after = hasLandlock ? open(#filePath, O_RDONLY) : -1
            let written = open("/usr/nuke-batch-test", O_WRONLY | O_CREAT, 0o600)
            let library = open("/usr/lib", O_RDONLY | O_DIRECTORY)
            exit(before >= 0 && after < 0 && written < 0 && library >= 0 ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test("a folder that a program names can be read, and those beside it cannot")
    func named() async {
        await #expect(processExitsWith: .success) {
            _ = try Confinement(reading: ["/etc/ssl"])
            let hasLandlock = SandboxSupport.ofMachine.landlock == .available
            let named = open("/etc/ssl", O_RDONLY | O_DIRECTORY)
            let other = hasLandlock ? open("/etc/hostname", O_RDONLY) : -1
            exit(named >= 0 && other < 0 ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test("memory has a limit, below which it is had")
    func memory() async {
        await #expect(processExitsWith: .success) {
            let confinement = try Confinement()
            confinement.limit(bytes: 256 << 20, seconds: 60)
            func canMap(_ count: Int) -> Bool {
                let address = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                guard address != MAP_FAILED else { return false }
                munmap(address, count)
                return true
            }
            exit(canMap(64 << 20) && !canMap(300 << 20) ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test("processor time has a limit")
    func processorTime() async {
        await #expect(processExitsWith: .signal(SIGXCPU)) {
            try Confinement().limit(bytes: .max, seconds: 1)
            // On a busy machine the clock would be first.
            alarm(0)
            // A call of the system, since an optimizer removes a loop that has no effect.
            while getpid() != 0 {}
        }
    }

    @Test("a process that waits for itself is ended by the clock")
    func clock() async {
        await #expect(processExitsWith: .signal(SIGALRM)) {
            try Confinement().limit(bytes: .max, seconds: 1)
            while true { pause() }
        }
    }

    @Test("a file that it writes has a limit")
    func fileSize() async {
        await #expect(processExitsWith: .success) {
            let descriptor = fileno(tmpfile())
            signal(SIGXFSZ, SIG_IGN)
            try Confinement().limit(bytes: 64 << 20, seconds: 60)
            guard ftruncate(descriptor, 64 << 20) == 0 else { exit(1) }
            exit(ftruncate(descriptor, (64 << 20) + 1) == -1 && errno == EFBIG ? EXIT_SUCCESS : 2)
        }
    }

    @Test("a process that others leave no processor is not ended by the clock")
    func starved() async {
        await #expect(processExitsWith: .success) {
            func start(_ path: String, _ arguments: String...) throws -> Process {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: path)
                process.arguments = arguments
                try process.run()
                return process
            }
            // One processor for this process and another one, which goes first.
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let allowed = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
            let processor = allowed?.drop { !$0.isNumber }.prefix { $0.isNumber } ?? "0"
            try start("/usr/bin/taskset", "-acp", "\(processor)", "\(getpid())").waitUntilExit()
            // It ends with this process, which may send no signals.
            _ = try start("/bin/sh", "-c", "while kill -0 \(getpid()); do :; done")
            // A seventieth of the processor beside one other. Not less (SCHED_IDLE): beside many others, on a machine that
            // runs more than this test, that would be less than the alarm needs for its own turn.
            guard setpriority(Int32(PRIO_PROCESS.rawValue), 0, 19) == 0 else { exit(1) }
            try Confinement().limit(bytes: .max, seconds: 1)
            let start = ContinuousClock.now
            while start.duration(to: .now) < .seconds(8) {}
            exit(EXIT_SUCCESS)
        }
    }

    @Test("a process follows the one that started it")
    func parent() async {
        await #expect(processExitsWith: .success) {
            try Confinement.endWithParentProcess()
            exit(EXIT_SUCCESS)
        }
    }
}

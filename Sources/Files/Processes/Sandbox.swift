import CFiles
import Foundation

/// The world of a child process that reads what may be hostile: what it gets, and what ends it.
///
/// From its first instruction, a filter of system calls (seccomp(2)) leaves it files, memory and threads, but no sockets and no
/// changes of modes, owners, times or attributes; it has no capability but that of reading files, and ends with the thread that
/// started it. When it has set itself up, it confines itself further (``Confinement``): no other programs, no files to write but
/// those that are open, and only some to read, where the kernel has Landlock.
public struct Sandbox: Sendable {
    /// Files that it may have open.
    private static let files = 256
    /// The variables that every child gets: where programs and files are, and how the C library and its loader work.
    ///
    /// Others can hold secrets.
    private static let passedOn: Set = [
        "HOME", "GLIBC_TUNABLES", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "TMPDIR", "TZ",
    ]
    private static let passedOnBeginnings = ["ASAN_", "LD_", "MALLOC_", "TSAN_", "UBSAN_"]

    /// Its environment variables.
    package let environment: [String: String]
    /// The bytes of its address space; nil if it limits itself when its program has been loaded.
    package let memory: Int?
    /// The bytes of a file that it writes; nil for no limit.
    package let fileSize: Int?
    /// The time in which it must give a sign of life: bytes that come or are taken.
    package let silence: Duration

    /// Describes a world with `own` variables besides those of every child, which come from `environment`.
    package init(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        own: [String: String] = [:],
        memory: Int? = nil,
        fileSize: Int? = nil,
        silence: Duration
    ) {
        let common = environment.filter { variable in
            Self.passedOn.contains(variable.key)
                || Self.passedOnBeginnings.contains { variable.key.hasPrefix($0) }
        }
        self.environment = common.merging(own) { $1 }
        self.memory = memory
        self.fileSize = fileSize
        self.silence = silence
    }

    /// The limits in the form of the system's part.
    var limits: nb_sandbox {
        nb_sandbox(memory: UInt64(memory ?? 0), file_size: UInt64(fileSize ?? 0), files: UInt64(Self.files))
    }

    /// The variable that gives a program in another language the filter that it adds to itself before it reads anything hostile.
    package static let filterVariable = "NUKE_BATCH_CHILD_FILTER"
    /// That filter: the instructions in the form of the kernel, in Base64.
    package static let filter: String = {
        var bytes = Data(count: nb_work_filter(nil, 0))
        _ = bytes.withUnsafeMutableBytes { nb_work_filter($0.baseAddress, $0.count) }
        return bytes.base64EncodedString()
    }()
}

import CFiles
import Foundation

/// Restrictions that a process puts on itself before it handles untrusted data: files, system calls, memory and time.
///
/// It is the second half of a child's ``Sandbox``, for what a program needs only while it sets itself up.
/// Use it while the process has a single thread, because the restrictions apply to a thread and the threads that it
/// starts.
public struct Confinement: Sendable {
    /// The folders that libraries read at run time.
    ///
    /// They hold shared libraries, the number of processors, and thread states (libdispatch). Landlock hides the
    /// private parts of other processes in `/proc`.
    private static let readable = ["/usr", "/lib", "/lib64", "/sys/devices/system/cpu", "/proc"]

    /// The address space in use at the start, in bytes.
    private let taken: Int
    private let stallAlarm = StallAlarm()

    /// Makes this process end with the process that started it, whichever thread of that did.
    ///
    /// A child in a sandbox ends with the thread that started it; one of a pool ends while its process lives.
    /// - Throws: `FileError`, also if that process has already ended.
    public static func endWithParentProcess() throws(FileError) {
        let parent = nb_open_parent()
        guard parent >= 0 else { throw FileError("follow", "the parent process", code: errno) }
        try SystemThread.start("parent") {
            nb_await_opened(parent)
            kill(getpid(), SIGKILL)
        }
    }

    /// Confines this process for the rest of its life, as far as the kernel can (`SandboxSupport`).
    ///
    /// It can read `folders` besides those of every process.
    /// - Throws: `FileError`.
    public init(reading folders: [String] = []) throws(FileError) {
        let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).prefix { $0 != " " }
        taken = (pages.flatMap { Int($0) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
        var folders = (Self.readable + folders).map { UnsafePointer(strdup($0)) }
        defer { for folder in folders { free(UnsafeMutablePointer(mutating: folder)) } }
        guard nb_confine(&folders, folders.count) == 0 else {
            throw FileError("confine", "the process", code: errno)
        }
    }

    /// Limits the process to `bytes` more memory than it started with, and to `seconds` from now.
    ///
    /// Allocations above `bytes` fail, and a file that it writes cannot be larger. The process gets SIGXCPU after that
    /// much processor time, and SIGALRM after four times that in wall-clock time, which ends work that is deadlocked.
    /// Time in which a thread of it is ready to run does not count.
    public func limit(bytes: Int, seconds: Int) {
        var usage = rusage()
        getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
        let used = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1
        let space = taken.addingReportingOverflow(bytes)
        let memory = space.overflow ? UInt64.max : UInt64(space.partialValue)
        _ = nb_limit(memory, UInt64(max(bytes, 0)), UInt64(used + seconds))
        stallAlarm.restart(seconds: 4 * seconds)
    }
}

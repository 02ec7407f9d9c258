import CFiles
import Foundation

/// What a process takes from itself before it touches what may be hostile: files, network, memory and time.
///
/// It is for a process that has one thread yet, as rights belong to threads and are handed down to those made later.
public struct Confinement: Sendable {
    /// The folders that libraries read from when they are used.
    ///
    /// Their parts, the number of processors, and what threads are doing (libdispatch). Of other processes Landlock keeps
    /// secret there what is private.
    private static let readable = ["/usr", "/lib", "/lib64", "/sys/devices/system/cpu", "/proc"]

    /// The version of Landlock that holds; 0 where the kernel has none.
    public let landlock: Int
    /// The address space that is taken up already, in bytes.
    private let taken: Int

    /// Lets this process die with the thread that started it.
    ///
    /// - Throws: `FileError` also where that has ended already.
    public static func endWithParent() throws(FileError) {
        guard nb_end_with_parent() == 0 else { throw FileError("follow", "the parent process", code: ESRCH) }
    }

    /// Confines this process for good.
    ///
    /// Where memory runs out the kernel ends it before any other.
    /// - Throws: `FileError`.
    public init() throws(FileError) {
        try? "1000".write(toFile: "/proc/self/oom_score_adj", atomically: false, encoding: .utf8)
        let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).prefix { $0 != " " }
        taken = (pages.flatMap { Int($0) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
        var folders = Self.readable.map { UnsafePointer(strdup($0)) }
        defer { for folder in folders { free(UnsafeMutablePointer(mutating: folder)) } }
        let version = nb_confine(&folders, folders.count)
        guard version >= 0 else { throw FileError("confine", "the process", code: errno) }
        landlock = Int(version)
    }

    /// Lets the process have so many bytes more than it began with, and so many seconds from now.
    ///
    /// Beyond the bytes no memory is had. It is sent SIGXCPU after so much processor time, SIGALRM after four times
    /// that by the clock, for work that waits for itself.
    public func limit(bytes: Int, seconds: Int) {
        var usage = rusage()
        getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
        let used = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1
        let space = taken.addingReportingOverflow(bytes)
        _ = nb_limit(space.overflow ? .max : UInt64(space.partialValue), UInt64(used + seconds))
        alarm(UInt32(clamping: 4 * seconds))
    }
}

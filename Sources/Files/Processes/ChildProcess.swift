import CFiles
import Foundation
import Synchronization

/// An open file or connection that a child process gets as a standard stream.
package protocol StandardStream: Sendable {
    /// The number by which this process knows it.
    var descriptor: Int32 { get }
}

/// A program in its own process that reads one file, writes another and inherits nothing else.
public final class ChildProcess: Sendable {
    /// The end of a process.
    public enum End: Sendable, Equatable {
        /// The process exited with this code.
        case exit(Int32)
        /// This signal ended the process.
        case signal(Int32)
    }

    private let path: String
    /// The process number; nil once another process may have it.
    private let process: Mutex<pid_t?>

    /// Starts `arguments`, the first of which is the program's path.
    ///
    /// `input` and `output` are its standard input and output, and `errors` its standard error; nil discards that. It runs in its own
    /// process group, so signals of the terminal do not reach it. Call `wait` afterwards on the same thread: a child
    /// that calls `Confinement.endWithParent` ends with the thread that started it.
    /// - Throws: `FileError`.
    package init(
        _ arguments: [String],
        environment: [String: String],
        input: any StandardStream,
        output: any StandardStream,
        errors: (any StandardStream)? = nil
    ) throws(FileError) {
        path = arguments.first ?? ""
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + settings { free(text) } }
        var number: pid_t = 0
        let error = nb_start(
            path,
            &words,
            &settings,
            input.descriptor,
            output.descriptor,
            errors?.descriptor ?? -1,
            &number
        )
        guard error == 0 else { throw FileError("start", path, code: error) }
        process = Mutex(number)
    }

    /// Kills the process, and those that it started in its group, if it is still running.
    public func kill() {
        process.withLock { number in
            if let number { _ = Foundation.kill(-number, SIGKILL) }
        }
    }

    /// Blocks the thread until the process has ended.
    ///
    /// Call it once.
    public func wait() -> End {
        guard let number = process.withLock({ $0 }) else { return .exit(-1) }
        nb_await(number)
        return process.withLock { held in
            held = nil
            var status: Int32 = 0
            while waitpid(number, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            return signal == 0 ? .exit(status >> 8 & 0xFF) : .signal(signal)
        }
    }
}

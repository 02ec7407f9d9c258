import CFiles
import Foundation
import Synchronization

/// A program in a process of its own that reads one file, writes another and has nothing else of ours.
public final class ChildProcess: Sendable {
    /// How it ended.
    public enum End: Sendable, Equatable {
        /// By itself, with this code.
        case exit(Int32)
        /// By this signal.
        case signal(Int32)
    }

    private let path: String
    /// Nil once its number may be somebody else's.
    private let process: Mutex<pid_t?>

    /// Starts `arguments`, of which the first is the program's path.
    ///
    /// `input` and `output` are its standard streams; what it says on standard error is lost. It is in a process group of its
    /// own, where no signal of the terminal reaches it. `wait` must follow, on this same thread: a child that asks for
    /// it (`Confinement.endWithParent`) ends with the thread that started it.
    /// - Throws: `FileError`.
    public init(
        _ arguments: [String],
        environment: [String: String],
        input: MemoryFile,
        output: MemoryFile
    ) throws(FileError) {
        path = arguments.first ?? ""
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + settings { free(text) } }
        var number: pid_t = 0
        let error = nb_start(path, &words, &settings, input.descriptor, output.descriptor, &number)
        guard error == 0 else { throw FileError("start", path, code: error) }
        process = Mutex(number)
    }

    /// Ends it at once, if it has not ended yet.
    public func kill() {
        process.withLock { number in
            if let number { _ = Foundation.kill(number, SIGKILL) }
        }
    }

    /// Blocks the thread until it has ended; called once.
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

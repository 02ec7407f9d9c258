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
        /// The process gave no sign of life for its time (`Sandbox.silence`), and was killed.
        case silent
        /// Nobody needed the process any more, and it was killed.
        case stopped
    }

    private let path: String
    /// The process number; nil once another process may have it.
    private let process: Mutex<pid_t?>
    /// The file that it writes, whose growth is a sign of life; nil for one that this process reads itself.
    private let written: (any StandardStream)?
    /// The time without a sign of life after which it is killed; nil for none.
    private let silence: Duration?

    /// Starts `arguments`, the first of which is the program's path, with the rights of this process.
    ///
    /// `input` and `output` are its standard input and output, and `errors` its standard error; nil discards that. It runs in its own
    /// process group, so signals of the terminal do not reach it. In a sandbox, it has that one's environment and ends with this thread.
    /// - Throws: `FileError`.
    package init(
        _ arguments: [String],
        in sandbox: Sandbox? = nil,
        environment: [String: String] = [:],
        input: any StandardStream,
        output: any StandardStream,
        errors: (any StandardStream)? = nil
    ) throws(FileError) {
        path = arguments.first ?? ""
        silence = sandbox?.silence
        let environment = sandbox?.environment ?? environment
        var status = stat()
        written = fstat(output.descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? output : nil
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + settings { free(text) } }
        var number: pid_t = 0
        let limits = sandbox.map { [$0.limits] } ?? []
        let error = words.withUnsafeMutableBufferPointer { words in
            settings.withUnsafeMutableBufferPointer { settings in
                limits.withUnsafeBufferPointer { limits in
                    var program = nb_program(
                        path: words.first ?? nil,
                        arguments: words.baseAddress,
                        environment: settings.baseAddress,
                        input: input.descriptor,
                        output: output.descriptor,
                        errors: errors?.descriptor ?? -1,
                        sandbox: limits.isEmpty ? nil : limits.baseAddress
                    )
                    return nb_start(&program, &number)
                }
            }
        }
        guard error == 0 else { throw FileError("start", path, code: error) }
        process = Mutex(number)
    }

    /// Kills the process, and those that it started in its group, if it is still running.
    public func kill() {
        process.withLock { number in
            if let number { _ = Foundation.kill(-number, SIGKILL) }
        }
    }

    /// Blocks the thread until the process has ended, which it does by force when it is silent for too long, or when `isStopped`
    /// returns true.
    ///
    /// Call it once.
    public func wait(isStopped: @escaping @Sendable () -> Bool = { false }) -> End {
        guard let number = process.withLock({ $0 }) else { return .exit(-1) }
        let forced = watch(number, isStopped: isStopped)
        if forced != nil { kill() }
        nb_await(number)
        return process.withLock { held in
            held = nil
            var status: Int32 = 0
            while waitpid(number, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            return signal == 0
                ? .exit(status >> 8 & 0xFF) : signal == SIGKILL ? forced ?? .signal(signal) : .signal(signal)
        }
    }

    /// Waits for the end, and returns nil, or why it must be brought about.
    private func watch(_ number: pid_t, isStopped: @escaping @Sendable () -> Bool) -> End? {
        guard let limit = silence else { return nil }
        let process = nb_open_process(number)
        // A filter may forbid it; then nothing but the end is waited for.
        guard process >= 0 else { return nil }
        defer { close(process) }
        var silence = Silence(limit, isStopped: isStopped)
        var size = writtenBytes
        do throws(FileError) {
            while try !silence.wait(for: POLLIN, of: process) {
                if case let now = writtenBytes, now != size {
                    size = now
                    silence.end()
                }
            }
            return nil
        } catch {
            return error.code == ECANCELED ? .stopped : error.code == ETIMEDOUT ? .silent : nil
        }
    }

    private var writtenBytes: Int {
        var status = stat()
        guard let written, fstat(written.descriptor, &status) == 0 else { return 0 }
        return Int(status.st_size)
    }
}

import Files
import Foundation
import JobManifest

/// The rows of Parquet files as CSV, each file with a header row, from a child process.
///
/// The child sends frames: the length as 32 bits, low byte first, and that many bytes. A frame without bytes ends a file, so
/// that a child that dies is never taken for the end of a list. Use it on one thread.
final class ParquetStream: ByteStream {
    private let process: ParquetProcess
    private let connection: ProcessConnection
    private let files: [ParquetFile]
    private let isStopped: @Sendable () -> Bool
    private let copy: UnnamedFile?
    /// The index of the file whose rows come.
    private var index = 0
    /// The bytes of the frame that have not come yet.
    private var rest = 0
    private var isAtEndOfFile = false
    /// Room for the length of a frame.
    private let head = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 4)

    /// Starts a child that reads `columns` of `files`, or all that have a text, and at most `limit` rows.
    ///
    /// `copy` is the content of the only file, if that is an object. With `hasKinds`, a row with a `RowCell.ParquetKind` for each
    /// column follows the names. `isStopped` is asked while no row comes.
    /// - Throws: `SourceError`.
    init(
        _ files: [ParquetFile],
        copy: UnnamedFile? = nil,
        columns: UsedColumns?,
        hasKinds: Bool = false,
        limit: Int? = nil,
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) throws(SourceError) {
        (self.files, self.copy, self.isStopped) = (files, copy, isStopped)
        var arguments = ["read", "--framed"]
        if let columns {
            arguments += columns.required.sorted().map { "--column=\($0)" }
            arguments += columns.optional.sorted().map { "--optional-column=\($0)" }
        }
        if hasKinds { arguments.append("--kinds") }
        if let limit { arguments += ["--limit", String(limit)] }
        arguments += copy == nil ? ["--files0-from", "-"] : files.map(\.path)
        do {
            let input: any StandardStream
            if let copy { input = copy } else { input = try ParquetProgram.names(files.map(\.path)) }
            connection = try ProcessConnection(silence: ParquetProgram.rowSilence, isStopped: isStopped)
            process = try ParquetProgram().startConfined(
                arguments,
                input: input,
                output: try connection.takeChildEnd()
            )
        } catch let error as ParquetError {
            throw SourceError(files.first?.name ?? "", error.description)
        } catch {
            throw SourceError(files.first?.name ?? "", "\(error)")
        }
    }

    deinit {
        head.deallocate()
    }

    /// The size of the current file in bytes; 0 if it is gone, which the program reports.
    var fileBytes: Int {
        if let copy { return copy.count }
        let attributes = try? FileManager.default.attributesOfItem(atPath: files[index].path)
        return (attributes?[.size] as? Int) ?? 0
    }

    /// Fills the beginning of `buffer` with bytes of the current file; 0 is that file's end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
        if isAtEndOfFile { return 0 }
        if rest == 0 { rest = try nextFrame() }
        if rest == 0 {
            isAtEndOfFile = true
            if index == files.count - 1 { try finish() }
            return 0
        }
        let count = try receive(UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(rest, buffer.count)]))
        rest -= count
        return count
    }

    /// Goes on with the next file, after the end of the current one; false after the last.
    func openNextFile() -> Bool {
        guard isAtEndOfFile, index + 1 < files.count else { return false }
        index += 1
        isAtEndOfFile = false
        return true
    }

    private func nextFrame() throws(SourceError) -> Int {
        var length: UInt32 = 0
        var filled = 0
        while filled < 4 {
            let count = try receive(UnsafeMutableRawBufferPointer(rebasing: head[..<(4 - filled)]))
            for offset in 0..<count { length |= UInt32(head[offset]) << (8 * (filled + offset)) }
            filled += count
        }
        return Int(length)
    }

    /// Receives at least a byte.
    private func receive(_ buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
        do throws(FileError) {
            let count = try connection.read(into: buffer)
            if count > 0 { return count }
        } catch {
            process.kill()
            throw SourceError(files[index].name, ParquetError(error).description)
        }
        try finish()
        throw SourceError(files[index].name, "nuke-batch-parquet ended before the file did: run it again")
    }

    /// Waits for the child.
    private func finish() throws(SourceError) {
        do throws(ParquetError) {
            try process.requireSuccess(isStopped: isStopped)
        } catch {
            throw files[index].error(error)
        }
    }
}

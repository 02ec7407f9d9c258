package import Files
import Foundation

/// A Parquet file that is written row by row, through the program, and gets its name when it is complete and durable.
///
/// Until then it has the suffix `.part`. Use it on one thread, which blocks while the program is behind.
package final class ParquetTable {
    /// Rows are sent in pieces of this many bytes.
    private static let pieceSize = 1 << 16

    private let folder: Folder
    private let name: String
    private let file: HeldFile
    private let process: ParquetProcess
    private let connection: ProcessConnection
    private var text = ""
    private var isRemoved = false

    private var partName: String { "\(name).part" }

    /// Begins the file `name` in `folder`.
    /// - Throws: `FileError`, with the code `EWOULDBLOCK` if another process is writing it; `ParquetError` without the program.
    package init(
        _ name: String,
        in folder: Folder,
        columns: [ParquetColumn],
        permissions: UInt32 = Permissions.file
    ) throws {
        let program = try ParquetProgram()
        guard let file = try HeldFile("\(name).part", in: folder, create: true, permissions: permissions)
        else { throw FileError("write", "\(folder.path)/\(name)", code: EWOULDBLOCK) }
        // Of an earlier process that was killed.
        try file.write(Data(), at: 0)
        (self.folder, self.name, self.file) = (folder, name, file)
        connection = try ProcessConnection(silence: ParquetProgram.rowSilence)
        process = try program.startConfined(
            ["write", "--schema", ParquetColumn.schema(columns), "-"],
            input: try connection.takeChildEnd(),
            output: file,
            fileSize: nil
        )
    }

    /// Begins the file at `path`, which starts from the working directory.
    /// - Throws: As `init(_:in:columns:)`.
    package convenience init(file path: String, columns: [ParquetColumn]) throws {
        let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let folder = try Folder(path: url.deletingLastPathComponent().path)
        try self.init(url.lastPathComponent, in: folder, columns: columns)
    }

    /// Adds a row with a value for each column; nil is null.
    /// - Throws: `ParquetError` if the program has failed, `FileError`.
    package func add(_ values: [String?]) throws {
        for (index, value) in values.enumerated() {
            if index > 0 { text += "," }
            // Quoted, since an empty field is null.
            if let value { text += CSVRow.quoted(value) }
        }
        text += "\n"
        if text.utf8.count >= Self.pieceSize { try send() }
    }

    /// Ends the file, and gives it its name durably.
    /// - Throws: `ParquetError` if the program has failed, `FileError`.
    package func finish() throws {
        try send()
        connection.finishSending()
        try requireSuccess()
        try file.sync()
        try folder.publish(partName, as: name)
        try folder.sync()
    }

    /// Gives up, and removes what was written.
    /// - Throws: `FileError`.
    package func discard() throws(FileError) {
        process.kill()
        if !isRemoved { try file.remove() }
        isRemoved = true
    }

    private func send() throws {
        do throws(FileError) {
            try connection.send(Data(text.utf8))
        } catch {
            guard error.code != ETIMEDOUT else {
                try discard()
                throw ParquetError.silence
            }
            // The program's own message says why it reads no more.
            try requireSuccess()
            throw error
        }
        text.removeAll(keepingCapacity: true)
    }

    private func requireSuccess() throws {
        do throws(ParquetError) {
            try process.requireSuccess()
        } catch {
            try discard()
            throw ParquetError("\(folder.path)/\(name) cannot be written: \(error)")
        }
    }
}

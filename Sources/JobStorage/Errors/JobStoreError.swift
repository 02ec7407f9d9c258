import Files
public import SQLite

/// The reason why the state of a job cannot be opened, read or changed.
public enum JobStoreError: Error, Sendable, CustomStringConvertible {
    /// Another run holds the job: its process id, if it could be read, and the state's path.
    case locked(by: Int32?, path: String)
    /// The file is damaged or holds something else: its path and what was found.
    case damaged(path: String, detail: String)
    /// A later release wrote the file: a sentence with both versions.
    case newer(detail: String)
    /// An earlier release wrote the file, and a reader cannot bring it up to date: its path.
    case older(path: String)
    /// The folder or a file in it cannot be made or written: its path and the system's reason.
    case notWritable(path: String, detail: String)
    /// The file cannot be found or read, though it may exist: the system's reason.
    case notReadable(detail: String)
    /// Others may write in the state's folder: its path and its permissions.
    case notPrivate(path: String, permissions: Int)
    /// An item was not in a state that allows the change; the state is as it was.
    case refused(item: Int64, event: ItemEvent)
    /// A run is needed first: `beginRun` was not called.
    case noRun
    /// The store was closed before.
    case closed
    /// SQLite failed otherwise, on a full disk for example.
    case database(SQLiteError)

    /// A sentence with the problem, the path and the remedy.
    public var description: String {
        switch self {
        case .locked(let holder, let path):
            "another run\(holder.map { " (process \($0))" } ?? "") holds the job of \(path): wait for it or end it"
        case .damaged(let path, let detail):
            "the state \(path) is damaged: \(detail); `doctor --rebuild` makes a new one from the outputs, "
                + "`run --fresh` starts from nothing"
        case .newer(let detail):
            detail
        case .older(let path):
            "the state \(path) was written by an earlier release: `run` once brings it up to date"
        case .notWritable(let path, let detail):
            "the state cannot be kept in \(path): \(detail); `--state-file FILE` sets another path"
        case .notReadable(let detail):
            "the state cannot be read: \(detail)"
        case .notPrivate(let path, let permissions):
            "others may write in the state's folder \(path) (mode \(String(permissions, radix: 8))): "
                + "take that right away (chmod go-w) or set another path with `--state-file FILE`"
        case .refused(let item, let event):
            "item \(item) is not in a state that allows to \(event.rawValue) it"
        case .noRun:
            "items can be claimed and recorded within a run only"
        case .closed:
            "the job's state is closed"
        case .database(let error):
            error.description
        }
    }

    /// Converts the error of a reader, which never writes.
    init(reading error: any Error) {
        switch error {
        case let error as FileError: self = .notReadable(detail: error.description)
        case let error as SQLiteError where error.forbidsWriting:
            self = .notReadable(
                detail:
                    "SQLite cannot open \(error.path): \(error.message); check the permissions of its folder"
            )
        default: self.init(error)
        }
    }

    init(_ error: any Error) {
        switch error {
        case let error as JobStoreError: self = error
        case let error as SQLiteError where error.isDamage || error.missesName:
            self = .damaged(path: error.path, detail: error.message)
        case let error as SQLiteError where error.forbidsWriting:
            self = .notWritable(path: error.path, detail: error.message)
        case let error as SQLiteError: self = .database(error)
        case let error as FileError: self = .notWritable(path: error.path, detail: error.description)
        case MigrationError.newer(let found, let known, let path):
            self = .newer(detail: MigrationError.newer(found: found, known: known, path: path).description)
        case MigrationError.foreign(let id, let path):
            self = .damaged(path: path, detail: "it is not the state of a job (application id \(id))")
        case is DatabaseClosed: self = .closed
        default: self = .database(SQLiteError(code: 1, message: "\(error)", path: ""))
        }
    }
}

extension SQLiteError {
    /// True if a statement of ours names a column, a table or an index that the file's schema does not have: SQLITE_ERROR, which
    /// has no finer code.
    fileprivate var missesName: Bool {
        code & 0xff == 1 && statement != nil
            && (message.hasPrefix("no such ") || message.contains(" has no column named "))
    }

    /// True if the file or its folder cannot be opened or written: SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN.
    fileprivate var forbidsWriting: Bool { [3, 8, 14].contains(code & 0xff) }
}

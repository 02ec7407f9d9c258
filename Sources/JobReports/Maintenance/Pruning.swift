import Files
import Foundation
public import JobManifest
public import JobPlanning
import JobStorage

/// The files that earlier runs made and no item of the manifest makes any more.
public struct Pruning: Sendable {
    /// A file and what is to become of it.
    public struct File: Sendable, Encodable {
        /// The action for a file.
        public enum Fate: String, Sendable, Encodable {
            /// It is what was written, and goes.
            case remove
            /// It is gone already; only its record goes.
            case gone
            /// An output that is asked for has its path now; only its record goes.
            case taken
            /// Somebody has changed it since it was written: it stays.
            case changed
        }

        /// Relative to the destination.
        public let path: String
        /// The name of the output that it was.
        public let name: String
        /// The URL of the item that it was made for.
        public let url: String
        /// Its length when it was written.
        public let bytes: Int
        /// The action.
        public let fate: Fate
    }

    /// All of them, by their paths.
    public let files: [File]
    private let records: [OutputRecord]
    private let destination: Folder?
    private let statePath: String

    /// Finds them, for `manifest` as it was planned last; changes nothing.
    /// - Throws: `RunError.machine` where the state cannot be read.
    public init(_ manifest: Manifest, options: RunOptions = RunOptions()) throws(RunError) {
        do {
            let manifest = try options.applied(to: manifest)
            statePath = options.statePath(of: manifest)
            let destination = try Verification.open(manifest.destinationPath)
            self.destination = destination
            let reader = try JobReader(path: statePath)
            records = try reader?.revision() == nil ? [] : reader?.unwantedFiles() ?? []
            files = records.map { record in
                File(
                    path: record.path,
                    name: record.name,
                    url: record.url,
                    bytes: record.bytes,
                    fate: Self.fate(of: record, in: destination)
                )
            }
        } catch {
            throw RunError(error)
        }
    }

    /// Removes the files that are to go, and folders that are empty then, and forgets what was recorded of them.
    ///
    /// The files go first: an interruption leaves records without files, which the next pruning forgets.
    /// - Throws: `RunError.held` while a run is going on, `RunError.machine`.
    public func remove() throws(RunError) {
        do {
            let store = try JobStore(path: statePath)
            defer { store.close() }
            for file in files where file.fate == .remove { try remove(file.path) }
            try destination?.sync()
            let forgotten = zip(files, records).filter { $0.0.fate != .changed }.map(\.1)
            try store.forget(forgotten)
        } catch {
            throw RunError(error)
        }
    }

    private func remove(_ path: String) throws(FileError) {
        guard let destination else { return }
        try destination.remove(path)
        var parts = path.split(separator: "/").dropLast()
        while !parts.isEmpty, try destination.removeFolder(parts.joined(separator: "/")) {
            parts = parts.dropLast()
        }
    }

    private static func fate(of record: OutputRecord, in destination: Folder?) -> File.Fate {
        if record.isShared { return .taken }
        switch Verification.problem(record, in: destination)?.word {
        case nil: return .remove
        case "missing": return .gone
        default: return .changed
        }
    }
}

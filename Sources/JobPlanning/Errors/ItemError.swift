import Files
import Foundation
import Imaging
package import JobManifest
import SQLite

/// The failure of an item, as the state, the command line and the reports describe it.
package struct ItemError: Error, Sendable, Codable {
    /// The consequence for the item and the run.
    package enum Handling: Sendable, Equatable, Codable {
        /// The item has failed and waits for `retry`.
        case permanent
        /// The item is retried after a backoff, with at most this many attempts in total (nil: the manifest's limit).
        case retry(atMost: Int?)
        /// The item has failed in this run; the next run tries again.
        case nextRun
        /// The host asked for a pause, or no host can be looked up: the item becomes pending again, and the attempt does not count.
        ///
        /// It has failed when that has happened more than `atMost` times in one run (nil: never).
        case hostHeld(milliseconds: Int64, atMost: Int? = nil)
        /// The run is being stopped: the item becomes pending again, and the attempt does not count.
        case interrupted
        /// The item may have crashed or stalled the run, or could if it were hostile, and is tried in a child process.
        case suspect
        /// The item crashed a process: it is not tried again until `retry`.
        case quarantine
        /// Local problem (disk, memory, descriptors): the item becomes pending again, and the run stops.
        case local
    }

    /// The class.
    package let code: ErrorCode
    /// One sentence that names the place and the remedy.
    package let message: String
    /// The consequence.
    package let handling: Handling
    /// The HTTP status, if there was one.
    package let status: Int?

    /// Creates an error; without `handling`, it gets that of the table of errors.
    package init(_ code: ErrorCode, _ message: String, handling: Handling? = nil, status: Int? = nil) {
        self.code = code
        self.message = message
        self.handling = handling ?? Handling(code.entry.recovery)
        self.status = status
    }

    /// Converts any error that a stage has thrown.
    package init(_ error: any Error) {
        switch error {
        case let error as ItemError: self = error
        case let error as ImagingError: self.init(error)
        case let error as FileError: self.init(error)
        case is CancellationError: self = .interrupted
        case let error as SQLiteError: self.init(.local, error.description)
        default: self.init(.processing, "\(error)")
        }
    }

    /// The error of an item that stops with its run, through no fault of its own.
    package static let interrupted = ItemError(.interrupted, "the run was stopped")

    private init(_ error: ImagingError) {
        switch error.reason {
        case .wrongType, .unsupported: self.init(.wrongType, error.message)
        case .corrupt, .truncated: self.init(.corrupt, error.message)
        case .limits: self.init(.limits, error.message)
        case .processing: self.init(.processing, error.message)
        case .memory: self.init(.local, error.message)
        case .plugIn: self.init(.plugIn, error.message)
        // A child process, which is confined, reads it.
        case .unconfined: self.init(.plugIn, error.message, handling: .suspect)
        }
    }

    private init(_ error: FileError) {
        if error.isLocalTrouble, error.code != EACCES, error.code != EPERM {
            self.init(.local, error.description)
        } else if error.isMissing || error.code == ENOTDIR {
            self.init(.notFound, error.description)
        } else if error.code == EFBIG, error.operation != "read" {
            self.init(.local, error.description)
        } else if error.code == EFBIG {
            self.init(.tooLarge, "\(error.path) is larger than loading.maxBytes")
        } else {
            self.init(.address, error.description)
        }
    }
}

extension ItemError.Handling {
    /// Converts the handling in the table of errors; the caller decides which statuses are retried.
    fileprivate init(_ recovery: ErrorCode.Recovery) {
        self =
            switch recovery {
            case .retried(let attempts): .retry(atMost: attempts)
            case .nextRun: .nextRun
            case .byStatus, .permanent: .permanent
            case .quarantined: .quarantine
            case .stopsRun: .local
            case .putBack: .interrupted
            }
    }
}

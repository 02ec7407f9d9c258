import Files
import Foundation
import Imaging
import JobManifest
import JobPlanning
import Nuke
import SQLite

/// Why an item failed, in the words of the state, the command line and the reports.
struct ItemError: Error, Sendable, Codable {
    /// What is to be done about it.
    enum Handling: Sendable, Equatable, Codable {
        /// The item has failed and waits for `retry`.
        case permanent
        /// The item is tried again after a backoff, so many times in all at the most (nil: as the manifest says).
        case retry(atMost: Int?)
        /// The item has failed for now: the next run takes it up again.
        case nextRun
        /// The host asked for so much time: the item goes back and has spent no attempt.
        case hostHeld(milliseconds: Int64)
        /// The run is being stopped: the item goes back and has spent no attempt.
        case interrupted
        /// The item may have harmed the run, and is tried again where it can do none.
        case suspect
        /// The item ended a process: it is not touched again before `retry`.
        case quarantine
        /// The machine is in the way (disk, memory, descriptors): the item goes back and the run stops.
        case local
    }

    /// The class.
    let code: ErrorCode
    /// One sentence, with the place and the remedy.
    let message: String
    let handling: Handling
    /// The HTTP status, where there was one.
    let status: Int?

    /// `handling` is the table's if it is left out.
    init(_ code: ErrorCode, _ message: String, handling: Handling? = nil, status: Int? = nil) {
        self.code = code
        self.message = message
        self.handling = handling ?? Handling(code.entry.recovery)
        self.status = status
    }

    /// The item's error for whatever a stage threw.
    init(_ error: any Error) {
        switch error {
        case let error as ItemError: self = error
        case let error as ImagingError: self.init(error)
        case let error as FileError: self.init(error)
        case let error as LocalFiles.Failure: self.init(error)
        case is CancellationError: self = .interrupted
        case let error as Watchdog.Expired:
            self.init(.crashed, "a stage did not end within \(error.seconds) s", handling: .suspect)
        case let error as SQLiteError: self.init(.local, error.description)
        default: self.init(.processing, "\(error)")
        }
    }

    /// The item is not to blame: the run is being stopped.
    static let interrupted = ItemError(.interrupted, "the run was stopped")

    private init(_ error: ImagingError) {
        switch error.reason {
        case .wrongType, .unsupported: self.init(.wrongType, error.message)
        case .corrupt, .truncated: self.init(.corrupt, error.message)
        case .limits: self.init(.limits, error.message)
        case .processing: self.init(.processing, error.message)
        case .memory: self.init(.local, error.message)
        }
    }

    private init(_ error: LocalFiles.Failure) {
        switch error {
        case .noPath(let url): self.init(.badURL, "\(url) names no file")
        case .outsideRoots(let path):
            self.init(.address, "\(path) is in none of network.fileRoots: add its folder there")
        case .file(let error): self.init(error)
        }
    }

    private init(_ error: FileError) {
        if error.isLocalTrouble, error.code != EACCES, error.code != EPERM {
            self.init(.local, error.description)
        } else if error.isMissing {
            self.init(.notFound, error.description)
        } else if error.code == EFBIG {
            self.init(.tooLarge, "\(error.path) is larger than loading.maxBytes")
        } else {
            self.init(.address, error.description)
        }
    }
}

extension ItemError.Handling {
    /// The handling that the table of errors names; statuses that are to be retried are the caller's to know.
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

import Files
import Foundation
import Imaging
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

    /// The class, such as `http_404`, `timeout`, `wrong_type`, `corrupt` (command-line.md lists them).
    let code: String
    /// One sentence, with the place and the remedy.
    let message: String
    let handling: Handling
    /// The HTTP status, where there was one.
    let status: Int?

    init(_ code: String, _ message: String, _ handling: Handling = .permanent, status: Int? = nil) {
        self.code = code
        self.message = message
        self.handling = handling
        self.status = status
    }

    /// The errors that the next run tries again by itself.
    static func retryable(by settings: RetrySettings) -> Set<String> {
        let codes = ["dns", "refused", "timeout", "reset", "truncated", "integrity", "host_down", "offline"]
        return Set(codes + settings.statuses.map { "http_\($0)" })
    }

    /// Whether its host could not be reached or did not answer: when none can, no item is to blame.
    var isUnreachable: Bool {
        ["dns", "refused", "timeout", "reset"].contains(code)
    }

    /// The item's error for whatever a stage threw.
    init(_ error: any Error) {
        switch error {
        case let error as ItemError: self = error
        case let error as ImagingError: self.init(error)
        case let error as FileError: self.init(error)
        case is CancellationError: self = .interrupted
        case let error as Watchdog.Expired:
            self.init("crashed", "a stage did not end within \(error.seconds) s", .suspect)
        case let error as SQLiteError: self.init("local", error.description, .local)
        default: self.init("processing", "\(error)")
        }
    }

    /// The item is not to blame: the run is being stopped.
    static let interrupted = ItemError("interrupted", "the run was stopped", .interrupted)

    private init(_ error: ImagingError) {
        switch error.reason {
        case .wrongType, .unsupported: self.init("wrong_type", error.message)
        case .corrupt, .truncated: self.init("corrupt", error.message)
        case .limits: self.init("limits", error.message)
        case .processing: self.init("processing", error.message)
        case .memory: self.init("local", error.message, .local)
        }
    }

    private init(_ error: FileError) {
        if error.isLocalTrouble, error.code != EACCES, error.code != EPERM {
            self.init("local", error.description, .local)
        } else if error.isMissing {
            self.init("not_found", error.description)
        } else if error.code == EFBIG {
            self.init("too_large", "\(error.path) is larger than loading.maxBytes")
        } else {
            self.init("address", error.description)
        }
    }
}
